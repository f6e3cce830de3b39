import { readdirSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reconcile } from '../../src/service/index.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { errno } from '../workspace/room.ts';
import { announced } from './support/cut.ts';
import { edit } from './support/service.ts';
import { useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';
const ERRNOS = ['EIO', 'ENOSPC', 'EXDEV', 'EACCES', 'ENOTDIR', 'EROFS', 'EDQUOT'];

const verified = async (call: string): Promise<unknown[]> =>
  (await (await ws.context.server.client('admin')).query(`select * from patchdiff_audit.${call}`)).rows as unknown[];

async function edited(): Promise<{ id: string; name: string }> {
  const made = await ws.imported('old\r\n');
  await ws.service.submit(TX1, edit(made.id, 0, 'old', 'new'));
  return made;
}

/** A SAVE whose nth call to disk or database fails; what it answered, null when it threw, and which call it was. */
async function failedAt(id: string, nth: number): Promise<{ events: string[]; answer: JsonObject | null }> {
  const events: string[] = [];
  const service = announced(ws.context.database, ws.root, (event) => {
    if (events.push(event) - 1 === nth) throw event.startsWith('fs ') ? errno(ERRNOS[nth % ERRNOS.length]!) : new Error(`lost: ${event}`);
  });
  try {
    return { events, answer: await ws.sync(id, { expected_target_version: 1, client_request_id: 'cut' }, service) };
  } catch (error) {
    expect((error as Error).message).toMatch(/^(lost|E[A-Z]+: injected)/);
    return { events, answer: null };
  }
}

test('each call of a whole SAVE fails in turn: one of two files, an answer that says which, nothing left (B46, B52, B54)', async () => {
  const { events } = await failedAt((await edited()).id, -1);
  expect(events.filter((event) => event.startsWith('fs ')).length).toBeGreaterThan(30);
  const saw = new Set<string>();
  for (const [nth, event] of events.entries()) {
    const { id, name } = await edited();
    const before = statSync(ws.at(name)).ino;
    const { answer } = await failedAt(id, nth);
    const isNew = ws.onDisk(name) === 'new\r\n';
    const said = answer === null ? 'thrown' : (answer['status'] as string);
    const where = `${nth} ${event}: ${said}`;
    saw.add(said);
    expect([where, ws.onDisk(name)]).toEqual([where, isNew ? 'new\r\n' : 'old\r\n']);
    expect([where, statSync(ws.at(name)).ino === before]).toEqual([where, !isNew]);
    // Rejected or thrown: the file is the old one. Partial or published: the new one.
    if (said !== 'unchanged' && said !== 'thrown') expect([where, isNew]).toEqual([where, said === 'partial' || said === 'published']);
    expect([where, readdirSync(ws.root).filter((entry) => entry.startsWith('.patchdiff'))]).toEqual([where, []]);
    if (nth % 2 === 0) {
      const found = await reconcile({ database: ws.context.database, root: ws.root, finish: true, actor: null });
      expect([where, found['status']]).toEqual([where, 'clean']);
      for (const intent of found['intents'] as JsonObject[]) {
        expect([where, intent['state']]).toEqual([where, isNew ? 'installed_not_recorded' : 'nothing_installed']);
      }
    }
    const again = await ws.sync(id, { expected_target_version: 1, client_request_id: 'cut' });
    expect([where, again['status'], ws.onDisk(name)]).toEqual([where, 'published', 'new\r\n']);
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged', version: 1 });
    expect([where, await ws.openIntents(id)]).toEqual([where, []]);
  }
  expect([...saw].sort()).toEqual(['partial', 'published', 'rejected', 'thrown']);
  expect(await verified('verify_all()')).toEqual([]);
});

test('each call of an adoption fails in turn: adopted whole or not at all, and once', async () => {
  const run = async (nth: number): Promise<{ id: string; name: string; events: string[] }> => {
    const { id, name } = await ws.imported('a\n');
    ws.put(name, 'theirs\r\n');
    const events: string[] = [];
    const service = announced(ws.context.database, ws.root, (event) => {
      if (events.push(event) - 1 === nth) throw event.startsWith('fs ') ? errno('EIO') : new Error(`lost: ${event}`);
    });
    await service.initializeTarget({ from_workspace: true, path: name, adopt_disk: true }).catch((error: unknown) => {
      expect((error as Error).message).toMatch(/^(lost|EIO: injected)/);
    });
    return { id, name, events };
  };
  const { events } = await run(-1);
  for (const nth of events.keys()) {
    const { id, name } = await run(nth);
    const text = (await ws.service.readTarget({ target_file_id: id }))['text'];
    const again = await ws.service.initializeTarget({ from_workspace: true, path: name, adopt_disk: true });
    expect([nth, events[nth], text, again['status'], again['version']]).toEqual(
      text === 'a\n' ? [nth, events[nth], 'a\n', 'adopted', 1] : [nth, events[nth], 'theirs\n', 'existing', 1],
    );
    expect(ws.onDisk(name)).toBe('theirs\r\n');
  }
  expect(await verified('verify_all()')).toEqual([]);
});
