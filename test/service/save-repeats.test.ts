import { statSync, utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reconcile } from '../../src/service/index.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

const verified = async (): Promise<unknown[]> =>
  (await (await ws.context.server.client('admin')).query('select * from patchdiff_audit.verify_all()')).rows as unknown[];

/** A keyed SAVE of `b` over `a`, cut off once the file is written; what its caller sent and was told. */
async function cutOff(): Promise<{ id: string; name: string; call: JsonObject; partial: JsonObject }> {
  const { id, name } = await ws.imported('a\n');
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
  const call = { expected_target_version: 1, client_request_id: 'k' };
  const crashing = ws.meddled(({ name: statement }) => {
    if (statement === 'record_publication') throw new Error('pulled the plug');
  });
  return { id, name, call, partial: await ws.sync(id, call, crashing) };
}

const finishers: [string, (cut: { id: string; name: string; call: JsonObject }) => Promise<unknown>][] = [
  ['the repeat itself', () => Promise.resolve()],
  ['another SAVE', ({ id }) => ws.sync(id)],
  ['an import', ({ name }) => ws.service.initializeTarget({ from_workspace: true, path: name })],
  ['reconcile', () => reconcile({ database: ws.context.database, root: ws.root, finish: true, actor: null })],
  ['the repeat, after the target moved on', ({ id }) => ws.service.submit(TX1, edit(id, 1, 'b', 'c'))],
];

describe('the key of a SAVE that was cut off once its file was written', () => {
  test.each(finishers)('stands for that publication, whoever finishes it: %s', async (_, finish) => {
    const cut = await cutOff();
    expect(cut.partial['status']).toBe('partial');
    await finish(cut);
    const repeated = await ws.sync(cut.id, cut.call);
    expect(repeated).toMatchObject({
      status: 'published',
      deduplicated: true,
      publication_id: cut.partial['publication_id'],
      disk_sha256: sha256('b\n'),
    });
    // And for ever: after the next edit and SAVE too.
    const { version } = await ws.service.readTarget({ target_file_id: cut.id });
    await ws.service.submit('patchdiff-tx/3', {
      target_file_id: cut.id,
      intent: 'next',
      expected_target_version: version!,
      replacement: 'next\n',
    });
    expect(await ws.sync(cut.id)).toMatchObject({ status: 'published' });
    const again = await ws.sync(cut.id, cut.call);
    expect({ ...again, finished_publications: null }).toEqual({ ...repeated, finished_publications: null });
    expect(await ws.sync(cut.id, { ...cut.call, expected_target_version: 2 })).toMatchObject({
      status: 'rejected',
      failure_code: 'request_key_conflict',
    });
    expect(await verified()).toEqual([]);
  });

  test('that was taken by another request meanwhile stays that one’s, and the publication is finished', async () => {
    const { id, call } = await cutOff();
    expect(await ws.service.submit(TX1, edit(id, 1, 'b', 'c', { client_request_id: 'k' }))).toMatchObject({ status: 'accepted' });
    expect(await ws.sync(id, call)).toMatchObject({ status: 'rejected', failure_code: 'request_key_conflict' });
    expect(await ws.openIntents(id)).toEqual([]);
    expect(await verified()).toEqual([]);
  });
});

test('a key that a submission used is no key of a SAVE, and the other way round; the file stays', async () => {
  const { id, name } = await ws.imported('a\n');
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b', { client_request_id: 'one' }));
  expect(await ws.sync(id, { client_request_id: 'one' })).toMatchObject({ status: 'rejected', failure_code: 'request_key_conflict' });
  expect(ws.onDisk(name)).toBe('a\n');
  expect(await ws.sync(id, { client_request_id: 'two' })).toMatchObject({ status: 'published' });
  expect(await ws.service.submit(TX1, edit(id, 1, 'b', 'c', { client_request_id: 'two' }))).toMatchObject({
    status: 'rejected',
    failure_code: 'request_key_conflict',
  });
});

test.each<[string, JsonObject, string | null]>([
  ['the version', { expected_target_version: 1 }, null],
  ['the hash', { expected_current_hash: sha256('b\n') }, null],
  ['both', { expected_target_version: 1, expected_current_hash: sha256('b\n') }, null],
  ['a stale version', { expected_target_version: 0 }, 'target_version_mismatch'],
  ['a version to come', { expected_target_version: 2 }, 'target_version_mismatch'],
  ['a stale hash', { expected_current_hash: sha256('a\n') }, 'target_hash_mismatch'],
  ['a stale version with the right hash', { expected_target_version: 0, expected_current_hash: sha256('b\n') }, 'target_version_mismatch'],
  ['the right version with a stale hash', { expected_target_version: 1, expected_current_hash: sha256('a\n') }, 'target_hash_mismatch'],
])('a SAVE guarded by %s', async (_, guards, code) => {
  const { id, name } = await ws.imported('a\n');
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
  expect(await ws.sync(id, guards)).toMatchObject({ status: code === null ? 'published' : 'rejected', failure_code: code });
  expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual([code === null ? 'b\n' : 'a\n', []]);
});

test('a SAVE with nothing new touches nothing: no row, no snapshot, and the file with its times (B48)', async () => {
  const { id, name } = await ws.imported('a\n');
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
  await ws.sync(id);
  const admin = await ws.context.server.client('admin');
  const rows = async (): Promise<unknown> =>
    (
      await admin.query(
        `select h.*,
           (select count(*) from patchdiff_store.target_snapshots as s where s.target_file_id = $1) as snapshots,
           (select count(*) from patchdiff_store.workspace_publications as p where p.target_file_id = $1) as publications
         from patchdiff.read_head($1) as h`,
        [id],
      )
    ).rows;
  /** All that a write, a rename or a change of status would show; reading a file is seen in its access time alone. */
  const state = async (): Promise<unknown[]> => {
    const times = [ws.at(name), ws.root].map((path) => {
      const { ino, size, mode, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      return { ino, size, mode, mtimeNs, ctimeNs };
    });
    return [...times, await rows()];
  };
  const before = await state();
  expect(await ws.sync(id)).toMatchObject({ status: 'unchanged', version: 1 });
  expect(await state()).toEqual(before);
});

test('an edit of the same size, its times put back, is drift all the same, with or without something to save (B46)', async () => {
  const { id, name } = await ws.imported('a\n');
  const { atimeMs, mtimeMs } = statSync(ws.at(name));
  ws.put(name, 'x\n');
  utimesSync(ws.at(name), atimeMs / 1000, mtimeMs / 1000);
  expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'drift' });
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
  expect(await ws.sync(id)).toMatchObject({
    status: 'rejected',
    failure_code: 'drift',
    facts: { expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('x\n') },
  });
  expect(ws.onDisk(name)).toBe('x\n');
});
