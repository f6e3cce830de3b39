import type { ArraySchema, IntegerSchema, Schema, StringSchema } from './schema.ts';

const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

/** The arguments that several tools share, each stated once. */
export const targetFileId: StringSchema = {
  type: 'string',
  description: 'Id of the document (UUID), as the call that created or listed it returned it.',
  pattern: UUID_PATTERN,
};

export const guards = {
  expected_target_version: {
    type: 'integer',
    description: 'Guard: the version that the last read returned; 0 or more. At least one guard is required.',
    minimum: 0,
  },
  expected_current_hash: {
    type: 'string',
    description: 'Guard: the current_hash that the last read returned; exactly 64 lowercase hexadecimal digits.',
    pattern: '^[0-9a-f]{64}$',
  },
} as const satisfies Record<string, Schema>;

export const clientRequestId: StringSchema = {
  type: 'string',
  description: 'Makes a repeat safe: the same key returns its first outcome for ever. 1 to 128 visible ASCII characters, no spaces.',
  pattern: '^[!-~]{1,128}$',
};

/** What every submission may carry beside its guards and its body. */
export const submission = {
  intent: {
    type: 'string',
    description: 'Why, in one sentence; recorded for ever. Must not be blank; at most 4,096 characters.',
    minLength: 1,
    maxLength: 4096,
  },
  ...guards,
  client_request_id: clientRequestId,
  parent_pdcp_log_id: {
    type: 'string',
    description: 'When this repairs a rejected attempt on the same document: that pdcp_log_id (UUID).',
    pattern: UUID_PATTERN,
  },
  attempt: { type: 'integer', description: "The host's retry counter, 1 to 2147483647.", minimum: 1, maximum: 2_147_483_647 },
  source: {
    type: 'string',
    description: 'Where the proposal came from; default "model_response". Must not be blank; at most 256 characters.',
    minLength: 1,
    maxLength: 256,
  },
  correlation_id: { type: 'string', description: "The host's own mark; never stored." },
} as const satisfies Record<string, Schema>;

const change = {
  change_id: {
    type: 'string',
    description: 'Name of this change, unique in the call; 1 to 64 of A-Z a-z 0-9 _ . : - (default chg_001, chg_002, …).',
    pattern: '^[A-Za-z0-9_.:-]{1,64}$',
  },
  rationale: {
    type: 'string',
    description: 'Why this change; must not be blank; at most 4,096 characters.',
    minLength: 1,
    maxLength: 4096,
  },
  risk: {
    type: 'string',
    description: 'Your own estimate of what this change can break, recorded with it: one of low, medium, high. Changes no rule.',
    enum: ['low', 'medium', 'high'],
  },
} as const satisfies Record<string, Schema>;

const selectors = {
  occurrence_index: {
    type: 'integer',
    description: 'Which exact match to take, counted from 1 over all matches as the text stands at this change.',
    minimum: 1,
  },
  anchor_before: { type: 'string', description: 'Text that must stand somewhere before the match; not empty.', minLength: 1 },
  anchor_after: { type: 'string', description: 'Text that must stand somewhere after the match; not empty.', minLength: 1 },
} as const satisfies Record<string, Schema>;

const MATCH = 'Exact text to find, copied without line numbers; not empty, at most 65,536 characters.';

export const edits: ArraySchema = {
  type: 'array',
  description: 'The edits, in order, each applied to the text that the ones before it left. 1 to 2,000, as a JSON array, not a string.',
  minItems: 1,
  maxItems: 2000,
  items: {
    type: 'object',
    properties: {
      match: { type: 'string', description: MATCH, minLength: 1 },
      replace: { type: 'string', description: 'Text to put in its place; "" deletes.' },
      ...selectors,
      ...change,
    },
    required: ['match', 'replace'],
    additionalProperties: false,
  },
};

const offset = (description: string): IntegerSchema => ({ type: 'integer', description, minimum: 0 });

export const operations: ArraySchema = {
  type: 'array',
  description:
    'The operations, in order, each applied to the text that the ones before it left. 1 to 2,000, as a JSON array, not a string. ' +
    'op "match" takes match, replace, occurrence_index, anchor_before, anchor_after; ' +
    'op "span" takes start, end, expected_text, replace, expected_before, expected_after; both take change_id, rationale, risk.',
  minItems: 1,
  maxItems: 2000,
  items: {
    type: 'object',
    properties: {
      op: { type: 'string', description: 'match: find exact text. span: name its place.', enum: ['match', 'span'] },
      match: { type: 'string', description: `match only, required there. ${MATCH}`, minLength: 1 },
      start: offset('span only, required there: first code point, 0 or more.'),
      end: offset('span only, required there: one past the last code point, 0 or more; end = start inserts.'),
      expected_text: { type: 'string', description: 'span only, required there: the text that stands from start to end; "" to insert.' },
      expected_before: { type: 'string', description: 'span only: text directly before start; not empty.', minLength: 1 },
      expected_after: { type: 'string', description: 'span only: text directly after end; not empty.', minLength: 1 },
      replace: { type: 'string', description: 'Text to put there; "" deletes.' },
      occurrence_index: { ...selectors.occurrence_index, description: `match only. ${selectors.occurrence_index.description}` },
      anchor_before: { ...selectors.anchor_before, description: `match only. ${selectors.anchor_before.description}` },
      anchor_after: { ...selectors.anchor_after, description: `match only. ${selectors.anchor_after.description}` },
      ...change,
    },
    required: ['op', 'replace'],
    additionalProperties: false,
  },
};

export const replacement: StringSchema = {
  type: 'string',
  description: 'The whole new document; at most 1,000,000 characters and 1,048,576 bytes of UTF-8. "" empties it.',
};

export const historyPage = {
  limit: { type: 'integer', description: 'Entries a page: 1 to 200, default 50; more counts as 200.', minimum: 1 },
  before_sequence: {
    type: 'integer',
    description: 'Only entries before this sequence: the next_sequence of the page before. 1 or more.',
    minimum: 1,
  },
} as const satisfies Record<string, Schema>;

/** A place in the document, in code points. */
export const start: IntegerSchema = {
  type: 'integer',
  description: 'First code point, 0 or more; default 0.',
  minimum: 0,
};

export const language: StringSchema = {
  type: 'string',
  description:
    'Language of the document when its name does not tell: typescript, tsx, javascript, python, go, rust, java, c, cpp, csharp, ruby, php, bash, json, yaml, toml, html, css, markdown, sql; not empty.',
  minLength: 1,
};

export const scopeIdPattern = '^[0-9a-f]{32}$';

export const bundleId: StringSchema = {
  type: 'string',
  description: 'The bundle_id of the patchdiff_observe_scopes answer (UUID) that holds every scope of the groups.',
  pattern: UUID_PATTERN,
};

export const groups: ArraySchema = {
  type: 'array',
  description: 'One group a scope to edit, 1 to 2,000, as a JSON array, not a string; at most 2,000 operations in all.',
  minItems: 1,
  maxItems: 2000,
  items: {
    type: 'object',
    properties: {
      scope_id: {
        type: 'string',
        description: 'A scope of the bundle, each at most once; 32 lowercase hexadecimal digits.',
        pattern: scopeIdPattern,
      },
      operations: {
        ...operations,
        description:
          "In the scope's own text, whose first character is 0; in order, each applied to the scope as the ones before it left it. 1 to 2,000, as a JSON array, not a string. " +
          'op "match" takes match, replace, occurrence_index, anchor_before, anchor_after; op "span" takes start, end, expected_text, replace, expected_before, expected_after; both take change_id, rationale, risk.',
      },
    },
    required: ['scope_id', 'operations'],
    additionalProperties: false,
  },
};
