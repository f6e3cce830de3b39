import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { findingsOf, logOf } from './support/attempts.ts';
import { callDirect, type DirectCall, type Receipt } from './support/direct.ts';

const database = useDatabase();
let admin: pg.Client;
let writer: pg.Client;

beforeAll(async () => {
  admin = await database.client('admin');
  writer = await database.client('writer');
});

async function target(content: string): Promise<string> {
  const id = randomUUID();
  await writer.query(`select patchdiff.create_target($1, 'doc', $2)`, [id, content]);
  return id;
}

const textOf = async (id: string): Promise<string> =>
  (await writer.query<{ text: string }>('select current_content as text from patchdiff.read_target($1)', [id])).rows[0]!.text;

const match = (id: string, wanted: string, replace: string, more: Record<string, unknown> = {}): DirectCall => ({
  routine: 'commit_match',
  values: { p_target_file_id: id, p_match: wanted, p_replace: replace, p_intent: 'i', p_expected_target_version: 0, ...more },
});
const spans = (id: string, json: string, more: Record<string, unknown> = {}): DirectCall => ({
  routine: 'commit_spans',
  values: { p_target_file_id: id, p_spans: json, p_intent: 'i', p_expected_target_version: 0, ...more },
});
const replacement = (id: string, text: string, more: Record<string, unknown> = {}): DirectCall => ({
  routine: 'commit_replacement',
  values: { p_target_file_id: id, p_replacement: text, p_intent: 'i', p_expected_target_version: 0, ...more },
});

/** What a refused call says. */
async function refusal(call: Promise<unknown>): Promise<{ code: string; detail: Record<string, unknown>; hint: string; message: string }> {
  const error = await call.then(
    () => new Error('the call was not refused'),
    (thrown: unknown) => thrown,
  );
  const { code, detail, hint, message } = error as { code: string; detail: string; hint: string; message: string };
  if (!code.startsWith('PD')) throw error as Error;
  return { code, detail: JSON.parse(detail) as Record<string, unknown>, hint, message };
}

const SPAN = '{"start":0,"end":1,"expected_text":"t","replace":"T"}';

describe('misuse raises, with DETAIL and HINT, and leaves nothing', () => {
  const id = '00000000-0000-4000-8000-000000000000';
  test.each<[string, DirectCall, string, string]>([
    ['no target', match(null as never, 'a', 'b'), 'PD100', 'p_target_file_id'],
    ['no target for spans', spans(null as never, '[]'), 'PD100', 'p_target_file_id'],
    ['no target for a replacement', replacement(null as never, ''), 'PD100', 'p_target_file_id'],
    ['null spans', spans(id, null as never), 'PD100', 'p_spans'],
    ['the JSON null', spans(id, 'null'), 'PD100', 'p_spans'],
    ['one span without an array', spans(id, SPAN), 'PD100', 'p_spans'],
    ['spans as a string', spans(id, JSON.stringify(`[${SPAN}]`)), 'PD100', 'p_spans'],
    ['a member twice', spans(id, '[{"start":0,"end":1,"start":2,"expected_text":"t","replace":"T"}]'), 'PD100', 'p_spans'],
    ['a member twice in another spelling', spans(id, '[{"start":0,"end":1,"\\u0073tart":2}]'), 'PD100', 'p_spans'],
    ['a member twice below', spans(id, '[{"start":{"a":1,"a":1}}]'), 'PD100', 'p_spans'],
    ['op twice', spans(id, '[{"op":"span","op":"match"}]'), 'PD100', 'p_spans'],
    ['a number beyond every double', spans(id, '[{"start":1e400}]'), 'PD102', 'p_spans'],
    ['another one below zero', spans(id, `[{"start":-1${'0'.repeat(400)}.5}]`), 'PD102', 'p_spans'],
    ['257 levels', spans(id, '['.repeat(257) + ']'.repeat(257)), 'PD100', 'p_spans'],
    ['spans over 16 MiB', spans(id, `["${'x'.repeat(16777216)}"]`), 'PD100', 'p_spans'],
    ['an actor over 8192 bytes', match(id, 'a', 'b', { p_actor: JSON.stringify('x'.repeat(8200)) }), 'PD100', 'p_actor'],
    ['an actor with a NUL', replacement(id, '', { p_actor: '{"host":"\\u0000"}' }), 'PD100', 'p_actor'],
    ['too much text', match(id, 'x'.repeat(33_554_433), 'x'.repeat(33_554_433)), 'PD100', 'all texts together'],
  ])('%s', async (_name, call, code, argument) => {
    const said = await refusal(callDirect(writer, call));
    expect(said).toMatchObject({ code, detail: { argument } });
    expect(said.hint).toMatch(/\w{4}/);
  });

  test('what is no JSON never reaches the routine', async () => {
    for (const text of ['[{"start":NaN}]', '[{"start":Infinity}]', "[{'start':0}]", '[{"start":0}'])
      await expect(callDirect(writer, spans(id, text))).rejects.toMatchObject({ code: '22P02' });
  });

  test('no refusal of ours shows the content of a row', async () => {
    const secret = await target('the secret text');
    for (const call of [spans(secret, '5'), spans(secret, '[{"a":1,"a":2}]'), match(secret, 'secret', 's', { p_actor: '"\\u0000"' })])
      expect(JSON.stringify(await refusal(callDirect(writer, call)))).not.toContain('secret text');
  });
});

describe('whatever else is wrong is a row', () => {
  const long = '𝒳'.repeat(65_537);
  const many = `[${Array.from({ length: 2001 }, () => '{"start":0,"end":0,"expected_text":"","replace":""}').join()}]`;
  const nested = `[{"start":${'['.repeat(254)}${']'.repeat(254)}}]`;
  test.each<[string, (id: string) => DirectCall, string, string]>([
    ['a text that is not there', (id) => match(id, 'gone', ''), 'match_absent', 'match_absent'],
    ['a text that is there twice', (id) => match(id, 't', ''), 'match_ambiguous', 'match_ambiguous'],
    ['an index past the last', (id) => match(id, 't', '', { p_occurrence_index: '9223372036854775807' }), 'disambiguation_invalid', 'selector_malformed'],
    ['an index of zero', (id) => match(id, 't', '', { p_occurrence_index: 0 }), 'disambiguation_invalid', 'selector_malformed'],
    ['a null match', (id) => match(id, null as never, ''), 'block_malformed', 'field_missing'],
    ['a null replace', (id) => match(id, 'ex', null as never), 'block_malformed', 'field_missing'],
    ['a match over 65,536 code points', (id) => match(id, long, ''), 'manifest_invalid', 'match_too_long'],
    ['a blank intent', (id) => match(id, 'ex', '', { p_intent: '\u2003' }), 'manifest_invalid', 'intent_invalid'],
    ['a null intent', (id) => match(id, 'ex', '', { p_intent: null }), 'manifest_invalid', 'intent_invalid'],
    ['no guard', (id) => match(id, 'ex', '', { p_expected_target_version: null }), 'context_missing', 'guard_missing'],
    ['another version', (id) => match(id, 'ex', '', { p_expected_target_version: 1 }), 'target_version_mismatch', 'target_version_mismatch'],
    ['a version below zero', (id) => match(id, 'ex', '', { p_expected_target_version: -1 }), 'context_invalid', 'guard_malformed'],
    ['a hash in capitals', (id) => match(id, 'ex', '', { p_expected_current_hash: 'AB'.repeat(32) }), 'context_invalid', 'guard_malformed'],
    ['an empty parent', (id) => match(id, 'ex', '', { p_parent_pdcp_log_id: '' }), 'context_invalid', 'parent_malformed'],
    ['a parent of nobody', (id) => match(id, 'ex', '', { p_parent_pdcp_log_id: randomUUID() }), 'context_invalid', 'parent_invalid'],
    ['a key with a blank', (id) => match(id, 'ex', '', { p_client_request_id: 'a b' }), 'context_invalid', 'invalid_client_request_id'],
    ['a key over 8,192 bytes', (id) => match(id, 'ex', '', { p_client_request_id: 'k'.repeat(8193) }), 'context_invalid', 'invalid_client_request_id'],
    ['an attempt of zero', (id) => match(id, 'ex', '', { p_attempt: 0 }), 'context_invalid', 'attempt_malformed'],
    ['no spans', (id) => spans(id, '[]'), 'manifest_missing', 'manifest_missing'],
    ['a span that is null', (id) => spans(id, '[null]'), 'block_malformed', 'not_an_object'],
    ['an unknown member', (id) => spans(id, `[${SPAN.replace('{', '{"region_hint":1,')}]`), 'manifest_invalid', 'unknown_field'],
    ['an op of null', (id) => spans(id, `[${SPAN.replace('{', '{"op":null,')}]`), 'block_malformed', 'field_missing'],
    ['replace_all among spans', (id) => spans(id, '[{"op":"replace_all","replace":""}]'), 'manifest_invalid', 'replace_all_refused'],
    ['half a code point', (id) => spans(id, `[${SPAN.replace('0', '0.5')}]`), 'block_malformed', 'integer_invalid'],
    ['a lone surrogate', (id) => spans(id, `[${SPAN.replace('"T"', '"\\ud800"')}]`), 'target_encoding_invalid', 'text_not_encodable'],
    ['a NUL in a name', (id) => spans(id, '[{"\\u0000":1}]'), 'target_encoding_invalid', 'text_not_encodable'],
    ['2,001 spans', (id) => spans(id, many), 'manifest_invalid', 'too_many_operations'],
    ['256 levels', (id) => spans(id, nested), 'manifest_invalid', 'payload_too_deep'],
    ['a replacement of 5 MB', (id) => replacement(id, 'x'.repeat(5_000_000)), 'manifest_invalid', 'payload_too_large'],
    ['a replacement of 2 MB', (id) => replacement(id, 'x'.repeat(2_000_000)), 'manifest_invalid', 'replacement_too_large'],
    ['a null replacement', (id) => replacement(id, null as never), 'manifest_missing', 'manifest_missing'],
  ])('%s', async (_name, call, reason, code) => {
    const id = await target('text of a text');
    const receipt = await callDirect(writer, call(id));
    expect(receipt).toMatchObject({ outcome: 'rejected', failure_reason: reason, failure_code: code, decided_by: 'database', after_version: '0' });
    expect(receipt['diagnostic']).toMatchObject({ failure_code: code, requires_new_submission: true });
    expect((await logOf(admin, id)).map((row) => row.failure_code)).toEqual([code]);
    expect(await textOf(id)).toBe('text of a text');
    expect(await findingsOf(admin, id)).toEqual([]);
  });

  test('an unknown target leaves no row', async () => {
    expect(await callDirect(writer, match(randomUUID(), 'a', 'b'))).toMatchObject({ outcome: 'not_found', pdcp_log_id: null });
  });

  test.each(['content', 'hash', 'version', 'head'])('a target whose %s was altered is target_diverged, for every call', async (what) => {
    const id = await target('text');
    const damage = {
      content: `update patchdiff_store.cloud_target_files set current_content = 'tExt' where target_file_id = '${id}'`,
      hash: `update patchdiff_store.cloud_target_files set current_hash = repeat('a', 64) where target_file_id = '${id}'`,
      version: `update patchdiff_store.cloud_target_files set version = 5 where target_file_id = '${id}'`,
      head: `update patchdiff_store.target_heads set accepted_hash = repeat('a', 64) where target_file_id = '${id}'`,
    }[what]!;
    await admin.query(damage);
    const guard = { p_expected_target_version: what === 'version' ? 5 : 0 };
    for (const call of [match(id, 'ex', 'oas', guard), match(id, 'gone', '', guard), spans(id, '[]'.replace(']', `${SPAN}]`), guard), replacement(id, 'x', guard)])
      expect(await callDirect(writer, call)).toMatchObject({ outcome: 'rejected', failure_reason: 'target_diverged', decided_by: 'database' });
  });
});

test('strings are data, whatever they look like', async () => {
  const evil = `'); drop table patchdiff_store.target_heads; -- $$ $1 \\' E'\\x00' %s %I {path} \\1 & \u2028\uffff\ufdd0\u{10ffff}`;
  const id = await target(`a ${evil} b`);
  const all = { p_rationale: evil, p_source: evil.slice(0, 200), p_actor: JSON.stringify({ host: evil }), p_anchor_before: 'a ', p_anchor_after: ' b' };
  expect(await callDirect(writer, match(id, evil, `${evil}${evil}`, { ...all, p_intent: evil }))).toMatchObject({ outcome: 'accepted' });
  expect(await textOf(id)).toBe(`a ${evil}${evil} b`);
  for (const name of ['p_change_id', 'p_risk', 'p_client_request_id', 'p_parent_pdcp_log_id', 'p_expected_current_hash'])
    expect(await callDirect(writer, match(id, evil, '', { [name]: evil }))).toMatchObject({ outcome: 'rejected' });
  expect(await findingsOf(admin, id)).toEqual([]);
});

describe('no setting of the session changes what a call means', () => {
  const SETTINGS = {
    standard_conforming_strings: 'off',
    extra_float_digits: '-15',
    search_path: 'pg_temp, public',
    bytea_output: 'escape',
    DateStyle: 'German',
    IntervalStyle: 'sql_standard',
    TimeZone: 'Asia/Kathmandu',
    xmlbinary: 'hex',
    'plpgsql.extra_errors': 'all',
    'plpgsql.variable_conflict': 'use_variable',
    plan_cache_mode: 'force_custom_plan',
    jit: 'on',
  };
  test.each(['UTF8', 'LATIN1', 'SQL_ASCII'])('client encoding %s', async (encoding) => {
    const client = await database.client('writer');
    for (const [name, value] of Object.entries(SETTINGS)) await client.query(`select set_config($1, $2, false)`, [name, value]);
    const id = await target('zu 5 € und é');
    // In ASCII alone: the driver itself always writes UTF-8.
    await client.query(`set client_encoding = '${encoding}'`);
    const { rows } = await client.query<Receipt>('select outcome from patchdiff.commit_spans($1, $2, chr(233), 0)', [
      id,
      String.raw`[{"start":3.0,"end":0.4e1,"expected_text":"5","replace":"\u20ac\ud835\udcb3"},{"op":"match","match":"\u00e9","replace":"\\"}]`,
    ]);
    await client.query(`set client_encoding = 'UTF8'`);
    expect(rows[0]).toMatchObject({ outcome: 'accepted' });
    expect(await textOf(id)).toBe('zu €𝒳 € und \\');
    expect((await logOf(admin, id))[0]!.pdcp_content).toContain(
      '"intent":"é","operations":[{"end":4,"expected_text":"5","op":"span","replace":"€𝒳","start":3},{"match":"é","op":"match","replace":"\\\\"}]',
    );
  });
});

test('a statement that is cancelled in the middle leaves nothing', async () => {
  const content = `${'ab'.repeat(500_000)}c`;
  const id = await target(content);
  const client = await database.client('writer');
  await client.query(`set statement_timeout = '40ms'`);
  const items = Array.from({ length: 1500 }, () => ({ op: 'match', match: 'bab', occurrence_index: 400_000, replace: 'bab!' }));
  await expect(callDirect(client, spans(id, JSON.stringify(items), { p_client_request_id: 'slow' }))).rejects.toMatchObject({ code: '57014' });
  expect(await logOf(admin, id)).toEqual([]);
  expect(await callDirect(writer, match(id, 'c', 'd', { p_client_request_id: 'slow' }))).toMatchObject({ outcome: 'accepted', deduplicated: false });
});
