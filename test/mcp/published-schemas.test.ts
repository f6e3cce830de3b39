import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { connectNew, exampleOf, type Host } from './support/hosts.ts';

type Json = Record<string, unknown>;
interface Schema {
  type?: string;
  enum?: string[];
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}
interface Tool {
  name: string;
  inputSchema: Schema;
  example: Json;
}

let database: TestDatabase;
let host: Host;
let tools: Tool[];

beforeAll(async () => {
  database = await createDatabase();
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  tools = (await host.listTools()).map((tool) => ({ name: tool.name, inputSchema: tool.inputSchema, example: exampleOf(tool) }));
  // In their order the examples make the target that they are about.
  for (const { name, example } of tools) {
    const answer = await call(name, example);
    // A bundle's id is random: the example of the tool that edits it cannot know it.
    if ('bundle_id' in answer) for (const tool of tools) if ('bundle_id' in tool.example) tool.example['bundle_id'] = answer['bundle_id'];
  }
});

afterAll(async () => {
  await host.close();
  await database.drop();
});

async function call(name: string, args: Json): Promise<Json> {
  const result = await host.call(name, args);
  expect(result.isError, result.text).toBe(false);
  return result.structured ?? {};
}

/** Why the handler does not know a field: the words of the argument reader, or the code of the decoder. */
function unknownIn(answer: Json): boolean {
  return answer['failure_code'] === 'unknown_field' || ruleOf(answer).startsWith('unknown argument');
}

function ruleOf({ rule }: Json): string {
  return typeof rule === 'string' ? rule : '';
}

/** An object without one member. */
function without(object: Json, name: string): Json {
  return Object.fromEntries(Object.entries(object).filter(([other]) => other !== name));
}

/** A value that the schema allows. */
function sample(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'integer':
      return Math.max(1, schema.minimum ?? 1);
    case 'boolean':
      return false;
    case 'array':
      return [sample(schema.items ?? {})];
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name] ?? {})]));
    default:
      return 'x';
  }
}

/** What every published field would be sent as, those of the tool's example by their own values. */
const valueOf = ({ example, inputSchema }: Tool, name: string): unknown => example[name] ?? sample(inputSchema.properties?.[name] ?? {});

test('each handler knows exactly what it publishes: every field by its name, and no other', async () => {
  for (const tool of tools) {
    for (const name of Object.keys(tool.inputSchema.properties ?? {})) {
      const answer = await call(tool.name, { ...tool.example, [name]: valueOf(tool, name) });
      expect({ tool: tool.name, name, unknown: unknownIn(answer), answer }).toMatchObject({ unknown: false });
    }
    const misspelt = { ...(await fresh(tool.example)), misspelt: 1 };
    const answer = await call(tool.name, misspelt);
    expect({ tool: tool.name, unknown: unknownIn(answer), answer }).toMatchObject({ unknown: true });
    const rule = /; this tool takes (.*)$/.exec(ruleOf(answer));
    if (rule !== null) expect(rule[1]?.split(', ').sort()).toEqual(Object.keys(tool.inputSchema.properties ?? {}).sort());
  }
});

test('each handler misses every field that it publishes as required', async () => {
  for (const tool of tools) {
    for (const name of tool.inputSchema.required ?? []) {
      const answer = await call(tool.name, without(await fresh(tool.example), name));
      const named = [answer['argument'], answer['failure_detail'], answer['next_step']].join(' ');
      expect({ tool: tool.name, name, status: answer['status'] }).toMatchObject({
        status: expect.stringMatching(/^(invalid_argument|rejected|would_reject)$/) as string,
      });
      expect({ tool: tool.name, name, named }).toMatchObject({ named: expect.stringContaining(name) as string });
    }
  }
});

test('every field of an edit, an operation and a span is known by the name that is published', async () => {
  for (const tool of tools) {
    for (const [container, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
      const fields = schema.items?.properties;
      if (fields === undefined) continue;
      for (const [field, published] of Object.entries(fields)) {
        const whole = (tool.example[container] as Json[] | undefined)?.[0] ?? {};
        const item = container === 'groups' ? { ...whole, [field]: whole[field] } : itemWith(field, container, sample(published));
        const answer = await call(tool.name, {
          ...(await fresh(tool.example)),
          ...(tool.inputSchema.properties?.['format'] === undefined
            ? {}
            : { format: container === 'edits' ? 'patchdiff-tx/1' : 'patchdiff-tx/2' }),
          edits: undefined,
          [container]: [item],
        });
        expect({ tool: tool.name, container, field, unknown: unknownIn(answer), answer }).toMatchObject({ unknown: false });
      }
    }
  }
});

/** A span where the field belongs to spans, else a match. */
function itemWith(field: string, container: string, value: unknown): Json {
  const span = ['start', 'end', 'expected_text', 'expected_before', 'expected_after'].includes(field);
  if (span) return { op: 'span', start: 0, end: 1, expected_text: '#', replace: '#', [field]: value };
  const match = { match: 'Notes', replace: 'Notes' };
  return field === 'op' ? { op: 'match', ...match } : { ...(container === 'edits' ? {} : { op: 'match' }), ...match, [field]: value };
}

/** An example whose guard holds now. */
async function fresh(example: Json): Promise<Json> {
  const rest = without(example, 'client_request_id');
  if (rest['expected_target_version'] === undefined) return rest;
  const head = await call('patchdiff_read_target', { target_file_id: rest['target_file_id'] });
  return { ...rest, expected_target_version: head['version'] };
}
