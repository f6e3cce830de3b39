import type { JsonObject } from '../../transaction/index.ts';
import type { ArgumentFault } from './arguments.ts';

/** The answer of a read, search or history tool whose argument broke a rule. Never echoes the value. */
export function invalidArgument(fault: ArgumentFault): JsonObject {
  return {
    status: 'invalid_argument',
    argument: fault.argument,
    kind: fault.kind,
    rule: fault.rule,
    detail: `${fault.argument}: ${fault.rule}; got ${fault.sent}`,
    next_step: fault.next ?? `Send the call again with ${fault.argument} as stated.`,
  };
}

export function notFound(targetFileId: string): JsonObject {
  return {
    status: 'not_found',
    target_file_id: targetFileId,
    detail: 'no target has this id',
    next_step: 'Find the id with patchdiff_list_targets, or create the target with patchdiff_initialize_target.',
  };
}

/** A history tool's answer without a page: the page is there and empty. */
export function withoutPage(answer: JsonObject): JsonObject {
  return { ...answer, entries: [], has_more: false, next_sequence: null };
}
