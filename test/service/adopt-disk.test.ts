import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

const adopt = (name: string, more: JsonObject = {}, by: Service = ws.service): Promise<JsonObject> =>
  by.initializeTarget({ from_workspace: true, path: name, adopt_disk: true, ...more });

const textOf = async (id: string): Promise<unknown> => (await ws.service.readTarget({ target_file_id: id }))['text'];

async function rows(sql: string, id: string): Promise<unknown[]> {
  return (await (await ws.context.server.client('admin')).query(sql, [id])).rows as unknown[];
}

/** Nothing is wrong with the target, and replay makes what is stored. */
async function sound(id: string): Promise<void> {
  expect(await rows('select * from patchdiff_audit.verify_target($1)', id)).toEqual([]);
  expect(await ws.service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
}

describe('a file that drifted', () => {
  test('becomes the next version by an attempt of source disk, and SAVE works again', async () => {
    const { id, name } = await ws.imported('a\nb\n');
    ws.put(name, 'theirs\nb\n');
    const adopted = await adopt(name);
    expect(adopted).toMatchObject({
      status: 'adopted',
      target_file_id: id,
      before_version: 0,
      version: 1,
      current_hash: sha256('theirs\nb\n'),
      previous_disk_sha256: sha256('a\nb\n'),
      disk_sha256: sha256('theirs\nb\n'),
      pdcp_log_id: expect.any(String) as string,
      superseded_publications: [],
      next_step: expect.stringContaining('version 0') as string,
    });
    expect(await textOf(id)).toBe('theirs\nb\n');
    expect(
      await rows(
        'select status, submission_source, protocol_version, expected_target_version from patchdiff_audit.attempts where target_file_id = $1',
        id,
      ),
    ).toEqual([{ status: 'accepted', submission_source: 'disk', protocol_version: 'patchdiff-tx/3', expected_target_version: '0' }]);
    expect(await adopt(name)).toMatchObject({ status: 'existing', target_file_id: id, version: 1 });
    expect(await ws.service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({ status: 'existing', version: 1 });
    await ws.service.submit(TX1, edit(id, 1, 'b', 'B'));
    expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 2 });
    expect(ws.onDisk(name)).toBe('theirs\nB\n');
    await sound(id);
  });

  test('the refusals of SAVE and import name the way, and it leads there', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'ours'));
    ws.put(name, 'theirs\n');
    for (const drifted of [await ws.sync(id), await ws.service.initializeTarget({ from_workspace: true, path: name })]) {
      expect(drifted).toMatchObject({ status: 'rejected', failure_code: 'drift' });
      const words = drifted['next_step'] as string;
      const facts = drifted['facts'] as JsonObject;
      const flag = /\b(adopt_disk): true/.exec(words)?.[1] ?? '';
      expect(words).toContain('patchdiff_initialize_target with from_workspace: true, path as in facts');
      expect(words).toContain('expected_target_version and expected_current_hash as the last read of the target returned them');
      const read = await ws.service.readLines({ target_file_id: id });
      const taken = await ws.service.initializeTarget({
        from_workspace: true,
        path: facts['path']!,
        [flag]: true,
        expected_target_version: read['version']!,
        expected_current_hash: read['current_hash']!,
      });
      expect(taken).toMatchObject({ status: 'adopted', target_file_id: id });
      expect(await ws.sync(id)).toMatchObject({ status: 'published' });
      expect(await textOf(id)).toBe(ws.onDisk(name));
      await ws.service.submit(TX1, edit(id, taken['version'] as number, 'theirs', 'ours'));
      ws.put(name, 'theirs again\n');
    }
    await sound(id);
  });

  test('guards: required once edits never reached the file; a stale one is refused and logged; nothing else changes', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'ours'));
    ws.put(name, 'theirs\n');
    const missing = await adopt(name);
    expect(missing).toMatchObject({
      status: 'rejected',
      failure_code: 'guard_missing',
      facts: { current_version: 1, last_synced_version: 0 },
    });
    expect(missing['next_step']).toContain('expected_target_version and expected_current_hash of that answer');
    // A checkpoint alone has not reached the file.
    await ws.service.save({ target_file_id: id });
    expect(await adopt(name)).toMatchObject({ failure_code: 'guard_missing' });
    expect(await adopt(name, { expected_target_version: 0 })).toMatchObject({
      status: 'rejected',
      failure_code: 'target_version_mismatch',
      facts: { pdcp_log_id: expect.any(String) as string },
    });
    expect(await adopt(name, { expected_current_hash: sha256('a\n') })).toMatchObject({ failure_code: 'target_hash_mismatch' });
    expect(await textOf(id)).toBe('ours\n');
    expect(await ws.sync(id)).toMatchObject({ failure_code: 'drift' });
    expect(await adopt(name, { expected_current_hash: sha256('ours\n') })).toMatchObject({ status: 'adopted', version: 2 });
    expect(
      await rows(
        "select status, submission_source from patchdiff_audit.attempts where target_file_id = $1 and submission_source = 'disk' order by log_sequence",
        id,
      ),
    ).toEqual([
      { status: 'rejected', submission_source: 'disk' },
      { status: 'rejected', submission_source: 'disk' },
      { status: 'accepted', submission_source: 'disk' },
    ]);
    await sound(id);
  });

  test.each<[string, string, string, string]>([
    ['CRLF for LF', 'a\nb\n', 'a\r\nb\r\n', 'a\r\nB\r\n'],
    ['a byte order mark', 'a\nb\n', '\u{FEFF}a\nb\n', '\u{FEFF}a\nB\n'],
    ['LF for CRLF, without the mark', '\u{FEFF}a\r\nb\r\n', 'a\nb\n', 'a\nB\n'],
    ['CR', 'a\nb', 'a\rb', 'a\rB'],
    ['mixed for LF', 'a\nb\nc\n', 'a\r\nb\nc\r', 'a\r\nB\nc\r'],
    ['LF for mixed', 'a\r\nb\nc\r', 'a\nb\nc\n', 'a\nB\nc\n'],
  ])('of the same text in other bytes only how it is written is recorded: %s', async (_, before, after, saved) => {
    const { id, name } = await ws.imported(before);
    ws.put(name, after);
    expect(await adopt(name)).toMatchObject({ status: 'adopted', version: 0, pdcp_log_id: null, source_bom: after.startsWith('\u{FEFF}') });
    expect(await rows('select * from patchdiff_audit.attempts where target_file_id = $1', id)).toEqual([]);
    await sound(id);
    await ws.service.submit(TX1, edit(id, 0, 'b', 'B'));
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
    expect(ws.onDisk(name)).toBe(saved);
    await sound(id);
  });

  test('text with other line ends and a mark is adopted whole', async () => {
    const { id, name } = await ws.imported('a\n');
    ws.put(name, '\u{FEFF}x\r\ny\n');
    expect(await adopt(name)).toMatchObject({ status: 'adopted', version: 1, current_hash: sha256('x\ny\n') });
    await ws.service.submit(TX1, edit(id, 1, 'y', 'Y'));
    await ws.sync(id);
    expect(ws.onDisk(name)).toBe('\u{FEFF}x\r\nY\n');
    ws.put(name, '');
    expect(await adopt(name)).toMatchObject({ status: 'adopted', current_hash: sha256('') });
    await sound(id);
  });

  test('may be larger than a submission, up to the limit of a file; no submission may', async () => {
    const { id, name } = await ws.imported('a\n');
    const large = 'ñ\u{1}"\\\n'.repeat(400_000);
    ws.put(name, large);
    expect(await adopt(name)).toMatchObject({ status: 'adopted', version: 1, total_chars: 2_000_000 });
    await sound(id);
    const sent = { target_file_id: id, intent: 'x', expected_target_version: 1, replacement: large, source: 'disk' };
    expect(await ws.service.submit('patchdiff-tx/3', sent)).toMatchObject({ status: 'rejected', failure_code: 'payload_too_large' });
    ws.put(name, 'x'.repeat(16 * 1024 * 1024 + 1));
    expect(await adopt(name)).toMatchObject({ status: 'rejected', failure_code: 'file_too_large' });
  });
});

describe('what is not adopted', () => {
  test('a file that no target is bound to, that is gone, not text, or outside', async () => {
    const { id, name } = await ws.imported('a\n');
    ws.put('loose.txt', 'x');
    expect(await adopt('loose.txt')).toMatchObject({ status: 'rejected', failure_code: 'nothing_to_adopt_into' });
    expect(await adopt(name, { target_file_id: '00000000-0000-4000-8000-000000000000' })).toMatchObject({
      failure_code: 'file_bound_elsewhere',
      facts: { bound_target_file_id: id },
    });
    expect(await adopt('../x')).toMatchObject({ failure_code: 'path_parent' });
    ws.put(name, Buffer.from([0x61, 0xff]));
    expect(await adopt(name)).toMatchObject({ failure_code: 'invalid_utf8' });
    ws.put(name, 'a\0');
    expect(await adopt(name)).toMatchObject({ failure_code: 'contains_nul' });
    unlinkSync(ws.at(name));
    expect(await adopt(name)).toMatchObject({ failure_code: 'path_not_found', facts: { bound_target_file_id: id } });
    expect(await adopt('nowhere.txt')).toMatchObject({ failure_code: 'path_not_found' });
    await sound(id);
  });

  test('through a symbolic link it is the same file; in place of the file a link is none', async () => {
    const { id, name } = await ws.imported('a\n');
    symlinkSync(name, ws.at(`link-${name}`));
    ws.put(name, 'theirs\n');
    expect(await adopt(`link-${name}`)).toMatchObject({ status: 'adopted', target_file_id: id, workspace_path: name });
    renameSync(ws.at(name), ws.at(`moved-${name}`));
    symlinkSync(`moved-${name}`, ws.at(name));
    expect(await adopt(name)).toMatchObject({ status: 'rejected', failure_code: 'nothing_to_adopt_into' });
  });

  test.each<[string, JsonObject]>([
    ['adopt_disk', { content: 'a', display_name: 'd', adopt_disk: true }],
    ['content', { from_workspace: true, path: 'a', content: 'x', adopt_disk: true }],
    ['expected_target_version', { from_workspace: true, path: 'a', expected_target_version: 1 }],
    ['expected_current_hash', { content: 'a', display_name: 'd', expected_current_hash: sha256('') }],
    ['adopt_disk', { from_workspace: true, path: 'a', adopt_disk: 'true' }],
    ['expected_target_version', { from_workspace: true, path: 'a', adopt_disk: true, expected_target_version: '1' }],
  ])('%s in %j', async (argument, args) => {
    expect(await ws.service.initializeTarget(args)).toMatchObject({ status: 'invalid_argument', argument });
  });
});

describe('beside a publication', () => {
  test('our own interrupted publication is finished first; then nothing is left to adopt', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    await ws.sync(id, {}, crashing);
    expect(await adopt(name)).toMatchObject({ status: 'existing', version: 1 });
    expect(await ws.openIntents(id)).toEqual([]);
    await sound(id);
  });

  test('an interrupted one whose bytes are gone is closed as superseded, and can never be recorded as published', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    const crashing = ws.meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    const partial = await ws.sync(id, {}, crashing);
    ws.put(name, 'theirs\n');
    expect(await adopt(name, { expected_target_version: 1 })).toMatchObject({
      status: 'adopted',
      superseded_publications: [partial['publication_id']],
    });
    expect(await ws.openIntents(id)).toEqual([]);
    await expect(
      rows(`select * from patchdiff.record_publication($1, '${partial['publication_id'] as string}', 'published')`, id),
    ).rejects.toMatchObject({ code: 'PD110' });
    await sound(id);
  });

  test('an adoption between the two transactions of a SAVE keeps the SAVE from writing over it', async () => {
    const { id, name } = await ws.imported('a\n');
    await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
    let done = false;
    const racing = ws.meddled(async ({ name: statement }) => {
      if (statement !== 'lock_publication' || done) return;
      done = true;
      const admin = await ws.context.server.client('admin');
      const facts = { root: ws.root, path: name, root_device: '1', root_inode: '1', disk_sha256: sha256('theirs\n') };
      ws.put(name, 'theirs\n');
      await admin.query('select * from patchdiff.adopt_disk($1, $2, null, $3, 1)', [id, 'theirs\n', JSON.stringify(facts)]);
    });
    expect(await ws.sync(id, {}, racing)).toMatchObject({ version: 2 });
    expect([ws.onDisk(name), await textOf(id), await ws.openIntents(id)]).toEqual(['theirs\n', 'theirs\n', []]);
    await sound(id);
  });
});
