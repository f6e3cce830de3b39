import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readRecentChanges } from '../../src/db/calls/read-recent-changes.ts';
import { DatabaseError, databaseError } from '../../src/db/sqlstate.ts';
import type { JsonObject } from '../../src/service/index.ts';
import { both, explanation, watched } from './support/near-misses.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';

describe('a text that a version before still held', () => {
  /** Four versions, of which the second removed `beta`; its attempt's id. */
  async function edited(id: string): Promise<unknown> {
    const receipts: JsonObject[] = [];
    for (const [version, match, replace] of [
      [0, 'alpha', 'alpha one'],
      [1, 'the beta line', 'some other words'],
      [2, 'gamma', 'gamma two'],
      [3, 'delta', 'delta three'],
    ] as const) {
      receipts.push(await context.service.submit(TX1, edit(id, version, match, replace, { intent: `edit ${version}` })));
    }
    expect(receipts.map((receipt) => receipt['status'])).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
    return receipts[1]!['pdcp_log_id'];
  }
  const text = 'alpha\nthe beta line\ngamma\ndelta\n';

  test('is named with the change that removed it, by submit and by preview, for one read more', async () => {
    const id = await newTarget(context.service, text);
    const removal = await edited(id);
    const { service, asked } = watched(context.database);
    await service.readTarget({ target_file_id: id });
    asked.length = 0;
    const { receipt, preview } = await both(service, TX1, edit(id, 4, 'the beta line', 'x'));
    expect(explanation(receipt)).toEqual({
      kind: 'earlier_version',
      message: `Version 1 still had this text; version 2 removed it (change chg_001 of attempt ${String(removal)}). Read the current version.`,
      expected: 'the beta line',
      actual: '',
      version: 1,
      change_id: 'chg_001',
      pdcp_log_id: removal,
      intent: 'edit 1',
    });
    expect(explanation(preview)).toEqual(explanation(receipt));
    expect(asked).toEqual(['preview_facts', 'read_recent_changes', 'commit_attempt', 'read_recent_changes']);
  });

  test('is recognised as this very change, made before', async () => {
    const id = await newTarget(context.service, text);
    const removal = await edited(id);
    const receipt = await context.another().submit(TX1, edit(id, 4, 'the beta line', 'some other words'));
    expect(explanation(receipt)).toMatchObject({ kind: 'already_replaced', line: 2 });
    await context.service.submit(TX1, edit(id, 4, 'some other words', 'gone'));
    const later = await context.another().submit(TX1, edit(id, 5, 'the beta line', 'some other words'));
    expect(explanation(later)).toMatchObject({ kind: 'already_replaced', version: 1, pdcp_log_id: removal });
  });

  test('costs nothing where it cannot help: version 0, an explanation at hand, content still in memory, recovery', async () => {
    const id = await newTarget(context.service, text);
    const { service, asked } = watched(context.database);
    const reads = (): number => asked.filter((name) => name === 'read_recent_changes').length;
    await service.submit(TX1, edit(id, 0, 'nowhere to be found', 'x', { client_request_id: 'k' }));
    expect(reads()).toBe(0);
    await service.submit(TX1, edit(id, 0, 'alpha', 'ALEPH'));
    expect(explanation(await service.submit(TX1, edit(id, 1, 'The Beta Line', 'x')))).toMatchObject({ kind: 'case' });
    expect(explanation(await service.submit(TX1, edit(id, 1, 'alpha\nthe beta', 'x')))).toMatchObject({
      kind: 'earlier_version',
      version: 0,
    });
    expect(await service.submit(TX1, edit(id, 0, 'nowhere to be found', 'x', { client_request_id: 'k' }))).toMatchObject({
      deduplicated: true,
      near_misses: [],
      near_miss_search: null,
    });
    expect(reads()).toBe(0);
    expect(explanation(await service.submit(TX1, edit(id, 1, 'nowhere to be found', 'x')))).toBeUndefined();
    expect(reads()).toBe(1);
  });

  test.each<[string, () => Promise<never>]>([
    ['refused', () => Promise.reject(databaseError({ code: '42883' }, 'statement'))],
    [
      'cut off',
      () => Promise.reject(new DatabaseError({ kind: 'unavailable', code: 'connection_lost', message: 'x', next: 'x' }, null, null, true)),
    ],
    ['broken', () => Promise.reject(new TypeError('a defect'))],
    ['never answered', () => new Promise<never>(() => undefined)],
  ])('a look-up that is %s costs the hint and not the receipt', async (_, failure) => {
    const id = await newTarget(context.service, text);
    await edited(id);
    const { service } = watched(context.database, ({ name }) => (name === 'read_recent_changes' ? failure() : null));
    const { receipt, preview } = await both(service, TX1, edit(id, 4, 'the beta line', 'x'));
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: 'match_absent', near_miss_search: { complete: true } });
    expect(preview).toMatchObject({ status: 'would_reject', failure_reason: 'match_absent' });
    expect([explanation(receipt), explanation(preview)]).toEqual([undefined, undefined]);
  });

  test('a caller that gives up after the commit still gets what was recorded', async () => {
    const id = await newTarget(context.service, text);
    await edited(id);
    const abort = new AbortController();
    const { service } = watched(context.database, ({ name }) => {
      if (name === 'read_recent_changes') abort.abort();
      return null;
    });
    const receipt = await service.submit(TX1, edit(id, 4, 'the beta line', 'x'), { signal: abort.signal });
    expect(receipt).toMatchObject({ status: 'rejected', failure_reason: 'match_absent' });
  });

  test('is looked for in eight attempts at most, never behind a replaced whole, and not for an unknown target', async () => {
    const id = await newTarget(context.service, '0\nkept\n');
    for (let version = 0; version < 10; version += 1)
      await context.service.submit(TX1, edit(id, version, `${version}\n`, `${version + 1}\n`));
    const changes = await readRecentChanges(context.database, id, 10);
    expect(changes.map((change) => [change.before_version, change.after_version, change.span_starts])).toEqual(
      Array.from({ length: 8 }, (_, i) => [9 - i, 10 - i, [0]]),
    );
    expect(explanation(await context.another().submit(TX1, edit(id, 10, '1\nkept', 'x')))).toBeUndefined();
    expect(explanation(await context.another().submit(TX1, edit(id, 10, '2\nkept', 'x')))).toMatchObject({ version: 2 });
    await context.service.submit('patchdiff-tx/3', {
      target_file_id: id,
      intent: 'all',
      expected_target_version: 10,
      replacement: 'new\n',
    });
    expect(await readRecentChanges(context.database, id, 11)).toEqual([]);
    expect(await readRecentChanges(context.database, randomUUID(), 3)).toEqual([]);
    const big = 'x'.repeat(700_000);
    await context.service.submit(TX1, edit(id, 11, 'new', big));
    await context.service.submit(TX1, edit(id, 12, big, 'y'));
    expect(await readRecentChanges(context.database, id, 13)).toHaveLength(1);
  });
});
