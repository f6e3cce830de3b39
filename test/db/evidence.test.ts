import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { Random } from '../helpers/random.ts';
import { newTarget, useService } from '../service/support/service.ts';
import { bareCall, logOf } from './support/attempts.ts';
import { expectedEvidence } from './support/evidence-oracle.ts';
import { sha256 } from './support/invalid-text.ts';

const context = useService();
const ROUNDS = 130;
const SIZES = [0, 1, 2, 127, 128, 129, 255, 256, 257, 300, 384, 511, 512, 513, 900];
/** Of an alphabet the letters recur, so that matches are absent, ambiguous and consumed about equally often. */
const ALPHABETS = [
  ['a', 'b', '\n'],
  ['é', '漢', '\n', 'x'],
  ['😀', '𝒳', 'y'],
  ['e\u0301', '👩\u200d👧', '🇩🇪', '\n'],
  ['a', 'a', 'a', 'a', 'b'],
  ['"', '\\', '\u0001', '\t', '\u2028', '\ufeff', '\n'],
];
let admin: pg.Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
});

function contentOf(random: Random, size: number): { content: string; alphabet: string[] } {
  const alphabet = random.pick(ALPHABETS);
  const points = Array.from(random.text(alphabet, size));
  return { content: points.slice(0, size).join(''), alphabet };
}

/** A change that often fails: what it looks for is taken from the text, from what earlier changes wrote, or from nowhere. */
function changeOf(random: Random, points: string[], alphabet: string[], format: Format): JsonObject {
  const piece = (most: number): string => {
    const start = random.chance(0.3) ? 0 : random.chance(0.3) ? Math.max(0, points.length - 3) : random.below(points.length + 1);
    return points.slice(start, start + 1 + random.below(most)).join('');
  };
  const text = (most: number): string => (random.chance(0.75) ? piece(most) : random.text(alphabet, 1 + random.below(most))) || 'zz';
  const replace = random.chance(0.4) ? '' : random.text(alphabet, random.below(4));
  if (format === 'patchdiff-tx/1' || random.chance(0.5)) {
    const op = format === 'patchdiff-tx/1' ? {} : { op: 'match' };
    const selector = random.pick<JsonObject>([{}, {}, {}, { occurrence_index: 1 + random.below(7) }, { anchor_before: text(3) }, { anchor_after: text(3) }]);
    return { ...op, match: random.chance(0.1) ? `${text(400)}\r\n${'q'.repeat(random.below(400))}` : text(random.chance(0.5) ? 2 : 12), replace, ...selector };
  }
  const start = random.chance(0.3) ? points.length : random.below(points.length + 2);
  const end = random.chance(0.05) ? start - 1 : start + random.below(random.chance(0.1) ? 400 : 4);
  const expected = random.chance(0.5) ? points.slice(start, end).join('') : text(400);
  const near = random.pick<JsonObject>([{}, { expected_before: text(300) }, { expected_after: text(300) }]);
  return { op: 'span', start, end: Math.max(0, end), expected_text: expected, replace, ...near };
}

function submissionOf(random: Random, id: string, version: number, content: string, alphabet: string[]): { format: Format; args: JsonObject; changes: JsonObject[] } {
  const format = random.pick<Format>(['patchdiff-tx/1', 'patchdiff-tx/2', 'patchdiff-tx/2']);
  const changes: JsonObject[] = [];
  const points = Array.from(content);
  const count = random.pick([1, 1, 2, 3, 5]);
  while (changes.length < count) {
    const change = changeOf(random, points, alphabet, format);
    changes.push(change);
    // Changes that apply go before one that does not, else nothing would ever be seen of an intermediate buffer.
    if (changes.length < count && expectedEvidence(content, changes) !== null && random.chance(0.9)) changes.pop();
    if (random.chance(0.02)) break;
  }
  const container = format === 'patchdiff-tx/1' ? 'edits' : 'operations';
  return { format, args: { target_file_id: id, intent: 'i', expected_target_version: version, [container]: changes }, changes };
}

const CODES = ['match_absent', 'match_ambiguous', 'selector_excludes_all', 'sequential_match_invalid', 'span_out_of_bounds', 'span_expected_text_mismatch'];
const seen = new Map<string, number>();

describe.each([11, 12, 13, 14])('evidence is what an independent reading finds (seed %i)', (seed) => {
  test('of every change that does not apply, in the row and in the answer', { timeout: 300_000 }, async () => {
    const random = new Random(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { content, alphabet } = contentOf(random, SIZES[round % SIZES.length]!);
      const id = await newTarget(context.service, `${content}!`);
      // The context must name the version and hash of the start, which are not those of the creation.
      const version = 1;
      await context.service.submit('patchdiff-tx/3', { target_file_id: id, intent: 'i', expected_target_version: 0, replacement: content });
      const { format, args, changes } = submissionOf(random, id, version, content, alphabet);
      const expected = expectedEvidence(content, changes);
      if (expected === null) continue;
      const receipt = await context.service.submit(format, args);
      const said = JSON.stringify({ seed, round, content, changes });
      expect(receipt, said).toMatchObject({ status: 'rejected', failure_code: expected.code, current_version: version });
      seen.set(expected.code, (seen.get(expected.code) ?? 0) + 1);
      if (expected.ordinal > 1) seen.set('intermediate', (seen.get('intermediate') ?? 0) + 1);

      const diagnostic = receipt['diagnostic'] as JsonObject;
      const { failure_code, format: name, validation_stage, retryable, requires_new_submission, decided_by, path, ordinal, failure_context, ...members } = diagnostic;
      expect({ failure_code, name, validation_stage, retryable, requires_new_submission, decided_by, ordinal }).toEqual({
        failure_code: expected.code,
        name: format,
        validation_stage: 'transaction_applicability',
        retryable: true,
        requires_new_submission: true,
        decided_by: 'runtime',
        ordinal: expected.ordinal,
      });
      expect(path === undefined, said).toBe(expected.code !== 'span_expected_text_mismatch');
      expect(failure_context, said).toEqual({ ...expected.context, version, hash: sha256(content) });
      expect(members, said).toEqual(expected.members);

      const head = Array.from(content).slice(0, 256);
      expect(receipt['current_context']).toEqual({ version, hash: sha256(content), start: 0, end: head.length, total_chars: Array.from(content).length, text: head.join('') });
      const row = (await logOf(admin, id)).at(-1)!;
      expect(JSON.parse(row.diagnostic!)).toEqual(diagnostic);
      expect(JSON.stringify(row)).not.toContain('current_context');

      // The database finds the same by itself, when the caller only says that it does not apply.
      const call = bareCall(prepareSubmission(format, args), id, { verdict: 'rejected', diagnostic: JSON.stringify({ failure_reason: receipt['failure_reason'] }), baseHash: sha256(content) });
      const alone = await commitAttempt(context.database, call);
      expect(JSON.stringify(alone.diagnostic)).toBe(row.diagnostic);
    }
  });
});

test('the random submissions reached every reason, and intermediate buffers', () => {
  for (const code of [...CODES, 'intermediate']) expect(seen.get(code) ?? 0, code).toBeGreaterThan(8);
});
