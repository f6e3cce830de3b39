import { evaluate, prepareSubmission, type Format, type JsonObject } from '../../../src/transaction/index.ts';
import { sha256 } from './attacks.ts';

/** A target with this text at version 0, bound to no file. */
export const TARGET = '00000000-0000-0000-0000-000000000001';
/** The same, bound to a file. */
export const BOUND = '00000000-0000-0000-0000-000000000002';
export const TEXT = 'text';

/** One accepted and one rejected submission of every format, so that a call of each goes all the way. */
const SUBMISSIONS: [Format, JsonObject][] = [
  ['patchdiff-tx/1', { edits: [{ match: 'ex', replace: 'oas' }] }],
  ['patchdiff-tx/1', { edits: [{ match: 't', replace: 'T', occurrence_index: 2 }] }],
  ['patchdiff-tx/1', { edits: [{ match: 't', replace: 'T' }] }],
  ['patchdiff-tx/2', { operations: [{ op: 'span', start: 1, end: 3, expected_text: 'ex', replace: 'oas' }] }],
  ['patchdiff-tx/2', { operations: [{ op: 'span', start: 1, end: 3, expected_text: 'no', replace: 'oas' }] }],
  ['patchdiff-tx/3', { replacement: 'another text' }],
];

/** Direct calls that end in an acceptance and in a rejection each. */
const DIRECT: Record<string, string[]> = {
  commit_match: [
    `commit_match('${TARGET}', 'ex', 'oas', 'i', 0)`,
    `commit_match('${TARGET}', 't', 'T', 'i', 0, p_occurrence_index => 2, p_anchor_before => 'x', p_client_request_id => 'key')`,
    `commit_match('${TARGET}', 't', 'T', 'i', 0, p_source => repeat('s', 9000))`,
  ],
  commit_spans: [
    `commit_spans('${TARGET}', '[{"start":1,"end":3,"expected_text":"ex","replace":"oas"},{"op":"match","match":"t","occurrence_index":2,"replace":"é"}]', 'i', 0)`,
    `commit_spans('${TARGET}', $$[{"start":1.5,"end":1e22,"expected_text":"\\ud800","replace":{"a":[]}}]$$, 'i', 0)`,
  ],
  commit_replacement: [
    `commit_replacement('${TARGET}', 'another text', 'i', 0)`,
    `commit_replacement('${TARGET}', null, ' ', 9223372036854775807)`,
  ],
};

// Dollars, so that the text means the same whatever the session says of backslashes.
const literal = (text: string): string => `$$${text}$$`;

/** An honest claim: what the database must then call decided by the runtime. */
function committing([format, members]: [Format, JsonObject]): string {
  const submission = prepareSubmission(format, { target_file_id: TARGET, intent: 'i', expected_target_version: 0, ...members });
  const claim = evaluate(submission, TEXT, sha256);
  const claimed =
    claim.verdict === 'accepted'
      ? `'{${claim.applied.resolvedStarts.join(',')}}', '${claim.applied.afterHash}', null`
      : `null, null, ${literal(JSON.stringify({ failure_reason: claim.fault.reason }))}`;
  return `select 1 / (r.decided_by = 'runtime')::integer, r.outcome, r.failure_code, r.after_hash, r.request_fingerprint, r.changes, r.diagnostic::text
    from patchdiff.commit_attempt('${TARGET}', ${literal(submission.payload)}, 'key', null, null, null, null, '${sha256(TEXT)}', '${claim.verdict}', ${claimed}, null) as r`;
}

const some = (call: string, columns: string): string[] => [`select ${columns} from ${call} as r`];
/** A history of two versions, a rejection, a SAVE and the key of each. */
const HISTORY = [
  `select r.outcome from patchdiff.commit_match('${TARGET}', 'ex', e'o\\na', 'i', 0, p_client_request_id => 'k1') as r`,
  `select r.outcome from patchdiff.commit_match('${TARGET}', 'zz', 'a', 'i', 1, p_client_request_id => 'k2') as r`,
  `select r.outcome from patchdiff.save_target('${TARGET}', p_client_request_id => 'k3') as r`,
  `select r.outcome from patchdiff.commit_replacement('${TARGET}', e'x\\ny\\n', 'i', 1) as r`,
];
const OPENED = `select r.outcome from patchdiff.read_head('${BOUND}') as h, patchdiff.open_publication(h.target_file_id, 0, null, h.version, h.current_hash,
  h.last_synced_disk_sha256, h.current_hash, h.content_bytes, '{"a":1}', 'p1') as r`;
const OBSERVED = `patchdiff.observe_scopes('${TARGET}', 0, '${sha256(TEXT)}', 'x', '{"name":"g","version":"1","sha256":null}', true, '[{"kind":"k","name":"ñ","qualified_path":"p","start":1,"end":3}]')`;
const INTENT = `(select o.publication_id from patchdiff.read_open_publications('${BOUND}') as o)`;

/**
 * For each routine that runs as its owner, statements that make it do all that it does; what they answer is the same on every
 * run. Each list is run in a transaction of its own, on the two targets as they were created.
 */
export const ENTRY_CALLS: Readonly<Record<string, string[][]>> = {
  'patchdiff.commit_attempt': SUBMISSIONS.map((submission) => [committing(submission)]),
  ...Object.fromEntries(
    Object.entries(DIRECT).map(([name, calls]) => [
      `patchdiff.${name}`,
      calls.map((call) => [
        `select patchdiff.subscribe_commits('told') is not null`,
        `select 1 / (r.decided_by = 'database')::integer, r.outcome, r.failure_code, r.after_hash, r.request_fingerprint, r.changes, r.diagnostic::text from patchdiff.${call} as r`,
      ]),
    ]),
  ),
  'patchdiff.create_target': [
    some(`patchdiff.create_target('00000000-0000-0000-0000-000000000003', 'ñ', e'a\\r\\nb\\\\', null, '{"root":"/r","path":"p","root_device":"1","root_inode":"2"}', '{"a":1}')`, 'r.outcome, r.current_hash, r.content_chars'),
    some(`patchdiff.create_target('${TARGET}', 'doc', '${TEXT}')`, 'r.outcome, r.current_hash'),
  ],
  'patchdiff.save_target': [[...HISTORY, `select r.outcome, r.failure_code from patchdiff.save_target('${TARGET}', 9, null, 'k4') as r`]],
  'patchdiff.open_publication': [[OPENED]],
  'patchdiff.lock_publication': [[OPENED, `select r.outcome from patchdiff.lock_publication('${BOUND}', ${INTENT}) as r`]],
  'patchdiff.record_publication': [[OPENED, `select r.outcome from patchdiff.record_publication('${BOUND}', ${INTENT}, 'published', null, '{"b":2}', 'p1') as r`]],
  'patchdiff.adopt_disk': [
    [OPENED, ...some(`patchdiff.adopt_disk('${BOUND}', e'a\\r\\nb\\\\\\r\\n', null, jsonb_build_object('root', '/r', 'path', 'bound', 'root_device', '1', 'root_inode', '2', 'disk_sha256', encode(sha256(convert_to(e'a\\r\\nb\\\\\\r\\n', 'UTF8')), 'hex')), 0)`, '1 / cardinality(r.superseded), r.outcome, r.failure_code, r.current_hash')],
  ],
  'patchdiff.rebind_target': [
    [OPENED, ...some(`patchdiff.rebind_target('${BOUND}', '{"root":"/s\\\\","path":"ñ","root_device":"1","root_inode":"3","disk_sha256":null}', 0)`, '1 / cardinality(r.superseded), r.outcome, r.failure_code, r.from_path, r.workspace_root')],
    some(`patchdiff.rebind_target('${BOUND}', '{"root":"/r","path":"bound","root_device":"7","root_inode":"3","disk_sha256":null}', 1)`, 'r.outcome, r.failure_code'),
  ],
  'patchdiff.observe_scopes': [some(OBSERVED, 'r.outcome, r.version, r.scopes::text')],
  'patchdiff.read_observation': [
    [`select r.outcome from ${OBSERVED} as r`, `select r.scopes::text, r.grammar::text from patchdiff_audit.observations as o, patchdiff.read_observation('${TARGET}', o.bundle_id) as r`],
    some(`patchdiff.read_observation('${TARGET}', '${TARGET}')`, 'r.version'),
  ],
  'patchdiff.read_open_publications': [[OPENED, `select o.workspace_path, o.version from patchdiff.read_open_publications() as o`]],
  'patchdiff.find_binding': [some(`patchdiff.find_binding('/r', 'bound')`, 'r.target_file_id, r.version, r.source_line_endings')],
  'patchdiff.list_targets': [some(`patchdiff.list_targets('do')`, 'r.display_name, r.content_chars')],
  'patchdiff.read_target': [[...HISTORY, `select r.current_content from patchdiff.read_target('${TARGET}') as r`]],
  'patchdiff.read_head': [[...HISTORY, `select r.version, r.current_hash from patchdiff.read_head('${TARGET}') as r`]],
  'patchdiff.read_attempts': [[...HISTORY, `select r.log_sequence, r.status, r.diagnostic::text, r.pdcp_content from patchdiff.read_attempts('${TARGET}', 2, 3, null, null, null, true) as r`]],
  'patchdiff.read_attempt': [[...HISTORY, `select a.pdcp_content from patchdiff.read_attempts('${TARGET}') as r, patchdiff.read_attempt(r.pdcp_log_id) as a`]],
  'patchdiff.read_ledger': [[...HISTORY, `select r.ledger_sequence, r.derived from patchdiff.read_ledger('${TARGET}', true, 5) as r`]],
  'patchdiff.read_recent_changes': [[...HISTORY, `select r.after_version, r.span_starts from patchdiff.read_recent_changes('${TARGET}', 2) as r`]],
  'patchdiff.lock_history': [[...HISTORY, `select r.log_sequence, r.content from patchdiff.lock_history('${TARGET}') as r`]],
  'patchdiff.read_history': [[...HISTORY, `select r.log_sequence, r.content from patchdiff.read_history('${TARGET}', 0) as r`]],
  'patchdiff.read_line_endings': [[...HISTORY, `select r.* from patchdiff.read_line_endings('${TARGET}', 1) as r`]],
  'patchdiff.preview_facts': [[...HISTORY, `select r.version, r.is_intact, r.key_kind, r.key_fingerprint from patchdiff.preview_facts('${TARGET}', null, 'k1') as r`]],
  'patchdiff.preview_recovery': [[...HISTORY, `select r.outcome, r.after_hash from patchdiff.preview_recovery('${TARGET}', 'k1') as r`]],
  'patchdiff.subscribe_commits': [[`select patchdiff.subscribe_commits('told', '1 minute') is not null`]],
  'patchdiff.unsubscribe_commits': [[`select patchdiff.subscribe_commits('told') is not null`, `select patchdiff.unsubscribe_commits('told') is not null`]],
  'patchdiff_audit.chain_head': [[`select r.chain_sequence from patchdiff_audit.chain_head('${TARGET}') as r`]],
  'patchdiff_audit.reconstruct': [[`select patchdiff_audit.reconstruct('${TARGET}', 0)`], [...HISTORY, `select patchdiff_audit.reconstruct('${TARGET}', 1)`]],
  'patchdiff_audit.version_at': [[`select patchdiff_audit.version_at('${TARGET}', clock_timestamp())`]],
  'patchdiff_audit.retry_tree': [
    [`select r.depth from patchdiff_audit.attempts as a, patchdiff_audit.retry_tree(a.pdcp_log_id) as r`],
    [...HISTORY, `select r.depth, r.log_sequence from patchdiff_audit.attempts as a, patchdiff_audit.retry_tree(a.pdcp_log_id) as r order by 2`],
  ],
  'patchdiff_audit.verify_target': [[`select * from patchdiff_audit.verify_target('${TARGET}')`], [...HISTORY, OPENED, `select * from patchdiff_audit.verify_target('${TARGET}')`]],
  'patchdiff_audit.verify_all': [[`select * from patchdiff_audit.verify_all()`], [...HISTORY, OPENED, `select * from patchdiff_audit.verify_all()`]],
  'patchdiff_audit.blame': [[`select count(*) from patchdiff_audit.blame('${TARGET}')`], [...HISTORY, `select count(*) from patchdiff_audit.blame('${TARGET}')`]],
  'patchdiff_audit.changes_between': [
    [`select count(*) from patchdiff_audit.changes_between('${TARGET}', 0, 0)`],
    [...HISTORY, `select count(*) from patchdiff_audit.changes_between('${TARGET}', 0, 2)`],
  ],
  'patchdiff_audit.diff': [[`select count(*) from patchdiff_audit.diff('${TARGET}', 0, 0)`], [...HISTORY, `select count(*) from patchdiff_audit.diff('${TARGET}', 0, 2)`]],
};
