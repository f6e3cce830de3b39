import { unlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reconcile } from '../../src/service/index.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

const run = (finish: boolean): Promise<JsonObject> =>
  reconcile({ database: ws.context.database, root: ws.root, finish, actor: '{"host":"operator"}' });

/** What is said of the one target's intents. */
async function said(id: string, finish = false): Promise<JsonObject[]> {
  return ((await run(finish))['intents'] as JsonObject[]).filter((intent) => intent['target_file_id'] === id);
}

/** A SAVE of `b` over `a`, cut off before its outcome is recorded; the file then holds `left`, or nothing. */
async function cutOff(left: string | null): Promise<{ id: string; name: string; intent: string }> {
  const { id, name } = await ws.imported('a\n');
  await ws.service.submit(TX1, edit(id, 0, 'a', 'b'));
  const crashing = ws.meddled(({ name: statement }) => {
    if (statement === 'record_publication') throw new Error('pulled the plug');
  });
  const partial = await ws.sync(id, {}, crashing);
  if (left === null) unlinkSync(ws.at(name));
  else ws.put(name, left);
  return { id, name, intent: partial['publication_id'] as string };
}

async function outcome(id: string): Promise<unknown> {
  const admin = await ws.context.server.client('admin');
  const { rows } = await admin.query('select outcome, closed_actor from patchdiff_audit.publications where target_file_id = $1', [id]);
  expect((await admin.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
  return rows[0];
}

describe('an interrupted SAVE', () => {
  test('whose bytes stand there: installed and not recorded, then recorded with its checkpoint', async () => {
    const { id, intent } = await cutOff('b\n');
    const open = {
      target_file_id: id,
      publication_id: intent,
      state: 'installed_not_recorded',
      open: true,
      observed_disk_sha256: sha256('b\n'),
    };
    expect(await said(id)).toMatchObject([open]);
    expect(await said(id)).toMatchObject([{ ...open, next_step: expect.stringContaining('--finish') as string }]);
    expect(await said(id, true)).toMatchObject([
      { publication_id: intent, state: 'installed_not_recorded', outcome: 'published', open: false },
    ]);
    expect(await outcome(id)).toEqual({ outcome: 'published', closed_actor: { host: 'operator' } });
    expect(await said(id)).toEqual([]);
    expect(await ws.sync(id)).toMatchObject({ status: 'unchanged', version: 1 });
  });

  test('that installed nothing is closed as rejected, and SAVE works again', async () => {
    const { id, name } = await cutOff('a\n');
    expect(await said(id)).toMatchObject([{ state: 'nothing_installed', open: true }]);
    expect(await said(id, true)).toMatchObject([{ state: 'nothing_installed', outcome: 'rejected', open: false }]);
    expect(await outcome(id)).toMatchObject({ outcome: 'rejected' });
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
    expect(ws.onDisk(name)).toBe('b\n');
  });

  test.each<[string, string | null]>([
    ['other bytes', 'theirs\n'],
    ['no file', null],
    ['more than could be ours', 'x'.repeat(2 * 16 * 1024 * 1024 + 4)],
  ])('over %s is ambiguous: three digests, nothing recorded, and adopting is the way out', async (_, left) => {
    const { id, name, intent } = await cutOff(left);
    const ambiguous = {
      state: 'ambiguous',
      open: true,
      expected_disk_sha256: sha256('a\n'),
      written_sha256: sha256('b\n'),
      observed_disk_sha256: left === 'theirs\n' ? sha256(left) : null,
      observed_bytes: left?.length ?? null,
    };
    for (const finish of [false, true]) expect(await said(id, finish)).toMatchObject([ambiguous]);
    expect(await outcome(id)).toMatchObject({ outcome: null });
    ws.put(name, 'theirs\n');
    const adopted = await ws.service.initializeTarget({ from_workspace: true, path: name, adopt_disk: true, expected_target_version: 1 });
    expect(adopted).toMatchObject({ status: 'adopted', superseded_publications: [intent] });
    expect(await said(id)).toEqual([]);
  });

  test('that a later SAVE overtook can only be closed as superseded', async () => {
    const { id, name } = await cutOff('theirs\n');
    // Another process that knows nothing of the open intent, as an older release would.
    const admin = await ws.context.server.client('admin');
    await admin.query(
      `select patchdiff.record_publication(h.target_file_id, (patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash,
         h.last_synced_disk_sha256, h.current_hash, h.content_bytes)).publication_id, 'published') from patchdiff.read_head($1) as h`,
      [id],
    );
    ws.put(name, 'b\n');
    expect(await said(id)).toMatchObject([{ state: 'overtaken', is_overtaken: true, open: true }]);
    expect(await said(id, true)).toMatchObject([{ state: 'overtaken', outcome: 'superseded', open: false }]);
    expect(await said(id)).toEqual([]);
  });

  test('whose content is damaged stays open, and the answer says so', async () => {
    const { id } = await cutOff('b\n');
    const admin = await ws.context.server.client('admin');
    await admin.query("update patchdiff_store.cloud_target_files set current_content = 'forged' where target_file_id = $1", [id]);
    expect(await said(id, true)).toMatchObject([{ state: 'installed_not_recorded', open: true, failure_code: 'content_diverged' }]);
    await admin.query(`update patchdiff_store.cloud_target_files set current_content = e'b\\n' where target_file_id = $1`, [id]);
    expect(await said(id, true)).toMatchObject([{ outcome: 'published' }]);
  });
});

test('an intent in a directory that is gone, and one of another root', async () => {
  const { id, name } = await cutOff('b\n');
  const admin = await ws.context.server.client('admin');
  const facts = { root: `${ws.root}/gone`, path: 'x', root_device: '1', root_inode: '1' };
  const { rows } = await admin.query<{ id: string }>(
    `select c.target_file_id as id from patchdiff.create_target(null, 'doc', 'x', null, $1) as c`,
    [JSON.stringify(facts)],
  );
  const gone = rows[0]!.id;
  await admin.query(
    `select patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash, null, h.current_hash, h.content_bytes)
     from patchdiff.read_head($1) as h`,
    [gone],
  );
  expect(await said(gone)).toEqual([]);
  const everywhere = await reconcile({ database: ws.context.database, root: null, finish: true, actor: null });
  expect(everywhere).toMatchObject({ status: 'open', open: 1 });
  const intents = everywhere['intents'] as JsonObject[];
  expect(intents.find((intent) => intent['target_file_id'] === gone)).toMatchObject({
    state: 'unreadable',
    failure_code: 'root_missing',
    open: true,
  });
  expect(intents.find((intent) => intent['target_file_id'] === id)).toMatchObject({ outcome: 'published', workspace_path: name });
});
