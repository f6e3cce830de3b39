import type { CallToolResult } from '@modelcontextprotocol/server';

import type { JsonObject } from '../service/common/types.ts';

/**
 * A domain outcome: its structure, and the same as text, since a host shows a model one or the other. A rejection, an invalid
 * argument and an unknown target are such outcomes too.
 */
export function outcomeResult(outcome: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(outcome) }], structuredContent: outcome };
}

/** What an error of the outside world says of itself; the db and workspace rooms throw such. */
interface CodedFailure {
  code: string;
  message: string;
  next: string;
  outcomeUnknown: boolean;
}

const DEFECT: CodedFailure = {
  code: 'internal_error',
  message: 'the server met a defect of its own; its log on stderr says more',
  next: 'Read the document again to see whether the call took effect; a repeat with the same client_request_id is safe.',
  outcomeUnknown: true,
};

export const TIMED_OUT: CodedFailure = {
  code: 'call_timed_out',
  message: 'the call did not finish within its time limit and was cancelled',
  next: 'Send the same call again with the same client_request_id: a repeat returns the first outcome when there is one.',
  outcomeUnknown: true,
};

/**
 * A failure of the outside world: `isError`, a machine code, words and the next step, as text only: a structured part would have
 * to fit the tool's output schema, and a strict client would then hide the error behind a schema error.
 */
export function failureResult(error: unknown): CallToolResult {
  const failure = codedFailure(error) ?? DEFECT;
  const body = {
    status: 'error',
    code: failure.code,
    message: failure.message,
    next_step: failure.next,
    outcome_unknown: failure.outcomeUnknown,
  };
  return { content: [{ type: 'text', text: JSON.stringify(body) }], isError: true };
}

/** Null for a defect: its message may hold anything, so it goes to the log only. */
export function codedFailure(error: unknown): CodedFailure | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, message, next, outcomeUnknown } = error as Partial<Record<keyof CodedFailure, unknown>>;
  if (typeof code !== 'string' || typeof message !== 'string' || typeof next !== 'string') return null;
  return { code, message, next, outcomeUnknown: outcomeUnknown === true };
}
