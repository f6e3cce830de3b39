import { encodeCanonical } from '../../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../../src/transaction/index.ts';
import { sha256 } from '../../db/support/attacks.ts';

/** One edit of the stored rows of a target, with its values. `payloads` are those of its attempts, in log order. */
export type Edit = (id: string, payloads: readonly string[]) => [statement: string, values?: unknown[]];

/** What replay then says: check, reason, and the row named (its log_sequence, null for the initial snapshot) after so many steps. */
export type Broken = [check: string, reason: string, row: number | null, steps: number, edit: Edit];

const INTEGRITY = 'replay_integrity_failed';
const PROTOCOL = 'replay_protocol_invalid';
const APPLY = 'replay_apply_failed';

const initial =
  (statement: string): Edit =>
  (id) => [`${statement} where target_file_id = $1`, [id]];
const log =
  (statement: string, row: number): Edit =>
  (id) => [`${statement} where target_file_id = $1 and log_sequence = $2`, [id, row]];
const set = (assignments: string, row: number): Edit => log(`update patchdiff_store.append_only_pdcp_logs set ${assignments}`, row);
const gone = (row: number): Edit => log('delete from patchdiff_store.append_only_pdcp_logs', row);

/** Another payload under its own hash, so that only what it says can be wrong. */
const rewritten =
  (row: number, text: (payloads: readonly string[]) => string): Edit =>
  (id, payloads) => [
    `update patchdiff_store.append_only_pdcp_logs set pdcp_content = $3, pdcp_content_hash = $4 where target_file_id = $1 and log_sequence = $2`,
    [id, row, text(payloads), sha256(text(payloads))],
  ];
const record = (row: number, change: (record: JsonObject) => JsonObject): Edit =>
  rewritten(row, (payloads) => encodeCanonical(change(JSON.parse(payloads[row - 1] ?? '') as JsonObject)));
const member = (row: number, name: string, value: JsonValue): Edit => record(row, (whole) => ({ ...whole, [name]: value }));
const item = (row: number, name: string, value: JsonValue): Edit =>
  record(row, (whole) => {
    const container = 'edits' in whole ? 'edits' : 'operations';
    const [only] = whole[container] as JsonObject[];
    return { ...whole, [container]: [{ ...only, [name]: value }] };
  });

const SNAPSHOT = 'update patchdiff_store.target_snapshots set';

/** Every check of replay broken on a history of four attempts: a tx/1, a rejection, a tx/2 with adjacency, a tx/3. */
export const BROKEN: Broken[] = [
  ['initial_snapshot', INTEGRITY, null, 0, initial('delete from patchdiff_store.target_snapshots')],
  ['initial_snapshot', INTEGRITY, null, 0, initial(`${SNAPSHOT} kind = 'save_checkpoint'`)],
  ['initial_snapshot', INTEGRITY, null, 0, initial(`${SNAPSHOT} target_file_id = gen_random_uuid()`)],
  ['initial_hash', INTEGRITY, null, 0, initial(`${SNAPSHOT} content = content || 'x'`)],
  ['initial_hash', INTEGRITY, null, 0, initial(`${SNAPSHOT} content_hash = repeat('0', 64)`)],
  ['protocol', PROTOCOL, 3, 1, set(`runtime_version = 'patchdiff-mvp-0.2.2'`, 3)],
  ['protocol', PROTOCOL, 3, 1, set(`protocol_version = 'patchdiff-tx/1'`, 3)],
  ['protocol', PROTOCOL, 4, 2, set(`runtime_version = 'patchdiff-mvp-0.3.0'`, 4)],
  ['protocol', PROTOCOL, 4, 2, set(`runtime_version = 'patchdiff-mvp-0.5.0'`, 4)],
  ['protocol', PROTOCOL, 1, 0, set(`runtime_version = 'patchdiff-mvp-0.9.0'`, 1)],
  ['protocol', PROTOCOL, 1, 0, set(`protocol_version = 'unknown'`, 1)],
  ['decode', PROTOCOL, 1, 0, set(`protocol_version = 'patchdiff-observed-batch/1', runtime_version = 'patchdiff-observed-batch-r1'`, 1)],
  // Adjacency is of 0.5.0 alone.
  ['decode', PROTOCOL, 3, 1, set(`runtime_version = 'patchdiff-mvp-0.3.0'`, 3)],
  ['decode', PROTOCOL, 3, 1, set(`runtime_version = 'patchdiff-mvp-0.4.0'`, 3)],
  ['before_version', INTEGRITY, 3, 1, set('before_version = 7', 3)],
  ['before_version', INTEGRITY, 3, 0, gone(1)],
  ['before_version', INTEGRITY, 4, 1, set(`status = 'rejected'`, 3)],
  ['before_version', INTEGRITY, 3, 0, set('target_file_id = gen_random_uuid()', 1)],
  ['after_version', INTEGRITY, 1, 0, set('after_version = 2', 1)],
  ['before_hash', INTEGRITY, 4, 2, set(`before_hash = repeat('0', 64)`, 4)],
  ['payload_hash', INTEGRITY, 1, 0, set(`pdcp_content = replace(pdcp_content, '"1"', '"2"')`, 1)],
  ['payload_hash', INTEGRITY, 3, 1, set(`pdcp_content_hash = repeat('0', 64)`, 3)],
  ['decode', PROTOCOL, 1, 0, rewritten(1, () => 'no json')],
  ['decode', PROTOCOL, 1, 0, rewritten(1, () => '[]')],
  ['decode', PROTOCOL, 1, 0, member(1, 'target_file_id', '0190a000-0000-7000-8000-00000000000b')],
  ['decode', PROTOCOL, 1, 0, member(1, 'expected_target_version', null)],
  ['decode', PROTOCOL, 1, 0, member(1, 'region_hint', null)],
  ['decode', PROTOCOL, 1, 0, item(1, 'change_id', 'any id')],
  ['decode', PROTOCOL, 1, 0, item(1, 'replace', '\0')],
  [
    'decode',
    PROTOCOL,
    4,
    2,
    member(4, 'operations', [
      { op: 'replace_all', replace: '' },
      { op: 'replace_all', replace: '' },
    ]),
  ],
  ['decode', PROTOCOL, 4, 2, rewritten(4, (payloads) => payloads[2] ?? '')],
  ['apply', APPLY, 1, 0, item(1, 'match', 'absent')],
  ['apply', APPLY, 1, 0, item(1, 'occurrence_index', 2)],
  ['apply', APPLY, 3, 1, item(3, 'expected_after', 'x')],
  ['apply', APPLY, 3, 1, item(3, 'end', 99)],
  ['after_hash', INTEGRITY, 1, 0, item(1, 'replace', 'other')],
  ['after_hash', INTEGRITY, 4, 2, set(`after_hash = repeat('0', 64)`, 4)],
];
