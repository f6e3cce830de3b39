import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { connectNew, connectOld, type Host } from '../mcp/support/hosts.ts';
import { argumentsOf, scenarios, sha256, type Step } from './corpus.ts';
import { expectOutcome, type Outcome } from './expectations.ts';

const TOOLS: Record<Format, string> = {
  'patchdiff-tx/1': 'patchdiff_submit_edits',
  'patchdiff-tx/2': 'patchdiff_submit_operations',
  'patchdiff-tx/3': 'patchdiff_submit_replacement',
};

interface State {
  targetFileId: string;
  version: number;
  content: string;
}

describe.each([
  ['the 2.x client', connectNew],
  ['the 1.x client', connectOld],
])('scenarios over stdio with %s', (_, connect) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await createDatabase();
    host = await connect({ env: { DATABASE_URL: database.url('writer') } });
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  it.each(scenarios())('$name: $title', async ({ before, after, steps }) => {
    const created = await call('patchdiff_initialize_target', { content: before, display_name: 'scenario' });
    expect(created['status'], JSON.stringify(created)).toBe('created');
    const state: State = { targetFileId: String(created['target_file_id']), version: 0, content: '' };
    state.content = await contentOf(state.targetFileId);
    for (const step of steps) expectOutcome(await play(state, step), step);
    expect(state.content).toBe(after);
    const replayed = await call('patchdiff_replay_target', { target_file_id: state.targetFileId });
    expect(replayed).toMatchObject({ status: 'success', materialized_state_matches: true, reconstructed_hash: sha256(after) });
  });

  async function call(tool: string, args: JsonObject): Promise<Record<string, unknown>> {
    const result = await host.call(tool, args);
    expect(result.isError, result.text).toBe(false);
    return result.structured ?? {};
  }

  /** The whole text, page by page. */
  async function contentOf(targetFileId: string): Promise<string> {
    const pages: string[] = [];
    for (let start: number | null = 0; start !== null; ) {
      const page = await call('patchdiff_read_target', { target_file_id: targetFileId, start, length: 8000 });
      pages.push(String(page['text']));
      start = page['next_start'] as number | null;
    }
    return pages.join('');
  }

  async function play(state: State, step: Step): Promise<Outcome> {
    const receipt = await call(TOOLS[step.format], argumentsOf(step, state.targetFileId, state.version, state.content));
    state.version = Number(receipt['current_version']);
    state.content = await contentOf(state.targetFileId);
    expect(receipt['current_hash']).toBe(sha256(state.content));
    return {
      status: String(receipt['status']),
      failure_reason: (receipt['failure_reason'] ?? null) as string | null,
      failed_change_id: (receipt['failed_change_id'] ?? null) as string | null,
      after_hash: String(receipt['after_hash']),
      warnings: (receipt['warnings'] ?? []) as unknown[],
      changes: ((receipt['evidence'] as { changes?: unknown[] } | undefined)?.changes ?? []),
      diagnostic: (receipt['diagnostic'] ?? null) as JsonObject | null,
    };
  }
});
