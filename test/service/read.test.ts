import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, newTarget, textOf, useService } from './support/service.ts';

const context = useService();
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('read_target', () => {
  test('pages by code points, never cutting a pair', async () => {
    const text = '😀é\n'.repeat(4000);
    const id = await newTarget(context.service, text);
    const first = await context.service.readTarget({ target_file_id: id });
    expect(first).toEqual({
      status: 'ok',
      target_file_id: id,
      version: 0,
      current_hash: sha256(text),
      start: 0,
      end: 4000,
      text: [...text].slice(0, 4000).join(''),
      total_chars: 12_000,
      truncated: true,
      next_start: 4000,
    });
    const middle = await context.service.readTarget({ target_file_id: id, start: 4001, length: 1 });
    expect(middle['text']).toBe([...text][4001]);
    const last = await context.service.readTarget({ target_file_id: id, start: 4000, length: 99_999 });
    expect([last['end'], last['truncated'], last['next_start']]).toEqual([12_000, false, null]);
    expect(await textOf(context.another(), id)).toBe(text);
  });

  test('the end and the empty text are places, beyond them is not', async () => {
    const id = await newTarget(context.service, '');
    expect(await context.service.readTarget({ target_file_id: id })).toMatchObject({
      text: '',
      start: 0,
      end: 0,
      total_chars: 0,
      truncated: false,
      next_start: null,
    });
    expect(await context.service.readTarget({ target_file_id: id, start: 1 })).toMatchObject({
      status: 'invalid_argument',
      argument: 'start',
      kind: 'integer',
    });
  });

  test('sees what another process committed', async () => {
    const id = await newTarget(context.service, 'a\n');
    expect(await textOf(context.service, id)).toBe('a\n');
    await context.another().submit('patchdiff-tx/1', edit(id, 0, 'a', 'b'));
    expect(await context.service.readTarget({ target_file_id: id })).toMatchObject({
      version: 1,
      text: 'b\n',
      current_hash: sha256('b\n'),
    });
  });

  test('a damaged row is shown and said to be damaged', async () => {
    const id = await newTarget(context.service, 'sound\n');
    const admin = await context.server.client('admin');
    await admin.query(`update patchdiff_store.cloud_target_files set current_content = 'forged' where target_file_id = $1`, [id]);
    expect(await context.another().readTarget({ target_file_id: id })).toMatchObject({
      text: 'forged',
      warnings: [{ code: 'content_diverged' }],
    });
    expect(await context.another().submit('patchdiff-tx/1', edit(id, 0, 'forged', 'x'))).toMatchObject({
      status: 'rejected',
      failure_reason: 'target_diverged',
    });
    expect(await context.another().preview({ ...edit(id, 0, 'forged', 'x'), format: 'patchdiff-tx/1' })).toMatchObject({
      status: 'would_reject',
      failure_reason: 'target_diverged',
    });
    expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({
      status: 'success',
      materialized_state_matches: false,
      materialized_state_checks: {
        content_matches: false,
        stored_hash_matches: true,
        recomputed_hash_matches: false,
        version_matches: true,
      },
    });
  });
});

describe('read_lines', () => {
  test.each<[string, string, string[]]>([
    ['no line', '', []],
    ['a final LF adds none', 'a\nb\n', ['a', 'b']],
    ['no final LF', 'a\nb', ['a', 'b']],
    ['blank lines', '\n\n', ['', '']],
    ['other separators end none', 'a\u2028b\u000bc\u0085d\n', ['a\u2028b\u000bc\u0085d']],
  ])('%s', async (_, text, lines) => {
    const id = await newTarget(context.service, text);
    const answer = await context.service.readLines({ target_file_id: id });
    expect(answer).toMatchObject({
      status: 'ok',
      total_lines: lines.length,
      next_line: null,
      truncated: false,
      final_newline: text.endsWith('\n'),
    });
    expect((answer['lines'] as JsonObject[]).map((line) => line['text'])).toEqual(lines);
  });

  test('places are spans: start, end and text of a line can be sent back as one', async () => {
    const id = await newTarget(context.service, 'é😀\nzwei\ndrei\n');
    const answer = await context.service.readLines({ target_file_id: id, start_line: 2, line_count: 1 });
    expect(answer).toMatchObject({ lines: [{ line: 2, start: 3, end: 7, text: 'zwei' }], next_line: 3, truncated: true });
    const [{ start, end, text }] = answer['lines'] as [{ start: number; end: number; text: string }];
    const span = {
      target_file_id: id,
      intent: 'x',
      expected_target_version: 0,
      operations: [{ op: 'span', start, end, expected_text: text, replace: 'two' }],
    };
    expect(await context.service.submit('patchdiff-tx/2', span)).toMatchObject({ status: 'accepted' });
    expect(await textOf(context.service, id)).toBe('é😀\ntwo\ndrei\n');
  });

  test('stays within 8000 code points; a longer line is cut and says so', async () => {
    const long = '😀'.repeat(9000);
    const id = await newTarget(context.service, `${'x'.repeat(5000)}\n${'y'.repeat(4000)}\n${long}\nend`);
    const pages: JsonObject[] = [];
    for (let next: unknown = 1; next !== null; next = pages.at(-1)?.['next_line']) {
      pages.push(await context.service.readLines({ target_file_id: id, start_line: next as number }));
    }
    expect(
      pages.map((page) =>
        (page['lines'] as JsonObject[]).map((line) => [line['line'], [...(line['text'] as string)].length, line['cut'] ?? false]),
      ),
    ).toEqual([[[1, 5000, false]], [[2, 4000, false]], [[3, 8000, true]], [[4, 3, false]]]);
    expect((pages[2]?.['lines'] as JsonObject[])[0]).toMatchObject({ start: 9002, end: 17_002, line_end: 18_002 });
  });

  test('beyond the last line', async () => {
    const id = await newTarget(context.service, 'a\n');
    expect(await context.service.readLines({ target_file_id: id, start_line: 2 })).toMatchObject({
      status: 'invalid_argument',
      argument: 'start_line',
    });
  });
});

describe('find_occurrences', () => {
  test('counts overlapping ones, with lines and what stands beside', async () => {
    const id = await newTarget(context.service, 'é aaa\naa\n');
    expect(await context.service.findOccurrences({ target_file_id: id, text: 'aa', context_chars: 2 })).toMatchObject({
      occurrence_count: 3,
      returned_count: 3,
      start_occurrence: 1,
      truncated: false,
      next_occurrence_index: null,
      occurrences: [
        { occurrence_index: 1, start: 2, end: 4, line: 1, before: 'é ', after: 'a\n' },
        { occurrence_index: 2, start: 3, end: 5, line: 1, before: ' a', after: '\na' },
        { occurrence_index: 3, start: 6, end: 8, line: 2, before: 'a\n', after: '\n' },
      ],
    });
  });

  test('pages, canonicalises its text, and bounds what it shows', async () => {
    const id = await newTarget(context.service, 'x\ny\n'.repeat(500));
    const page = await context.service.findOccurrences({ target_file_id: id, text: 'x\r\ny', start_occurrence: 300 });
    expect(page).toMatchObject({ occurrence_count: 500, returned_count: 200, truncated: true, next_occurrence_index: 500 });
    const wide = await context.service.findOccurrences({ target_file_id: id, text: 'x', context_chars: 9999, max_results: 9999 });
    expect(wide).toMatchObject({ returned_count: 40, next_occurrence_index: 41 });
    expect(await context.service.findOccurrences({ target_file_id: id, text: 'x', start_occurrence: 501 })).toMatchObject({
      returned_count: 0,
      truncated: false,
    });
  });

  test('an absent periodic text answers at once', async () => {
    const id = await newTarget(context.service, 'ab'.repeat(50_000));
    const started = performance.now();
    expect(await context.service.findOccurrences({ target_file_id: id, text: `c${'ab'.repeat(20_000)}` })).toMatchObject({
      occurrence_count: 0,
    });
    expect(performance.now() - started).toBeLessThan(3000);
  });

  test.each(['', null, 5, 'a\0', '\ud800', 'x'.repeat(65_537)])('refuses %j as text', async (text) => {
    const id = await newTarget(context.service, 'a');
    expect(await context.service.findOccurrences({ target_file_id: id, text })).toMatchObject({
      status: 'invalid_argument',
      argument: 'text',
    });
  });
});

describe('every read tool', () => {
  const tools = [
    'readTarget',
    'readLines',
    'findOccurrences',
    'getPdcpLog',
    'getManifestLedger',
    'replayTarget',
    'exportTarget',
    'save',
  ] as const;
  const more: Record<string, JsonObject> = { findOccurrences: { text: 'a' } };

  test.each(tools)('%s: unknown target, malformed id, no object, misspelt argument', async (tool) => {
    const history = tool === 'getPdcpLog' || tool === 'getManifestLedger' ? { entries: [], has_more: false, next_sequence: null } : {};
    const call = (args: unknown): Promise<JsonObject> => context.service[tool](args);
    expect(await call({ target_file_id: randomUUID(), ...more[tool] })).toMatchObject({ status: 'not_found', ...history });
    for (const id of [7, 'x', '\ud800', null, true]) {
      expect(await call({ target_file_id: id, ...more[tool] })).toMatchObject({
        status: 'invalid_argument',
        argument: 'target_file_id',
        ...history,
      });
    }
    for (const args of [null, undefined, [], 'x', 7]) expect(await call(args)).toMatchObject({ status: 'invalid_argument', ...history });
    expect(await call({ target_file_id: randomUUID(), ...more[tool], limmit: 's3cret' })).toMatchObject({
      status: 'invalid_argument',
      argument: 'limmit',
      ...history,
    });
  });
});

describe('list_targets', () => {
  test('newest first, filtered by name without case, paged by an opaque cursor', async () => {
    const tag = randomUUID();
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push(await newTarget(context.service, 'x', { display_name: `Doc ${tag} ${i}` }));
    const pages: JsonObject[] = [];
    for (let cursor: unknown; pages.length < 5 && cursor !== null; cursor = pages.at(-1)?.['next_cursor']) {
      pages.push(await context.service.listTargets({ filter: `DOC ${tag}`, limit: 2, ...(typeof cursor === 'string' ? { cursor } : {}) }));
    }
    expect(pages.flatMap((page) => (page['targets'] as JsonObject[]).map((row) => row['target_file_id']))).toEqual(ids.toReversed());
    expect(pages.map((page) => page['has_more'])).toEqual([true, true, false]);
    expect((pages[0]?.['targets'] as JsonObject[])[0]).toMatchObject({
      display_name: `Doc ${tag} 4`,
      version: 0,
      current_hash: sha256('x'),
      workspace_path: null,
    });
  });

  test.each([{ cursor: 'x' }, { cursor: 5 }, { limit: true }, { filter: '\0' }, { page: 2 }])('refuses %j', async (args) => {
    expect(await context.service.listTargets(args)).toMatchObject({ status: 'invalid_argument', targets: [] });
  });
});
