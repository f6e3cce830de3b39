import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { built, PACKAGE_ROOT } from '../helpers/build.ts';
import { newTarget, textOf, useService } from './support/service.ts';

const context = useService();
beforeAll(() => built());

const SOURCE = readFileSync(path.join(PACKAGE_ROOT, 'test/scopes/samples/sample.ts.txt'), 'utf8');
const SMALL = `// 😀 é\nexport function first(a: number) {\n  return a + 1;\n}\n\n/** Twice. */\nexport function second(a: number) {\n  return a + 1;\n}\n\nclass Box {\n  open() {\n    return 1;\n  }\n\n  close() {\n    return 1;\n  }\n}\n`;

interface Listed extends JsonObject {
  scope_id: string;
  kind: string;
  name: string;
  qualified_path: string;
  start: number;
  end: number;
}

async function listed(id: string, more: JsonObject = {}): Promise<Listed[]> {
  const answer = await context.service.listScopes({ target_file_id: id, ...more });
  expect(answer).toMatchObject({ status: 'ok' });
  return answer['scopes'] as Listed[];
}

async function observed(id: string, names: string[]): Promise<{ bundle: string; scopes: (Listed & { text: string })[]; version: number }> {
  const all = await listed(id);
  const ids = names.map((name) => all.find((scope) => scope.name === name)?.scope_id ?? name);
  const answer = await context.service.observeScopes({ target_file_id: id, scope_ids: ids });
  expect(answer).toMatchObject({ status: 'observed' });
  return {
    bundle: answer['bundle_id'] as string,
    scopes: answer['scopes'] as (Listed & { text: string })[],
    version: answer['version'] as number,
  };
}

const made = (content = SMALL): Promise<string> => newTarget(context.service, content, { display_name: 'small.ts' });

describe('listing', () => {
  test('names every scope with its place, by filters and pages, and writes nothing', async () => {
    const id = await newTarget(context.service, SOURCE, { display_name: 'sample.ts' });
    const answer = await context.service.listScopes({ target_file_id: id });
    expect(answer).toMatchObject({
      status: 'ok',
      version: 0,
      language: 'typescript',
      fallback: false,
      has_errors: false,
      truncated: false,
    });
    const all = answer['scopes'] as Listed[];
    expect(all.length).toBeGreaterThan(5);
    const points = [...SOURCE];
    for (const scope of all) expect(points.slice(scope.start, scope.end).join('')).not.toBe('');
    const page = await context.service.listScopes({ target_file_id: id, max_results: 2 });
    expect(page).toMatchObject({ returned_count: 2, truncated: true, next_scope_index: 3, scope_count: all.length });
    const next = await context.service.listScopes({ target_file_id: id, max_results: 2, start_scope: 3 });
    expect([...(page['scopes'] as Listed[]), ...(next['scopes'] as Listed[])]).toEqual(all.slice(0, 4));
    const [some] = all;
    expect(await listed(id, { name: some!.name, kind: some!.kind, path: some!.qualified_path })).toContainEqual(some);
    expect(await listed(id, { name: 'no such name' })).toEqual([]);
    const another = context.another();
    expect(await another.listScopes({ target_file_id: id })).toEqual(answer);
    expect(await context.service.getPdcpLog({ target_file_id: id })).toMatchObject({ entries: [] });
  });

  test('an unknown language is divided into regions, and says so; a wrong one is refused', async () => {
    const id = await newTarget(context.service, 'one\ntwo\n\nthree\n', { display_name: 'notes' });
    expect(await context.service.listScopes({ target_file_id: id })).toMatchObject({
      language: null,
      fallback: true,
      fallback_reason: 'unknown_language',
      scope_count: 2,
    });
    expect(await context.service.listScopes({ target_file_id: id, language: 'markdown' })).toMatchObject({
      language: 'markdown',
      fallback: false,
    });
    expect(await context.service.listScopes({ target_file_id: id, language: 'klingon' })).toMatchObject({
      status: 'invalid_argument',
      argument: 'language',
    });
  });
});

describe('a bundle', () => {
  test('edits several scopes in one commit, each in its own text; facts are those of the document', async () => {
    const id = await made();
    const { bundle, scopes, version } = await observed(id, ['second', 'open']);
    expect(scopes[0]!.text).toBe('/** Twice. */\nexport function second(a: number) {\n  return a + 1;\n}');
    const receipt = await context.service.commitBundle({
      target_file_id: id,
      bundle_id: bundle,
      expected_target_version: version,
      intent: 'really twice',
      client_request_id: 'k1',
      groups: [
        { scope_id: scopes[0]!.scope_id, operations: [{ op: 'match', match: 'a + 1', replace: '2 * a' }] },
        { scope_id: scopes[1]!.scope_id, operations: [{ op: 'match', match: '1', replace: '"$&😀"' }] },
      ],
    });
    expect(receipt).toMatchObject({ status: 'accepted', version: 1, deduplicated: false });
    const text = await textOf(context.service, id);
    expect(text).toBe(
      SMALL.replace(/(second[^]*?)a \+ 1/, (_, before: string) => `${before}2 * a`).replace('    return 1;', () => '    return "$&😀";'),
    );
    const changes = (receipt['evidence'] as JsonObject)['changes'] as JsonObject[];
    expect(changes.map((change) => [change['ordinal'], change['apply_ordinal'], change['scope_id']])).toEqual([
      [2, 1, scopes[1]!.scope_id],
      [1, 2, scopes[0]!.scope_id],
    ]);
    for (const change of changes) {
      const scope = scopes.find(({ scope_id }) => scope_id === change['scope_id'])!;
      expect(change['span_start']).toBe(scope.start + (change['scope_span_start'] as number));
    }
    const repeated = await context.service.commitBundle({
      target_file_id: id,
      bundle_id: bundle,
      expected_target_version: version,
      intent: 'really twice',
      client_request_id: 'k1',
      groups: [
        { scope_id: scopes[0]!.scope_id, operations: [{ op: 'match', match: 'a + 1', replace: '2 * a' }] },
        { scope_id: scopes[1]!.scope_id, operations: [{ op: 'match', match: '1', replace: '"$&😀"' }] },
      ],
    });
    expect(repeated).toMatchObject({
      status: 'accepted',
      deduplicated: true,
      pdcp_log_id: receipt['pdcp_log_id'],
      evidence: receipt['evidence'],
    });
    expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({
      status: 'success',
      materialized_state_matches: true,
    });
    const admin = await context.server.client('admin');
    expect((await admin.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
    const blamed = await admin.query<{ written_version: string }>('select written_version from patchdiff_audit.blame($1)', [id]);
    expect(blamed.rows.map((line) => Number(line.written_version)).filter((at) => at === 1)).toHaveLength(2);
  });

  test('a save right behind an observation names it as its link of the chain', async () => {
    const id = await made();
    await observed(id, ['first']);
    expect(await context.service.save({ target_file_id: id, client_request_id: 's' })).toMatchObject({ status: 'unchanged' });
    const auditor = await context.server.client('auditor');
    expect((await auditor.query('select * from patchdiff_audit.verify_target($1)', [id])).rows).toEqual([]);
  });

  test('reaches a key that lies deeper than a path can tell', async () => {
    const text = `${`{"${'k'.repeat(100)}":`.repeat(120)}1${'}'.repeat(120)}`;
    const id = await newTarget(context.service, text, { display_name: 'deep.json' });
    const deepest = (await listed(id, { max_results: 500 })).at(-1)!;
    const answer = await context.service.observeScopes({ target_file_id: id, scope_ids: [deepest.scope_id] });
    expect(answer).toMatchObject({ status: 'observed', scopes: [{ text: `"${'k'.repeat(100)}":1` }] });
  });

  test('of a text that moved on is judged scope by scope', async () => {
    const id = await made();
    const { bundle, scopes } = await observed(id, ['first', 'second', 'close']);
    const group = (at: number, match: string, replace: string): JsonObject => ({
      scope_id: scopes[at]!.scope_id,
      operations: [{ op: 'match', match, replace }],
    });
    const send = (version: number, groups: JsonObject[]): Promise<JsonObject> =>
      context.service.commitBundle({ target_file_id: id, bundle_id: bundle, expected_target_version: version, intent: 'i', groups });
    // The later scope changes its length: the earlier ones stay where they were.
    expect(await send(0, [group(2, 'return 1', 'return 1000')])).toMatchObject({ status: 'accepted', version: 1 });
    expect(await send(1, [group(0, 'a + 1', 'a + 2'), group(2, 'return 1', 'return 2')])).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_hash_mismatch',
      failure_code: 'scope_hash_mismatch',
      validity: { protocol_valid: true, transaction_valid: false },
      diagnostic: { group_index: 1, retryable: true, scope: { scope_id: scopes[2]!.scope_id } },
      next_step: expect.stringContaining('patchdiff_observe_scopes') as string,
    });
    expect(await send(1, [group(0, 'a + 1', 'a + 2')])).toMatchObject({ status: 'accepted', version: 2 });
    expect(await send(0, [group(1, 'a + 1', 'a + 3')])).toMatchObject({ failure_reason: 'target_version_mismatch' });
  });

  test('rejects the whole when one operation fails, names group and operation, and finds the near miss in the document', async () => {
    const id = await made();
    const { bundle, scopes, version } = await observed(id, ['first', 'second']);
    const groups = [
      { scope_id: scopes[0]!.scope_id, operations: [{ op: 'match', match: 'a + 1', replace: 'a' }] },
      {
        scope_id: scopes[1]!.scope_id,
        operations: [
          { op: 'match', match: 'Twice', replace: 'Thrice' },
          { op: 'match', match: 'return a  + 1;', replace: 'return 3 * a;' },
        ],
      },
    ];
    const answer = await context.service.commitBundle({
      target_file_id: id,
      bundle_id: bundle,
      expected_target_version: version,
      intent: 'i',
      groups,
    });
    expect(answer).toMatchObject({
      status: 'rejected',
      failure_reason: 'match_absent',
      failed_change_id: 'chg_003',
      failure_detail: 'groups[1].operations[1].match: the text does not occur',
      diagnostic: { group_index: 1, operation_index: 1, ordinal: 3 },
    });
    const [hit] = answer['near_misses'] as JsonObject[];
    const points = [...SMALL.replace('Twice', 'Thrice')];
    expect(points.slice(hit!['start'] as number, hit!['end'] as number).join('')).toBe('return a + 1;');
    expect(hit!['scope_start']).toBe((hit!['start'] as number) - scopes[1]!.start);
    expect(await textOf(context.service, id)).toBe(SMALL);
  });

  test('overlapping scopes, unknown bundles, another target, a scope that was not observed', async () => {
    const id = await made();
    const { bundle, scopes, version } = await observed(id, ['Box', 'open']);
    const operations = [{ op: 'match', match: 'open()', replace: 'unlock()' }];
    const send = (more: JsonObject, target = id): Promise<JsonObject> =>
      context.service.commitBundle({ target_file_id: target, bundle_id: bundle, expected_target_version: version, intent: 'i', ...more });
    expect(await send({ groups: scopes.map(({ scope_id }) => ({ scope_id, operations })) })).toMatchObject({
      failure_reason: 'manifest_invalid',
      failure_code: 'scopes_overlap',
      diagnostic: {
        overlapping_scopes: [
          { group_index: 0, qualified_path: 'class Box' },
          { group_index: 1, qualified_path: 'class Box > method open' },
        ],
      },
    });
    const groups = [{ scope_id: scopes[1]!.scope_id, operations }];
    for (const [target, more] of [
      [id, { bundle_id: '00000000-0000-4000-8000-000000000000' }],
      [id, { bundle_id: 'none' }],
      [await made(), {}],
    ] as const) {
      const answer = await send({ groups, ...more }, target);
      expect(answer).toMatchObject({ failure_reason: 'context_invalid', failure_code: 'bundle_invalid' });
      const admin = await context.server.client('admin');
      const { rows } = await admin.query<{ stored: JsonObject }>(
        'select pdcp_content::jsonb as stored from patchdiff_store.append_only_pdcp_logs where pdcp_log_id = $1',
        [answer['pdcp_log_id']],
      );
      expect(rows[0]?.stored['observation']).toBeNull();
    }
    expect(await send({ groups: [{ scope_id: 'f'.repeat(32), operations }] })).toMatchObject({ failure_code: 'scope_not_observed' });
    expect(await context.service.observeScopes({ target_file_id: id, scope_ids: ['f'.repeat(32)] })).toMatchObject({
      status: 'refused',
      failure_code: 'scope_unknown',
      unknown_scope_ids: ['f'.repeat(32)],
    });
  });
});
