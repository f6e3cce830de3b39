import type pg from 'pg';
import { applyTransaction, decodeRecord, encodeCanonical, identityOf, prepareSubmission, profileFor } from '../../../src/transaction/index.ts';
import type { JsonObject } from '../../../src/transaction/index.ts';
import { sha256 } from './attacks.ts';
import { acceptedCall, importAttempt, rejectedCall } from './imports.ts';
import type { ImportCall } from './imports.ts';
import type { Pair } from './recorded.ts';

export const INITIAL = 'aaa b\n';
const LARGE = `${'漢'.repeat(1_200_000)}\n`;

/** A history as another service wrote it years ago: every profile, beyond every limit of today, with keys of older rules. */
export interface OldHistory {
  target: string;
  /** Contents by version. */
  versions: string[];
  /** Calls in log order. */
  calls: ImportCall[];
}

/** One recorded acceptance: what it was submitted as, under which key, and what else the row says. */
interface Step {
  pair: Pair;
  changes: JsonObject[];
  more?: Record<string, unknown>;
  intent?: string;
}

export const KEYS = {
  accepted: 'ein alter Schlüssel',
  rejected: ' spaces, and\na line ',
  long: 'k'.repeat(5000),
  bare: 'recorded without a fingerprint',
};

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const STEPS: Step[] = [
  {
    pair: [TX1, 'patchdiff-mvp-0.1.0'],
    changes: [{ change_id: ' any\r\n id', match: 'aa', replace: 'x' }],
    more: { client_request_id: KEYS.accepted, attempt: 2, source: 'old host', actor: '{"agent": "robot"}', warnings: '[]' },
  },
  { pair: [TX1, 'patchdiff-mvp-0.2.0'], changes: [{ match: 'b', replace: 'B', occurrence_index: 7, anchor_before: 'zz' }] },
  { pair: [TX1, 'patchdiff-mvp-0.2.1'], changes: [{ match: 'B', replace: 'bb\r\n', anchor_after: 'nowhere' }] },
  { pair: [TX1, 'patchdiff-mvp-0.2.2'], changes: [{ match: 'b', replace: '𝒳', occurrence_index: 2 }], more: { client_request_id: KEYS.long } },
  { pair: [TX2, 'patchdiff-mvp-0.3.0'], changes: [{ op: 'span', start: 0, end: 1, expected_text: 'x', replace: 'ü' }] },
  {
    pair: [TX2, 'patchdiff-mvp-0.4.0'],
    changes: [
      { op: 'match', match: '𝒳', replace: 'é' },
      { op: 'span', start: 0, end: 0, expected_text: '', replace: '>', expected_before: null },
    ],
  },
  {
    pair: [TX2, 'patchdiff-mvp-0.5.0'],
    changes: [{ op: 'span', start: 1, end: 2, expected_text: 'ü', replace: 'u', expected_before: '>', expected_after: 'a' }],
    more: { client_request_id: KEYS.bare, is_fingerprinted: false },
  },
  { pair: ['patchdiff-tx/3', 'patchdiff-mvp-0.4.0'], changes: [{ op: 'replace_all', replace: LARGE }], intent: 'i'.repeat(6000) },
  { pair: [TX1, 'patchdiff-mvp-0.2.2'], changes: [{ match: LARGE.slice(1), replace: '\n', rationale: 'r'.repeat(6000) }] },
];

/** The record that a recorded acceptance was submitted as. */
export function recordOf(target: string, version: number, { pair, changes, intent }: Step): JsonObject {
  return {
    format: pair[0],
    target_file_id: target,
    intent: intent ?? 'old',
    expected_target_version: version,
    expected_current_hash: null,
    [pair[0] === TX1 ? 'edits' : 'operations']: changes,
  };
}

/** The tool arguments that come to the same record, for a client that repeats the request today. */
export function repeated(target: string, version: number): JsonObject {
  const args = recordOf(target, version, STEPS[version] as Step);
  delete args['format'];
  return { ...args, client_request_id: (STEPS[version] as Step).more?.['client_request_id'] as string };
}

/** The arguments of the rejected attempt with a key. */
export const rejectedArgs = (target: string): JsonObject => ({
  target_file_id: target,
  intent: 'old',
  expected_target_version: 0,
  edits: [{ match: 'absent', replace: 'x' }],
});

function after(content: string, target: string, pair: Pair, record: JsonObject): string {
  const profile = profileFor(...pair);
  if (profile === null) throw new Error(pair.join());
  const decoded = decodeRecord(record, target, profile, false);
  if (!decoded.ok) throw new Error(decoded.fault.detail);
  const applied = applyTransaction(content, decoded.transaction, profile, sha256, { resultBytes: Infinity });
  if (!applied.ok) throw new Error(applied.fault.detail);
  return applied.content;
}

/** A rejection of text that cannot be stored, as the procedure wraps it. */
function unencodable(target: string, content: string): ImportCall {
  const args = { target_file_id: target, intent: 'old', expected_target_version: 0, edits: [{ match: 'a\ud800\0', replace: '' }] };
  const identity = identityOf(prepareSubmission(TX1, args), target, null, sha256);
  const outcome = ['protocol_validation', 'target_encoding_invalid', 'text_not_encodable'] as const;
  return rejectedCall({ target, content, version: 0 }, [identity.protocolVersion, identity.runtimeVersion], identity.content, outcome);
}

/** Brings the whole history in, as its owner. */
export async function importOldHistory(owner: pg.Client): Promise<OldHistory> {
  const made = await owner.query<{ id: string }>(`select target_file_id as id from patchdiff.create_target(null, 'old', $1)`, [INITIAL]);
  const target = made.rows[0]?.id ?? '';
  const versions = [INITIAL];
  const absent = ['transaction_applicability', 'match_absent', 'match_absent'] as const;
  const calls: ImportCall[] = [
    rejectedCall(
      { target, content: INITIAL, version: 0 },
      [TX1, 'patchdiff-mvp-0.1.0'],
      encodeCanonical(prepareSubmission(TX1, rejectedArgs(target)).record),
      absent,
      { client_request_id: KEYS.rejected, decided_by: 'database', failure_detail: 'gone', failed_change_id: 'chg_001', source: 'first host' },
    ),
    unencodable(target, INITIAL),
  ];
  for (const [version, step] of STEPS.entries()) {
    const content = versions[version] ?? '';
    const record = recordOf(target, version, step);
    const next = after(content, target, step.pair, record);
    const lineage = version === 0 ? { parent: calls[0]?.['pdcp_log_id'] } : {};
    calls.push(acceptedCall({ target, content, version }, step.pair, record, next, { ...lineage, ...step.more }));
    versions.push(next);
  }
  for (const [day, call] of calls.entries()) {
    call['created_at'] = `2023-01-${String(day + 1).padStart(2, '0')}T08:00:00.000001Z`;
    await importAttempt(owner, call);
  }
  return { target, versions, calls };
}
