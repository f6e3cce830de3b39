import { describe, expect, it } from 'vitest';
import { decodeBundle, flattenBundle, preconditionFault, prepareBundle } from '../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { bundleArgs, group, idAt, match, observe, rejectBundle } from './bundle-helpers.ts';
import { brief } from './helpers.ts';

const CONTENT = 'aaa\nbbb\nccc\n';
/** Three lines, and the first two of them together. */
const OBSERVED = observe(CONTENT, [
  [0, 3],
  [4, 7],
  [8, 11],
  [0, 7],
]);
const op = match('a', 'x');
const first = group(OBSERVED, 0, op);
const second = group(OBSERVED, 1, match('b', 'x'));
const without = (name: string, args: JsonObject): JsonObject => Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
const scope = (at: number): JsonObject => {
  const { scope_id, qualified_path, start, end } = OBSERVED.scopes[at]!;
  return { scope_id, qualified_path, start, end };
};
const inFirst = (...operations: JsonValue[]): JsonObject => bundleArgs(group(OBSERVED, 0, ...operations));

/** Arguments, the fault in one line, its words, its evidence. */
const TABLE: [args: JsonObject, line: string, words: string, evidence: JsonObject][] = [
  [without('groups', bundleArgs()), 'manifest_missing groups - -', 'groups: a non-empty array is required', {}],
  [{ ...bundleArgs(), groups: null }, 'manifest_missing groups - -', 'groups: a non-empty array is required', {}],
  [{ ...bundleArgs(), groups: {} }, 'manifest_missing groups - -', 'groups: a non-empty array is required', {}],
  [bundleArgs(), 'manifest_missing groups - -', 'groups: a non-empty array is required', {}],
  [{ ...bundleArgs(first), operations: [] }, 'unknown_field operations - -', 'operations: unknown field', {}],
  [{ ...bundleArgs(first), z: 1, format: 'x' }, 'unknown_field argument_format - -', 'argument_format: unknown field', {}],
  [{ ...bundleArgs(first), observation: {} }, 'unknown_field argument_observation - -', 'argument_observation: unknown field', {}],
  [{ ...bundleArgs(5), intent: ' ' }, 'intent_invalid intent - -', 'intent: a string that is not blank is required', {}],
  [{ ...bundleArgs(5), intent: 'i'.repeat(4097) }, 'intent_too_long intent - -', 'intent: at most 4096 code points', {}],
  [bundleArgs(first, null), 'not_an_object groups[1] - -', 'groups[1]: an object is required', { group_index: 1 }],
  [bundleArgs([first]), 'not_an_object groups[0] - -', 'groups[0]: an object is required', { group_index: 0 }],
  [
    bundleArgs({ z: 1, op: 1, '\u{1f600}': 1, '\ue000': 1 }),
    'unknown_field groups[0].op - -',
    'groups[0].op: unknown field',
    { group_index: 0 },
  ],
  [
    bundleArgs({ [`${'n'.repeat(63)}😀x`]: 1 }),
    `unknown_field groups[0].${'n'.repeat(63)}😀 - -`,
    `groups[0].${'n'.repeat(63)}😀: unknown field`,
    { group_index: 0 },
  ],
  [bundleArgs({ operations: [] }), 'field_missing groups[0].scope_id - -', 'groups[0].scope_id: required', { group_index: 0 }],
  [bundleArgs({ scope_id: null }), 'field_missing groups[0].scope_id - -', 'groups[0].scope_id: required', { group_index: 0 }],
  [bundleArgs({ scope_id: 5 }), 'field_type groups[0].scope_id - -', 'groups[0].scope_id: a string is required', { group_index: 0 }],
  [
    bundleArgs(first, { scope_id: idAt(OBSERVED, 1).toUpperCase() }),
    'scope_not_observed groups[1].scope_id - -',
    'groups[1].scope_id: no scope of this bundle; observe it too',
    { group_index: 1 },
  ],
  [
    bundleArgs({ scope_id: '__proto__' }),
    'scope_not_observed groups[0].scope_id - -',
    'groups[0].scope_id: no scope of this bundle; observe it too',
    { group_index: 0 },
  ],
  [
    bundleArgs(second, first, { scope_id: idAt(OBSERVED, 3) }),
    'scopes_overlap groups[2].scope_id - -',
    'groups[2].scope_id: the scope overlaps that of groups[0]; edit one of them',
    {
      overlapping_scopes: [
        { group_index: 0, scope_id: idAt(OBSERVED, 1), qualified_path: 'part p1' },
        { group_index: 2, scope_id: idAt(OBSERVED, 3), qualified_path: 'part p3' },
      ],
      group_index: 2,
      scope: scope(3),
    },
  ],
  [
    bundleArgs(first, first),
    'scopes_overlap groups[1].scope_id - -',
    'groups[1].scope_id: the scope overlaps that of groups[0]; edit one of them',
    {
      overlapping_scopes: [
        { group_index: 0, scope_id: idAt(OBSERVED, 0), qualified_path: 'part p0' },
        { group_index: 1, scope_id: idAt(OBSERVED, 0), qualified_path: 'part p0' },
      ],
      group_index: 1,
      scope: scope(0),
    },
  ],
  ...[undefined, null, {}, 'x', []].map((operations): (typeof TABLE)[number] => [
    bundleArgs({ scope_id: idAt(OBSERVED, 0), ...(operations === undefined ? {} : { operations }) }),
    'manifest_missing groups[0].operations - -',
    'groups[0].operations: a non-empty array is required',
    { group_index: 0, scope: scope(0) },
  ]),
  [
    bundleArgs(first, group(OBSERVED, 1, op, 5)),
    'not_an_object groups[1].operations[1] - 3',
    'groups[1].operations[1]: an object is required',
    { group_index: 1, operation_index: 1, scope: scope(1) },
  ],
  [
    bundleArgs(first, group(OBSERVED, 1, { op: 'replace_all' })),
    'replace_all_refused groups[1].operations[0].op chg_002 2',
    'groups[1].operations[0].op: replace_all is only for patchdiff_submit_replacement',
    { group_index: 1, operation_index: 0, scope: scope(1) },
  ],
  [
    inFirst({ op: 'cut' }),
    'op_unknown groups[0].operations[0].op chg_001 1',
    'groups[0].operations[0].op: one of match, span',
    { group_index: 0, operation_index: 0, scope: scope(0) },
  ],
  [
    inFirst({ op: 'span', start: 0, end: 0, expected_text: '', replace: '', expected_before: '' }),
    'expected_context_empty groups[0].operations[0].expected_before chg_001 1',
    'groups[0].operations[0].expected_before: must not be empty; leave it out',
    { group_index: 0, operation_index: 0, scope: scope(0) },
  ],
  [
    inFirst({ ...op, scope_id: 'x' }),
    'unknown_field groups[0].operations[0].scope_id chg_001 1',
    'groups[0].operations[0].scope_id: unknown field',
    { group_index: 0, operation_index: 0, scope: scope(0) },
  ],
  [
    // A given id is compared with the default ones of every group before it.
    bundleArgs(second, group(OBSERVED, 0, op, { ...op, change_id: 'chg_001' })),
    'change_id_duplicate groups[1].operations[1].change_id chg_001 3',
    'groups[1].operations[1].change_id: the change id is already used in this submission',
    { group_index: 1, operation_index: 1, scope: scope(0) },
  ],
  [
    bundleArgs(second, group(OBSERVED, 0, { ...op, match: 'm'.repeat(65_537) })),
    'match_too_long groups[1].operations[0].match chg_002 2',
    'groups[1].operations[0].match: at most 65536 code points; use a span for longer text',
    { group_index: 1, operation_index: 0, scope: scope(0) },
  ],
  // The groups before are judged whole before the next one is looked at.
  [
    bundleArgs(group(OBSERVED, 0, { op: 'cut' }), 5),
    'op_unknown groups[0].operations[0].op chg_001 1',
    'groups[0].operations[0].op: one of match, span',
    { group_index: 0, operation_index: 0, scope: scope(0) },
  ],
];

describe('the decoder of bundles', () => {
  it.each(TABLE.map(([args, line, ...rest]) => [line, args, ...rest] as const))('%s', (line, args, words, evidence) => {
    const { fault } = rejectBundle(args, OBSERVED, CONTENT);
    expect(brief(fault)).toBe(line);
    expect(fault.detail).toBe(words);
    expect(fault.stage).toBe('protocol_validation');
    expect(JSON.stringify(fault.evidence)).toBe(JSON.stringify(evidence));
  });

  it('asks in the order of the contract', () => {
    const code = (args: JsonObject, observation = OBSERVED as typeof OBSERVED | null): string =>
      rejectBundle(args, observation, CONTENT).fault.code;
    const many = Array.from({ length: 2_001 }, () => 5);
    let args: JsonObject = {
      target_file_id: 'none',
      bundle_id: 'none',
      intent: '\0',
      attempt: 0,
      expected_target_version: 'x',
      z: 1,
      groups: many,
    };
    const after = (more: JsonObject): string => code((args = { ...args, ...more }));
    expect(code(args, null)).toBe('text_not_encodable');
    args = { ...args, intent: '' };
    expect(code(args, null)).toBe('bundle_invalid');
    expect(code(args)).toBe('too_many_operations');
    expect(after({ groups: [], expected_target_version: null })).toBe('guard_missing');
    expect(after({ expected_target_version: 'x' })).toBe('guard_malformed');
    expect(after({ expected_target_version: 0 })).toBe('attempt_malformed');
    expect(after({ attempt: 1 })).toBe('target_mismatch');
    expect(after({ target_file_id: bundleArgs()['target_file_id'] })).toBe('manifest_missing');
    expect(after({ groups: [{ z: 1 }] })).toBe('unknown_field');
    args = without('z', args);
    expect(code(args)).toBe('intent_invalid');
    expect(after({ intent: 'i' })).toBe('unknown_field');
    expect(after({ groups: [{}] })).toBe('field_missing');
    expect(after({ groups: [{ scope_id: '' }] })).toBe('scope_not_observed');
    expect(after({ groups: [first, { scope_id: idAt(OBSERVED, 3) }] })).toBe('scopes_overlap');
    expect(after({ groups: [first, { scope_id: idAt(OBSERVED, 1) }] })).toBe('manifest_missing');
  });

  it('counts operations over all groups, and groups', () => {
    const list = (length: number): JsonValue[] => Array.from({ length }, () => op);
    const code = (...groups: JsonValue[]): string => rejectBundle(bundleArgs(...groups), OBSERVED, CONTENT).fault.code;
    expect(code(...Array.from({ length: 2_000 }, () => 5))).toBe('not_an_object');
    expect(code(...Array.from({ length: 2_001 }, () => 5))).toBe('too_many_operations');
    expect(code({ operations: list(1_000) }, { operations: 5 }, { operations: list(1_000) })).toBe('field_missing');
    expect(code({ operations: list(1_000) }, { operations: list(1_001) })).toBe('too_many_operations');
  });

  it('numbers changes and their ids over the whole bundle, in submitted order', () => {
    const args = bundleArgs(group(OBSERVED, 2, match('c', 'x'), match('c', 'y')), group(OBSERVED, 0, { ...op, change_id: 'mine' }, op));
    const decoded = decodeBundle(prepareBundle(args), OBSERVED);
    const changes = decoded.ok
      ? decoded.bundle.groups.map((each) => each.changes.map(({ ordinal, changeId, path }) => [ordinal, changeId, path]))
      : [];
    expect(changes).toEqual([
      [
        [1, 'chg_001', 'groups[0].operations[0]'],
        [2, 'chg_002', 'groups[0].operations[1]'],
      ],
      [
        [3, 'mine', 'groups[1].operations[0]'],
        [4, 'chg_004', 'groups[1].operations[1]'],
      ],
    ]);
  });

  it('puts the changes into the order of application: the last scope first', () => {
    const args = bundleArgs(second, group(OBSERVED, 2, match('c', 'x'), match('c', 'y')), first);
    const decoded = decodeBundle(prepareBundle(args), OBSERVED);
    const transaction = decoded.ok ? flattenBundle(decoded.bundle) : null;
    expect(transaction?.changes.map(({ ordinal }) => ordinal)).toEqual([2, 3, 1, 4]);
    expect(transaction).toMatchObject({ format: 'patchdiff-observed-batch/1', intent: 'test', expectedTargetVersion: 0 });
  });

  it('lets adjacent scopes be edited together', () => {
    const observed = observe('abcd', [
      [0, 2],
      [2, 4],
    ]);
    expect(decodeBundle(prepareBundle(bundleArgs(group(observed, 1, op), group(observed, 0, op))), observed).ok).toBe(true);
  });

  it('looks the observation up after the parent and before the guards', () => {
    const row = { version: 7, hash: '' };
    const submission = prepareBundle({ ...bundleArgs(), parent_pdcp_log_id: 'x' });
    expect(preconditionFault(submission, row, false, false)?.code).toBe('parent_invalid');
    const fault = preconditionFault(submission, row, true, false);
    expect(fault).toMatchObject({ code: 'bundle_invalid', reason: 'context_invalid', stage: 'precondition_guard', evidence: {} });
    expect(fault?.detail).toBe('bundle_id names no observation of this target; observe its scopes again');
    expect(preconditionFault(submission, row, true, true)?.code).toBe('target_version_mismatch');
  });
});
