import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { prepareSubmission } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { connectNew } from '../mcp/support/hosts.ts';
import type { Host } from '../mcp/support/hosts.ts';
import { edit, newTarget, useService } from '../service/support/service.ts';
import { bareCall, logOf } from './support/attempts.ts';
import { canonicalJson, recordOf, sha256 } from './support/invalid-text.ts';
import { importAttempt, rejectedCall } from './support/imports.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
let admin: pg.Client;
let owner: pg.Client;
/** A server process of its own. */
let host: Host;

beforeAll(async () => {
  admin = await context.server.client('admin');
  owner = await context.server.client('owner');
  host = await connectNew({ env: { DATABASE_URL: context.server.url('writer') } });
});
afterAll(() => host.close());

/** The stored evidence as the text that the procedure returns, byte for byte. */
async function diagnosticText(id: string, args: JsonObject): Promise<string | null> {
  const call = bareCall(prepareSubmission(TX1, args), id);
  const { rows } = await admin.query<{ text: string | null }>(
    `select diagnostic::text as text from patchdiff.commit_attempt(
       p_target => $1, p_payload => $2, p_client_request_id => $3, p_parent => null, p_attempt => null, p_source => null, p_actor => null,
       p_base_hash => null, p_verdict => 'none', p_resolved_starts => null, p_after_hash => null, p_diagnostic => null, p_warnings => null)`,
    [id, call.payload, call.clientRequestId],
  );
  return rows[0]!.text;
}

/** A `current_context` read from the text itself. */
function headOf(content: string, version: number): JsonObject {
  const head = Array.from(content).slice(0, 256);
  return { version, hash: sha256(content), start: 0, end: head.length, total_chars: Array.from(content).length, text: head.join('') };
}

const REJECTIONS: [string, JsonObject][] = [
  ['an absent match', { edits: [{ match: 'zz', replace: '' }] }],
  ['an ambiguous match', { edits: [{ match: '漢', replace: '' }] }],
  ['a consumed match', { edits: [{ match: 'once', replace: '' }, { match: 'once', replace: '' }] }],
  ['a protocol fault', { edits: [], region_hint: 'é' }],
  ['a stale guard', { edits: [{ match: 'a', replace: '' }], expected_target_version: 9 }],
  ['invalid text', { edits: [{ match: '\ud800', replace: '' }] }],
];

describe('recovery of a rejection', () => {
  test.each(REJECTIONS)('%s: the evidence as it was, the present as it is, from every side', async (_name, more) => {
    const first = `漢漢 once ${'😀'.repeat(300)}`;
    const id = await newTarget(context.service, first);
    const args = { target_file_id: id, intent: 'i', expected_target_version: 0, client_request_id: 'k', ...more };
    const receipt = await context.service.submit(TX1, args);
    expect(receipt).toMatchObject({ status: 'rejected', deduplicated: false, current_context: headOf(first, 0) });
    const [row] = await logOf(admin, id);
    const second = `${'é'.repeat(255)}漢漢!`;
    await context.service.submit('patchdiff-tx/3', { target_file_id: id, intent: 'j', expected_target_version: 0, replacement: second });
    const before = await logOf(admin, id);

    const moved = { current_version: 1, current_hash: sha256(second), current_context: headOf(second, 1) };
    const same = { deduplicated: true, pdcp_log_id: row!['pdcp_log_id'], before_version: 0, before_hash: sha256(first), diagnostic: receipt['diagnostic'] };
    expect(await context.service.submit(TX1, args)).toMatchObject({ ...same, ...moved });
    expect(await context.another().submit(TX1, args)).toMatchObject({ ...same, ...moved });
    expect(await commitAttempt(context.database, bareCall(prepareSubmission(TX1, args), id))).toMatchObject({ ...same, ...moved });
    expect(await diagnosticText(id, args)).toBe(row!.diagnostic);

    const { structured } = await host.call('patchdiff_submit_edits', args);
    expect(structured).toMatchObject({ ...same, ...moved });
    expect(JSON.stringify(structured?.['diagnostic'])).toBe(row!.diagnostic);
    expect(await logOf(admin, id)).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('current_context');
  });

  test('the present is of the locked row of each call, never of the call before', async () => {
    const id = await newTarget(context.service, '0');
    const bad = edit(id, 0, 'zz', '', { client_request_id: 'k' });
    await context.service.submit(TX1, bad);
    for (let version = 0; version < 4; version += 1) {
      await context.another().submit(TX1, edit(id, version, String(version), String(version + 1)));
      expect(await context.service.submit(TX1, bad)).toMatchObject({ before_version: 0, current_context: headOf(String(version + 1), version + 1) });
    }
  });
});

describe('a row that was stored without a context', () => {
  test.each([
    ['no evidence at all', null],
    ['evidence of another shape, its blanks and the order of its members included', '{ "why":\t"then",  "failure_code":"x", "n":[1.0, 1e2] }'],
    ['an empty object', '{}'],
  ])('is not given one: %s', async (_name, diagnostic) => {
    const id = await newTarget(context.service, 'now');
    const args = edit(id, 0, 'gone', '', { client_request_id: 'an old key' });
    const payload = canonicalJson(recordOf(TX1, args));
    const outcome = ['transaction_applicability', 'match_absent', null] as const;
    const call = rejectedCall({ target: id, content: 'now', version: 0 }, [TX1, 'patchdiff-mvp-0.1.0'], payload, outcome, { client_request_id: 'an old key', diagnostic });
    const { pdcp_log_id } = await importAttempt(owner, call);
    const before = await logOf(admin, id);

    const receipt = await context.service.submit(TX1, args);
    expect(receipt).toMatchObject({ status: 'rejected', deduplicated: true, pdcp_log_id, current_context: headOf('now', 0) });
    expect(receipt['diagnostic']).toEqual(diagnostic === null ? undefined : JSON.parse(diagnostic));
    expect(receipt['next_step']).toContain('read');
    const { structured, isError } = await host.call('patchdiff_submit_edits', args);
    expect({ isError, ...structured }).toMatchObject({ isError: false, deduplicated: true, pdcp_log_id });
    expect(await diagnosticText(id, args)).toBe(diagnostic);
    const log = await context.service.getPdcpLog({ target_file_id: id, client_request_id: 'an old key' });
    expect((log['entries'] as JsonObject[])[0]).toMatchObject({ pdcp_log_id, diagnostic: diagnostic === null ? null : (JSON.parse(diagnostic) as JsonObject) });
    expect(await logOf(admin, id)).toEqual(before);
    expect(before[0]!.diagnostic).toBe(diagnostic);
  });
});
