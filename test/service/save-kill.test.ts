import { mkdirSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reconcile } from '../../src/service/index.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { built } from '../helpers/build.ts';
import { runNode } from '../helpers/process.ts';
import { edit } from './support/service.ts';
import { useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

/** A process that runs a whole call of the service and kills itself before its nth event; without one it prints them all. */
const CHILD = `
import { writeSync } from 'node:fs';
const [dist, url, root, nth, name, args] = process.argv.slice(1);
const load = (path) => import(dist + path);
const { createService } = await load('/service/index.js');
const { createServiceState } = await load('/service/common/state.js');
const { openDatabase } = await load('/db/pool.js');
const { nodeFileSystem, openWorkspace } = await load('/workspace/index.js');
let seen = 0;
const at = (event) => {
  if (++seen === Number(nth)) process.kill(process.pid, 'SIGKILL');
  if (Number(nth) === 0) writeSync(1, event + '\\n');
};
const wrap = (inner) => ({
  autocommit: inner.autocommit,
  query: async (statement, options) => {
    at(statement.name);
    const rows = await inner.query(statement, options);
    at(statement.name + ' done');
    return rows;
  },
  transaction: async (work) => {
    const result = await inner.transaction(async (bound) => {
      const value = await work(wrap(bound));
      at('commit');
      return value;
    });
    at('commit done');
    return result;
  },
  snapshot: (work) => inner.snapshot((bound) => work(wrap(bound))),
  close: () => Promise.resolve(),
});
const WRITES = new Set(['rename', 'link', 'unlink', 'create', 'create.write', 'create.chmod', 'create.chown', 'create.sync', 'directory.sync']);
const fsAt = (call) => { if (WRITES.has(call)) at('fs ' + call); };
const fs = Object.fromEntries(Object.entries(nodeFileSystem).map(([call, real]) => [call, async (...args) => {
  fsAt(call === 'open' ? args[1] : call);
  const result = await real(...args);
  if (call !== 'open') return result;
  return new Proxy(result, { get: (file, key) => {
    const value = file[key];
    if (typeof value !== 'function') return value;
    return (...rest) => {
      fsAt(args[1] + '.' + key);
      return value.apply(file, rest);
    };
  } });
}]));
const database = openDatabase({ connectionString: url, max: 2 });
const state = { ...createServiceState(), workspace: () => openWorkspace(root, { fs }) };
const service = createService({ database: wrap(database), workspaceRoot: root, actor: null, state });
const answer = await service[name](JSON.parse(args));
writeSync(1, JSON.stringify(answer) + '\\n');
await database.close();
`;

async function child(
  nth: number,
  call: 'save' | 'initializeTarget',
  args: JsonObject,
): Promise<{ signal: string | null; lines: string[] }> {
  const argv = [await built(), ws.context.server.url(), ws.root, String(nth), call, JSON.stringify(args)];
  const { signal, stdout, stderr } = await runNode(['--input-type=module', '-e', CHILD, ...argv]);
  expect(stderr).toBe('');
  return { signal, lines: stdout.trim().split('\n') };
}

/** Runs `one` for each number from 1, two at a time. */
async function each(count: number, one: (nth: number) => Promise<void>): Promise<void> {
  for (let nth = 1; nth <= count; nth += 2) await Promise.all([nth, nth + 1].filter((n) => n <= count).map(one));
}

const verified = async (): Promise<unknown[]> =>
  (await (await ws.context.server.client('admin')).query('select * from patchdiff_audit.verify_all()')).rows as unknown[];

/** A file in a directory of its own, edited and not saved. */
async function edited(at: string): Promise<{ id: string; path: string }> {
  mkdirSync(ws.at(at));
  ws.put(`${at}/f`, 'old\r\n');
  const made = await ws.service.initializeTarget({ from_workspace: true, path: `${at}/f` });
  const id = made['target_file_id'] as string;
  await ws.service.submit(TX1, edit(id, 0, 'old', 'new'));
  return { id, path: `${at}/f` };
}

test(
  'a process killed at any step of a whole SAVE: one of two files, reconcile says which, SAVE works (B54)',
  { timeout: 240_000 },
  async () => {
    const args = (id: string): JsonObject => ({
      target_file_id: id,
      sync_workspace: true,
      expected_target_version: 1,
      client_request_id: 'killed',
    });
    const events = (await child(0, 'save', args((await edited('whole')).id))).lines;
    expect(JSON.parse(events.pop()!)).toMatchObject({ status: 'published' });
    expect(events).toEqual(
      expect.arrayContaining(['open_publication done', 'lock_publication', 'fs create', 'fs rename', 'commit', 'commit done']),
    );
    const states = new Set<string>();
    await each(events.length, async (nth) => {
      const where = `${nth} ${events[nth - 1]!}`;
      const { id, path } = await edited(`save ${nth}`);
      expect([where, (await child(nth, 'save', args(id))).signal]).toEqual([where, 'SIGKILL']);
      const isNew = ws.onDisk(path) === 'new\r\n';
      expect([where, ws.onDisk(path)]).toEqual([where, isNew ? 'new\r\n' : 'old\r\n']);
      const open = await ws.openIntents(id);
      if (nth % 2 === 0 && open.length > 0) {
        const found = await reconcile({ database: ws.context.database, root: ws.root, finish: true, actor: null });
        const mine = (found['intents'] as JsonObject[]).filter((intent) => intent['target_file_id'] === id);
        expect([where, mine.map((intent) => intent['state'])]).toEqual([where, [isNew ? 'installed_not_recorded' : 'nothing_installed']]);
      }
      states.add(`${isNew ? 'new' : 'old'}, ${open.length} open`);
      const again = await ws.sync(id, { expected_target_version: 1, client_request_id: 'killed' });
      expect([where, again['status'], again['deduplicated'], ws.onDisk(path)]).toEqual([where, 'published', isNew, 'new\r\n']);
      // A temporary file of the dead is removed by the next publication into the directory.
      const { version } = await ws.service.readTarget({ target_file_id: id });
      await ws.service.submit(TX1, edit(id, version as number, 'new', 'next'));
      expect(await ws.sync(id)).toMatchObject({ status: 'published' });
      expect([where, readdirSync(ws.at(path.slice(0, -2))), await ws.openIntents(id)]).toEqual([where, ['f'], []]);
    });
    expect([...states].sort()).toEqual(['new, 0 open', 'new, 1 open', 'old, 0 open', 'old, 1 open']);
    expect(await verified()).toEqual([]);
  },
);

test('a process killed at any step of an adoption: adopted whole or not at all', { timeout: 120_000 }, async () => {
  const drifted = async (): Promise<{ id: string; args: JsonObject }> => {
    const { id, name } = await ws.imported('a\n');
    ws.put(name, 'theirs\r\n');
    return { id, args: { from_workspace: true, path: name, adopt_disk: true } };
  };
  const whole = await drifted();
  const events = (await child(0, 'initializeTarget', whole.args)).lines.slice(0, -1);
  expect(events).toContain('adopt_disk done');
  const texts = new Set<unknown>();
  await each(events.length, async (nth) => {
    const where = `${nth} ${events[nth - 1]!}`;
    const { id, args } = await drifted();
    expect([where, (await child(nth, 'initializeTarget', args)).signal]).toEqual([where, 'SIGKILL']);
    const { text } = await ws.service.readTarget({ target_file_id: id });
    texts.add(text);
    const again = await ws.service.initializeTarget(args);
    expect([where, again['status'], again['version']]).toEqual([where, text === 'a\n' ? 'adopted' : 'existing', 1]);
  });
  expect([...texts].sort()).toEqual(['a\n', 'theirs\n']);
  expect(await verified()).toEqual([]);
});
