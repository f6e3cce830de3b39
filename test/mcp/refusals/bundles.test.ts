import { afterAll, beforeAll, expect, test } from 'vitest';

import { built } from '../../helpers/build.ts';
import { useDatabase } from '../../helpers/database.ts';
import { connectNew } from '../support/hosts.ts';
import type { Host } from '../support/hosts.ts';
import { Transcript } from './transcript.ts';

/* The words of every refused bundle, as an agent reads them. What bundles share with the other submissions stands beside those. */

const database = useDatabase();
const ID = '5b5b5b5b-0000-4000-8000-000000000000';
const CONTENT = `function before() {\n  return value + 1;\n}\nfunction f(value) {\n  same(); same(); same(); same(); same(); same();\n  return value + 1;\n}\nclass A {\n  m() {\n    return 1;\n  }\n}\n`;
const SELECTION = {
  members: ['failure_reason', 'failure_detail', 'failed_change_id', 'near_misses', 'near_miss_search', 'next_step'],
  evidence: [
    'retryable',
    'exact_candidates',
    'candidate_count',
    'consumed_match',
    'overlapping_scopes',
    'actual_text',
    'observed_sha256',
    'actual_sha256',
    'group_index',
    'operation_index',
    'scope',
  ],
};
let host: Host;

beforeAll(async () => {
  await built();
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
});
afterAll(() => host.close());

async function answer(tool: string, args: object): Promise<Record<string, unknown>> {
  return JSON.parse((await host.call(tool, { target_file_id: ID, ...args })).text) as Record<string, unknown>;
}

test('what is told of a bundle that does not apply', { timeout: 120_000 }, async () => {
  await answer('patchdiff_initialize_target', { display_name: 'a.js', content: CONTENT });
  const listed = (await answer('patchdiff_list_scopes', {}))['scopes'] as { name: string; scope_id: string }[];
  const id = (name: string): string => listed.find((scope) => scope.name === name)?.scope_id ?? name;
  const seen = await answer('patchdiff_observe_scopes', { scope_ids: [id('f'), id('A'), id('m')] });
  const transcript = new Transcript('bundles', SELECTION, [ID]);
  const send = async (title: string, groups: unknown, more: object = {}): Promise<void> => {
    const args = { bundle_id: seen['bundle_id'], intent: 'try', expected_target_version: 0, groups, ...more };
    transcript.add(title, { groups, ...more }, await host.call('patchdiff_commit_bundle', { target_file_id: ID, ...args }));
  };
  const group = (name: string, ...operations: object[]): object => ({ scope_id: id(name), operations });
  const match = (old: unknown, replace: unknown, more: object = {}): object => ({ op: 'match', match: old, replace, ...more });
  const span = (start: number, end: number, text: string): object => ({ op: 'span', start, end, expected_text: text, replace: 'x' });

  await send('match_absent: one near miss', [group('m', match('return 1', 'x')), group('f', match('return value + 2', 'x'))]);
  await send('match_absent: nothing near', [group('m', match('return value + 1', 'x'))]);
  await send('match_absent: nothing left', [group('m', match('m() {\n    return 1;\n  }', ''), match('return', 'x'))]);
  await send('match_ambiguous: more than five', [group('f', match('same', 'x'))]);
  await send('selector_excludes_all', [group('f', match('same', 'x', { anchor_before: 'nowhere' }))]);
  await send('sequential_match_invalid', [group('f', match('value + 1', 'x')), group('m', match('return 1', 'y'), match('return', 'z'))]);
  await send('span_expected_text_mismatch', [group('f', span(9, 10, 'g'))]);
  await send('span_out_of_bounds', [group('f', span(200, 201, 'g'))]);
  await send('match_empty', [group('f', match('', 'x'))]);
  await send('match_too_long', [group('f', match('x'.repeat(70_000), 'x'))]);
  await send('replace_all_refused', [group('f', { op: 'replace_all', replace: 'x' })]);
  await send('field_missing: op', [group('f', { match: 'value', replace: 'x' })]);
  await send('field_type', [group('f', match('value', 5))]);
  await send('unknown_field', [{ ...group('f', match('value', 'x')), text: 'x' }]);
  await send('manifest_missing: operations', [group('f')]);
  await send('field_missing: scope_id', [{ operations: [match('value', 'x')] }]);
  await send('not_an_object', [5]);
  await send('scopes_overlap', [group('A', match('A', 'x')), group('m', match('1', 'x'))]);
  await send('scope_not_observed', [group('before', match('value', 'x'))]);
  await send('bundle_invalid', [group('f', match('value', 'x'))], { bundle_id: ID });
  await send('bundle_invalid: none', [group('f', match('value', 'x'))], { bundle_id: null });
  await send('text_not_encodable', [group('f', match('value', 'x')), group('m', match('1', '\0'))]);
  await send('groups as text', '[]');
  await send('the body of another tool', undefined, { edits: [{ match: 'a', replace: 'b' }] });
  await send('target_version_mismatch', [group('f', match('value', 'x'))], { expected_target_version: 3 });
  await send('guard_missing', [group('f', match('value', 'x'))], { expected_target_version: null });
  await answer('patchdiff_submit_edits', {
    intent: 'meanwhile',
    expected_target_version: 0,
    edits: [{ match: 'f(value)', replace: 'f(v)' }],
  });
  await send('scope_hash_mismatch', [group('m', match('1', 'x')), group('f', match('same', 'x'))], { expected_target_version: 1 });
  await expect(transcript.toString()).toMatchFileSnapshot('./bundles.snap');
});

test('what is told of a listing that shows nothing, and of scope_ids that are none', async () => {
  const [first, second] = (await answer('patchdiff_list_scopes', {}))['scopes'] as [{ scope_id: string }, { scope_id: string }];
  expect(first).not.toEqual(second);
  const ids = [first.scope_id, second.scope_id];
  const transcript = new Transcript(
    'scopes',
    { members: ['status', 'scope_count', 'returned_count', 'argument', 'rule', 'detail', 'next_step'] },
    [ID],
  );
  const send = async (title: string, tool: string, args: object): Promise<void> =>
    transcript.add(title, args, await host.call(tool, { target_file_id: ID, ...args }));
  await send('a kind that there is not', 'patchdiff_list_scopes', { kind: 'func' });
  await send('a place behind the last scope', 'patchdiff_list_scopes', { kind: 'function', start_scope: 9 });
  await send('scope_ids as text', 'patchdiff_observe_scopes', { scope_ids: JSON.stringify(ids) });
  await send('a name for an id', 'patchdiff_observe_scopes', { scope_ids: [first.scope_id, 'method m'] });
  await send('one scope twice', 'patchdiff_observe_scopes', { scope_ids: [...ids, first.scope_id] });
  await send('no scope', 'patchdiff_observe_scopes', { scope_ids: [] });
  await expect(transcript.toString()).toMatchFileSnapshot('./scopes.snap');
});
