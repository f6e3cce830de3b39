import { afterAll, beforeAll, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { WARNED } from '../service/support/warned.ts';
import { RawPipe, SERVER } from './support/raw-pipe.ts';

const database = useDatabase();
let pipe: RawPipe;
let calls = 0;

beforeAll(async () => {
  pipe = new RawPipe(SERVER, [], { DATABASE_URL: database.url('writer') });
  await pipe.initialize();
});
afterAll(() => pipe.kill());

/** The structured part, after holding the text part to be its JSON. */
async function call(name: string, args: object): Promise<Record<string, unknown>> {
  calls += 1;
  const { result } = await pipe.call(calls, name, args);
  const [part] = result?.['content'] as { text: string }[];
  expect(part?.text).toBe(JSON.stringify(result?.['structuredContent']));
  return result?.['structuredContent'] as Record<string, unknown>;
}

const TOOL = {
  'patchdiff-tx/1': 'patchdiff_submit_edits',
  'patchdiff-tx/2': 'patchdiff_submit_operations',
  'patchdiff-tx/3': 'patchdiff_submit_replacement',
};

test.each(WARNED.map((warned) => [warned.name, warned] as const))('%s: previewed, submitted and sent again', async (_, warned) => {
  const { target_file_id } = await call('patchdiff_initialize_target', { display_name: 'd', content: warned.content });
  const args = { target_file_id, intent: 'i', expected_target_version: 0, client_request_id: 'k', ...warned.body };
  expect((await call('patchdiff_preview', { ...args, format: warned.format }))['warnings']).toEqual(warned.warnings);
  expect((await call(TOOL[warned.format], args))['warnings']).toEqual(warned.warnings);
  expect(await call(TOOL[warned.format], args)).toMatchObject({ deduplicated: true, warnings: warned.warnings });
});

test('the text part of a preview is what its budget counts', async () => {
  const before = Array.from({ length: 3000 }, (_, line) => `"${line}\\\n`).join('');
  const { target_file_id } = await call('patchdiff_initialize_target', { display_name: 'd', content: before });
  const common = { target_file_id, format: 'patchdiff-tx/3', intent: 'i', expected_target_version: 0 };
  for (const count of [1, 100, 600, 700, 800, 3000]) {
    const replacement = before
      .split('\n')
      .map((line, at) => (at < count ? `😀${line}` : line))
      .join('\n');
    const answer = await call('patchdiff_preview', { ...common, replacement });
    const size = Buffer.byteLength(JSON.stringify(answer));
    expect(size).toBeLessThanOrEqual(32_768);
    if (count === 1) expect(answer['omitted']).toBeNull();
    if (count === 3000) expect(answer['omitted']).toMatchObject({ changes: 0, warnings: 0, diff_lines: expect.any(Number) as number });
    if (answer['omitted'] !== null) expect(size).toBeGreaterThan(32_000);
  }
});
