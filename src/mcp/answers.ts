import { orNull } from './schema.ts';
import type { ArraySchema, OutputProperty, Schema, StringSchema } from './schema.ts';

export const string: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const boolean: Schema = { type: 'boolean' };
export const object: Schema = { type: 'object' };
export const objects: ArraySchema = { type: 'array', items: { type: 'object' } };
export const stringOrNull: OutputProperty = orNull({ type: 'string' });
export const integerOrNull: OutputProperty = orNull({ type: 'integer' });
export const booleanOrNull: OutputProperty = orNull({ type: 'boolean' });
export const objectOrNull: OutputProperty = orNull({ type: 'object' });

export function statusOf(...values: string[]): StringSchema {
  return { type: 'string', enum: values };
}

/** What an answer carries when an argument broke a rule. */
export const argumentFault = {
  argument: { type: 'string', description: 'invalid_argument: which argument.' },
  kind: { type: 'string', description: 'invalid_argument: what kind of value was sent.' },
  rule: { type: 'string', description: 'invalid_argument: what it must be.' },
  detail: { type: 'string', description: 'In words, when the status is not a success.' },
  next_step: { type: 'string', description: 'What to do next, when the status is not a success.' },
} as const satisfies Record<string, Schema>;

/** The receipt of a submission. */
export const receipt = {
  status: statusOf('accepted', 'rejected'),
  deduplicated: { type: 'boolean', description: 'True: this request key had its outcome already; nothing new was done.' },
  pdcp_log_id: orNull({ type: 'string', description: 'Id of the recorded attempt; null when none was recorded.' }),
  target_file_id: stringOrNull,
  before_version: integerOrNull,
  version: integerOrNull,
  before_hash: stringOrNull,
  after_hash: stringOrNull,
  current_version: integerOrNull,
  current_hash: stringOrNull,
  validity: object,
  evidence: { type: 'object', description: 'accepted: changes[], the facts of each applied change.' },
  warnings: objects,
  failure_reason: { type: 'string', description: 'rejected: the reason, one of a fixed list.' },
  failure_code: stringOrNull,
  failure_detail: stringOrNull,
  failed_change_id: stringOrNull,
  diagnostic: { type: 'object', description: 'rejected: stage, whether a new proposal can succeed, and the evidence.' },
  current_context: { type: 'object', description: 'rejected: at most 256 code points of the document as it stands now.' },
  near_misses: {
    ...objects,
    description:
      'rejected: at most 3 texts that nearly match, with start, end, line, distance, similarity, text and diff; hints, never applied.',
  },
  near_miss_search: orNull({
    type: 'object',
    description: 'rejected: whether the search was complete, and why the match failed; null when nothing was searched for.',
  }),
  next_step: { type: 'string', description: 'rejected: what to do next.' },
} as const satisfies Record<string, OutputProperty>;

/** What both history tools answer. */
export const historyAnswer = {
  status: statusOf('ok', 'invalid_argument', 'not_found'),
  ...argumentFault,
  entries: objects,
  has_more: boolean,
  next_sequence: integerOrNull,
} as const satisfies Record<string, OutputProperty>;
