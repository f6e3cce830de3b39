import { expect } from 'vitest';
import type { JsonObject } from '../../src/transaction/index.ts';
import type { Step } from './corpus.ts';

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
export function expectOutcome(outcome: Outcome, step: Step): void {
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
  if (stated.changes !== undefined) expect(outcome.changes).toMatchObject(stated.changes);
  if (stated.diagnostic !== undefined) expect(outcome.diagnostic).toMatchObject(stated.diagnostic);
}
