import { expect } from 'vitest';
import type { JsonObject } from '../../../src/service/index.ts';

/** UTF-8 bytes of an answer as the text part of a tool's result. */
export const textBytes = (answer: JsonObject): number => Buffer.byteLength(JSON.stringify(answer));

const REJECTED = [
  'validity',
  'after_hash',
  'failure_reason',
  'failure_code',
  'failure_detail',
  'failed_change_id',
  'diagnostic',
  'current_context',
  'near_misses',
  'near_miss_search',
  'next_step',
];
const ACCEPTED = ['validity', 'after_hash', 'evidence', 'warnings'];

const json = (answer: JsonObject, names: readonly string[]): string =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, answer[name] ?? null])));

/** Holds a preview's answer to the receipt that the submission of the same arguments got right afterwards; says which outcome it was. */
export function expectSameVerdict(previewed: JsonObject, receipt: JsonObject): string {
  expect(textBytes(previewed)).toBeLessThanOrEqual(32_768);
  if (receipt['deduplicated'] === true) {
    expect(previewed).toMatchObject({ status: 'would_recover', would_recover: true, omitted: null });
    const { after_version: version, ...recorded } = previewed['recorded'] as JsonObject;
    expect(recorded).toEqual(receipt);
    if (receipt['status'] === 'accepted') expect(version).toBe(receipt['version']);
    expect(JSON.stringify(recorded['diagnostic'])).toBe(JSON.stringify(receipt['diagnostic']));
    return 'recovered';
  }
  expect(previewed).toMatchObject({ would_recover: false, target_file_id: receipt['target_file_id'] ?? null });
  expect([previewed['version'], previewed['current_hash']]).toEqual([receipt['before_version'], receipt['before_hash']]);
  expect(previewed['after_version']).toBe(receipt['version']);
  if (receipt['status'] === 'accepted') {
    expect(previewed['status']).toBe('would_accept');
    const omitted = previewed['omitted'] as JsonObject | null;
    if (omitted === null) expect(json(previewed, ACCEPTED)).toBe(json(receipt, ACCEPTED));
    else expectPrefixes(previewed, receipt, omitted);
    return 'accepted';
  }
  expect(previewed).toMatchObject({ status: 'would_reject', omitted: null });
  for (const name of REJECTED) expect(json(previewed, [name])).toBe(json(receipt, [name]));
  return receipt['failure_code'] as string;
}

function expectPrefixes(previewed: JsonObject, receipt: JsonObject, omitted: JsonObject): void {
  for (const [name, of] of [
    ['changes', (answer: JsonObject) => (answer['evidence'] as JsonObject)['changes']],
    ['warnings', (answer: JsonObject) => answer['warnings']],
  ] as const) {
    const [shown, all] = [of(previewed) as unknown[], of(receipt) as unknown[]];
    expect(JSON.stringify(shown)).toBe(JSON.stringify(all.slice(0, shown.length)));
    expect(shown.length + (omitted[name] as number)).toBe(all.length);
  }
}
