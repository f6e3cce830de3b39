import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { connectNew, connectOld } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/** Every kind of outcome must reach a strict host as a result: both clients refuse one that does not fit its output schema. */
describe.each([
  ['the 2.x client', connectNew],
  ['the 1.x client', connectOld],
])('with %s', (_, connect) => {
  let database: TestDatabase;
  let host: Host;
  let root: string;

  beforeAll(async () => {
    database = await createDatabase();
    root = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-mcp-'));
    mkdirSync(path.join(root, 'docs'));
    host = await connect({ env: { DATABASE_URL: database.url('writer') }, args: ['--workspace', root] });
  });

  afterAll(async () => {
    await host.close();
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  });

  async function outcome(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const result = await host.call(name, args);
    expect(result.isError, result.text).toBe(false);
    expect(JSON.parse(result.text)).toEqual(result.structured);
    return result.structured ?? {};
  }

  async function create(content: string): Promise<string> {
    const made = await outcome('patchdiff_initialize_target', { content, display_name: 'a document' });
    expect(made).toMatchObject({ status: 'created', version: 0 });
    return made['target_file_id'] as string;
  }

  test('rejections carry reason, evidence and the next step', async () => {
    const target_file_id = await create('alpha\nbeta\nbeta\n');
    const submit = (edit: Record<string, unknown>, more: Record<string, unknown> = {}) =>
      outcome('patchdiff_submit_edits', { target_file_id, intent: 'try', expected_target_version: 0, edits: [edit], ...more });
    expect(await submit({ match: 'alpho', replace: 'x' })).toMatchObject({ status: 'rejected', failure_reason: 'match_absent' });
    expect(await submit({ match: 'beta', replace: 'x' })).toMatchObject({ status: 'rejected', failure_reason: 'match_ambiguous' });
    expect(await submit({ match: 'alpha', replace: 'x' }, { expected_target_version: 7 })).toMatchObject({
      failure_reason: 'target_version_mismatch',
      current_version: 0,
    });
    expect(await submit({ match: 'alpha', replace: 'x', region_hint: 1 })).toMatchObject({ failure_reason: 'manifest_invalid' });
    expect(await submit({ match: '\ud800', replace: 'x' })).toMatchObject({ failure_reason: 'target_encoding_invalid' });
    for (const receipt of [await submit({ match: '', replace: 'x' }), await submit({ match: 'a' })]) {
      expect(receipt).toMatchObject({ status: 'rejected', failure_reason: 'block_malformed', pdcp_log_id: expect.any(String) as string });
      expect(receipt['next_step']).toEqual(expect.any(String));
    }
    const log = await outcome('patchdiff_get_pdcp_log', { target_file_id });
    expect(log['entries']).toHaveLength(7);
  });

  test('edits sent as a JSON string are refused with the right shape', async () => {
    const target_file_id = await create('alpha\n');
    const receipt = await outcome('patchdiff_submit_edits', {
      target_file_id,
      intent: 'try',
      expected_target_version: 0,
      edits: '[{"match":"alpha","replace":"x"}]',
    });
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: 'manifest_missing' });
    expect(receipt['next_step']).toMatch(/JSON string.*edits: \[\{"match"/);
  });

  test('a repeat recovers, another body under the same key conflicts, preview foresees both', async () => {
    const target_file_id = await create('alpha\n');
    const body = {
      target_file_id,
      intent: 'try',
      expected_target_version: 0,
      client_request_id: 'k1',
      edits: [{ match: 'alpha', replace: 'x' }],
    };
    const first = await outcome('patchdiff_submit_edits', body);
    expect(first).toMatchObject({ status: 'accepted', deduplicated: false, version: 1 });
    expect(await outcome('patchdiff_preview', { ...body, format: 'patchdiff-tx/1' })).toMatchObject({ status: 'would_recover' });
    expect(await outcome('patchdiff_submit_edits', body)).toMatchObject({
      status: 'accepted',
      deduplicated: true,
      pdcp_log_id: first['pdcp_log_id'],
    });
    const other = { ...body, intent: 'another' };
    expect(await outcome('patchdiff_preview', { ...other, format: 'patchdiff-tx/1' })).toMatchObject({ status: 'would_reject' });
    expect(await outcome('patchdiff_submit_edits', other)).toMatchObject({ status: 'rejected', failure_code: 'request_key_conflict' });
  });

  test('a host that sends null for what it leaves out is served', async () => {
    const target_file_id = await create('alpha\n');
    const nothing = { client_request_id: null, parent_pdcp_log_id: null, attempt: null, source: null, expected_current_hash: null };
    const receipt = await outcome('patchdiff_submit_operations', {
      target_file_id,
      intent: 'insert',
      expected_target_version: 0,
      ...nothing,
      operations: [{ op: 'span', start: 0, end: 0, expected_text: '', replace: '>', expected_before: null, rationale: null }],
    });
    expect(receipt).toMatchObject({ status: 'accepted', version: 1 });
    expect(await outcome('patchdiff_read_target', { target_file_id, start: null, length: null })).toMatchObject({
      status: 'ok',
      text: '>alpha\n',
    });
  });

  test('from file to file: import, edit, save, drift', async () => {
    const file = path.join(root, 'docs', 'plan.txt');
    writeFileSync(file, 'one\r\ntwo\r\n');
    const imported = await outcome('patchdiff_initialize_target', { from_workspace: true, path: 'docs/plan.txt' });
    expect(imported).toMatchObject({ status: 'created', version: 0 });
    const { target_file_id, current_hash } = imported as { target_file_id: string; current_hash: string };
    await outcome('patchdiff_submit_replacement', {
      target_file_id,
      intent: 'x',
      expected_current_hash: current_hash,
      replacement: 'one\n2\n',
    });
    const saved = await outcome('patchdiff_save', {
      target_file_id,
      sync_workspace: true,
      expected_target_version: 1,
      client_request_id: 's1',
    });
    expect(saved).toMatchObject({ status: 'published', version: 1, chain_head: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(readFileSync(file, 'utf8')).toBe('one\r\n2\r\n');
    expect(await outcome('patchdiff_initialize_target', { from_workspace: true, path: 'docs/plan.txt' })).toMatchObject({
      status: 'existing',
      target_file_id,
    });
    writeFileSync(file, 'somebody else\r\n');
    expect(await outcome('patchdiff_save', { target_file_id, sync_workspace: true })).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
    });
    expect(await outcome('patchdiff_initialize_target', { from_workspace: true, path: 'docs/plan.txt' })).toMatchObject({
      status: 'rejected',
    });
    expect(await outcome('patchdiff_initialize_target', { from_workspace: true, path: '../etc/passwd' })).toMatchObject({
      status: 'rejected',
    });
    expect(readFileSync(file, 'utf8')).toBe('somebody else\r\n');
    const exported = await outcome('patchdiff_export_target', { target_file_id, format: 'original_eol' });
    expect(exported).toMatchObject({ status: 'ok', text: 'one\r\n2\r\n' });
  });

  test('who acts is stored with the attempt, as a claim', async () => {
    const target_file_id = await create('alpha\n');
    await outcome('patchdiff_submit_replacement', { target_file_id, intent: 'x', expected_target_version: 0, replacement: 'b' });
    const admin = await database.client('admin');
    const { rows } = await admin.query<{ actor: Record<string, unknown> }>(
      'select actor from patchdiff_store.append_only_pdcp_logs where target_file_id = $1',
      [target_file_id],
    );
    const name = connect === connectNew ? 'new-host' : 'old-host';
    expect(rows).toEqual([{ actor: expect.objectContaining({ host: name, via: 'mcp', session: expect.any(String) as string }) as object }]);
  });
});
