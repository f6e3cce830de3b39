import { expect } from 'vitest';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { argumentsOf, isSubmission, sha256, type Scenario, type SubmissionStep } from './corpus.ts';
import { expectHints, expectOutcome, outcomeOf } from './expectations.ts';

type Answer = Record<string, unknown>;

/** Where a scenario is played: the tools by name, however they are reached. */
export type Call = (tool: string, args: JsonObject) => Promise<Answer>;

export interface PlayOptions {
  /** Each submission carries a key of its own and is sent again: the same outcome comes back and nothing new happens. */
  keyed: boolean;
  /** Each submission is previewed first: the same verdict and evidence, and nothing is written. */
  previewed: boolean;
}

const SUBMIT: Record<Format, string> = {
  'patchdiff-tx/1': 'patchdiff_submit_edits',
  'patchdiff-tx/2': 'patchdiff_submit_operations',
  'patchdiff-tx/3': 'patchdiff_submit_replacement',
};

const ACCEPTED = ['after_hash', 'validity', 'evidence', 'warnings'];
const REJECTED = [
  ...['failure_reason', 'failure_code', 'failure_detail', 'failed_change_id', 'diagnostic', 'validity'],
  ...['near_misses', 'near_miss_search', 'next_step'],
];
/** What a recovered answer repeats; near misses are searched for once. */
const RECOVERED = [
  ...['status', 'pdcp_log_id', 'before_version', 'before_hash', 'after_hash', 'validity', 'evidence', 'warnings'],
  ...['failure_reason', 'failure_code', 'failure_detail', 'failed_change_id', 'diagnostic'],
];
const PREVIEW_BYTES = 32_768;

/**
 * Plays a scenario to its end and checks every step, the text after it, that the log holds one row a submission and no other,
 * and that the history replays to the text of each version.
 */
export async function play(scenario: Scenario, call: Call, options: PlayOptions): Promise<void> {
  const created = await call('patchdiff_initialize_target', { content: scenario.before, display_name: scenario.name });
  expect(created['status'], JSON.stringify(created)).toBe('created');
  const id = String(created['target_file_id']);
  const contents = [await contentOf(call, id)];
  const attempts: string[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    if (!isSubmission(step)) {
      const answer = await call(`patchdiff_${step.query}`, { target_file_id: id, ...step.arguments });
      expect(answer).toMatchObject(step.expect);
      continue;
    }
    const content = contents.at(-1) ?? '';
    const args = argumentsOf(step, id, contents.length - 1, content);
    const keyed = options.keyed && !('client_request_id' in args);
    const sent = keyed ? { ...args, client_request_id: `${scenario.name}:${index}` } : args;
    attempts.unshift(await submit(call, step, sent, { ...options, keyed }));
    const after = await contentOf(call, id);
    if (step.expect.status === 'accepted') contents.push(after);
    else expect(after).toBe(content);
    if (step.expect.content !== undefined) expect(after).toBe(step.expect.content);
  }
  expect(contents.at(-1)).toBe(scenario.after);
  const log = await call('patchdiff_get_pdcp_log', { target_file_id: id, limit: 200 });
  expect((log['entries'] as Answer[]).map((entry) => entry['pdcp_log_id'])).toEqual(attempts);
  for (const [version, content] of contents.entries()) {
    expect(await call('patchdiff_replay_target', { target_file_id: id, up_to_version: version })).toMatchObject({
      status: 'success',
      reconstructed_version: version,
      reconstructed_hash: sha256(content),
    });
  }
  expect(await call('patchdiff_replay_target', { target_file_id: id })).toMatchObject({ materialized_state_matches: true });
}

/** The attempt's id. */
async function submit(call: Call, step: SubmissionStep, sent: JsonObject, options: PlayOptions): Promise<string> {
  // Preview takes the format as an argument, so an argument of that name cannot be previewed.
  const previewed = options.previewed && !('format' in step.arguments);
  const foreseen = previewed ? await call('patchdiff_preview', { ...sent, format: step.format }) : null;
  const receipt = await call(SUBMIT[step.format], sent);
  expectOutcome(outcomeOf(receipt), step);
  expectHints(receipt, step);
  if (step.expect.status === 'rejected') expect(receipt['failure_code']).toBe((receipt['diagnostic'] as Answer)['failure_code']);
  if (foreseen !== null) expectForeseen(foreseen, receipt, step);
  if (options.keyed) {
    const again = await call(SUBMIT[step.format], sent);
    expect(again['deduplicated']).toBe(true);
    for (const name of RECOVERED) expect([name, again[name]]).toEqual([name, receipt[name]]);
    if (previewed) {
      expect(await call('patchdiff_preview', { ...sent, format: step.format })).toMatchObject({
        status: 'would_recover',
        recorded: { pdcp_log_id: receipt['pdcp_log_id'], status: receipt['status'] },
      });
    }
  }
  return String(receipt['pdcp_log_id']);
}

/** A preview gives what the submission gave, as far as it has room and says what it left out. */
function expectForeseen(foreseen: Answer, receipt: Answer, { expect: { status } }: SubmissionStep): void {
  expect(foreseen['status'], JSON.stringify(foreseen)).toBe(status === 'accepted' ? 'would_accept' : 'would_reject');
  expect(Buffer.byteLength(JSON.stringify(foreseen))).toBeLessThanOrEqual(PREVIEW_BYTES);
  const omitted = (foreseen['omitted'] ?? {}) as Record<string, number>;
  const names = status === 'accepted' ? ACCEPTED : REJECTED;
  for (const name of names) {
    if (name === 'evidence' && (omitted['changes'] ?? 0) > 0) continue;
    if (name === 'warnings' && (omitted['warnings'] ?? 0) > 0) continue;
    expect([name, foreseen[name]]).toEqual([name, receipt[name]]);
  }
}

/** The whole text, page by page. */
async function contentOf(call: Call, id: string): Promise<string> {
  const pages: string[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const page = await call('patchdiff_read_target', { target_file_id: id, start, length: 8000 });
    pages.push(String(page['text']));
    start = page['next_start'] as number | null;
    if (start === null) expect(page['current_hash']).toBe(sha256(pages.join('')));
  }
  return pages.join('');
}
