import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { argumentsOf, scenarios, sha256 } from '../scenarios/corpus.ts';
import { expectOutcome } from '../scenarios/expectations.ts';
import { newTarget, textOf, useService } from './support/service.ts';

const context = useService();

describe('through the service, preview and submission say the same, and the text is the stated one', () => {
  test.each(scenarios())('$name: $title', async ({ before, after, steps }) => {
    const { service } = context;
    const id = await newTarget(service, before);
    for (const step of steps) {
      const head = await service.readTarget({ target_file_id: id });
      const args = argumentsOf(step, id, head['version'] as number, await textOf(service, id));
      const previewed = 'format' in step.arguments ? null : await service.preview({ ...args, format: step.format });
      const receipt = await service.submit(step.format, args);
      const { status } = step.expect;
      expectOutcome(
        {
          status: receipt['status'] as string,
          failure_reason: (receipt['failure_reason'] ?? null) as string | null,
          failed_change_id: (receipt['failed_change_id'] ?? null) as string | null,
          after_hash: receipt['after_hash'] as string,
          warnings: (receipt['warnings'] ?? []) as unknown[],
          changes: ((receipt['evidence'] as JsonObject | undefined)?.['changes'] ?? []) as unknown[],
          diagnostic: (receipt['diagnostic'] ?? null) as JsonObject | null,
        },
        step,
      );
      if (status === 'rejected') expect(receipt['failure_code']).toBe((receipt['diagnostic'] as JsonObject)['failure_code']);
      if (previewed !== null) {
        expect(previewed['status']).toBe(status === 'accepted' ? 'would_accept' : 'would_reject');
        expect(Buffer.byteLength(JSON.stringify(previewed))).toBeLessThanOrEqual(32_768);
        const evidence =
          status === 'accepted'
            ? ['after_hash', 'evidence', 'warnings', 'validity']
            : [
                'failure_reason',
                'failure_code',
                'failure_detail',
                'failed_change_id',
                'diagnostic',
                'validity',
                'near_misses',
                'near_miss_search',
                'next_step',
              ];
        const shown = previewed['omitted'] ? evidence.filter((key) => key !== 'evidence' && key !== 'warnings') : evidence;
        for (const key of shown) expect([key, previewed[key]]).toEqual([key, receipt[key]]);
      }
    }
    const text = await textOf(service, id);
    expect(text).toBe(after);
    expect((await service.readTarget({ target_file_id: id }))['current_hash']).toBe(sha256(text));
    expect(await service.replayTarget({ target_file_id: id })).toMatchObject({
      status: 'success',
      materialized_state_matches: true,
      reconstructed_hash: sha256(text),
    });
  });
});
