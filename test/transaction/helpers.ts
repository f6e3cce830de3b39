import { expect } from 'vitest';
import { evaluate, prepareSubmission } from '../../src/transaction/index.ts';
import type { Applied, Fault, Format, JsonObject, JsonValue, NotApplied } from '../../src/transaction/index.ts';
import { sha256 } from './reference.ts';

export const TARGET = '0190a000-0000-7000-8000-00000000000a';

/** Arguments of a submission with a version guard; `more` wins. */
export function argsOf(more: JsonObject): JsonObject {
  return { target_file_id: TARGET, intent: 'test', expected_target_version: 0, ...more };
}

export const edits = (...list: JsonValue[]): JsonObject => argsOf({ edits: list });
export const operations = (...list: JsonValue[]): JsonObject => argsOf({ operations: list });

/** Runs a submission that must be accepted. */
export function accept(format: Format, args: JsonObject, content: string): Applied {
  const evaluation = evaluate(prepareSubmission(format, args), content, sha256);
  if (evaluation.verdict === 'rejected') expect.fail(`${evaluation.fault.code}: ${evaluation.fault.detail}`);
  return evaluation.applied;
}

/** Runs a submission that must be rejected. */
export function reject(format: Format, args: JsonObject, content = 'abc'): Omit<NotApplied, 'ok' | 'changes'> {
  const evaluation = evaluate(prepareSubmission(format, args), content, sha256);
  if (evaluation.verdict === 'accepted') expect.fail(`accepted: ${evaluation.applied.content}`);
  return evaluation;
}

/** Code, path and change id of a fault, in one line. */
export function brief({ code, path, failedChangeId, ordinal }: Fault): string {
  return [code, path ?? '-', failedChangeId ?? '-', ordinal ?? '-'].join(' ');
}
