import { describe, expect, it } from 'vitest';
import { encodeCanonical, replay, scopeIdOf } from '../../src/transaction/index.ts';
import type { AcceptedAttempt, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { acceptBundle, bundleArgs, bundleRow, group, match, observe } from './bundle-helpers.ts';
import { operations, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const OTHER = '0190a000-0000-7000-8000-00000000000b';
const CONTENT = 'aaa\nbbb\n';
const OBSERVED = observe(CONTENT, [
  [0, 4],
  [4, 8],
  [0, 8],
]);
const ARGS = bundleArgs(
  group(OBSERVED, 1, match('bbb', 'B')),
  group(OBSERVED, 0, { op: 'span', start: 0, end: 1, expected_text: 'a', replace: '$&' }),
);
const { content: AFTER } = acceptBundle(ARGS, OBSERVED, CONTENT).applied;
const ROW = bundleRow(ARGS, OBSERVED, CONTENT, AFTER);
const RECORD = JSON.parse(ROW.pdcp_content) as JsonObject;

const run = (row: AcceptedAttempt) =>
  replay({ target_file_id: TARGET, content: CONTENT, content_hash: sha256(CONTENT) }, [row], null, TARGET, sha256);
/** The same attempt with another payload under its own hash. */
const withRecord = (record: JsonObject): AcceptedAttempt => {
  const payload = encodeCanonical(record);
  return { ...ROW, pdcp_content: payload, pdcp_content_hash: sha256(payload) };
};
const observation = RECORD['observation'] as JsonObject;
const scopes = observation['scopes'] as [JsonObject, JsonObject];
const observed = (more: JsonObject): JsonObject => ({ ...RECORD, observation: { ...observation, ...more } });
const evidence = (more: JsonObject): JsonObject => observed({ scopes: [{ ...scopes[0], ...more }, scopes[1]] });
/** The evidence of a scope with an id that is its own. */
const scope = (more: { start: number; end: number }): JsonObject => {
  const origin = { targetFileId: TARGET, contentHash: sha256(CONTENT), grammar: { name: 'letters', version: '1' } };
  return { ...scopes[0], ...more, scope_id: scopeIdOf(origin, { kind: 'part', ...more }, sha256) };
};
/** The first group with this scope, which the evidence holds too. */
const regrouped = (first: JsonObject): JsonObject => {
  const [old, second] = RECORD['groups'] as [JsonObject, JsonObject];
  return {
    ...observed({ scopes: [first, scopes[1]] }),
    groups: [{ ...old, scope_id: first['scope_id'] }, second],
  };
};

describe('replay of a bundle', () => {
  it('needs what is stored and nothing else', () => {
    expect(run(ROW)).toMatchObject({ status: 'success', reconstructed_content: '$&aa\nB\n' });
  });

  const NO_OBSERVATION = 'observation: the evidence of an observation is required';
  const NO_SCOPE = 'observation.scopes[0]: the evidence of a scope is required';
  const NOT_ITS_ID = 'observation.scopes[0].scope_id: not the id of this scope';
  const NO_GRAMMAR = 'observation.grammar: the name, version and digest of a grammar are required';
  const LINKS: [name: string, record: JsonObject, detail: string][] = [
    ['has no observation', { ...RECORD, observation: null }, NO_OBSERVATION],
    ['tells more of the observation than is recorded', observed({ text: 'x' }), NO_OBSERVATION],
    ['has no version', observed({ version: -1 }), NO_OBSERVATION],
    ['has no cycle', observed({ editing_cycle: '1' }), NO_OBSERVATION],
    ['has no content hash', observed({ content_hash: 'x' }), NO_OBSERVATION],
    ['has a language that is no text', observed({ language: 5 }), NO_OBSERVATION],
    ['has no scopes', observed({ scopes: null }), NO_OBSERVATION],
    ['has a grammar without version', observed({ grammar: { name: 'letters', sha256: null } }), NO_OBSERVATION],
    ['has a grammar without name', observed({ grammar: { name: 1, sha256: null, version: '1' } }), NO_GRAMMAR],
    ['has a grammar with half a digest', observed({ grammar: { name: 'letters', sha256: 'ab', version: '1' } }), NO_GRAMMAR],
    ['names another observation', { ...RECORD, bundle_id: OTHER }, 'observation.bundle_id: the bundle_id of the record is required'],
    ['holds another observation', observed({ bundle_id: OTHER }), 'observation.bundle_id: the bundle_id of the record is required'],
    ['was observed in another content', observed({ content_hash: sha256('') }), NOT_ITS_ID],
    ['was observed by another grammar', observed({ grammar: { name: 'letters', sha256: null, version: '2' } }), NOT_ITS_ID],
    ['has a scope of another kind', evidence({ kind: 'whole' }), NOT_ITS_ID],
    ['has a scope that lies elsewhere', evidence({ start: 3 }), NOT_ITS_ID],
    ['has a scope that ends elsewhere', evidence({ end: 9 }), NOT_ITS_ID],
    ['has a scope without text', evidence({ start: 4, end: 4 }), NO_SCOPE],
    ['has a scope without name', evidence({ name: null }), NO_SCOPE],
    ['has a scope without digest', evidence({ sha256: 'x' }), NO_SCOPE],
    ['has a scope that tells more', evidence({ text: 'x' }), NO_SCOPE],
    ['has no evidence of a group', observed({ scopes: [null, scopes[1]] }), NO_SCOPE],
    [
      'has the evidence of other groups',
      observed({ scopes: scopes.toReversed() }),
      'groups[0].scope_id: no scope of this bundle; observe it too',
    ],
    ['has too little evidence', observed({ scopes: scopes.slice(0, 1) }), 'groups[1].scope_id: no scope of this bundle; observe it too'],
    [
      'has evidence of more than its groups',
      observed({ scopes: [...scopes, scopes[0]] as JsonValue[] }),
      'observation.scopes: the evidence of one scope a group is required',
    ],
    [
      'has scopes that overlap',
      regrouped(scope({ start: 0, end: 8 })),
      'groups[1].scope_id: the scope overlaps that of groups[0]; edit one of them',
    ],
    ['is a submission of another format', operations(match('a', 'b')), NO_OBSERVATION],
    [
      'is called a bundle and is none',
      { ...RECORD, format: 'patchdiff-tx/2' },
      'format: one of patchdiff-tx/1, patchdiff-tx/2, patchdiff-tx/3',
    ],
    ['has a field of no meaning', { ...RECORD, z: 1 }, 'z: unknown field'],
  ];

  it.each(LINKS)('does not decode one that %s', (_, record, detail) => {
    expect(run(withRecord(record)).first_failing_step).toMatchObject({ check: 'decode', reason: 'replay_protocol_invalid', detail });
  });

  it('does not decode one of another target', () => {
    const row = { ...ROW, target_file_id: OTHER };
    const initial = { target_file_id: OTHER, content: CONTENT, content_hash: sha256(CONTENT) };
    expect(replay(initial, [row], null, OTHER, sha256).first_failing_step).toMatchObject({ check: 'decode', detail: NOT_ITS_ID });
  });

  it('applies nothing to a scope that has another text', () => {
    const detail = 'groups[0].scope_id: the scope no longer has the text that was observed; observe it again';
    for (const record of [evidence({ sha256: sha256('x') }), regrouped(scope({ start: 4, end: 9 }))]) {
      expect(run(withRecord(record)).first_failing_step).toMatchObject({ check: 'apply', reason: 'replay_apply_failed', detail });
    }
  });

  it('applies nothing when an operation does not hold, and believes no other result', () => {
    const groups = (RECORD['groups'] as [JsonObject, JsonObject]).toReversed();
    const record = { ...observed({ scopes: scopes.toReversed() }), groups };
    // The order of groups is no matter; the slices are.
    expect(run(withRecord(record)).status).toBe('success');
    const broken = { ...record, groups: [{ ...groups[0], operations: [match('bbb', '')] }, groups[1] as JsonObject] };
    expect(run(withRecord(broken)).first_failing_step).toMatchObject({
      check: 'apply',
      detail: 'groups[0].operations[0].match: the text does not occur',
    });
    expect(run({ ...ROW, after_hash: sha256('') }).first_failing_step).toMatchObject({ check: 'after_hash' });
  });

  it('knows no admission limits', () => {
    const long = 'm'.repeat(70_000);
    const args = { ...bundleArgs(group(observe(long, [[0, 70_000]]), 0, match(long, 'm'))), intent: 'i'.repeat(5_000) };
    const row = bundleRow(args, observe(long, [[0, 70_000]]), long, 'm');
    const initial = { target_file_id: TARGET, content: long, content_hash: sha256(long) };
    expect(replay(initial, [row], null, TARGET, sha256)).toMatchObject({ status: 'success', reconstructed_content: 'm' });
  });
});
