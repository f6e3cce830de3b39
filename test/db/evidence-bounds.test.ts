import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';
import { newTarget, useService } from '../service/support/service.ts';
import { sha256 } from './support/invalid-text.ts';

const context = useService();

interface Answer {
  failure_code: string;
  diagnostic: JsonObject & { failure_context: Record<string, number | string> };
  current_context: JsonObject;
}

async function reject(content: string, container: 'edits' | 'operations', changes: JsonObject[], more: JsonObject = {}): Promise<Answer> {
  const id = await newTarget(context.service, content);
  const format: Format = container === 'edits' ? 'patchdiff-tx/1' : 'patchdiff-tx/2';
  const receipt = await context.service.submit(format, { target_file_id: id, intent: 'i', expected_target_version: 0, [container]: changes, ...more });
  expect(receipt['status']).toBe('rejected');
  return receipt as unknown as Answer;
}

const insert = (at: number): JsonObject => ({ op: 'span', start: at, end: at, expected_text: '', replace: 'x', expected_before: '#' });

describe('the window', () => {
  const LETTERS = ['a', 'é', '漢', '😀'];
  /** Every code point tells where it stands, as far as four letters can. */
  const textOf = (length: number): string[] => Array.from({ length }, (_, at) => LETTERS[(at * 7 + (at >> 5)) % 4]!);

  test.each([1, 255, 256, 257, 400, 1_000])('of a text of %i code points holds its point, wherever that is', async (length) => {
    const points = textOf(length);
    const places = [...new Set([0, 1, 127, 128, 129, length - 257, length - 256, length - 129, length - 128, length - 127, length - 1, length])];
    for (const point of places.filter((at) => at >= 0 && at <= length)) {
      const { diagnostic } = await reject(points.join(''), 'operations', [insert(point)]);
      const { start, end, text, total_chars, kind } = diagnostic.failure_context as { start: number; end: number; text: string; total_chars: number; kind: string };
      expect({ kind, total_chars, length: end - start }, String(point)).toEqual({ kind: 'window', total_chars: length, length: Math.min(256, length) });
      expect(start <= point && point <= end, String(point)).toBe(true);
      expect(Array.from(text)).toEqual(points.slice(start, end));
      if (point >= 128 && point + 128 <= length) expect(point - start).toBe(128);
      else expect(start === 0 || end === length).toBe(true);
    }
  });

  test('of an empty text is empty', async () => {
    for (const change of [insert(0), { op: 'span', start: 5, end: 9, expected_text: '', replace: '' }, { op: 'match', match: 'x', replace: '' }]) {
      const { diagnostic, current_context } = await reject('', 'operations', [change]);
      expect(diagnostic.failure_context).toMatchObject({ start: 0, end: 0, total_chars: 0, text: '', hash: sha256('') });
      expect(current_context).toEqual({ version: 0, hash: sha256(''), start: 0, end: 0, total_chars: 0, text: '' });
    }
  });

  test('of one line of a million code points is cut from it, and the head of it is current', async () => {
    const line = `${'é'.repeat(700_000)}here😀${'漢'.repeat(300_000)}`;
    const { diagnostic, current_context } = await reject(line, 'operations', [{ op: 'span', start: 700_000, end: 700_004, expected_text: 'HERE', replace: '' }]);
    expect(diagnostic.failure_context).toMatchObject({
      start: 699_872,
      end: 700_128,
      total_chars: 1_000_005,
      text: `${'é'.repeat(128)}here😀${'漢'.repeat(123)}`,
    });
    expect(diagnostic).toMatchObject({ near_miss_query: 'HERE', actual_text: 'here' });
    expect(current_context).toMatchObject({ end: 256, text: 'é'.repeat(256) });
  });

  test('is a prefix of the buffer that failed when nothing tells a point', async () => {
    const content = `${'x'.repeat(300)}gone`;
    const changes = [{ match: 'gone', replace: '😀' }, { match: 'never', replace: '' }];
    const { diagnostic } = await reject(content, 'edits', changes);
    expect(diagnostic.failure_context).toEqual({
      source: 'intermediate_buffer',
      prior_changes: 1,
      version: 0,
      hash: sha256(content),
      kind: 'prefix',
      start: 0,
      end: 256,
      total_chars: 301,
      text: 'x'.repeat(256),
    });
  });
});

describe('faults before any change', () => {
  const content = `${'𝒳'.repeat(300)}\n`;
  const edit = { match: 'x', replace: '' };
  test.each<[string, JsonObject]>([
    ['target_version_mismatch', { expected_target_version: 3 }],
    ['target_hash_mismatch', { expected_current_hash: 'a'.repeat(64) }],
    ['guard_missing', { expected_target_version: null }],
    ['guard_malformed', { expected_target_version: true }],
    ['parent_invalid', { parent_pdcp_log_id: randomUUID() }],
    ['invalid_client_request_id', { client_request_id: 'a b' }],
    ['text_not_encodable', { intent: '\0' }],
    ['unknown_field', { region_hint: 1 }],
    ['intent_invalid', { intent: ' ' }],
    ['field_missing', { edits: [{ match: 'x' }] }],
    ['field_type', { edits: [edit, { match: 1, replace: '' }] }],
    ['selector_malformed', { edits: [{ ...edit, occurrence_index: 0 }] }],
    ['payload_too_deep', { deep: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) as JsonValue }],
  ])('%s show the head of the canonical target', async (code, more) => {
    const { failure_code, diagnostic, current_context } = await reject(content, 'edits', [edit], more);
    expect(failure_code).toBe(code);
    const head = { version: 0, hash: sha256(content), start: 0, end: 256, total_chars: 301, text: '𝒳'.repeat(256) };
    expect(diagnostic.failure_context).toEqual({ ...head, source: 'canonical_target', prior_changes: 0, kind: 'prefix' });
    expect(current_context).toEqual(head);
    expect(diagnostic).toMatchObject({ format: 'patchdiff-tx/1', requires_new_submission: true });
  });
});

describe('candidates', () => {
  test.each([2, 4, 5, 6, 999, 1_000, 1_001, 3_000])('%i of them: five are shown, a thousand are counted', async (count) => {
    const content = 'ab\n'.repeat(count);
    const { diagnostic } = await reject(content, 'edits', [{ match: 'ab', replace: '' }]);
    expect(diagnostic['exact_candidates']).toHaveLength(Math.min(5, count));
    expect(diagnostic['candidate_count']).toBe(Math.min(1_000, count));
    expect(diagnostic['candidate_count_capped']).toBe(count >= 1_000 ? true : undefined);
    expect((diagnostic['exact_candidates'] as JsonObject[]).map(({ occurrence_index, line }) => [occurrence_index, line])).toEqual(
      [1, 2, 3, 4, 5].slice(0, count).map((index) => [index, index]),
    );
  });

  test('that an anchor leaves keep the index they have among all matches', async () => {
    const content = 'x '.repeat(1_500) + 'here ' + 'x '.repeat(3);
    const { diagnostic } = await reject(content, 'edits', [{ match: 'x', replace: '', anchor_before: 'here' }]);
    expect(diagnostic).toMatchObject({ candidate_count: 3, exact_candidates: [{ occurrence_index: 1_501, start: 3_005 }, { occurrence_index: 1_502 }, { occurrence_index: 1_503 }] });
    expect(diagnostic).not.toHaveProperty('candidate_count_capped');
    expect(diagnostic.failure_context).toMatchObject({ kind: 'window', start: 2_755, end: 3_011 });
  });
});

describe('a consumed match', () => {
  test('names the first change after which the text is gone, not the one that cut into it, nor a later one', async () => {
    const changes = [
      { match: 'ab', replace: 'ab', occurrence_index: 1, change_id: 'same' },
      { match: 'ab', replace: '', occurrence_index: 1, change_id: 'one' },
      { match: 'x', replace: 'ab', change_id: 'back' },
      { match: 'ab', replace: '-', occurrence_index: 1, change_id: 'two' },
      { match: 'ab', replace: '--', change_id: 'last' },
      { match: '.', replace: '', change_id: 'later' },
      { match: 'ab', replace: '', change_id: 'fails' },
    ];
    const { diagnostic } = await reject('ab😀ab x.', 'edits', changes);
    expect(diagnostic).toMatchObject({ ordinal: 7, consumed_match: { change_id: 'last', ordinal: 5 }, near_miss_query: 'ab' });
  });

  test('is one whose replacement no longer holds it, also when the text began and ended outside of it', async () => {
    const { diagnostic } = await reject('a-b', 'edits', [{ match: '-', replace: '+' }, { match: 'a-b', replace: '' }]);
    expect(diagnostic).toMatchObject({ consumed_match: { change_id: 'chg_001', ordinal: 1, span_start: 1, span_end: 2 } });
  });
});

test('a near-miss query is the first 256 code points of the text in canonical form', async () => {
  for (const match of ['q', '\r\n'.repeat(300), '😀\r'.repeat(200), 'e\u0301'.repeat(129)]) {
    const { diagnostic } = await reject('abc', 'edits', [{ match, replace: '' }]);
    expect(diagnostic['near_miss_query']).toBe(Array.from(match.replace(/\r\n?/g, '\n')).slice(0, 256).join(''));
  }
});

test.each<[string, unknown]>([
  ['no target id', { intent: 'i' }],
  ['a target id that is none', { target_file_id: 'x', intent: 'i' }],
  ['a target id with invalid text', { target_file_id: `${randomUUID()}\ud800` }],
  ['an unknown target', { target_file_id: randomUUID(), intent: '\0' }],
  ['arguments that are no object', 5],
])('a rejection without a target has no row and says that there is no context: %s', async (_name, args) => {
  for (const format of ['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/3'] as const) {
    const receipt = await context.service.submit(format, args);
    const unavailable = { kind: 'unavailable', reason: receipt['failure_detail'] };
    expect(receipt).toMatchObject({ status: 'rejected', pdcp_log_id: null, current_context: unavailable, diagnostic: { format, failure_context: unavailable } });
  }
});
