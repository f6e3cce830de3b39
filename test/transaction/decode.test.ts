import { describe, expect, it } from 'vitest';
import { decodeSubmission, FAULT_CODES, prepareSubmission } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { TABLE } from './decode-table.ts';
import { argsOf, brief, edits, reject, TARGET } from './helpers.ts';

const TX1 = 'patchdiff-tx/1';
const TX3 = 'patchdiff-tx/3';

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
      'request_key_conflict',
      'invalid_client_request_id',
      'parent_invalid',
      'bundle_invalid',
      'target_version_mismatch',
      'target_hash_mismatch',
      'unknown_format',
      'scope_not_observed',
      'scopes_overlap',
      'scope_hash_mismatch',
      'result_too_large',
      'match_absent',
      'match_ambiguous',
      'selector_excludes_all',
      'sequential_match_invalid',
      'span_out_of_bounds',
      'span_expected_text_mismatch',
      'content_diverged',
      'claim_mismatch',
    ];
    expect(FAULT_CODES.filter((code) => !seen.has(code))).toEqual(elsewhere);
  });

  it('decodes defaults, optional nulls and the largest legal values', () => {
    const submission = prepareSubmission(TX1, {
      ...edits(
        {
          match: 'a',
          replace: '',
          change_id: null,
          rationale: null,
          risk: null,
          occurrence_index: null,
          anchor_before: null,
          anchor_after: null,
        },
        {
          match: 'b',
          replace: 'c',
          change_id: 'B.1:x_-',
          rationale: 'why',
          risk: 'high',
          occurrence_index: 9007199254740991,
          anchor_before: 'x',
          anchor_after: 'y',
        },
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
          {
            operation: 'match',
            ordinal: 1,
            path: 'edits[0]',
            changeId: 'chg_001',
            rationale: null,
            risk: null,
            replace: '',
            match: 'a',
            occurrenceIndex: null,
            anchorBefore: null,
            anchorAfter: null,
          },
          {
            operation: 'match',
            ordinal: 2,
            path: 'edits[1]',
            changeId: 'B.1:x_-',
            rationale: 'why',
            risk: 'high',
            replace: 'c',
            match: 'b',
            occurrenceIndex: 9007199254740991,
            anchorBefore: 'x',
            anchorAfter: 'y',
          },
        ],
      },
    });
  });

  it('decodes a whole replacement with risk low', () => {
    const decoded = decodeSubmission(prepareSubmission(TX3, argsOf({ replacement: '' })));
    expect(decoded.ok && decoded.transaction.changes).toEqual([
      { operation: 'replace_all', ordinal: 1, path: 'operations[0]', changeId: 'chg_001', rationale: null, risk: 'low', replace: '' },
    ]);
  });

  it('numbers default ids with more than three digits beyond 999', () => {
    const decoded = decodeSubmission(prepareSubmission(TX1, edits(...Array.from({ length: 2_000 }, () => ({ match: 'a', replace: 'b' })))));
    expect(decoded.ok && decoded.transaction.changes.at(-1)?.changeId).toBe('chg_2000');
  });

  it('keeps names of the prototype apart from members', () => {
    const args = JSON.parse(
      `{"target_file_id":"${TARGET}","expected_target_version":0,"intent":"i","edits":[{"match":"a","replace":"b","__proto__":{"risk":"low"}}]}`,
    ) as JsonObject;
    expect(brief(reject(TX1, args).fault)).toBe('unknown_field edits[0].__proto__ chg_001 1');
    const top = JSON.parse(
      `{"target_file_id":"${TARGET}","expected_target_version":0,"intent":"i","edits":[{"match":"a","replace":"b"}],"__proto__":{"edits":[]},"constructor":1}`,
    ) as JsonObject;
    const submission = prepareSubmission(TX1, top);
    expect(submission.payload).toContain('"__proto__":{"edits":[]},"constructor":1,"edits"');
    expect(brief(reject(TX1, top).fault)).toBe('unknown_field __proto__ - -');
    const inherited = Object.setPrototypeOf({ replace: 'b' }, { match: 'a' }) as JsonObject;
    expect(brief(reject(TX1, edits(inherited)).fault)).toBe('field_missing edits[0].match chg_001 1');
  });
});
