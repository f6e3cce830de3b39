import { applyPatch } from 'diff';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { entriesPart, PREVIEW_BYTES, withinBudget } from '../../src/service/submission/preview-budget.ts';
import type { JsonValue } from '../../src/transaction/index.ts';
import { Random } from '../helpers/random.ts';
import { expectSameVerdict, textBytes } from './support/preview-equality.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
const TX3 = 'patchdiff-tx/3';
const BUDGET = 32_768;

const replace = (id: string, replacement: string): JsonObject => ({
  format: TX3,
  target_file_id: id,
  intent: 'x',
  expected_target_version: 0,
  replacement,
});

/** The parts of an accepted preview's answer that may be cut, as long as they are. */
function shownOf(answer: JsonObject): { changes: number; warnings: number; diff: string } {
  return {
    changes: ((answer['evidence'] as JsonObject)['changes'] as unknown[]).length,
    warnings: (answer['warnings'] as unknown[]).length,
    diff: answer['diff'] as string,
  };
}

describe('an acceptance of any size', () => {
  const fill = (mark: string, count: number): string => `${mark}\n`.repeat(count);
  test.each<[string, string, string]>([
    ['many lines', fill('x', 20_000), fill('y', 20_000)],
    ['one long line', 'x'.repeat(1_000_000), 'y'.repeat(1_000_000)],
    ['control characters, which JSON writes long', fill('\u0001', 20_000), fill('\u0002', 20_000)],
    ['four-byte characters', fill('😀', 20_000), fill('😁', 20_000)],
    ['quotes and backslashes, which JSON doubles', fill('"\\', 20_000), fill('\\"', 20_000)],
    ['empty lines', '\n'.repeat(300_000), `${'\n'.repeat(150_000)}x${'\n'.repeat(140_000)}`],
  ])('%s', async (_, before, after) => {
    const id = await newTarget(context.service, before);
    const answer = await context.service.preview(replace(id, after));
    expect(textBytes(answer)).toBeLessThanOrEqual(BUDGET);
    expect(answer).toMatchObject({ status: 'would_accept', warnings: [] });
    const { changes, diff } = shownOf(answer);
    expect(changes).toBe(1);
    expect(applyPatch(before, diff)).not.toBe(false);
    if (answer['omitted'] === null) expect(applyPatch(before, diff)).toBe(after);
    else expect(answer['omitted']).toMatchObject({ changes: 0, warnings: 0, diff_lines: expect.any(Number) as number });
  });

  // Around the size at which something must be left out, byte by byte.
  test.each(['x', '"', '😀', '\u0001'])('up to the last byte: lines of %j', async (mark) => {
    const size = Buffer.byteLength(JSON.stringify(mark)) - 2;
    const id = await newTarget(context.service, 'a\n');
    const answerOf = (bytes: number): Promise<JsonObject> =>
      context.service.preview(replace(id, `a\n${`${mark.repeat(Math.floor(100 / size))}\n`.repeat(150)}${'z'.repeat(bytes)}\n`));
    const room = BUDGET - textBytes(await answerOf(1)) + 1;
    expect(room).toBeGreaterThan(100);
    let cut = 0;
    for (const bytes of [room - 40, room - 2, room - 1, room, room + 1, room + 2, room + 300]) {
      const answer = await answerOf(bytes);
      expect(textBytes(answer)).toBeLessThanOrEqual(BUDGET);
      cut += answer['omitted'] === null ? 0 : 1;
      if (answer['omitted'] === null) expect(textBytes(answer)).toBeGreaterThan(BUDGET - 1000);
    }
    expect(cut).toBeGreaterThan(0);
    expect(cut).toBeLessThan(7);
    expect((await answerOf(room + 300))['omitted']).toEqual({
      diff_hunks: 1,
      diff_lines: 1,
      diff_bytes: room + 302,
      changes: 0,
      warnings: 0,
    });
  });

  test('with 2,000 changes, 2,001 warnings and a diff in all proportions', async () => {
    const random = new Random(7);
    for (let round = 0; round < 12; round += 1) {
      const count = random.pick([1, 20, 30, 60, 150, 2000]);
      const content = Array.from({ length: count }, (_, line) => `line ${line};\n`).join('');
      const id = await newTarget(context.service, content);
      const isNoOp = random.chance(0.4);
      const width = random.pick([1, 40, 900]);
      const edits = Array.from({ length: count }, (_, line) => ({
        match: `line ${line};`,
        replace: isNoOp || random.chance(0.3) ? `line ${line};` : random.pick(['é', '"', '😀']).repeat(random.below(width)),
        change_id: `${'c'.repeat(random.below(58))}.${line}`,
      }));
      const args = { target_file_id: id, intent: 'x', expected_target_version: 0, edits };
      const answer = await context.service.preview({ ...args, format: TX1 });
      const omitted = answer['omitted'] as Record<string, number> | null;
      const shown = shownOf(answer);
      // Nothing is left out while there is room for it.
      if (omitted !== null) expect(textBytes(answer)).toBeGreaterThan(BUDGET - 4000);
      if (omitted?.['changes'] !== undefined && omitted['changes'] > 0) expect(shown.changes).toBeGreaterThan(20);
      expectSameVerdict(answer, await context.service.submit(TX1, args));
      if (omitted?.['diff_lines'] === 0) expect(applyPatch(content, shown.diff)).not.toBe(false);
    }
  });
});

describe('a rejection fits whole, with everything as large as it gets', () => {
  // Six bytes of JSON a character, four in UTF-8 for two units, two for one.
  test.each(['\u0001', '😀', '"', '\\'])('of %j', async (mark) => {
    const long = mark.repeat(300);
    const content =
      `${long}\n`.repeat(12) + Array.from({ length: 40 }, (_, line) => `${mark.repeat(45)}${line}${mark.repeat(45)}\n`).join('');
    const id = await newTarget(context.service, content);
    const name = mark.repeat(80);
    const raw = mark.repeat(9000);
    const match = { match: long.slice(0, -(mark.length * 3)) + 'xyz', replace: long };
    const span = (more: JsonObject): JsonObject => ({
      op: 'span',
      start: 0,
      end: 300,
      expected_text: long,
      replace: long,
      change_id: 'c'.repeat(64),
      ...more,
    });
    const base = { target_file_id: id, intent: long, expected_target_version: 0 };
    const cases: [string, string, JsonObject][] = [
      ['match_absent', TX1, { ...base, edits: [{ ...match, change_id: 'c'.repeat(64) }] }],
      ['match_ambiguous', TX1, { ...base, edits: [{ match: mark.repeat(45), replace: '' }] }],
      ['selector_excludes_all', TX1, { ...base, edits: [{ match: mark.repeat(45), replace: '', anchor_after: 'nowhere' }] }],
      ['span_expected_text_mismatch', 'patchdiff-tx/2', { ...base, operations: [span({ expected_text: match.match })] }],
      ['span_expected_text_mismatch', 'patchdiff-tx/2', { ...base, operations: [span({ expected_after: match.match })] }],
      ['unknown_field', TX1, { ...base, edits: [{ ...match, [name]: 1 }] }],
      ['unknown_field', TX1, { ...base, [name]: 1, edits: [match] }],
      [
        'invalid_client_request_id',
        TX1,
        { ...base, edits: [match], client_request_id: raw, parent_pdcp_log_id: raw, attempt: raw, source: [raw] },
      ],
      ['attempt_malformed', TX1, { ...base, edits: [match], attempt: raw, source: raw }],
      [
        'guard_malformed',
        TX1,
        { ...base, expected_target_version: raw, expected_current_hash: raw, attempt: raw, source: raw, edits: [match] },
      ],
      [
        'text_not_encodable',
        TX1,
        {
          ...base,
          edits: [match],
          client_request_id: `${raw}\ud800`,
          parent_pdcp_log_id: `\0${raw}`,
          source: `${raw}\0`,
          attempt: `${raw}\0`,
        },
      ],
      ['payload_too_large', TX1, { ...base, edits: [{ ...match, replace: mark.repeat(2_200_000) }] }],
    ];
    for (const [code, format, args] of cases) {
      const answer = await context.service.preview({ ...args, format });
      expect(expectSameVerdict(answer, await context.service.submit(format as typeof TX1, args))).toBe(code);
    }
  });
});

describe('a recovered outcome', () => {
  test('of 2,000 changes is cut, and says so', async () => {
    const id = await newTarget(context.service, Array.from({ length: 2000 }, (_, line) => `line ${line};\n`).join(''));
    const edits = Array.from({ length: 2000 }, (_, line) => ({ match: `line ${line};`, replace: `line ${line};` }));
    const args = { target_file_id: id, intent: 'x', expected_target_version: 0, client_request_id: 'k', edits };
    const receipt = await context.service.submit(TX1, args);
    const answer = await context.service.preview({ ...args, format: TX1 });
    expect(textBytes(answer)).toBeLessThanOrEqual(BUDGET);
    const { recorded, omitted } = answer as { recorded: JsonObject; omitted: Record<string, number> };
    const shown = shownOf(recorded);
    expect(answer).toMatchObject({
      status: 'would_recover',
      recorded: { pdcp_log_id: receipt['pdcp_log_id'], status: 'accepted', after_version: 1 },
    });
    expect(shown.changes + (omitted['changes'] ?? 0)).toBe(2000);
    expect(shown.warnings + (omitted['warnings'] ?? 0)).toBe(2001);
    expect(omitted).toMatchObject({ diagnostic_members: 0, receipt_members: 0 });
  });
});

describe('whatever the parts are', () => {
  const parts = (random: Random): [JsonValue[], JsonObject] => {
    const value = (): JsonValue => random.pick<JsonValue>(['x', '\u0001"', '😀', 7, null, ['a', { b: 1 }]]);
    const big = (): JsonValue => (random.chance(0.02) ? random.pick(['é', '\\', '\ud800']).repeat(random.below(9000)) : value());
    const list = Array.from({ length: random.below(random.pick([3, 60, 600])) }, big);
    const members = Object.fromEntries(
      Array.from({ length: random.below(30) }, (_, at) => [`${random.pick(['m', '"', '\ud800'])}${at}`, big()]),
    );
    return [list, members];
  };

  test('the answer fits and counts what is missing', () => {
    const random = new Random(99);
    let cuts = 0;
    for (let round = 0; round < 300; round += 1) {
      const [list, members] = parts(random);
      const pad = 'p'.repeat(random.below(random.pick([10, 20_000])));
      const answer = withinBudget(
        { list: entriesPart('items', list, random.below(20_000)), members: entriesPart('members', members, random.below(20_000)) },
        (cut, omitted) => ({ pad, inner: { list: cut.list }, members: cut.members, omitted }),
      );
      expect(textBytes(answer)).toBeLessThanOrEqual(PREVIEW_BYTES);
      const shownList = (answer['inner'] as JsonObject)['list'] as JsonValue[];
      const shownMembers = Object.keys(answer['members'] as JsonObject);
      expect(shownList).toEqual(list.slice(0, shownList.length));
      expect(shownMembers).toEqual(Object.keys(members).slice(0, shownMembers.length));
      const missing = { items: list.length - shownList.length, members: Object.keys(members).length - shownMembers.length };
      const whole = { pad, inner: { list }, members, omitted: null };
      const fits = textBytes(whole) <= PREVIEW_BYTES;
      expect(answer['omitted']).toEqual(fits ? null : missing);
      if (!fits) cuts += 1;
      if (!fits) expect(missing.items + missing.members).toBeGreaterThan(0);
    }
    expect(cuts).toBeGreaterThan(30);
  });
});

test('an unknown target and a bad argument are small, whatever was sent', async () => {
  const id = await newTarget(context.service, 'a\n');
  const odd = '\u0001'.repeat(100_000);
  for (const args of [
    { format: odd, target_file_id: id },
    { format: TX1, target_file_id: odd },
    { format: TX1, target_file_id: [odd] },
    {},
  ]) {
    const answer = await context.service.preview({ ...edit(id, 0, odd, odd), ...args });
    expect(textBytes(answer)).toBeLessThanOrEqual(BUDGET);
  }
});
