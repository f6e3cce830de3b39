import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { both, explanation, search, watched } from './support/near-misses.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';

/** Most bytes of the two members as JSON (docs/spec/near-misses.md). */
const CEILING = 20_480;

const span = (id: string, version: number, operation: JsonObject): JsonObject => ({
  target_file_id: id,
  intent: 'edit',
  expected_target_version: version,
  operations: [{ op: 'span', ...operation }],
});

describe('a span', () => {
  test('whose text stands elsewhere is told where, and how far off', async () => {
    const id = await newTarget(context.service, 'one\ntwo\nthree\ntwo\n');
    const first = await both(context.service, TX2, span(id, 0, { start: 3, end: 6, expected_text: 'two', replace: 'x' }));
    expect(explanation(first.receipt)).toEqual({
      kind: 'elsewhere',
      message: 'The expected text stands 1 code point further on, at 4..7 on line 2, the nearest of 2 places.',
      start: 4,
      end: 7,
      line: 2,
      expected: 'two',
      actual: '\\ntw',
      shift: 1,
      occurrence_count: 2,
    });
    expect(explanation(first.preview)).toEqual(explanation(first.receipt));
    expect(first.receipt['near_misses']).toHaveLength(2);
    const unique = await context.service.submit(TX2, span(id, 0, { start: 0, end: 3, expected_text: 'three', replace: 'x' }));
    expect(explanation(unique)).toMatchObject({ kind: 'elsewhere', start: 8, end: 13, shift: 8, occurrence_count: 1 });
    expect(explanation(unique)!['message']).toContain('and nowhere else');
    const end = await context.service.submit(TX2, span(id, 0, { start: 8, end: 12, expected_text: 'three', replace: 'x' }));
    expect(explanation(end)).toMatchObject({ kind: 'elsewhere', shift: 0, end: 13 });
  });

  test.each([
    ['UTF-16 units', '😀😀 name = 1\n', 5, 9],
    ['UTF-8 bytes', 'éé name = 1\n', 5, 9],
  ])('counted in %s is told so', async (unit, content, start, end) => {
    const id = await newTarget(context.service, content);
    const receipt = await context.service.submit(TX2, span(id, 0, { start, end, expected_text: 'name', replace: 'x' }));
    expect(explanation(receipt)!['message']).toContain(`counts ${unit}; offsets are code points.`);
    const found = explanation(receipt)!;
    const again = span(id, 0, { start: found['start']!, end: found['end']!, expected_text: 'name', replace: 'x' });
    expect(await context.service.submit(TX2, again)).toMatchObject({ status: 'accepted' });
  });

  test('whose text differs in one respect there is told which, before any other place', async () => {
    const id = await newTarget(context.service, 'Name\nvalue\n\tindented\n');
    const at = async (start: number, end: number, expected_text: string): Promise<JsonObject | undefined> =>
      explanation(await context.service.submit(TX2, span(id, 0, { start, end, expected_text, replace: 'x' })));
    expect(await at(0, 4, 'name')).toMatchObject({ kind: 'case', start: 0, end: 4, line: 1 });
    expect(await at(11, 20, '    indented')).toMatchObject({ kind: 'indentation', start: 11, end: 20, line: 3 });
    expect(await at(0, 10, 'Name\\nvalue')).toMatchObject({ kind: 'literal_escapes', start: 0, end: 10 });
    expect(await at(5, 10, '2| value')).toMatchObject({ kind: 'line_number_prefix', start: 5, end: 10 });
  });

  test('whose neighbour is another one is told where all of it stands', async () => {
    const id = await newTarget(context.service, 'a = 1;\nb = 1;\nc = 1;\n');
    const receipt = await context.service.submit(
      TX2,
      span(id, 0, { start: 4, end: 5, expected_text: '1', expected_before: 'b = ', expected_after: ';', replace: '2' }),
    );
    expect(receipt).toMatchObject({ failure_reason: 'span_expected_text_mismatch', diagnostic: { path: 'operations[0].expected_before' } });
    expect(explanation(receipt)).toMatchObject({ kind: 'elsewhere', start: 11, end: 12, line: 2, shift: 7, occurrence_count: 1 });
    const after = await context.service.submit(
      TX2,
      span(id, 0, { start: 4, end: 5, expected_text: '1', expected_after: ' ;', replace: '2' }),
    );
    expect(explanation(after)).toMatchObject({ kind: 'whitespace' });
  });
});

describe('a text that this very submission took away', () => {
  const sequential = async (edits: JsonObject[]): Promise<JsonObject> => {
    const id = await newTarget(context.service, 'one\ntwo words\nthree\n');
    const receipt = await context.service.submit(TX1, { target_file_id: id, intent: 'x', expected_target_version: 0, edits });
    expect(receipt).toMatchObject({ failure_reason: 'sequential_match_invalid' });
    return explanation(receipt)!;
  };

  test('names the change and the place of what it put there', async () => {
    const edits = [
      { match: 'two words', replace: '2 WORDS' },
      { match: 'one', replace: 'number one' },
      { match: 'two', replace: 'x' },
    ];
    expect(await sequential(edits)).toEqual({
      kind: 'consumed',
      message: 'Change chg_001 of this submission takes this text away; what it puts there stands on line 2.',
      start: 11,
      end: 18,
      line: 2,
      expected: 'two',
      actual: '2 WORDS',
      change_id: 'chg_001',
    });
  });

  test('without a place when a later change touched it', async () => {
    const edits = [
      { match: 'two words', replace: '2 WORDS' },
      { match: '2 W', replace: 'w' },
      { match: 'two', replace: 'x' },
    ];
    expect(await sequential(edits)).toEqual({
      kind: 'consumed',
      message: 'Change chg_001 of this submission takes this text away.',
      expected: 'two',
      actual: '',
      change_id: 'chg_001',
    });
  });

  test('says so when it is the same change twice', async () => {
    const twice = { match: 'two words', replace: 'zwei' };
    expect(await sequential([twice, twice])).toMatchObject({ kind: 'already_replaced', line: 2, actual: 'zwei', change_id: 'chg_001' });
  });
});

describe('hints are given, never kept', () => {
  test('the row holds the bounded query and nothing of the search', async () => {
    const id = await newTarget(context.service, 'The quick brown fox\n');
    const long = `${'😀'.repeat(300)}the Quick brown fox`;
    for (const match of ['the Quick brown fox', long]) {
      const receipt = await context.service.submit(TX1, edit(id, 0, match, 'x'));
      expect(search(receipt)).not.toBeNull();
      const log = await context.service.getPdcpLog({ target_file_id: id, limit: 1 });
      const [entry] = log['entries'] as JsonObject[];
      const stored = entry!['diagnostic'] as JsonObject;
      expect(stored['near_miss_query']).toBe(Array.from(match).slice(0, 256).join(''));
      expect(stored).toEqual(receipt['diagnostic']);
      expect(JSON.stringify(entry)).not.toMatch(/near_misses|near_miss_search|explanation|similarity/);
    }
  });

  test('a recovered rejection has none, although this process could search again', async () => {
    const id = await newTarget(context.service, 'The quick brown fox\n');
    const args = edit(id, 0, 'The Quick brown fox', 'x', { client_request_id: 'once' });
    expect(explanation(await context.service.submit(TX1, args))).toMatchObject({ kind: 'case' });
    expect(await context.service.submit(TX1, args)).toMatchObject({ deduplicated: true, near_misses: [], near_miss_search: null });
  });

  test('in a transaction of the caller there is no search and no read', async () => {
    const id = await newTarget(context.service, 'The quick brown fox\n');
    await context.service.submit(TX1, edit(id, 0, 'fox', 'cat'));
    await context.database.transaction(async (bound) => {
      const { service, asked } = watched(bound);
      for (const match of ['The Quick brown cat', 'brown fox']) {
        const { receipt, preview } = await both(service, TX1, edit(id, 1, match, 'x'));
        expect(receipt).toMatchObject({ failure_reason: 'match_absent', near_misses: [], near_miss_search: null });
        expect(preview).toMatchObject({ failure_reason: 'match_absent', near_misses: [], near_miss_search: null });
      }
      expect(new Set(asked)).toEqual(new Set(['read_target', 'preview_facts', 'commit_attempt']));
    });
  });

  test.each([
    ['four bytes a code point', '😀'],
    ['escaped in JSON', '\\'],
    ['quotes', '"'],
    ['control characters', '\u0001'],
    ['the last plane', '\u{10FFFD}'],
  ])('and stay under their ceiling: %s', async (_, unit) => {
    const line = `${unit.repeat(250)}${unit === '"' ? '' : '"'}A`;
    const content = Array.from({ length: 3 }, () => line.repeat(2)).join('\n');
    const id = await newTarget(context.service, content);
    const intent = unit === '\u0001' ? '\u0002'.repeat(3000) : unit.repeat(3000);
    for (const query of [line.replace('A', 'a'), `${unit.repeat(60)}x`.repeat(4), `${unit}\u00e9`.repeat(128), line.repeat(3)]) {
      const receipt = await context.service.submit(TX1, edit(id, 0, query, 'x'));
      const members = { near_misses: receipt['near_misses'], near_miss_search: receipt['near_miss_search'] };
      expect(Buffer.byteLength(JSON.stringify(members))).toBeLessThan(CEILING);
    }
    await context.service.submit(TX1, edit(id, 0, line.repeat(2), 'gone', { intent }));
    await context.service.submit(TX1, { ...edit(id, 0, content, 'gone for good', { intent }) });
    await context.service.submit(TX1, edit(id, 1, 'gone for good', 'and again'));
    const receipt = await context.another().submit(TX1, edit(id, 2, content, 'x'));
    expect(explanation(receipt)).toMatchObject({ kind: 'earlier_version', version: 0 });
    expect(Array.from(explanation(receipt)!['intent'] as string)).toHaveLength(200);
    const members = { near_misses: receipt['near_misses'], near_miss_search: receipt['near_miss_search'] };
    expect(Buffer.byteLength(JSON.stringify(members))).toBeLessThan(CEILING);
  });
});
