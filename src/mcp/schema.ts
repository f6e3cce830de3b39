/**
 * The part of JSON Schema that every host digests: the types leave out what has broken one ($ref, type lists, tuples, empty or
 * boolean subschemas, exclusive bounds, `format`, conditions at the root). test/mcp/schema-lint.ts checks the rest.
 */
export type Schema = StringSchema | IntegerSchema | BooleanSchema | ArraySchema | ObjectSchema;

export interface StringSchema {
  type: 'string';
  description?: string;
  enum?: readonly string[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
}

export interface IntegerSchema {
  type: 'integer';
  description?: string;
  minimum?: number;
  maximum?: number;
}

export interface BooleanSchema {
  type: 'boolean';
  description?: string;
}

export interface ArraySchema {
  type: 'array';
  description?: string;
  items: Schema;
  minItems?: number;
  maxItems?: number;
}

export interface ObjectSchema {
  type: 'object';
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: false;
}

/** A tool's arguments: closed, so that a misspelt guard is refused instead of ignored. */
export interface InputSchema {
  type: 'object';
  properties: Readonly<Record<string, Schema>>;
  required: readonly string[];
  additionalProperties: false;
}

/** Only results may say null, and only below their root. */
export type OutputProperty = Schema | { description?: string; anyOf: readonly [Schema, { type: 'null' }] };

/** A tool's result: open, so that a new fact never makes a strict client refuse an answer. */
export interface OutputSchema {
  type: 'object';
  properties: Readonly<Record<string, OutputProperty>>;
  required: readonly string[];
}

export function input(properties: Readonly<Record<string, Schema>>, required: readonly string[]): InputSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

export function output(properties: Readonly<Record<string, OutputProperty>>, required: readonly string[] = ['status']): OutputSchema {
  return { type: 'object', properties, required };
}

export function orNull(schema: Schema): OutputProperty {
  return { anyOf: [schema, { type: 'null' }] };
}
