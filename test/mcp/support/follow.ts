import { expect } from 'vitest';

import type { Host, ToolResult } from './hosts.ts';

export type Args = Record<string, unknown>;
export type Answer = Record<string, unknown>;

/** A tool call of an agent. */
export interface Call {
  tool: string;
  args: Args;
}

/** What an agent has to go on: the refused call, its receipt, and the tools that the receipt's next_step names. */
export interface Refusal {
  call: Call;
  receipt: Answer;
  diagnostic: Answer;
  nextStep: string;
  /** Calls a tool that next_step names; any other is a hint that was not given. */
  read: (tool: string, args: Args) => Promise<Answer>;
}

const SUBMISSIONS = /^patchdiff_submit_(edits|operations|replacement)$/;

/** Plays agents against one server: each acts on a refusal as its next_step says, in one more submission. */
export class Agent {
  readonly #host: Host;
  #keys = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  async answer(tool: string, args: Args): Promise<Answer> {
    const result: ToolResult = await this.#host.call(tool, args);
    expect(result.isError, result.text).toBe(false);
    // An agent reads the text; it must be all there is.
    return JSON.parse(result.text) as Answer;
  }

  async create(content: string, id?: string): Promise<string> {
    const chosen = id === undefined ? {} : { target_file_id: id };
    const made = await this.answer('patchdiff_initialize_target', { content, display_name: 'a document', ...chosen });
    expect(made).toMatchObject({ status: 'created' });
    return made['target_file_id'] as string;
  }

  async text(id: string): Promise<string> {
    return (await this.answer('patchdiff_read_target', { target_file_id: id, length: 8000 }))['text'] as string;
  }

  /** Sends a call that must be refused for `reason`; with a request key, as the server's instructions ask. */
  async refused(call: Call, reason: string): Promise<Refusal> {
    this.#keys += 1;
    const sent = { tool: call.tool, args: { client_request_id: `key-${this.#keys}`, ...call.args } };
    const receipt = await this.answer(sent.tool, sent.args);
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: reason, next_step: expect.any(String) as string });
    const nextStep = receipt['next_step'] as string;
    const read = async (tool: string, args: Args): Promise<Answer> => {
      expect(nextStep, 'the agent was not told to call it').toContain(tool);
      expect(tool).not.toMatch(SUBMISSIONS);
      return this.answer(tool, args);
    };
    return { call: sent, receipt, diagnostic: receipt['diagnostic'] as Answer, nextStep, read };
  }

  /**
   * Does what `correct` makes of the refusal: exactly one more submission, which must be accepted. Another tool than the refused one is
   * taken only when next_step names it. Arguments are those of the refused call but for what `correct` says; the key is a new one only when
   * next_step asks for one.
   */
  async follow(
    refusal: Refusal,
    correct: (refusal: Refusal) => Promise<{ tool?: string; args: Args }> | { tool?: string; args: Args },
  ): Promise<Answer> {
    const { tool = refusal.call.tool, args } = await correct(refusal);
    if (tool !== refusal.call.tool) expect(refusal.nextStep).toContain(tool);
    let key = refusal.call.args['client_request_id'];
    if (refusal.nextStep.includes('client_request_id')) {
      this.#keys += 1;
      key = `key-${this.#keys}`;
    }
    const receipt = await this.answer(tool, { ...refusal.call.args, client_request_id: key, ...args });
    expect(receipt, refusal.nextStep).toMatchObject({ status: 'accepted', deduplicated: false });
    return receipt;
  }
}

/** One exact edit, guarded by the version. */
export const editCall = (target_file_id: string, version: number, ...edits: Args[]): Call => ({
  tool: 'patchdiff_submit_edits',
  args: { target_file_id, intent: 'try', expected_target_version: version, edits },
});

export const operationsCall = (target_file_id: string, version: number, ...operations: Args[]): Call => ({
  tool: 'patchdiff_submit_operations',
  args: { target_file_id, intent: 'try', expected_target_version: version, operations },
});

/** A line as patchdiff_read_lines shows it. */
export interface Line {
  line: number;
  start: number;
  end: number;
  text: string;
}

/** As far as an agent takes something from a near miss. */
interface Place {
  start: number;
  end: number;
  text: string;
}

export const linesOf = async ({ read }: Refusal, id: string, from = 1): Promise<{ answer: Answer; lines: Line[] }> => {
  const answer = await read('patchdiff_read_lines', { target_file_id: id, start_line: from });
  return { answer, lines: answer['lines'] as Line[] };
};
export const guards = (answer: Answer): Args => ({
  expected_target_version: answer['version'],
  expected_current_hash: answer['current_hash'],
});
export const nearMisses = ({ receipt }: Refusal): Place[] => receipt['near_misses'] as Place[];
export const candidates = ({ diagnostic }: Refusal): Answer[] => diagnostic['exact_candidates'] as Answer[];
export const firstEdit = ({ call }: Refusal): Args => (call.args['edits'] as Args[])[0] ?? {};
export const firstOperation = ({ call }: Refusal): Args => (call.args['operations'] as Args[])[0] ?? {};
