/** One fault of an advertised tool: where, and which rule. */
export interface LintFault {
  path: string;
  rule: string;
}

/** A tool as tools/list shows it. */
export interface ListedTool {
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  annotations?: object | undefined;
  inputSchema: object;
  outputSchema?: object | undefined;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const ROOT_CONDITIONS = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'not'];
const FORBIDDEN = [
  '$ref',
  '$defs',
  'definitions',
  '$dynamicRef',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'propertyNames',
  'patternProperties',
  'prefixItems',
  'additionalItems',
  'format',
  'const',
  'if',
];
const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

type Json = Record<string, unknown>;

/** What hosts can digest, as rules over one tool. Empty when every rule holds. */
export function lintTool(tool: ListedTool): LintFault[] {
  const faults: LintFault[] = [];
  const fault = (path: string, rule: string): void => void faults.push({ path, rule });
  if (!/^patchdiff_[a-z_]+$/.test(tool.name) || tool.name.length > 40) fault('name', 'tool-name');
  if (tool.title === undefined || tool.title === '') fault('title', 'title');
  const { description = '' } = tool;
  if (description === '' || description.length > 1500) fault('description', 'description-length');
  const annotations = (tool.annotations ?? {}) as Json;
  for (const hint of HINTS) if (typeof annotations[hint] !== 'boolean') fault(`annotations.${hint}`, 'annotations');
  if (Buffer.byteLength(JSON.stringify(tool.inputSchema)) > 8192) fault('inputSchema', 'input-size');
  lintRoot(tool.inputSchema as Json, 'inputSchema', fault);
  if ((tool.inputSchema as Json)['additionalProperties'] !== false) fault('inputSchema', 'closed-input');
  lintSchema(tool.inputSchema, 'inputSchema', fault, false);
  if (tool.outputSchema === undefined) fault('outputSchema', 'output-schema');
  else {
    lintRoot(tool.outputSchema as Json, 'outputSchema', fault);
    lintSchema(tool.outputSchema, 'outputSchema', fault, true);
  }
  return faults;
}

type Fault = (path: string, rule: string) => void;

function lintRoot(root: Json, path: string, fault: Fault): void {
  if (root['type'] !== 'object') fault(path, 'object-root');
  if (typeof root['properties'] !== 'object' || root['properties'] === null) fault(path, 'root-properties');
  for (const keyword of ROOT_CONDITIONS) if (keyword in root) fault(`${path}.${keyword}`, 'root-condition');
  if ('$schema' in root && root['$schema'] !== DIALECT) fault(`${path}.$schema`, 'dialect');
}

function lintSchema(value: unknown, path: string, fault: Fault, mayBeNull: boolean): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    fault(path, 'boolean-subschema');
    return;
  }
  const schema = value as Json;
  if (Object.keys(schema).filter((key) => key !== 'description' && key !== 'title').length === 0) fault(path, 'empty-subschema');
  for (const keyword of FORBIDDEN) if (keyword in schema) fault(`${path}.${keyword}`, 'forbidden-keyword');
  if (Array.isArray(schema['type'])) fault(`${path}.type`, 'type-list');
  if (schema['type'] === undefined && schema['anyOf'] === undefined) fault(path, 'untyped');
  if (schema['type'] === 'number') fault(path, 'fractions');
  lintEnum(schema, path, fault);
  lintPattern(schema['pattern'], path, fault);
  lintBounds(schema, path, fault);
  if (schema['type'] === 'array') {
    if (Array.isArray(schema['items'])) fault(`${path}.items`, 'tuple');
    else if (schema['items'] === undefined) fault(path, 'untyped-items');
    else {
      lintSchema(schema['items'], `${path}.items`, fault, mayBeNull);
      if (typeof (schema['items'] as Json)['type'] !== 'string') fault(`${path}.items`, 'untyped-items');
    }
  }
  const properties = (schema['properties'] ?? {}) as Json;
  for (const [name, property] of Object.entries(properties)) lintSchema(property, `${path}.properties.${name}`, fault, mayBeNull);
  const extra = schema['additionalProperties'];
  if (extra !== undefined && extra !== false) fault(`${path}.additionalProperties`, 'open-properties');
  for (const name of (schema['required'] ?? []) as string[])
    if (!Object.hasOwn(properties, name)) fault(`${path}.required`, 'unknown-required');
  for (const keyword of ['oneOf', 'allOf', 'not']) if (keyword in schema) fault(`${path}.${keyword}`, 'composition');
  if (schema['anyOf'] !== undefined) lintAlternatives(schema['anyOf'] as unknown[], path, fault, mayBeNull);
}

/** Only a result may be null, and then as one of two typed alternatives. */
function lintAlternatives(alternatives: unknown[], path: string, fault: Fault, mayBeNull: boolean): void {
  const [first, second] = alternatives as [Json, Json];
  if (!mayBeNull || alternatives.length !== 2 || second['type'] !== 'null') fault(`${path}.anyOf`, 'composition');
  else lintSchema(first, `${path}.anyOf[0]`, fault, false);
}

function lintEnum(schema: Json, path: string, fault: Fault): void {
  if (schema['enum'] === undefined) return;
  const values = schema['enum'] as unknown[];
  if (values.length === 0 || values.some((item) => typeof item !== 'string')) fault(`${path}.enum`, 'enum-of-strings');
}

function lintPattern(pattern: unknown, path: string, fault: Fault): void {
  if (typeof pattern !== 'string') return;
  if (/\(\?[=!<]/.test(pattern)) fault(`${path}.pattern`, 'lookaround');
  if (/\\[dwsb1-9pP]/.test(pattern)) fault(`${path}.pattern`, 'ascii-pattern');
  try {
    new RegExp(pattern, 'u');
  } catch {
    fault(`${path}.pattern`, 'pattern');
  }
}

/** Every bound within ±(2^53−1), and said again in words: some hosts strip the keywords. */
function lintBounds(schema: Json, path: string, fault: Fault): void {
  const words = typeof schema['description'] === 'string' ? schema['description'] : '';
  for (const keyword of BOUNDS) {
    const bound = schema[keyword];
    if (bound === undefined) continue;
    if (!Number.isSafeInteger(bound)) {
      fault(`${path}.${keyword}`, 'safe-bound');
      continue;
    }
    if (!isInWords(keyword, bound as number, words)) fault(`${path}.${keyword}`, 'bound-in-words');
  }
  if (typeof schema['pattern'] === 'string' && words === '') fault(`${path}.pattern`, 'bound-in-words');
}

function isInWords(keyword: string, bound: number, words: string): boolean {
  if (keyword === 'minLength' && bound === 1 && /not (be )?(empty|blank)/.test(words)) return true;
  const plain = words.replaceAll(',', '');
  return new RegExp(`(^|[^0-9])${bound}([^0-9]|$)`).test(plain);
}
