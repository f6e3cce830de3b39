import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/transaction/index.ts';
import { useService } from '../service/support/service.ts';
import { RawPipe, SERVER } from './support/raw-pipe.ts';

const context = useService();
const TARGET = '7c7c7c7c-0000-4000-8000-00000000000c';
const CONTENT = 'alpha Infinity -Infinity\n';
let pipe: RawPipe;
let calls = 0;

beforeAll(async () => {
  pipe = new RawPipe(SERVER, [], { DATABASE_URL: context.server.url('writer') });
  await pipe.initialize();
  await pipe.call('create', 'patchdiff_initialize_target', { target_file_id: TARGET, display_name: 'd', content: CONTENT });
});
afterAll(() => pipe.kill());

async function submit(tool: string, body: string): Promise<JsonObject> {
  calls += 1;
  const text = `{"target_file_id":"${TARGET}","expected_target_version":0,${body}}`;
  const format = {
    patchdiff_submit_edits: 'patchdiff-tx/1',
    patchdiff_submit_operations: 'patchdiff-tx/2',
    patchdiff_submit_replacement: 'patchdiff-tx/3',
  }[tool];
  const preview = await context.service.preview({ ...(JSON.parse(text) as JsonObject), format: format ?? '' });
  pipe.write(`{"jsonrpc":"2.0","id":${calls},"method":"tools/call","params":{"name":"${tool}","arguments":${text}}}\n`);
  const { result } = await pipe.reply((reply) => reply.id === calls);
  expect(result?.['isError']).toBeUndefined();
  const receipt = result?.['structuredContent'] as JsonObject;
  expect(preview['diagnostic']).toEqual(receipt['diagnostic']);
  return receipt;
}

describe.each(['1e400', '-1e400'])('%s in place of another value is no text', (number) => {
  test.each([
    ['patchdiff_submit_edits', `"intent":${number},"edits":[{"match":"alpha","replace":"b"}]`, 'intent_invalid'],
    ['patchdiff_submit_edits', `"intent":"i","edits":${number}`, 'manifest_missing'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[${number}]`, 'not_an_object'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":${number},"replace":"b"}]`, 'field_type'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":${number}}]`, 'field_type'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","occurrence_index":${number}}]`, 'selector_malformed'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","anchor_after":${number}}]`, 'selector_malformed'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","change_id":${number}}]`, 'change_id_invalid'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","rationale":${number}}]`, 'rationale_invalid'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","risk":${number}}]`, 'risk_invalid'],
    ['patchdiff_submit_edits', `"intent":"i","edits":[{"match":"alpha","replace":"b","x":${number}}]`, 'unknown_field'],
    ['patchdiff_submit_operations', `"intent":"i","operations":[{"op":${number},"match":"alpha","replace":"b"}]`, 'field_type'],
    [
      'patchdiff_submit_operations',
      `"intent":"i","operations":[{"op":"span","start":${number},"end":1,"expected_text":"","replace":""}]`,
      'field_type',
    ],
    [
      'patchdiff_submit_operations',
      `"intent":"i","operations":[{"op":"span","start":0,"end":${number},"expected_text":"","replace":""}]`,
      'field_type',
    ],
    [
      'patchdiff_submit_operations',
      `"intent":"i","operations":[{"op":"span","start":0,"end":5,"expected_text":${number},"replace":""}]`,
      'field_type',
    ],
    [
      'patchdiff_submit_operations',
      `"intent":"i","operations":[{"op":"span","start":0,"end":0,"expected_text":"","replace":"","expected_after":${number}}]`,
      'field_type',
    ],
    ['patchdiff_submit_replacement', `"intent":"i","replacement":${number}`, 'manifest_missing'],
  ])('%s %s: %s', async (tool, body, code) => {
    expect(await submit(tool, body)).toMatchObject({ status: 'rejected', failure_code: code, diagnostic: { decided_by: 'runtime' } });
    expect(await context.service.readTarget({ target_file_id: TARGET })).toMatchObject({ version: 0, text: CONTENT });
  });
});

test('the strings of the same letters are text', async () => {
  const receipt = await submit(
    'patchdiff_submit_edits',
    '"intent":"Infinity","edits":[{"match":" Infinity","replace":"-Infinity"},{"match":"zz","replace":"Infinity"}]',
  );
  expect(receipt).toMatchObject({ failure_code: 'match_absent', diagnostic: { decided_by: 'runtime' } });
  expect(
    await submit('patchdiff_submit_edits', '"intent":"Infinity","edits":[{"match":"alpha","replace":"Infinity","change_id":"-Infinity"}]'),
  ).toMatchObject({ status: 'accepted' });
});
