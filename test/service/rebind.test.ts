import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject, RebindRequest } from '../../src/service/index.ts';
import { useRebinding } from './support/rebinding.ts';
import { edit, newTarget } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const { move, rows, sound } = useRebinding(ws);

function directory(name: string): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), `patchdiff-${name}-`)));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe('a file that was moved', () => {
  test('takes its binding along, and SAVE writes it where it is now', async () => {
    const { id, name } = await ws.imported('a\r\nb\r\n');
    mkdirSync(ws.at(`dir-${name}`));
    renameSync(ws.at(name), ws.at(`dir-${name}/b.txt`));
    const moved = await move(id, `dir-${name}/b.txt`, { expectedVersion: 0, expectedHash: sha256('a\nb\n') });
    expect(moved).toMatchObject({
      status: 'rebound',
      version: 0,
      from_path: name,
      workspace_root: realpathSync(ws.root),
      workspace_path: `dir-${name}/b.txt`,
      disk_sha256: sha256('a\r\nb\r\n'),
      last_synced_disk_sha256: sha256('a\r\nb\r\n'),
      last_synced_version: 0,
      superseded_publications: [],
    });
    expect(await move(id, `dir-${name}/b.txt`)).toMatchObject({ status: 'unchanged', rebinding_id: null });
    expect(await ws.service.initializeTarget({ from_workspace: true, path: `dir-${name}/b.txt` })).toMatchObject({
      status: 'existing',
      target_file_id: id,
    });
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged' });
    await ws.service.submit(TX1, edit(id, 0, 'b', 'B'));
    expect(await ws.sync(id)).toMatchObject({ status: 'published', workspace_path: `dir-${name}/b.txt` });
    expect(ws.onDisk(`dir-${name}/b.txt`)).toBe('a\r\nB\r\n');
    const [row] = (await rows(
      'select * from patchdiff_audit.bindings where target_file_id = $1 and bound_until is null',
      id,
    )) as JsonObject[];
    expect(row).toMatchObject({ rebinding_id: moved['rebinding_id'], workspace_path: `dir-${name}/b.txt`, actor_host: 'test' });
    await sound(id);
  });

  test('with its whole root, which is gone from where it was', async () => {
    const old = directory('old');
    const root = directory('new');
    rmSync(root, { recursive: true });
    const service = ws.context.another({ workspaceRoot: old });
    copyFileSync(ws.at((await ws.imported('a\n')).name), join(old, 'a.txt'));
    const id = (await service.initializeTarget({ from_workspace: true, path: 'a.txt' }))['target_file_id'] as string;
    renameSync(old, root);
    expect(await move(id, 'a.txt')).toMatchObject({
      failure_code: 'root_missing',
      next_step: expect.stringContaining('--workspace') as string,
    });
    expect(await move(id, 'a.txt', { root })).toMatchObject({ status: 'rebound', from_root: old, workspace_root: root });
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const there = ws.context.another({ workspaceRoot: root });
    const mismatch = await ws.service.save({ target_file_id: id, sync_workspace: true });
    expect(mismatch).toMatchObject({
      failure_code: 'workspace_mismatch',
      next_step: expect.stringContaining('patchdiff rebind') as string,
    });
    expect(await there.save({ target_file_id: id, sync_workspace: true })).toMatchObject({ status: 'published' });
    await sound(id);
  });

  test('is one file by whatever path it is named', async () => {
    const { id, name } = await ws.imported('a\n');
    const other = await ws.imported('a\n');
    renameSync(ws.at(name), ws.at(`real-${name}`));
    symlinkSync(`real-${name}`, ws.at(`link-${name}`));
    symlinkSync(other.name, ws.at(`link-${other.name}`));
    expect(await move(id, `./link-${name}`)).toMatchObject({ status: 'rebound', workspace_path: `real-${name}` });
    expect(await move(id, `link-${other.name}`)).toMatchObject({
      failure_code: 'file_bound_elsewhere',
      facts: { bound_target_file_id: other.id },
    });
    await sound(id);
  });

  test('another device of the root is recorded, and decides nothing', async () => {
    const { id, name } = await ws.imported('a\n');
    await rows("update patchdiff_store.workspace_bindings set root_device = '0' where target_file_id = $1", id);
    ws.put(name, 'theirs\n');
    expect(await move(id, name)).toMatchObject({ status: 'refreshed', last_synced_disk_sha256: sha256('a\n') });
    expect(await move(id, name)).toMatchObject({ status: 'unchanged' });
    expect(await ws.sync(id)).toMatchObject({ failure_code: 'drift' });
    expect(await rows('select root_device from patchdiff.find_binding($1, $2)', realpathSync(ws.root), name)).toEqual([
      { root_device: String(statSync(ws.root).dev) },
    ]);
  });
});

describe('a place without a file', () => {
  test('gets one by the next SAVE; the old file is left alone and can be imported anew', async () => {
    const { id, name } = await ws.imported('\u{FEFF}a\r\n');
    expect(await move(id, `new-${name}`)).toMatchObject({
      status: 'rebound',
      disk_sha256: null,
      last_synced_version: null,
      next_step: expect.stringContaining('creates it') as string,
    });
    expect(await ws.sync(id)).toMatchObject({ status: 'published', workspace_path: `new-${name}` });
    expect([ws.onDisk(name), ws.onDisk(`new-${name}`)]).toEqual(['\u{FEFF}a\r\n', '\u{FEFF}a\r\n']);
    const again = await ws.service.initializeTarget({ from_workspace: true, path: name });
    expect(again).toMatchObject({ status: 'created' });
    expect(await move(id, name)).toMatchObject({
      failure_code: 'file_bound_elsewhere',
      facts: { bound_target_file_id: again['target_file_id'] },
    });
    await sound(id);
  });

  test('a file that appears there is drift, and is not written over', async () => {
    const { id, name } = await ws.imported('a\n');
    await move(id, `new-${name}`);
    ws.put(`new-${name}`, 'theirs\n');
    expect(await ws.sync(id)).toMatchObject({ failure_code: 'drift', facts: { expected_disk_sha256: null } });
    expect(ws.onDisk(`new-${name}`)).toBe('theirs\n');
    // In error: the way back is open.
    expect(await move(id, name)).toMatchObject({ status: 'rebound', last_synced_version: 0 });
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged' });
    await sound(id);
  });
});

describe('what is refused, with nothing changed', () => {
  test('another file at the new place; the way that next_step names leads on', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'ours'));
    unlinkSync(ws.at(name));
    ws.put(`moved-${name}`, 'a, and more\n');
    const head = await ws.service.readTarget({ target_file_id: id });
    const drifted = await move(id, `moved-${name}`);
    expect(drifted).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('a, and more\n') },
      next_step: expect.stringMatching(/Move it aside and run the same command again.*put it back.*adopt_disk: true/) as string,
    });
    expect(await ws.service.readTarget({ target_file_id: id })).toEqual(head);
    renameSync(ws.at(`moved-${name}`), ws.at(`aside-${name}`));
    expect(await move(id, `moved-${name}`)).toMatchObject({ status: 'rebound' });
    renameSync(ws.at(`aside-${name}`), ws.at(`moved-${name}`));
    const adopted = await ws.service.initializeTarget({
      from_workspace: true,
      path: `moved-${name}`,
      adopt_disk: true,
      expected_target_version: head['version']!,
      expected_current_hash: head['current_hash']!,
    });
    expect(adopted).toMatchObject({ status: 'adopted', target_file_id: id, version: 2 });
    await sound(id);
  });

  test('targets, guards, roots and paths that do not hold', async () => {
    const { id, name } = await ws.imported('a\n');
    renameSync(ws.at(name), ws.at(`b-${name}`));
    const before = await rows('select * from patchdiff_store.target_heads where target_file_id = $1', id);
    expect(await move(UNKNOWN, 'x')).toMatchObject({ status: 'not_found' });
    expect(await move(await newTarget(ws.service, 'x'), 'x')).toMatchObject({ failure_code: 'not_workspace_bound' });
    const refusals: [Partial<RebindRequest>, string, string?][] = [
      [{ expectedVersion: 1 }, 'target_version_mismatch'],
      [{ expectedHash: sha256('b') }, 'target_hash_mismatch'],
      [{ root: ws.at('nowhere') }, 'root_missing'],
      [{ root: ws.at(`b-${name}`) }, 'root_not_directory'],
      [{}, 'path_parent', '../a'],
      [{}, 'path_absolute', ws.at(name)],
      [{}, 'path_empty', ''],
      [{}, 'path_not_found', 'no/such/directory'],
      [{}, 'is_directory', `dir-${name}`],
      [{}, 'drift', `large-${name}`],
    ];
    mkdirSync(ws.at(`dir-${name}`));
    ws.put(`large-${name}`, 'x');
    truncateSync(ws.at(`large-${name}`), 40 * 1024 * 1024);
    for (const [more, code, path = `b-${name}`] of refusals) {
      expect(await move(id, path, more), code).toMatchObject({
        status: 'rejected',
        failure_code: code,
        next_step: expect.any(String) as string,
      });
    }
    expect(await rows('select * from patchdiff_store.target_heads where target_file_id = $1', id)).toEqual(before);
  });

  test('of two targets that want one place at once one gets it, and the other is told whose it is', async () => {
    const made = [await ws.imported('a\n'), await ws.imported('a\n'), await ws.imported('a\n')];
    const path = `common-${made[0]!.name}`;
    const answers = await Promise.all(made.map(({ id }) => move(id, path)));
    const winner = made[answers.findIndex(({ status }) => status === 'rebound')]!;
    expect(answers.filter(({ status }) => status === 'rebound')).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 'rebound')) {
      expect(answer).toMatchObject({ failure_code: 'file_bound_elsewhere', facts: { bound_target_file_id: winner.id } });
    }
    for (const { id } of made) await sound(id);
  });

  test('also when both are decided at the same moment', async () => {
    const [one, two] = [await ws.imported('a\n'), await ws.imported('a\n')];
    const [first, second] = [await ws.context.server.client('writer'), await ws.context.server.client('writer')];
    const place = { root: '/elsewhere', path: one.name, root_device: '1', root_inode: '1', disk_sha256: null };
    const sql = 'select outcome from patchdiff.rebind_target($1, $2)';
    await first.query('begin');
    await first.query(sql, [one.id, JSON.stringify(place)]);
    const waiting = second.query(sql, [two.id, JSON.stringify(place)]);
    const refusal = expect(waiting).rejects.toMatchObject({ code: 'PD109', detail: expect.stringContaining(one.id) as string });
    await first.query('commit');
    await refusal;
    await sound(one.id);
    await sound(two.id);
  });
});
