import { randomUUID } from 'node:crypto';

import type { FailureReason, Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { FORMATS, TX1, TX2, TX3 } from './contract.ts';
import type { FailureStage } from './contract.ts';
import { TAKEN_KEY } from './subject.ts';
import type { Sent, Subject } from './subject.ts';

type Make = (format: Format, subject: Subject) => Sent;

/** Why a code cannot occur in a format: the sentence, the very fault sent in that format, and what it comes to there. */
export interface Never {
  why: string;
  make: Make;
  /** A failure code, or accepted. */
  instead: string;
}

export interface Row {
  reason: FailureReason;
  stage: FailureStage;
  /** What brings the code about, in each format in which it can occur. */
  occurs: Partial<Record<Format, Make>>;
  never: Partial<Record<Format, Never>>;
  /** The state that the target must be in; sound and unkeyed by default. */
  state?: 'keyed' | 'damaged' | 'large';
  /** The claim is false on purpose; only a direct call can make such a one. */
  isFalseClaim?: true;
}

const BODIES: Readonly<Record<Format, JsonObject>> = {
  [TX1]: { edits: [{ match: 'beta', replace: 'x' }] },
  [TX2]: { operations: [{ op: 'match', match: 'beta', replace: 'x' }] },
  [TX3]: { replacement: 'x' },
};

/** A sound submission but for `more`; an undefined member is left out. */
const args =
  (more: JsonObject): Make =>
  (format, { id, version }) => ({
    args: { target_file_id: id, intent: 'try', expected_target_version: version, ...BODIES[format], ...more },
  });

/** The same with these items; in tx/3, which has no items among its arguments, as a record. */
const items =
  (...list: JsonValue[]): Make =>
  (format, subject) => {
    if (format === TX1) return args({ edits: list })(format, subject);
    if (format === TX2) return args({ operations: list })(format, subject);
    return record({ operations: list })(format, subject);
  };

const record =
  (more: JsonObject): Make =>
  (format, { id, version }) => ({
    record: {
      format,
      target_file_id: id,
      intent: 'try',
      expected_target_version: version,
      expected_current_hash: null,
      ...(format === TX3 ? { operations: [{ op: 'replace_all', replace: 'x' }] } : BODIES[format]),
      ...more,
    },
  });

const match = (more: JsonObject): JsonObject => ({ match: 'beta', replace: 'x', ...more });
const opMatch = (more: JsonObject): JsonObject => ({ op: 'match', ...match(more) });
const span = (more: JsonObject): JsonObject => ({ op: 'span', start: 6, end: 10, expected_text: 'beta', replace: 'x', ...more });
const whole = (more: JsonObject): JsonObject => ({ op: 'replace_all', replace: 'x', ...more });

const everywhere = (make: Make): Row['occurs'] => Object.fromEntries(FORMATS.map((format) => [format, make]));
const NO_ITEMS = 'Its one operation is replace_all, which knows op and replace only: any other field is unknown before it is judged.';
const NO_MATCH = 'It finds nothing: the whole text is replaced, whatever it holds.';
const NO_SPAN = 'It names places by their text; start and end are unknown fields.';

/** Of a field of a match: it can be wrong in tx/1 and tx/2, and is unknown in tx/3. */
function ofMatch(reason: FailureReason, field: JsonObject): Row {
  return {
    reason,
    stage: 'protocol_validation',
    occurs: { [TX1]: items(match(field)), [TX2]: items(opMatch(field)) },
    never: { [TX3]: { why: NO_ITEMS, make: items(whole(field)), instead: 'unknown_field' } },
  };
}

/** Of a field of a span: unknown in tx/1 and tx/3. */
function ofSpan(field: JsonObject): Row {
  return {
    reason: 'block_malformed',
    stage: 'protocol_validation',
    occurs: { [TX2]: items(span(field)) },
    never: {
      [TX1]: { why: NO_SPAN, make: items(match(field)), instead: 'unknown_field' },
      [TX3]: { why: NO_ITEMS, make: items(whole(field)), instead: 'unknown_field' },
    },
  };
}

const protocol = (reason: FailureReason, make: Make): Row => ({
  reason,
  stage: 'protocol_validation',
  occurs: everywhere(make),
  never: {},
});
const guard = (reason: FailureReason, make: Make): Row => ({ ...protocol(reason, make), stage: 'precondition_guard' });

/** Of the walk over matches. tx/3 has no walk: the same texts as the whole replacement are applied. */
function walk(reason: FailureReason, ...edits: JsonObject[]): Row {
  return {
    reason,
    stage: 'transaction_applicability',
    occurs: { [TX1]: items(...edits), [TX2]: items(...edits.map((edit) => ({ op: 'match', ...edit }))) },
    never: { [TX3]: { why: NO_MATCH, make: args({ replacement: edits.at(-1)?.['replace'] }), instead: 'accepted' } },
  };
}

function walkSpan(reason: FailureReason, field: JsonObject): Row {
  return {
    reason,
    stage: 'transaction_applicability',
    occurs: { [TX2]: items(span(field)) },
    never: {
      [TX1]: { why: NO_SPAN, make: items(match(field)), instead: 'unknown_field' },
      [TX3]: { why: NO_ITEMS, make: items(whole(field)), instead: 'unknown_field' },
    },
  };
}

/** Of an observed scope, which only a bundle names: the field is unknown elsewhere. */
function ofBundle(reason: FailureReason, stage: FailureStage, field: JsonObject): Row {
  const never: Never = { why: 'Only a bundle names an observation and its scopes.', make: args(field), instead: 'unknown_field' };
  return { reason, stage, occurs: {}, never: { [TX1]: never, [TX2]: never, [TX3]: never } };
}

const deep = (levels: number): JsonValue => {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const LARGE_INSERT = 'y'.repeat(3 * 1024 * 1024);

/** Every failure code that a known target can meet: one constructive case for each format, or the proof that there is none. */
export const TABLE: Readonly<Record<string, Row>> = {
  request_key_conflict: { ...guard('context_invalid', args({ client_request_id: TAKEN_KEY })), state: 'keyed' },
  invalid_client_request_id: guard('context_invalid', args({ client_request_id: 'a b' })),
  parent_invalid: guard('context_invalid', (format, subject) => args({ parent_pdcp_log_id: randomUUID() })(format, subject)),
  target_version_mismatch: guard('target_version_mismatch', args({ expected_target_version: 9 })),
  target_hash_mismatch: guard('target_hash_mismatch', args({ expected_current_hash: 'a'.repeat(64) })),

  text_not_encodable: protocol('target_encoding_invalid', args({ intent: 'half of a pair: \ud83d' })),
  payload_too_large: protocol('manifest_invalid', args({ intent: 'x'.repeat(4_194_304) })),
  payload_too_deep: protocol('manifest_invalid', args({ extra: deep(64) })),
  too_many_operations: protocol('manifest_invalid', items(...Array.from({ length: 2001 }, () => ({})))),
  guard_missing: protocol('context_missing', args({ expected_target_version: null })),
  guard_malformed: protocol('context_invalid', args({ expected_target_version: '0' })),
  attempt_malformed: protocol('context_invalid', args({ attempt: 0 })),
  parent_malformed: protocol('context_invalid', args({ parent_pdcp_log_id: ' ' })),
  source_malformed: protocol('context_invalid', args({ source: 5 })),
  unknown_format: {
    reason: 'manifest_invalid',
    stage: 'protocol_validation',
    // A record of another format is recorded as `unknown`, so that no public format ever carries this code.
    occurs: {},
    never: Object.fromEntries(
      FORMATS.map((format) => [
        format,
        {
          why: 'The format of a tool is its own: an argument called format is kept under another name, as an unknown field.',
          make: args({ format: 'patchdiff-tx/9' }),
          instead: 'unknown_field',
        },
      ]),
    ),
  },
  target_mismatch: protocol('manifest_invalid', (format, subject) => record({ target_file_id: randomUUID() })(format, subject)),
  manifest_missing: protocol('manifest_missing', args({ edits: undefined, operations: undefined, replacement: undefined })),
  unknown_field: protocol('manifest_invalid', args({ region_hint: 'near the end' })),
  intent_invalid: protocol('manifest_invalid', args({ intent: ' ' })),
  intent_too_long: protocol('manifest_invalid', args({ intent: 'i'.repeat(4097) })),
  not_an_object: protocol('block_malformed', items('text')),
  field_missing: protocol('block_malformed', items({})),
  field_type: protocol('block_malformed', items({ op: 5, match: 5 })),
  integer_invalid: ofSpan({ start: 0.5 }),
  match_empty: ofMatch('block_malformed', { match: '' }),
  expected_context_empty: ofSpan({ expected_before: '' }),
  selector_malformed: ofMatch('disambiguation_invalid', { occurrence_index: 0 }),
  change_id_invalid: ofMatch('manifest_invalid', { change_id: 'a b' }),
  change_id_duplicate: {
    reason: 'manifest_invalid',
    stage: 'protocol_validation',
    occurs: {
      [TX1]: items(match({ change_id: 'a' }), match({ change_id: 'a' })),
      [TX2]: items(opMatch({ change_id: 'a' }), span({ change_id: 'a' })),
    },
    never: {
      [TX3]: {
        why: 'It has exactly one operation, whose id is chg_001: a second one is refused before ids are compared.',
        make: items(whole({}), whole({})),
        instead: 'op_unknown',
      },
    },
  },
  rationale_invalid: ofMatch('manifest_invalid', { rationale: '' }),
  rationale_too_long: ofMatch('manifest_invalid', { rationale: 'r'.repeat(4097) }),
  risk_invalid: ofMatch('manifest_invalid', { risk: 'none' }),
  replace_all_refused: {
    reason: 'manifest_invalid',
    stage: 'protocol_validation',
    occurs: { [TX2]: items(whole({})) },
    never: {
      [TX1]: { why: 'Its items have no op: the field is unknown.', make: items(match({ op: 'replace_all' })), instead: 'unknown_field' },
      [TX3]: { why: 'There it is the one legal operation.', make: args({}), instead: 'accepted' },
    },
  },
  op_unknown: {
    reason: 'manifest_invalid',
    stage: 'protocol_validation',
    occurs: { [TX2]: items({ op: 'delete' }), [TX3]: items({ op: 'delete' }) },
    never: {
      [TX1]: { why: 'Its items have no op: the field is unknown.', make: items(match({ op: 'delete' })), instead: 'unknown_field' },
    },
  },
  match_too_long: ofMatch('manifest_invalid', { match: 'm'.repeat(65_537) }),
  replacement_too_large: {
    reason: 'manifest_invalid',
    stage: 'protocol_validation',
    occurs: { [TX3]: args({ replacement: 'r'.repeat(1_000_001) }) },
    never: {
      [TX1]: {
        why: 'The limit is that of a whole document sent as one; a replace may be as long as the payload.',
        make: items(match({ replace: 'r'.repeat(1_000_001) })),
        instead: 'accepted',
      },
      [TX2]: {
        why: 'The limit is that of a whole document sent as one; a replace may be as long as the payload.',
        make: items(span({ replace: 'r'.repeat(1_000_001) })),
        instead: 'accepted',
      },
    },
  },
  bundle_invalid: ofBundle('context_invalid', 'precondition_guard', { bundle_id: randomUUID() }),
  scope_not_observed: ofBundle('context_invalid', 'protocol_validation', { groups: [{ scope_id: 'none' }] }),
  scopes_overlap: ofBundle('manifest_invalid', 'protocol_validation', { groups: [{ scope_id: 'a' }, { scope_id: 'a' }] }),
  scope_hash_mismatch: ofBundle('target_hash_mismatch', 'transaction_applicability', { groups: [{ scope_id: 'a' }] }),

  result_too_large: {
    reason: 'manifest_invalid',
    stage: 'transaction_applicability',
    state: 'large',
    occurs: { [TX1]: items(match({ replace: LARGE_INSERT })), [TX2]: items(span({ replace: LARGE_INSERT })) },
    never: {
      [TX3]: {
        why: 'Its result is its replacement, which is refused above 1 MiB long before.',
        make: args({ replacement: LARGE_INSERT }),
        instead: 'replacement_too_large',
      },
    },
  },
  match_absent: walk('match_absent', match({ match: 'gamma' })),
  match_ambiguous: walk('match_ambiguous', match({ match: 'alpha' })),
  selector_excludes_all: walk('disambiguation_invalid', match({ occurrence_index: 2 })),
  sequential_match_invalid: walk('sequential_match_invalid', match({ match: 'alpha beta' }), match({})),
  span_out_of_bounds: walkSpan('span_out_of_bounds', { end: 99 }),
  span_expected_text_mismatch: walkSpan('span_expected_text_mismatch', { expected_text: 'zeta' }),

  content_diverged: { ...protocol('target_diverged', args({})), stage: 'commit_guard', state: 'damaged' },
  claim_mismatch: { ...protocol('context_invalid', args({})), stage: 'commit_guard', isFalseClaim: true },
};
