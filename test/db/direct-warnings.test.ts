import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { evaluate, prepareSubmission, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';
import { callDirect } from './support/direct.ts';

const database = useDatabase();
const NIL = '00000000-0000-0000-0000-000000000000';
const ALPHABET = ['a', 'a', 'b', 'é'];

/** Changes that meet one another's text: deletions, insertions, rewritings of a text by itself, and matches by index among them. */
function randomOperations(random: Random, content: string): JsonObject[] {
  const operations: JsonObject[] = [];
  let buffer = content;
  for (let turn = 0; turn < 40 && operations.length < 5; turn += 1) {
    const points = Array.from(buffer);
    const start = random.below(points.length + 1);
    const end = Math.min(points.length, start + random.below(4));
    const text = points.slice(start, end).join('');
    const replace = random.chance(0.3) ? text : random.text(ALPHABET, random.below(3));
    const operation: JsonObject = random.chance(0.5)
      ? { op: 'span', start, end, expected_text: text, replace }
      : { op: 'match', match: text || 'a', replace, occurrence_index: 1 + random.below(6) };
    const outcome = evaluate(prepareSubmission('patchdiff-tx/2', submission(NIL, 0, [operation])), buffer, sha256);
    if (outcome.verdict !== 'accepted') continue;
    operations.push(operation);
    buffer = outcome.applied.content;
  }
  return operations;
}

const submission = (id: string, version: number, operations: JsonObject[]): JsonObject => ({
  target_file_id: id,
  intent: 'i',
  expected_target_version: version,
  operations,
});

test('the database derives the warnings that a runtime gives, but for those of grapheme clusters', async () => {
  const random = new Random(20_261_130);
  const writer = await database.client('writer');
  const id = randomUUID();
  const start = random.text(ALPHABET, 12);
  await writer.query(`select patchdiff.create_target($1, 'doc', $2)`, [id, start]);
  const seen = new Map<string, number>();
  for (let round = 0; round < 400; round += 1) {
    const { rows } = await writer.query<{ content: string; version: string }>('select current_content as content, version from patchdiff.read_target($1)', [id]);
    const { content, version } = rows[0]!;
    const operations = randomOperations(random, content);
    // Room to go on with.
    if (content.length < 8) operations.push({ op: 'span', start: 0, end: 0, expected_text: '', replace: random.text(ALPHABET, 12) });
    if (content.length > 40) operations.push({ op: 'span', start: 0, end: 0, expected_text: '', replace: '' });
    const outcome = evaluate(prepareSubmission('patchdiff-tx/2', submission(id, Number(version), operations)), content, sha256);
    const receipt = await callDirect(writer, {
      routine: 'commit_spans',
      values: { p_target_file_id: id, p_spans: JSON.stringify(operations), p_intent: 'i', p_expected_target_version: version },
    });
    if (outcome.verdict !== 'accepted') continue;
    const advice = outcome.applied.warnings.filter(({ code }) => code !== 'grapheme_boundary_split');
    expect(receipt['warnings'] ?? [], JSON.stringify({ content, operations })).toEqual(advice);
    for (const { code } of advice) seen.set(code, (seen.get(code) ?? 0) + 1);
  }
  expect(seen.get('occurrence_index_basis_shift')).toBeGreaterThan(50);
});
