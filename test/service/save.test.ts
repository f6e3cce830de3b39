import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database, Statement } from '../../src/db/port.ts';
import { createService } from '../../src/service/index.ts';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');
let root: string;
let service: Service;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'patchdiff-save-'));
  service = context.another({ workspaceRoot: root });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => join(root, name);
const put = (name: string, text: string | Buffer): void => writeFileSync(at(name), text);
const onDisk = (name: string): string => readFileSync(at(name), 'utf8');

/** A file of its own, imported. */
async function imported(text: string | Buffer): Promise<{ id: string; name: string }> {
  const name = `${randomUUID()}.txt`;
  put(name, text);
  const made = await service.initializeTarget({ from_workspace: true, path: name });
  expect(made).toMatchObject({ status: 'created', workspace_path: name, display_name: name });
  return { id: made['target_file_id'] as string, name };
}

const sync = (id: string, more: JsonObject = {}, by = service): Promise<JsonObject> =>
  by.save({ target_file_id: id, sync_workspace: true, ...more });
const openIntents = async (id: string): Promise<unknown[]> =>
  (await (await context.server.client('admin')).query(`select * from patchdiff.read_open_publications($1)`, [id])).rows as unknown[];

/** The service's database with one statement made to fail or to be followed by something. */
function meddled(onQuery: (statement: Statement) => Promise<void> | void): Database {
  const wrap = (database: Database): Database => ({
    query: async (statement, options) => {
      await onQuery(statement);
      return database.query(statement, options);
    },
    transaction: (work) => database.transaction((inner) => work(wrap(inner))),
    close: () => Promise.resolve(),
  });
  return wrap(context.database);
}

describe('without the workspace', () => {
  test('a checkpoint, then nothing new; guards reject; a key returns its first receipt', async () => {
    const id = await newTarget(service, 'a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    expect(await service.save({ target_file_id: id, expected_target_version: 0 })).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_version_mismatch',
      next_step: expect.any(String) as string,
    });
    const saved = await service.save({
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
    expect(await service.save({ target_file_id: id })).toMatchObject({ status: 'unchanged' });
    await service.submit(TX1, edit(id, 1, 'b', 'c'));
    expect(
      await service.save({ target_file_id: id, expected_target_version: 1, expected_current_hash: sha256('b\n'), client_request_id: 's1' }),
    ).toEqual({ ...saved, deduplicated: true });
    expect(await service.save({ target_file_id: id, client_request_id: 's1' })).toMatchObject({
      status: 'rejected',
      failure_code: 'request_key_conflict',
    });
  });

  test.each([{ sync_workspace: 'true' }, { client_request_id: 'a b' }, { expected_target_version: '1' }, { expected_current_hash: 'x' }])(
    'refuses %j',
    async (args) => {
      const id = await newTarget(service, 'a\n');
      expect(await service.save({ target_file_id: id, ...args })).toMatchObject({
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
  ])('restores %s', async (_, before, after) => {
    const { id, name } = await imported(before);
    await service.submit(TX1, edit(id, 0, 'b', 'B'));
    expect(await sync(id, { expected_target_version: 1 })).toMatchObject({
      status: 'published',
      version: 1,
      workspace_path: name,
      disk_sha256: sha256(after),
      publication_id: expect.any(String) as string,
      snapshot_id: expect.any(String) as string,
    });
    expect(onDisk(name)).toBe(after);
    expect(await sync(id)).toMatchObject({ status: 'unchanged' });
    expect(await openIntents(id)).toEqual([]);
  });

  test('keeps permission bits, and an emptied document is a file of no bytes', async () => {
    const { id, name } = await imported('only\n');
    chmodSync(at(name), 0o640);
    await service.submit(TX1, edit(id, 0, 'only\n', ''));
    expect(await sync(id)).toMatchObject({ status: 'published' });
    expect([onDisk(name), statSync(at(name)).mode & 0o777]).toEqual(['', 0o640]);
  });

  test('mixed endings are refused and nothing changes', async () => {
    const { id, name } = await imported('a\r\nb\n');
    await service.submit(TX1, edit(id, 0, 'b', 'B'));
    expect(await sync(id)).toMatchObject({ status: 'rejected', failure_code: 'mixed_line_endings' });
    expect([onDisk(name), await openIntents(id)]).toEqual(['a\r\nb\n', []]);
  });

  test('drift is rejected with both digests, before and after an edit, and nothing changes', async () => {
    const { id, name } = await imported('a\n');
    put(name, 'theirs\n');
    const facts = { expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('theirs\n') };
    expect(await sync(id)).toMatchObject({ status: 'rejected', failure_reason: 'workspace_drift', failure_code: 'drift', facts });
    await service.submit(TX1, edit(id, 0, 'a', 'ours'));
    expect(await sync(id, { client_request_id: 'd1' })).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts,
      next_step: expect.any(String) as string,
    });
    expect([onDisk(name), await openIntents(id)]).toEqual(['theirs\n', []]);
    put(name, 'a\n');
    expect(await sync(id, { client_request_id: 'd1' })).toMatchObject({ status: 'published', deduplicated: false });
    expect(onDisk(name)).toBe('ours\n');
  });

  test('a key returns the same receipt, even when the disk drifted since', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const first = await sync(id, { client_request_id: 'p1' });
    put(name, 'theirs\n');
    const again = await sync(id, { client_request_id: 'p1' });
    expect(again).toMatchObject({
      status: 'published',
      deduplicated: true,
      publication_id: first['publication_id'],
      chain_head: first['chain_head'],
      version: 1,
    });
  });

  test('hard links and read-only files are left alone, each with its own words and a closed intent', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    linkSync(at(name), at(`${name}.link`));
    expect(await sync(id)).toMatchObject({ status: 'rejected', failure_code: 'hard_links', publication_id: expect.any(String) as string });
    rmSync(at(`${name}.link`));
    chmodSync(at(name), 0o444);
    expect(await sync(id)).toMatchObject({ status: 'rejected', failure_code: 'file_read_only' });
    chmodSync(at(name), 0o644);
    expect(await openIntents(id)).toEqual([]);
    expect(await sync(id)).toMatchObject({ status: 'published' });
  });

  test('targets and servers without a file', async () => {
    const loose = await newTarget(service, 'a\n');
    expect(await sync(loose)).toMatchObject({ status: 'rejected', failure_code: 'not_workspace_bound' });
    const { id } = await imported('a\n');
    expect(await sync(id, {}, context.another())).toMatchObject({ status: 'rejected', failure_code: 'workspace_unavailable' });
    const other = mkdtempSync(join(tmpdir(), 'patchdiff-other-'));
    expect(await sync(id, {}, context.another({ workspaceRoot: other }))).toMatchObject({
      status: 'rejected',
      failure_code: 'workspace_mismatch',
    });
    rmSync(other, { recursive: true });
    expect(await sync(id, {}, context.another({ workspaceRoot: other }))).toMatchObject({
      status: 'rejected',
      failure_code: 'root_missing',
    });
  });

  test('eight SAVEs at once leave one publication and one checkpoint', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const receipts = await Promise.all(Array.from({ length: 8 }, () => sync(id)));
    expect(receipts.map((receipt) => receipt['status']).sort()).toEqual(['published', ...Array.from({ length: 7 }, () => 'unchanged')]);
    expect([onDisk(name), await openIntents(id)]).toEqual(['b\n', []]);
  });
});

describe('races between the two transactions', () => {
  /** A service in whose SAVE another submission commits just before the lock is taken. */
  function raced(id: string): { racing: Service; raced: () => boolean } {
    let done = false;
    const database = meddled(async ({ name }) => {
      if (name !== 'lock_publication' || done) return;
      done = true;
      expect(await context.another().submit(TX1, edit(id, 1, 'b', 'c'))).toMatchObject({ status: 'accepted' });
    });
    return { racing: createService({ database, workspaceRoot: root, actor: null }), raced: () => done };
  }

  test('with a guard the SAVE is rejected and the disk untouched', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const { racing, raced: happened } = raced(id);
    expect(await sync(id, { expected_target_version: 1 }, racing)).toMatchObject({
      status: 'rejected',
      failure_code: 'publication_moved',
      failure_reason: 'target_version_mismatch',
    });
    expect([happened(), onDisk(name), await openIntents(id)]).toEqual([true, 'a\n', []]);
  });

  test('without one the intent is superseded and the SAVE publishes what stands now', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    expect(await sync(id, {}, raced(id).racing)).toMatchObject({ status: 'published', version: 2 });
    const kinds = await (
      await context.server.client('admin')
    ).query('select outcome from patchdiff_audit.publications where target_file_id = $1 order by publication_sequence', [id]);
    expect([onDisk(name), kinds.rows]).toEqual(['c\n', [{ outcome: 'superseded' }, { outcome: 'published' }]]);
  });
});

describe('crashes', () => {
  test('after the file was replaced: partial, then the next SAVE finishes the bookkeeping', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const database = meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    const partial = await sync(id, {}, createService({ database, workspaceRoot: root, actor: null }));
    expect(partial).toMatchObject({
      status: 'partial',
      failure_reason: 'checkpoint_failed',
      disk_sha256: sha256('b\n'),
      publication_id: expect.any(String) as string,
    });
    expect([onDisk(name), (await openIntents(id)).length]).toEqual(['b\n', 1]);
    expect(await sync(id)).toMatchObject({ status: 'unchanged', version: 1, finished_publications: [partial['publication_id']] });
    expect(await openIntents(id)).toEqual([]);
    expect(await context.service.getManifestLedger({ target_file_id: id })).toMatchObject({ entries: [] });
  });

  test('the same for an import of the file', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const database = meddled(({ name: statement }) => {
      if (statement === 'record_publication') throw new Error('pulled the plug');
    });
    await sync(id, {}, createService({ database, workspaceRoot: root, actor: null }));
    expect(await service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({
      status: 'existing',
      target_file_id: id,
      version: 1,
    });
    expect(await openIntents(id)).toEqual([]);
  });

  test('before the file was replaced: the error is thrown, the intent closed, and SAVE works again', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const database = meddled(({ name: statement }) => {
      if (statement === 'lock_publication') throw new Error('pulled the plug');
    });
    await expect(sync(id, {}, createService({ database, workspaceRoot: root, actor: null }))).rejects.toThrow('pulled the plug');
    expect([onDisk(name), await openIntents(id)]).toEqual(['a\n', []]);
    expect(await sync(id)).toMatchObject({ status: 'published' });
  });

  test('with nobody left to close it: the next SAVE sees the old bytes, closes it and publishes', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const database = meddled(({ name: statement }) => {
      if (statement === 'lock_publication' || statement === 'record_publication') throw new Error('pulled the plug');
    });
    await expect(sync(id, {}, createService({ database, workspaceRoot: root, actor: null }))).rejects.toThrow('pulled the plug');
    expect((await openIntents(id)).length).toBe(1);
    expect(await sync(id)).toMatchObject({ status: 'published', version: 1 });
    expect([onDisk(name), await openIntents(id)]).toEqual(['b\n', []]);
  });

  test('a disk that is neither is drift; the intent stays for an operator', async () => {
    const { id, name } = await imported('a\n');
    await service.submit(TX1, edit(id, 0, 'a', 'b'));
    const database = meddled(({ name: statement }) => {
      if (statement === 'lock_publication' || statement === 'record_publication') throw new Error('pulled the plug');
    });
    await expect(sync(id, {}, createService({ database, workspaceRoot: root, actor: null }))).rejects.toThrow('pulled the plug');
    put(name, 'neither\n');
    expect(await sync(id)).toMatchObject({ status: 'rejected', failure_code: 'drift' });
    expect((await openIntents(id)).length).toBe(1);
  });
});

describe('initialize_target', () => {
  test('content: created, then existing under the same id, refused for other content', async () => {
    const id = randomUUID();
    const args = { target_file_id: id.toUpperCase(), display_name: 'd', content: 'a\r\nb\r\n' };
    expect(await service.initializeTarget(args)).toMatchObject({
      status: 'created',
      target_file_id: id,
      version: 0,
      current_hash: sha256('a\nb\n'),
      source_line_endings: { style: 'crlf', crlf: 2, lf: 0, cr: 0, normalized: true, source_sha256: sha256('a\r\nb\r\n') },
    });
    await service.submit(TX1, edit(id, 0, 'a', 'A'));
    expect(await service.initializeTarget(args)).toMatchObject({ status: 'existing', target_file_id: id, version: 1 });
    expect(await service.initializeTarget({ ...args, content: 'other' })).toMatchObject({
      status: 'rejected',
      failure_code: 'target_exists_with_other_content',
      next_step: expect.any(String) as string,
    });
  });

  test.each<[JsonObject, string]>([
    [{}, 'content'],
    [{ content: 'a' }, 'display_name'],
    [{ content: 'a', display_name: '' }, 'display_name'],
    [{ content: 'a', display_name: 'é'.repeat(513) }, 'display_name'],
    [{ content: 'a\0', display_name: 'd' }, 'content'],
    [{ content: '\ud800', display_name: 'd' }, 'content'],
    [{ content: 5, display_name: 'd' }, 'content'],
    [{ content: 'a', display_name: 'd', path: 'p' }, 'path'],
    [{ from_workspace: true }, 'path'],
    [{ from_workspace: 'yes', path: 'p' }, 'from_workspace'],
    [{ content: 'a', display_name: 'd', target_file_id: 'x' }, 'target_file_id'],
    [{ content: 'a', display_name: 'd', adopt: true }, 'adopt'],
  ])('refuses %j', async (args, argument) => {
    expect(await service.initializeTarget(args)).toMatchObject({ status: 'invalid_argument', argument });
  });

  test('a file: created, existing while in sync, drift afterwards, never silently replaced', async () => {
    const { id, name } = await imported('a\n');
    expect(await service.initializeTarget({ from_workspace: true, path: `./${name}` })).toMatchObject({
      status: 'existing',
      target_file_id: id,
    });
    put(name, 'b\n');
    expect(await service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { bound_target_file_id: id, expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('b\n') },
    });
    expect(await service.initializeTarget({ from_workspace: true, path: name, target_file_id: randomUUID() })).toMatchObject({
      status: 'rejected',
      failure_code: 'file_bound_elsewhere',
    });
  });

  test('refusals of a file are answers', async () => {
    put('latin1.txt', Buffer.from([0x78, 0x0a, 0xe9, 0x0a]));
    expect(await service.initializeTarget({ from_workspace: true, path: 'latin1.txt' })).toMatchObject({
      status: 'rejected',
      failure_code: 'invalid_utf8',
      facts: { byte_offset: 2 },
    });
    for (const [path, code] of [
      ['/etc/hostname', 'path_absolute'],
      ['../x', 'path_parent'],
      ['absent', 'path_not_found'],
      ['', 'path_empty'],
      ['a\0', 'path_nul'],
    ]) {
      expect(await service.initializeTarget({ from_workspace: true, path })).toMatchObject({ status: 'rejected', failure_code: code });
    }
    expect(await context.service.initializeTarget({ from_workspace: true, path: 'x' })).toMatchObject({
      status: 'rejected',
      failure_code: 'workspace_unavailable',
    });
  });

  test('two imports of one file at once are one target', async () => {
    const name = `${randomUUID()}.txt`;
    put(name, 'a\n');
    const services = Array.from({ length: 5 }, () => context.another({ workspaceRoot: root }));
    const answers = await Promise.all(services.map((each) => each.initializeTarget({ from_workspace: true, path: name })));
    expect(new Set(answers.map((answer) => answer['target_file_id'])).size).toBe(1);
    expect(answers.map((answer) => answer['status']).sort()).toEqual(['created', 'existing', 'existing', 'existing', 'existing']);
  });

  test('a file that does not exist yet starts from given text and is written by the first SAVE', async () => {
    const name = `${randomUUID()}.txt`;
    const made = await service.initializeTarget({ from_workspace: true, path: name, content: 'x\r\ny\r\n' });
    expect(made).toMatchObject({ status: 'created', display_name: name, workspace_path: name });
    expect(existsSync(at(name))).toBe(false);
    const id = made['target_file_id'] as string;
    expect(await sync(id)).toMatchObject({ status: 'published', version: 0 });
    expect(onDisk(name)).toBe('x\r\ny\r\n');
    expect(await service.initializeTarget({ from_workspace: true, path: name, content: 'z' })).toMatchObject({
      status: 'rejected',
      failure_code: 'file_exists',
    });
    const taken = `${randomUUID()}.txt`;
    const second = await service.initializeTarget({ from_workspace: true, path: taken, content: 'mine' });
    put(taken, 'theirs');
    expect(await sync(second['target_file_id'] as string)).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { expected_disk_sha256: null },
    });
    expect(onDisk(taken)).toBe('theirs');
  });
});
