import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { prepareSubmission } from '../../src/transaction/index.ts';
import type { JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { bareCall, findingsOf, logOf } from '../db/support/attempts.ts';
import { useService } from '../service/support/service.ts';
import { RawPipe, SERVER } from './support/raw-pipe.ts';

const context = useService();
const TARGET = '7b7b7b7b-0000-4000-8000-00000000000b';
const HASH = 'ab'.repeat(32);
let admin: pg.Client;
let pipe: RawPipe;
let calls = 0;

beforeAll(async () => {
  admin = await context.server.client('admin');
  pipe = new RawPipe(SERVER, [], { DATABASE_URL: context.server.url('writer') });
  await pipe.initialize();
  await pipe.call('create', 'patchdiff_initialize_target', { target_file_id: TARGET, display_name: 'd', content: 'alpha\n' });
});
afterAll(() => pipe.kill());

/** Values as JSON text, as they come over the wire: what they decode to is a part of what is tested. */
const WRONG_TYPES = [
  'true',
  'false',
  '0.5',
  '-1.5',
  '1e300',
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '[]',
  '{}',
  '["x",{"é":null}]',
  '{"":[1e400]}',
];
const NO_TEXTS = [...WRONG_TYPES, '5'];
const UNENCODABLE = ['"\\ud800"', '"\\udc00\\ud83d"', '"a\\u0000b"', '["\\ud800"]', '{"\\u0000":1}', '"\\\\\\ud800\\u00e9"'];
const LONG = (length: number, letter = 'x'): string => JSON.stringify(letter.repeat(length));

interface Field {
  column: string;
  /** Value and failure code. */
  cases: [json: string, code: string][];
}

const all = (values: readonly string[], code: string): [string, string][] => values.map((value) => [value, code]);

const FIELDS: Record<string, Field> = {
  client_request_id: {
    column: 'client_request_id',
    cases: [
      ...all(
        [...NO_TEXTS, '""', '" "', '"a b"', '"a\\n"', '"é"', '"\\u007f"', LONG(129), LONG(8_192), LONG(8_193), LONG(2_000, 'é')],
        'invalid_client_request_id',
      ),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
  parent_pdcp_log_id: {
    column: 'parent_pdcp_log_id',
    cases: [
      ...all([...NO_TEXTS, '""', '" \\u3000"', LONG(8_193), LONG(4_097, 'é')], 'parent_malformed'),
      ...all(['"x"', '"\\ufeff"', `"{${TARGET}}"`, `"${TARGET}\\n"`, `"${TARGET}"`, LONG(2_000, '"'), LONG(8_192)], 'parent_invalid'),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
  attempt: {
    column: 'regeneration_attempt',
    cases: [
      ...all(
        [...WRONG_TYPES, '0', '-1', '2147483648', '-2147483648', '-2147483649', '1e22', '"1"', '""', '"x"', LONG(2_000)],
        'attempt_malformed',
      ),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
  source: {
    column: 'submission_source',
    cases: [
      ...all([...NO_TEXTS, '""', '"\\u2003\\t"', LONG(257), LONG(257, '😀'), LONG(8_193), LONG(400, '\u0001')], 'source_malformed'),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
  expected_target_version: {
    column: 'expected_target_version',
    cases: [
      ...all(
        [...WRONG_TYPES.filter((value) => value !== '-0'), '-1', '9007199254740992', '1e22', '"0"', '""', LONG(2_000, '\\')],
        'guard_malformed',
      ),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
  expected_current_hash: {
    column: 'expected_current_hash',
    cases: [
      ...all(
        [...NO_TEXTS, '""', `"${HASH.toUpperCase()}"`, `"${HASH.slice(1)}"`, `"${HASH}0"`, `"${HASH}\\n"`, `" ${HASH}"`, LONG(1_100, '漢')],
        'guard_malformed',
      ),
      ...all(UNENCODABLE, 'text_not_encodable'),
    ],
  },
};

/** ASCII JSON of what a text decodes to, written a second time: numbers in their shortest form, those that are not finite as strings. */
function rawOf(json: string): string {
  const text = (value: JsonValue): string => {
    if (typeof value === 'number' && !Number.isFinite(value)) return `"${value}"`;
    if (typeof value === 'number') return String(value === 0 ? 0 : value);
    if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
    if (typeof value === 'object' && value !== null)
      return `{${Object.entries(value)
        .map(([name, item]) => `${text(name)}:${text(item ?? null)}`)
        .join(',')}}`;
    return JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  };
  return text(JSON.parse(json) as JsonValue).slice(0, 1_024);
}

async function overStdio(argumentsText: string): Promise<JsonObject> {
  calls += 1;
  pipe.write(
    `{"jsonrpc":"2.0","id":${calls},"method":"tools/call","params":{"name":"patchdiff_submit_edits","arguments":${argumentsText}}}\n`,
  );
  const { result } = await pipe.reply((reply) => reply.id === calls);
  expect(result?.['isError']).toBeUndefined();
  return result?.['structuredContent'] as JsonObject;
}

const rawMembers = (diagnostic: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(diagnostic).filter(([name]) => name.startsWith('raw_')));

describe.each(Object.entries(FIELDS))('%s that does not fit its column', (name, { column, cases }) => {
  test.each(cases.map(([json, code]) => [json.length > 60 ? `${json.slice(0, 60)}… (${json.length})` : json, json, code]))(
    '%s',
    async (_shown, json, code) => {
      const others = name === 'expected_target_version' ? '' : '"expected_target_version":0,';
      const text = `{"target_file_id":"${TARGET}","intent":"i",${others}"edits":[{"match":"alpha","replace":"beta"}],"${name}":${json}}`;
      const args = JSON.parse(text) as JsonObject;

      const sent = await overStdio(text);
      expect(sent).toMatchObject({ status: 'rejected', failure_code: code, current_version: 0 });
      const row = (await logOf(admin, TARGET)).at(-1)!;
      expect(row['pdcp_log_id']).toBe(sent['pdcp_log_id']);
      expect(row[column]).toBe(null);
      expect(rawMembers(JSON.parse(row.diagnostic!) as JsonObject)).toEqual({ [`raw_${name}`]: rawOf(json) });
      expect(sent['diagnostic']).toEqual(JSON.parse(row.diagnostic!));

      const preview = await context.service.preview({ ...args, format: 'patchdiff-tx/1' });
      expect(preview).toMatchObject({ status: 'would_reject', failure_code: code });
      expect(preview['diagnostic']).toEqual(sent['diagnostic']);

      const alone = await commitAttempt(context.database, bareCall(prepareSubmission('patchdiff-tx/1', args), TARGET));
      expect(alone).toMatchObject({ outcome: 'rejected', failure_code: code });
      expect(alone.diagnostic).toEqual({ ...(sent['diagnostic'] as JsonObject), decided_by: 'database' });
    },
  );
});

test('several at once are all kept, in one order, whichever of them decides', async () => {
  const text = `{"target_file_id":"${TARGET}","intent":"i","edits":[],"expected_current_hash":5,"expected_target_version":1e300,"source":[],"attempt":0,"parent_pdcp_log_id":true,"client_request_id":{}}`;
  const sent = await overStdio(text);
  expect(sent).toMatchObject({ failure_code: 'invalid_client_request_id' });
  expect(Object.entries(rawMembers(sent['diagnostic'] as JsonObject))).toEqual([
    ['raw_client_request_id', '{}'],
    ['raw_parent_pdcp_log_id', 'true'],
    ['raw_attempt', '0'],
    ['raw_source', '[]'],
    ['raw_expected_target_version', '1e+300'],
    ['raw_expected_current_hash', '5'],
  ]);
});

test('values that fit leave nothing raw, at their bounds', async () => {
  for (const more of [
    '"attempt":1',
    '"attempt":2147483647',
    `"source":${LONG(256, '😀')}`,
    `"client_request_id":${LONG(128, '~')}`,
    '"attempt":null,"source":null',
    '"attempt":3.0',
  ]) {
    const sent = await overStdio(
      `{"target_file_id":"${TARGET}","intent":"i","expected_target_version":0,"edits":[{"match":"absent","replace":""}],${more}}`,
    );
    expect(sent, more).toMatchObject({ failure_code: 'match_absent' });
    expect(rawMembers(sent['diagnostic'] as JsonObject)).toEqual({});
  }
  const largest = await overStdio(`{"target_file_id":"${TARGET}","intent":"i","expected_target_version":9007199254740991,"edits":[]}`);
  expect(largest).toMatchObject({ failure_code: 'target_version_mismatch', diagnostic: { expected: 9007199254740991 } });
  expect(rawMembers(largest['diagnostic'] as JsonObject)).toEqual({});
});

test('nothing of it spoils the history', async () => {
  expect(await findingsOf(admin, TARGET)).toEqual([]);
  expect(await context.service.replayTarget({ target_file_id: TARGET })).toMatchObject({
    status: 'success',
    materialized_state_matches: true,
  });
});
