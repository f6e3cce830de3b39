import { describe, expect, test } from 'vitest';

import { lintTool } from './support/schema-lint.ts';
import type { ListedTool } from './support/schema-lint.ts';

const GOOD: ListedTool = {
  name: 'patchdiff_sample',
  title: 'Sample',
  description: 'A sample.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  inputSchema: {
    type: 'object',
    properties: {
      size: { type: 'integer', description: 'From 1 to 200.', minimum: 1, maximum: 200 },
      names: { type: 'array', description: 'At least 1.', minItems: 1, items: { type: 'string' } },
    },
    required: ['size'],
    additionalProperties: false,
  },
  outputSchema: { type: 'object', properties: { next: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }, required: ['next'] },
};

const withProperty = (property: unknown): ListedTool => ({
  ...GOOD,
  inputSchema: { ...GOOD.inputSchema, properties: { size: property }, required: [] },
});
const withRoot = (root: object): ListedTool => ({ ...GOOD, inputSchema: { ...GOOD.inputSchema, ...root } });
const withOutput = (root: object): ListedTool => ({ ...GOOD, outputSchema: { ...GOOD.outputSchema, ...root } });

test('a good tool has no fault', () => {
  expect(lintTool(GOOD)).toEqual([]);
});

describe('each rule can fail', () => {
  const BAD: [rule: string, what: string, tool: ListedTool][] = [
    ['tool-name', 'a name of 41 characters', { ...GOOD, name: `patchdiff_${'a'.repeat(31)}` }],
    ['tool-name', 'a name without the prefix', { ...GOOD, name: 'sample' }],
    ['title', 'no title', { ...GOOD, title: '' }],
    ['description-length', 'no description', { ...GOOD, description: undefined }],
    ['description-length', 'a description of 1,501 characters', { ...GOOD, description: 'x'.repeat(1501) }],
    ['annotations', 'a missing hint', { ...GOOD, annotations: { readOnlyHint: true } }],
    ['input-size', 'more than 8 KB', withProperty({ type: 'string', description: 'x'.repeat(8192) })],
    ['object-root', 'an array root', withRoot({ type: 'array' })],
    ['object-root', 'an output that is a string', withOutput({ type: 'string' })],
    ['root-properties', 'no properties', withRoot({ properties: undefined })],
    ['root-condition', 'anyOf at the root', withRoot({ anyOf: [{ required: ['size'] }] })],
    ['root-condition', 'oneOf at the root', withRoot({ oneOf: [] })],
    ['root-condition', 'allOf at the root', withRoot({ allOf: [] })],
    ['root-condition', 'if at the root', withRoot({ if: {} })],
    ['root-condition', 'anyOf at the root of an output', withOutput({ anyOf: [{ type: 'object' }, { type: 'null' }] })],
    ['dialect', 'draft 7', withRoot({ $schema: 'http://json-schema.org/draft-07/schema#' })],
    ['closed-input', 'an open input', withRoot({ additionalProperties: undefined })],
    ['output-schema', 'no output schema', { ...GOOD, outputSchema: undefined }],
    ['forbidden-keyword', '$ref', withProperty({ $ref: '#/$defs/a' })],
    ['forbidden-keyword', 'exclusiveMinimum', withProperty({ type: 'integer', exclusiveMinimum: 0 })],
    ['forbidden-keyword', 'propertyNames', withProperty({ type: 'object', propertyNames: { type: 'string' } })],
    ['forbidden-keyword', 'prefixItems', withProperty({ type: 'array', items: { type: 'string' }, prefixItems: [] })],
    ['forbidden-keyword', 'format', withProperty({ type: 'string', format: 'uuid' })],
    ['tuple', 'a tuple', withProperty({ type: 'array', items: [{ type: 'string' }] })],
    ['type-list', 'a type list', withProperty({ type: ['string', 'null'] })],
    ['boolean-subschema', 'a boolean subschema', withProperty(true)],
    ['boolean-subschema', 'boolean items', withProperty({ type: 'array', items: false })],
    ['empty-subschema', 'an empty subschema', withProperty({})],
    ['empty-subschema', 'a subschema of words only', withProperty({ description: 'anything' })],
    ['untyped', 'an untyped enum', withProperty({ enum: ['a'] })],
    ['fractions', 'a number', withProperty({ type: 'number' })],
    ['enum-of-strings', 'a numeric enum', withProperty({ type: 'integer', enum: [1, 2] })],
    ['enum-of-strings', 'an empty enum', withProperty({ type: 'string', enum: [] })],
    ['lookaround', 'a lookahead', withProperty({ type: 'string', description: 'No spaces.', pattern: '^(?!x)' })],
    ['lookaround', 'a lookbehind', withProperty({ type: 'string', description: 'No spaces.', pattern: '(?<!x)y' })],
    ['ascii-pattern', 'a class that engines read differently', withProperty({ type: 'string', description: 'Digits.', pattern: '^\\d$' })],
    ['pattern', 'a pattern that does not compile', withProperty({ type: 'string', description: 'Broken.', pattern: '(' })],
    ['safe-bound', 'a bound beyond 2^53 − 1', withProperty({ type: 'integer', description: 'Up to much.', maximum: 2 ** 63 })],
    ['bound-in-words', 'a maximum without words', withProperty({ type: 'integer', description: 'A size.', maximum: 200 })],
    ['bound-in-words', 'a maximum with other words', withProperty({ type: 'integer', description: 'At most 2000.', maximum: 200 })],
    ['bound-in-words', 'minLength without words', withProperty({ type: 'string', description: 'A text.', minLength: 1 })],
    ['bound-in-words', 'a pattern without words', withProperty({ type: 'string', pattern: '^[a-z]$' })],
    ['untyped-items', 'an array without items', withProperty({ type: 'array' })],
    ['untyped-items', 'items without one type', withProperty({ type: 'array', items: { enum: ['a'] } })],
    ['open-properties', 'a nested object open to a schema', withProperty({ type: 'object', additionalProperties: { type: 'string' } })],
    ['unknown-required', 'a required name that is no property', withRoot({ required: ['sise'] })],
    ['composition', 'anyOf in an input', withProperty({ anyOf: [{ type: 'string' }, { type: 'null' }] })],
    ['composition', 'oneOf in an output', withOutput({ properties: { next: { type: 'string', oneOf: [] } } })],
    [
      'composition',
      'three alternatives',
      withOutput({ properties: { next: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] } } }),
    ],
  ];

  test.each(BAD)('%s: %s', (rule, _, tool) => {
    expect(lintTool(tool).map((fault) => fault.rule)).toContain(rule);
  });
});
