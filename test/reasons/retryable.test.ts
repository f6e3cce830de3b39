import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FailureReason } from '../../src/transaction/index.ts';
import { FAULT_CODES, faultOf, isRetryable, validityOf } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { REASONS, STAGES, VALIDITY } from './contract.ts';

/* One set of retryable reasons in each layer, and both the contract's; one table of words in each layer, and both the same. */

const database = useDatabase();
const PAIRS = Object.keys(REASONS).flatMap((reason) => STAGES.map((stage) => ({ reason: reason as FailureReason, stage })));

describe('both layers know the one set', () => {
  test('src/transaction', () => {
    for (const { reason, stage } of PAIRS) {
      if (!REASONS[reason].stages.includes(stage)) continue;
      expect(isRetryable(reason, stage), `${reason} at ${stage}`).toBe(REASONS[reason].retryable.includes(stage));
    }
    for (const stage of STAGES) {
      const { protocol_valid, transaction_valid, task_correct, semantic } = validityOf(stage);
      expect([protocol_valid, transaction_valid], stage).toEqual(VALIDITY[stage]);
      expect([task_correct, semantic]).toEqual(['not_evaluated', 'not_evaluated']);
    }
  });

  test('patchdiff_store, for every reason at every stage, also those that do not go together', async () => {
    const admin = await database.client('admin');
    const { rows } = await admin.query<{ reason: FailureReason; stage: (typeof STAGES)[number]; retryable: boolean }>(
      `select p.reason, p.stage, patchdiff_store.is_retryable(p.reason, p.stage) as retryable
       from unnest($1::text[], $2::text[]) as p(reason, stage)`,
      [PAIRS.map(({ reason }) => reason), PAIRS.map(({ stage }) => stage)],
    );
    expect(rows).toHaveLength(PAIRS.length);
    for (const { reason, stage, retryable } of rows)
      expect([reason, stage, retryable]).toEqual([reason, stage, isRetryable(reason, stage)]);
  });

  test('and the same words, reason and stage for every code', async () => {
    const admin = await database.client('admin');
    for (const code of FAULT_CODES) {
      const { rows } = await admin.query<{ stage: string; reason: string; words: string }>(
        'select * from patchdiff_store.failure_words($1)',
        [code],
      );
      // Without values both leave their places open, as `{name}`.
      const { stage, reason, detail } = faultOf(code);
      expect([code, ...rows]).toEqual([code, { stage, reason, words: detail }]);
    }
  });
});

describe('nobody else has a list of its own', () => {
  const root = path.join(import.meta.dirname, '../..');
  const files = (folder: string, ending: string): string[] =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => path.join(folder, name));
  /** Lines that decide the member, without those of the definition itself. */
  const deciding = (names: string[], pattern: RegExp): string[] =>
    names.flatMap((name) =>
      readFileSync(path.join(root, name), 'utf8')
        .split('\n')
        .flatMap((line) => (pattern.test(line) ? [`${name}: ${line.trim()}`] : [])),
    );

  test('TypeScript: whoever says retryable asks isRetryable', () => {
    const lines = deciding(files('src', '.ts'), /\bretryable\s*[:=]/);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain('isRetryable(');
  });

  test('SQL: whoever says retryable asks patchdiff_store.is_retryable', () => {
    const lines = deciding(files('db/procedures', '.sql'), /"retryable"/);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toContain('patchdiff_store.is_retryable(');
  });
});
