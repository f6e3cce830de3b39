import { copyFileSync, realpathSync, renameSync, unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { useRebinding } from './support/rebinding.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';
const { move, rows, sound } = useRebinding(ws);

/** A SAVE whose outcome is never recorded; where it stopped, the file holds the new bytes or the old. */
async function crash(id: string, at: 'record_publication' | 'lock_publication'): Promise<string> {
  const crashing = ws.meddled(({ name }) => {
    if (name === 'record_publication' || name === at) throw new Error('pulled the plug');
  });
  await ws.sync(id, {}, crashing).catch(() => undefined);
  const [intent] = (await ws.openIntents(id)) as { publication_id: string }[];
  return intent!.publication_id;
}

describe('beside a SAVE', () => {
  test.each<['record_publication' | 'lock_publication', boolean, string]>([
    ['record_publication', true, 'published'],
    ['lock_publication', true, 'rejected'],
    ['record_publication', false, 'published'],
  ])('one that was interrupted at %s is finished by what the file proves, moved: %s', async (at, isMoved, outcome) => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const intent = await crash(id, at);
    if (isMoved) renameSync(ws.at(name), ws.at(`b-${name}`));
    const moved = await move(id, `b-${name}`);
    expect(moved).toMatchObject({ status: 'rebound', superseded_publications: [] });
    expect(moved['finished_publications'] ?? []).toEqual(outcome === 'published' ? [intent] : []);
    expect(await rows('select outcome from patchdiff_audit.publications where publication_id = $1', intent)).toEqual([{ outcome }]);
    await ws.sync(id);
    expect(ws.onDisk(`b-${name}`)).toBe('b\n');
    await sound(id);
  });

  test('one whose outcome nothing proves is closed as superseded, and can never be recorded as published', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const intent = await crash(id, 'record_publication');
    unlinkSync(ws.at(name));
    expect(await move(id, `b-${name}`)).toMatchObject({ status: 'rebound', superseded_publications: [intent] });
    await expect(rows("select patchdiff.record_publication($1, $2, 'published')", id, intent)).rejects.toMatchObject({ code: 'PD110' });
    await sound(id);
  });

  test.each(['save_target', 'read_target', 'open_publication', 'lock_publication'])(
    'a move before its %s keeps it from writing the old file',
    async (moment) => {
      const { id, name } = await ws.imported('a\n');
      await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
      copyFileSync(ws.at(name), ws.at(`copy-${name}`));
      let seen = 0;
      const racing = ws.meddled(async ({ name: statement }) => {
        // Of save_target the second call, which is under the lease.
        if (statement !== moment || ++seen !== (moment === 'save_target' ? 2 : 1)) return;
        const place = { root: realpathSync(ws.root), path: `copy-${name}`, root_device: '1', root_inode: '1', disk_sha256: sha256('a\n') };
        await rows('select * from patchdiff.rebind_target($1, $2)', id, JSON.stringify(place));
      });
      expect(await ws.sync(id, {}, racing)).toMatchObject({ status: 'rejected', failure_code: 'publication_moved' });
      expect([ws.onDisk(name), ws.onDisk(`copy-${name}`), await ws.openIntents(id)]).toEqual(['a\n', 'a\n', []]);
      expect(await ws.sync(id)).toMatchObject({ status: 'published', workspace_path: `copy-${name}` });
      expect(ws.onDisk(name)).toBe('a\n');
      await sound(id);
    },
  );
});
