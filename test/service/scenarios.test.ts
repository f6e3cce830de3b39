import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Format, JsonObject } from '../../src/service/index.ts';
import { newTarget, textOf, useService } from './support/service.ts';

interface Step {
  format: Format;
  guard: 'version' | 'hash' | 'both' | 'none' | JsonObject;
  arguments: JsonObject;
  expect: JsonObject;
}

const FOLDER = new URL('../scenarios/', import.meta.url);
const names = readdirSync(FOLDER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);
const read = (name: string, file: string): string => readFileSync(new URL(`${name}/${file}`, FOLDER), 'utf8');
const canonical = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const context = useService();

describe('through the service, preview and submission say the same, and the text is the stated one', () => {
  test.each(names)('%s', async (name) => {
    const { steps } = JSON.parse(read(name, 'scenario.json')) as { steps: Step[] };
    const { service } = context;
    const id = await newTarget(service, read(name, 'before.txt'));
    for (const step of steps) {
      const head = await service.readTarget({ target_file_id: id });
      const guards: Record<string, JsonObject> = {
        version: { expected_target_version: head['version'] },
        hash: { expected_current_hash: head['current_hash'] },
        both: { expected_target_version: head['version'], expected_current_hash: head['current_hash'] },
        none: {},
      };
      const args = {
        target_file_id: id,
        ...(typeof step.guard === 'string' ? guards[step.guard] : step.guard),
        ...step.arguments,
      } as JsonObject;
      const previewed = 'format' in step.arguments ? null : await service.preview({ ...args, format: step.format });
      const receipt = await service.submit(step.format, args);
      const { status, failure_reason, failure_code, failed_change_id, path, diagnostic, after_hash } = step.expect;
      expect(receipt['status']).toBe(status);
      if (failure_reason !== undefined) expect(receipt['failure_reason']).toBe(failure_reason);
      if (failure_code !== undefined) expect(receipt['failure_code']).toBe(failure_code);
      if (failed_change_id !== undefined) expect(receipt['failed_change_id']).toBe(failed_change_id);
      if (path !== undefined) expect(receipt['diagnostic']).toMatchObject({ path });
      if (diagnostic !== undefined) expect(receipt['diagnostic']).toMatchObject(diagnostic as object);
      if (after_hash !== undefined) expect(receipt['after_hash']).toBe(after_hash);
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
    expect(text).toBe(canonical(read(name, 'after.txt')));
    expect((await service.readTarget({ target_file_id: id }))['current_hash']).toBe(sha256(text));
    expect(await service.replayTarget({ target_file_id: id })).toMatchObject({
      status: 'success',
      materialized_state_matches: true,
      reconstructed_hash: sha256(text),
    });
  });
});
