import { describe, expect, test } from 'vitest';
import type { Service } from '../../src/service/index.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

describe('races between the two transactions', () => {
  /** A service in whose SAVE another submission commits just before the lock is taken. */
  function raced(id: string): { racing: Service; raced: () => boolean } {
    let done = false;
    const crashing = ws.meddled(async ({ name }) => {
      if (name !== 'lock_publication' || done) return;
      done = true;
      expect(await ws.context.another().submit(TX1, edit(id, 1, 'b', 'c'))).toMatchObject({ status: 'accepted' });
    });
    return { racing: crashing, raced: () => done };
  }

  test('with a guard the SAVE is rejected and the disk untouched', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const { racing, raced: happened } = raced(id);
    expect(await ws.sync(id, { expected_target_version: 1 }, racing)).toMatchObject({
      status: 'rejected',
      failure_code: 'target_version_mismatch',
      failure_reason: 'target_version_mismatch',
    });
    expect([happened(), ws.onDisk(name), await ws.openIntents(id)]).toEqual([true, 'a\n', []]);
  });

  test('without one the intent is superseded and the SAVE publishes what stands now', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    expect(await ws.sync(id, {}, raced(id).racing)).toMatchObject({ status: 'published', version: 2 });
    const kinds = await (
      await ws.context.server.client('admin')
    ).query('select outcome from patchdiff_audit.publications where target_file_id = $1 order by publication_sequence', [id]);
    expect([ws.onDisk(name), kinds.rows]).toEqual(['c\n', [{ outcome: 'superseded' }, { outcome: 'published' }]]);
  });
});

describe('crashes', () => {
  test('after the file was replaced: partial, then the next SAVE finishes the bookkeeping', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    const partial = await ws.sync(id, {}, crashing);
    expect(partial).toMatchObject({
      status: 'partial',
      failure_reason: 'checkpoint_failed',
      disk_sha256: sha256('b\n'),
      publication_id: expect.any(String) as string,
    });
    expect([ws.onDisk(name), (await ws.openIntents(id)).length]).toEqual(['b\n', 1]);
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged', version: 1, finished_publications: [partial['publication_id']] });
    expect(await ws.openIntents(id)).toEqual([]);
    expect(await ws.context.service.getManifestLedger({ target_file_id: id })).toMatchObject({ entries: [] });
  });

  test('the endings of a file of mixed line ends are finished with it', async () => {
    const { id, name } = await ws.imported('a\r\nb\nc');
    await ws.service.submit(TX1, edit(id, 0, 'b', 'new\nb'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    expect(await ws.sync(id, {}, crashing)).toMatchObject({ status: 'partial' });
    // The target moves on before anybody finishes.
    await ws.service.submit(TX1, edit(id, 1, 'a\n', ''));
    expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 2 });
    expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual(['new\r\nb\nc', []]);
    const admin = await ws.context.server.client('admin');
    expect((await admin.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
  });

  test('the same for an import of the file', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    await ws.sync(id, {}, crashing);
    expect(await ws.service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({
      status: 'existing',
      target_file_id: id,
      version: 1,
    });
    expect(await ws.openIntents(id)).toEqual([]);
  });

  test('before the file was replaced: the error is thrown, the intent closed, and SAVE works again', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'lock_publication') throw new Error('pulled the plug');
    });
    await expect(ws.sync(id, {}, crashing)).rejects.toThrow('pulled the plug');
    expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual(['a\n', []]);
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
  });

  test('with nobody left to close it: the next SAVE sees the old bytes, closes it and publishes', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'lock_publication' || statement === 'record_publication') throw new Error('pulled the plug');
    });
    await expect(ws.sync(id, {}, crashing)).rejects.toThrow('pulled the plug');
    expect((await ws.openIntents(id)).length).toBe(1);
    expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 1 });
    expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual(['b\n', []]);
  });

  test('a disk that is neither is drift; the intent stays for an operator', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'lock_publication' || statement === 'record_publication') throw new Error('pulled the plug');
    });
    await expect(ws.sync(id, {}, crashing)).rejects.toThrow('pulled the plug');
    ws.put(name, 'neither\n');
    expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'drift' });
    expect((await ws.openIntents(id)).length).toBe(1);
  });
});
