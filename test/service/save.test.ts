import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, forgetEndings, newTarget } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

describe('without the workspace', () => {
  test('a checkpoint, then nothing new; guards reject; a key returns its first receipt', async () => {
    const id = await newTarget(ws.service, 'a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    expect(await ws.service.save({ target_file_id: id, expected_target_version: 0 })).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_version_mismatch',
      next_step: expect.any(String) as string,
    });
    const saved = await ws.service.save({
      target_file_id: id,
      expected_target_version: 1,
      expected_current_hash: sha256('b\n'),
      client_request_id: 's1',
    });
    expect(saved).toMatchObject({
      status: 'checkpointed',
      deduplicated: false,
      version: 1,
      editing_cycle: 2,
      chain_head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      failure_reason: null,
    });
    expect(await ws.service.save({ target_file_id: id })).toMatchObject({ status: 'unchanged' });
    await ws.service.submit(TX1, edit(id, 1, 'b', 'c'));
    expect(
      await ws.service.save({
        target_file_id: id,
        expected_target_version: 1,
        expected_current_hash: sha256('b\n'),
        client_request_id: 's1',
      }),
    ).toEqual({ ...saved, deduplicated: true });
    expect(await ws.service.save({ target_file_id: id, client_request_id: 's1' })).toMatchObject({
      status: 'rejected',
      failure_code: 'request_key_conflict',
    });
  });

  test.each([{ sync_workspace: 'true' }, { client_request_id: 'a b' }, { expected_target_version: '1' }, { expected_current_hash: 'x' }])(
    'refuses %j',
    async (args) => {
      const id = await newTarget(ws.service, 'a\n');
      expect(await ws.service.save({ target_file_id: id, ...args })).toMatchObject({
        status: 'invalid_argument',
        argument: Object.keys(args)[0],
      });
    },
  );
});

describe('publication', () => {
  test.each<[string, string, string, string]>([
    ['LF', 'a\nb\nc\n', 'a\nB\nc\n', 'lf'],
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'crlf'],
    ['CR', 'a\rb\rc', 'a\rB\rc', 'cr'],
    ['a BOM', '\u{FEFF}a\r\nb\r\n', '\u{FEFF}a\r\nB\r\n', 'crlf'],
    ['no final newline', 'a\nb', 'a\nB', 'lf'],
    ['mixed endings, each line its own', 'a\r\nb\nc', 'a\r\nB\nc', 'mixed'],
  ])('restores %s', async (_, before, after) => {
    const { id, name } = await ws.imported(before);
    await ws.service.submit(TX1, edit(id, 0, 'b', 'B'));
    expect(await ws.sync(id, { expected_target_version: 1 })).toMatchObject({
      status: 'published',
      version: 1,
      workspace_path: name,
      disk_sha256: sha256(after),
      publication_id: expect.any(String) as string,
      snapshot_id: expect.any(String) as string,
    });
    expect(ws.onDisk(name)).toBe(after);
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged' });
    expect(await ws.openIntents(id)).toEqual([]);
  });

  test('keeps permission bits, and an emptied document is a file of no bytes', async () => {
    const { id, name } = await ws.imported('only\n');
    chmodSync(ws.at(name), 0o640);
    await ws.service.submit(TX1, edit(id, 0, 'only\n', ''));
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
    expect([ws.onDisk(name), statSync(ws.at(name)).mode & 0o777]).toEqual(['', 0o640]);
  });

  test('drift is rejected with both digests, before and after an edit, and nothing changes', async () => {
    const { id, name } = await ws.imported('a\n');
    ws.put(name, 'theirs\n');
    const facts = { expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('theirs\n') };
    expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_reason: 'workspace_drift', failure_code: 'drift', facts });
    await ws.service.submit(TX1, edit(id, 0, 'a', 'ours'));
    expect(await ws.sync(id, { client_request_id: 'd1' })).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts,
      next_step: expect.any(String) as string,
    });
    expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual(['theirs\n', []]);
    ws.put(name, 'a\n');
    expect(await ws.sync(id, { client_request_id: 'd1' })).toMatchObject({ status: 'published', deduplicated: false });
    expect(ws.onDisk(name)).toBe('ours\n');
  });

  test('of a file that is gone no text can be taken over, and no word says so', async () => {
    const { id, name } = await ws.imported('a\n');
    rmSync(ws.at(name));
    const unedited = await ws.sync(id);
    await ws.service.submit(TX1, edit(id, 0, 'a', 'ours'));
    for (const refused of [unedited, await ws.sync(id)]) {
      expect(refused).toMatchObject({ failure_code: 'drift', next_step: expect.stringMatching(/removed.*rebind/) as string });
      expect(refused['next_step']).not.toContain('adopt_disk');
    }
    ws.put(name, 'a\n');
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
  });

  test('a key returns the same receipt, even when the disk drifted since', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const first = await ws.sync(id, { client_request_id: 'p1' });
    ws.put(name, 'theirs\n');
    const again = await ws.sync(id, { client_request_id: 'p1' });
    expect(again).toMatchObject({
      status: 'published',
      deduplicated: true,
      publication_id: first['publication_id'],
      chain_head: first['chain_head'],
      version: 1,
    });
  });

  test('hard links and read-only files are left alone, each with its own words and a closed intent', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    linkSync(ws.at(name), ws.at(`${name}.link`));
    expect(await ws.sync(id)).toMatchObject({
      status: 'rejected',
      failure_code: 'hard_links',
      publication_id: expect.any(String) as string,
    });
    rmSync(ws.at(`${name}.link`));
    chmodSync(ws.at(name), 0o444);
    expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'file_read_only' });
    chmodSync(ws.at(name), 0o644);
    expect(await ws.openIntents(id)).toEqual([]);
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
  });

  test('a repeat under its key returns the same receipt, with what stands on disk', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const first = await ws.sync(id, { client_request_id: 'k1' });
    expect(first).toMatchObject({
      status: 'published',
      deduplicated: false,
      workspace_path: name,
      disk_sha256: sha256('b\n'),
      written_bytes: 2,
      durable: expect.any(Boolean) as boolean,
      owner_kept: true,
      leftover: null,
    });
    await ws.service.submit(TX1, edit(id, 1, 'b', 'c'));
    expect(await ws.sync(id, { client_request_id: 'k1' })).toEqual({ ...first, deduplicated: true });
  });

  test('a refusal that no row records says where the target stands', async () => {
    const standing = async (id: string): Promise<JsonObject> => {
      const { version, current_hash, chain_sequence, chain_head } = await ws.service.exportTarget({ target_file_id: id });
      return { version, current_hash, chain_sequence, chain_head };
    };
    const loose = await newTarget(ws.service, 'a\n');
    expect(await ws.sync(loose)).toMatchObject({ failure_code: 'not_workspace_bound', ...(await standing(loose)) });
    const unknown = await ws.imported('a\r\nb\n');
    await ws.service.submit(TX1, edit(unknown.id, 0, 'a', 'b'));
    await forgetEndings(await ws.context.server.client('admin'), unknown.id);
    expect(await ws.sync(unknown.id)).toMatchObject({ failure_code: 'unknown_line_endings', ...(await standing(unknown.id)) });
    const drifted = await ws.imported('a\n');
    ws.put(drifted.name, 'other\n');
    expect(await ws.sync(drifted.id)).toMatchObject({ failure_code: 'drift', ...(await standing(drifted.id)) });
    rmSync(ws.at(drifted.name));
    mkdirSync(ws.at(drifted.name));
    expect(await ws.sync(drifted.id)).toMatchObject({ failure_code: 'is_directory', ...(await standing(drifted.id)) });
  });

  test('targets and servers without a file', async () => {
    const loose = await newTarget(ws.service, 'a\n');
    expect(await ws.sync(loose)).toMatchObject({ status: 'rejected', failure_code: 'not_workspace_bound' });
    const { id } = await ws.imported('a\n');
    expect(await ws.sync(id, {}, ws.context.another())).toMatchObject({ status: 'rejected', failure_code: 'workspace_unavailable' });
    const other = mkdtempSync(join(tmpdir(), 'patchdiff-other-'));
    expect(await ws.sync(id, {}, ws.context.another({ workspaceRoot: other }))).toMatchObject({
      status: 'rejected',
      failure_code: 'workspace_mismatch',
    });
    rmSync(other, { recursive: true });
    expect(await ws.sync(id, {}, ws.context.another({ workspaceRoot: other }))).toMatchObject({
      status: 'rejected',
      failure_code: 'root_missing',
    });
  });

  test('eight SAVEs at once leave one publication and one checkpoint', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const receipts = await Promise.all(Array.from({ length: 8 }, () => ws.sync(id)));
    expect(receipts.map((receipt) => receipt['status']).sort()).toEqual(['published', ...Array.from({ length: 7 }, () => 'unchanged')]);
    expect([ws.onDisk(name), await ws.openIntents(id)]).toEqual(['b\n', []]);
  });
});
