import { expect } from 'vitest';
import type { JsonObject } from '../../src/transaction/index.ts';
import { sha256, type SubmissionStep } from './corpus.ts';

/** What a runner saw of one step, in the words of a receipt. */
export interface Outcome {
  status: string;
  failure_reason: string | null;
  failed_change_id: string | null;
  after_hash: string;
  warnings: unknown[];
  changes: unknown[];
  diagnostic: JsonObject | null;
}

/** Compares an outcome with what the scenario says; a subset, but each stated value exactly. */
export function expectOutcome(outcome: Outcome, step: SubmissionStep): void {
  const { expect: stated } = step;
  expect(outcome.status, JSON.stringify(outcome.diagnostic)).toBe(stated.status);
  if (stated.status === 'accepted') {
    expect(outcome.warnings).toEqual(stated.warnings ?? []);
  } else {
    expect(outcome.failure_reason).toBe(stated.failure_reason);
    expect(outcome.diagnostic).not.toBeNull();
  }
  if (stated.failure_code !== undefined) expect(outcome.diagnostic?.['failure_code']).toBe(stated.failure_code);
  if (stated.failed_change_id !== undefined) expect(outcome.failed_change_id).toBe(stated.failed_change_id);
  if (stated.path !== undefined) expect(outcome.diagnostic?.['path']).toBe(stated.path);
  if (stated.after_hash !== undefined) expect(outcome.after_hash).toBe(stated.after_hash);
  if (stated.content !== undefined) expect(outcome.after_hash).toBe(sha256(stated.content));
  if (stated.changes !== undefined) expect(outcome.changes).toMatchObject(stated.changes);
  if (stated.diagnostic !== undefined) expect(outcome.diagnostic).toMatchObject(stated.diagnostic);
}

/** The outcome that a receipt, or a preview of one, states. */
export function outcomeOf(receipt: Readonly<Record<string, unknown>>): Outcome {
  const evidence = receipt['evidence'] as { changes?: unknown[] } | undefined;
  return {
    status: String(receipt['status']),
    failure_reason: (receipt['failure_reason'] ?? null) as string | null,
    failed_change_id: (receipt['failed_change_id'] ?? null) as string | null,
    after_hash: String(receipt['after_hash']),
    warnings: (receipt['warnings'] ?? []) as unknown[],
    changes: evidence?.changes ?? [],
    diagnostic: (receipt['diagnostic'] ?? null) as JsonObject | null,
  };
}

/** Compares what an answer gives beside the outcome. */
export function expectHints(answer: Readonly<Record<string, unknown>>, { hints }: SubmissionStep): void {
  if (hints?.near_misses !== undefined) expect(answer['near_misses']).toMatchObject(hints.near_misses);
  if (hints?.near_miss_search !== undefined) expect(answer['near_miss_search']).toMatchObject(hints.near_miss_search);
}
