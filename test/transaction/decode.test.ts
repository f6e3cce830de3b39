import { describe, expect, it } from 'vitest';
import { decodeSubmission, FAULT_CODES, prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { argsOf, brief, edits, operations, reject, TARGET } from './helpers.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';

const edit = (more: JsonObject): JsonObject => ({ match: 'a', replace: 'b', ...more });
const span = (more: JsonObject): JsonObject => ({ op: 'span', start: 0, end: 1, expected_text: 'a', replace: 'b', ...more });
const replacement = (value: JsonValue): JsonObject => argsOf({ replacement: value });

/** Every row: format, arguments, then code, path, change id, ordinal; then the words. */
const TABLE: [Format, JsonObject, string, string?][] = [
  [TX1, { target_file_id: TARGET }, 'guard_missing - - -', 'send expected_target_version or expected_current_hash, as the last read returned them'],
  [TX1, { target_file_id: TARGET, expected_target_version: null, expected_current_hash: null }, 'guard_missing - - -'],
  [TX1, argsOf({ expected_target_version: -1 }), 'guard_malformed expected_target_version - -', 'expected_target_version: an integer from 0 to 9007199254740991'],
  [TX1, argsOf({ expected_target_version: 1.5 }), 'guard_malformed expected_target_version - -'],
  [TX1, argsOf({ expected_target_version: true }), 'guard_malformed expected_target_version - -'],
  [TX1, argsOf({ expected_target_version: 9007199254740992 }), 'guard_malformed expected_target_version - -'],
  [TX1, argsOf({ expected_current_hash: 'A'.repeat(64) }), 'guard_malformed expected_current_hash - -', 'expected_current_hash: 64 lowercase hexadecimal digits'],
  [TX1, argsOf({ expected_current_hash: `${'a'.repeat(64)}\n` }), 'guard_malformed expected_current_hash - -'],
  [TX1, argsOf({ attempt: 0 }), 'attempt_malformed attempt - -', 'attempt: an integer from 1 to 2147483647'],
  [TX1, argsOf({ attempt: 2147483648 }), 'attempt_malformed attempt - -'],
  [TX1, argsOf({ attempt: '1' }), 'attempt_malformed attempt - -'],
  [TX1, argsOf({ parent_pdcp_log_id: 5, attempt: true }), 'attempt_malformed attempt - -'],
  [TX1, argsOf({ parent_pdcp_log_id: 5 }), 'parent_malformed parent_pdcp_log_id - -', 'parent_pdcp_log_id: the id of a rejected attempt, as a string'],
  [TX1, argsOf({ parent_pdcp_log_id: '\u3000' }), 'parent_malformed parent_pdcp_log_id - -'],
  [TX1, argsOf({ source: '' }), 'source_malformed source - -', 'source: a string that is not blank'],
  [TX1, argsOf({ source: [] }), 'source_malformed source - -'],
  [TX1, { ...edits(edit({})), target_file_id: 'nope' }, 'target_mismatch target_file_id - -', 'target_file_id: the submission names another target'],
  [TX1, argsOf({}), 'manifest_missing edits - -', 'edits: a non-empty array is required'],
  [TX1, argsOf({ edits: [] }), 'manifest_missing edits - -'],
  [TX1, argsOf({ edits: '[{}]' }), 'manifest_missing edits - -'],
  [TX2, argsOf({ operations: null }), 'manifest_missing operations - -'],
  [TX2, argsOf({ edits: [edit({})] }), 'manifest_missing operations - -'],
  [TX3, argsOf({}), 'manifest_missing replacement - -', 'replacement: a string is required'],
  [TX3, replacement(null), 'manifest_missing replacement - -'],
  [TX3, replacement(['x']), 'manifest_missing replacement - -'],
  [TX1, argsOf({ edits: [edit({})], region_hint: 1, '\u{10000}': 1, '\uff00': 1 }), 'unknown_field region_hint - -', 'region_hint: unknown field'],
  [TX1, argsOf({ edits: [edit({})], '\u{10000}': 1, '\uff00': 1 }), 'unknown_field \uff00 - -'],
  [TX1, argsOf({ edits: [edit({})], ['😀'.repeat(70)]: 1 }), `unknown_field ${'😀'.repeat(64)} - -`],
  [TX1, argsOf({ edits: [edit({})], format: 'patchdiff-tx/2' }), 'unknown_field argument_format - -'],
  [TX1, argsOf({ edits: [edit({})], operations: [] }), 'unknown_field operations - -'],
  [TX3, argsOf({ replacement: 'x', operations: [] }), 'unknown_field argument_operations - -'],
  [TX1, argsOf({ edits: [edit({})], intent: ' \n' }), 'intent_invalid intent - -', 'intent: a string that is not blank is required'],
  [TX1, argsOf({ edits: [edit({})], intent: null }), 'intent_invalid intent - -'],

  [TX1, edits('x'), 'not_an_object edits[0] - 1', 'edits[0]: an object is required'],
  [TX1, edits(edit({}), ['x']), 'not_an_object edits[1] - 2'],
  [TX2, operations({ match: 'a', replace: 'b' }), 'field_missing operations[0].op chg_001 1', 'operations[0].op: required'],
  [TX2, operations({ op: 5 }), 'field_type operations[0].op chg_001 1', 'operations[0].op: a string is required'],
  [TX2, operations({ op: 'replace_all', replace: 'x' }), 'replace_all_refused operations[0].op chg_001 1', 'operations[0].op: replace_all is only for patchdiff_submit_replacement'],
  [TX2, operations({ op: 'constructor' }), 'op_unknown operations[0].op chg_001 1', 'operations[0].op: one of match, span'],
  [TX1, edits({ replace: 'b' }), 'field_missing edits[0].match chg_001 1'],
  [TX1, edits(edit({ match: 5 })), 'field_type edits[0].match chg_001 1', 'edits[0].match: a string is required'],
  [TX1, edits(edit({ match: '' })), 'match_empty edits[0].match chg_001 1', 'edits[0].match: must not be empty; to insert, use a span with start = end'],
  [TX1, edits({ match: '' }), 'match_empty edits[0].match chg_001 1'],
  [TX1, edits({ match: 'a', replace: null, change_id: 'mine' }), 'field_missing edits[0].replace mine 1'],
  [TX2, operations(span({ start: null })), 'field_missing operations[0].start chg_001 1'],
  [TX2, operations(span({ start: '0' })), 'field_type operations[0].start chg_001 1', 'operations[0].start: an integer is required'],
  [TX2, operations(span({ end: 0.5 })), 'integer_invalid operations[0].end chg_001 1', 'operations[0].end: an integer from 0 to 9007199254740991 is required'],
  [TX2, operations(span({ end: -1 })), 'integer_invalid operations[0].end chg_001 1'],
  [TX2, operations(span({ expected_before: 1 })), 'field_type operations[0].expected_before chg_001 1'],
  [TX2, operations(span({ expected_after: '' })), 'expected_context_empty operations[0].expected_after chg_001 1', 'operations[0].expected_after: must not be empty; leave it out'],
  [TX1, edits(edit({ occurrence_index: 0 })), 'selector_malformed edits[0].occurrence_index chg_001 1', 'edits[0].occurrence_index: an integer of at least 1'],
  [TX1, edits(edit({ occurrence_index: true })), 'selector_malformed edits[0].occurrence_index chg_001 1'],
  [TX1, edits(edit({ anchor_after: '' })), 'selector_malformed edits[0].anchor_after chg_001 1', 'edits[0].anchor_after: a non-empty string'],
  [TX1, edits(edit({ op: 'match' })), 'unknown_field edits[0].op chg_001 1', 'edits[0].op: unknown field'],
  [TX1, edits(edit({ zeta: 1, alpha: 1 })), 'unknown_field edits[0].alpha chg_001 1'],
  [TX2, operations(span({ match: 'a' })), 'unknown_field operations[0].match chg_001 1'],
  [TX2, operations({ op: 'match', match: 'a', replace: 'b', start: 1 }), 'unknown_field operations[0].start chg_001 1'],
  [TX1, edits(edit({ change_id: 'x\n' })), 'change_id_invalid edits[0].change_id - 1', 'edits[0].change_id: 1 to 64 of A-Z a-z 0-9 _ . : -'],
  [TX1, edits(edit({ change_id: 5 })), 'change_id_invalid edits[0].change_id - 1'],
  [TX1, edits(edit({ change_id: '' })), 'change_id_invalid edits[0].change_id - 1'],
  [TX1, edits(edit({ change_id: 'chg_002' }), edit({})), 'change_id_duplicate edits[1].change_id chg_002 2', 'edits[1].change_id: the change id is already used in this submission'],
  [TX1, edits(edit({ rationale: ' ' })), 'rationale_invalid edits[0].rationale chg_001 1', 'edits[0].rationale: a string that is not blank'],
  [TX1, edits(edit({ risk: 'none' })), 'risk_invalid edits[0].risk chg_001 1', 'edits[0].risk: one of low, medium, high'],
  [TX1, edits(edit({ match: '😀'.repeat(65_537) })), 'match_too_long edits[0].match chg_001 1', 'edits[0].match: at most 65536 code points; use a span for longer text'],
  [TX3, replacement('x'.repeat(1_000_001)), 'replacement_too_large replacement chg_001 1', 'replacement: at most 1000000 code points and 1048576 bytes'],
  [TX3, replacement('漢'.repeat(349_526)), 'replacement_too_large replacement chg_001 1'],

  [TX1, edits(edit({ match: 'a\ud800' })), 'text_not_encodable - - -', 'the submission holds text that is not valid Unicode (a lone surrogate) or a NUL; send it without'],
  [TX1, argsOf({ edits: [edit({})], '\0': 1 }), 'text_not_encodable - - -'],
  [TX1, argsOf({ client_request_id: 'a\0' }), 'text_not_encodable - - -'],
  [TX1, argsOf({ source: { deep: ['\udc00'] } }), 'text_not_encodable - - -'],
  [TX1, edits(edit({ replace: 'x'.repeat(4_194_304) })), 'payload_too_large - - -', 'the submission is larger than 4194304 bytes'],
  [TX1, edits(...Array.from({ length: 2_001 }, () => 5)), 'too_many_operations - - -', 'the submission has more than 2000 operations'],
  [TX1, argsOf({ deep: JSON.parse('['.repeat(64) + ']'.repeat(64)) as JsonValue }), 'payload_too_deep - - -', 'the submission is nested deeper than 64 levels'],
];

describe('the decoder', () => {
  it.each(TABLE)('%s %j: %s', (format, args, expected, words) => {
    const { fault } = reject(format, args);
    expect(brief(fault)).toBe(expected);
    if (words !== undefined) expect(fault.detail).toBe(words);
    expect(fault.stage).toBe('protocol_validation');
    expect(fault.detail).not.toMatch(/[{}]/);
  });

  it('names every protocol code at least once above, but for those no tool can cause', () => {
    const seen = new Set(TABLE.map(([, , line]) => line.split(' ')[0]));
    const elsewhere = [
      'request_key_conflict', 'invalid_client_request_id', 'parent_invalid', 'target_version_mismatch', 'target_hash_mismatch', 'unknown_format',
      'result_too_large', 'match_absent', 'match_ambiguous', 'selector_excludes_all', 'sequential_match_invalid', 'span_out_of_bounds',
      'span_expected_text_mismatch', 'content_diverged', 'claim_mismatch',
    ];
    expect(FAULT_CODES.filter((code) => !seen.has(code))).toEqual(elsewhere);
  });

  it('decodes defaults, optional nulls and the largest legal values', () => {
    const submission = prepareSubmission(TX1, {
      ...edits(
        { match: 'a', replace: '', change_id: null, rationale: null, risk: null, occurrence_index: null, anchor_before: null, anchor_after: null },
        { match: 'b', replace: 'c', change_id: 'B.1:x_-', rationale: 'why', risk: 'high', occurrence_index: 9007199254740991, anchor_before: 'x', anchor_after: 'y' },
      ),
      target_file_id: TARGET.toUpperCase(),
      expected_target_version: null,
      expected_current_hash: 'a'.repeat(64),
      attempt: 2147483647,
    });
    expect(decodeSubmission(submission)).toEqual({
      ok: true,
      transaction: {
        format: TX1,
        targetFileId: TARGET,
        intent: 'test',
        expectedTargetVersion: null,
        expectedCurrentHash: 'a'.repeat(64),
        changes: [
          { operation: 'match', ordinal: 1, changeId: 'chg_001', rationale: null, risk: null, replace: '', match: 'a', occurrenceIndex: null, anchorBefore: null, anchorAfter: null },
          { operation: 'match', ordinal: 2, changeId: 'B.1:x_-', rationale: 'why', risk: 'high', replace: 'c', match: 'b', occurrenceIndex: 9007199254740991, anchorBefore: 'x', anchorAfter: 'y' },
        ],
      },
    });
  });

  it('decodes a whole replacement with risk low', () => {
    const decoded = decodeSubmission(prepareSubmission(TX3, replacement('')));
    expect(decoded.ok && decoded.transaction.changes).toEqual([{ operation: 'replace_all', ordinal: 1, changeId: 'chg_001', rationale: null, risk: 'low', replace: '' }]);
  });

  it('numbers default ids with more than three digits beyond 999', () => {
    const decoded = decodeSubmission(prepareSubmission(TX1, edits(...Array.from({ length: 2_000 }, () => edit({})))));
    expect(decoded.ok && decoded.transaction.changes.at(-1)?.changeId).toBe('chg_2000');
  });

  it('keeps names of the prototype apart from members', () => {
    const args = JSON.parse(`{"target_file_id":"${TARGET}","expected_target_version":0,"intent":"i","edits":[{"match":"a","replace":"b","__proto__":{"risk":"low"}}]}`) as JsonObject;
    expect(brief(reject(TX1, args).fault)).toBe('unknown_field edits[0].__proto__ chg_001 1');
    const top = JSON.parse(`{"target_file_id":"${TARGET}","expected_target_version":0,"intent":"i","edits":[{"match":"a","replace":"b"}],"__proto__":{"edits":[]},"constructor":1}`) as JsonObject;
    const submission = prepareSubmission(TX1, top);
    expect(submission.payload).toContain('"__proto__":{"edits":[]},"constructor":1,"edits"');
    expect(brief(reject(TX1, top).fault)).toBe('unknown_field __proto__ - -');
    const inherited = Object.setPrototypeOf({ replace: 'b' }, { match: 'a' }) as JsonObject;
    expect(brief(reject(TX1, edits(inherited)).fault)).toBe('field_missing edits[0].match chg_001 1');
  });
});
