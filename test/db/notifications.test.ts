import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { openDatabase } from '../../src/db/pool.ts';
import { evaluate, prepareSubmission } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from './support/attacks.ts';
import { bareCall } from './support/attempts.ts';
import { callDirect, type DirectCall, type Receipt } from './support/direct.ts';

const database = useDatabase();
let admin: pg.Client;
let writer: pg.Client;
let listener: pg.Client;
let heard: string[];

beforeAll(async () => {
  admin = await database.client('admin');
  writer = await database.client('writer');
  listener = await database.client('auditor');
  listener.on('notification', ({ channel, payload }) => heard.push(`${channel} ${payload ?? ''}`));
  await listener.query('listen patchdiff_commits');
});
beforeEach(async () => {
  heard = [];
  await admin.query('delete from patchdiff_store.commit_subscriptions');
});

async function target(content: string): Promise<string> {
  const id = randomUUID();
  await writer.query(`select patchdiff.create_target($1, 'doc', $2)`, [id, content]);
  return id;
}

const match = (id: string, version: number, wanted: string, replace: string): DirectCall => ({
  routine: 'commit_match',
  values: { p_target_file_id: id, p_match: wanted, p_replace: replace, p_intent: 'i', p_expected_target_version: version },
});

/** What has arrived. Notifications come in the order of commits, so everything sent before this marker stands before it. */
async function arrived(): Promise<string[]> {
  const marker = `marker ${randomUUID()}`;
  await admin.query(`select pg_notify('patchdiff_commits', $1)`, [marker]);
  while (!heard.includes(`patchdiff_commits ${marker}`)) await listener.query('select 1');
  return heard.filter((one) => !one.startsWith('patchdiff_commits marker'));
}

const said = (id: string, receipt: Receipt): string =>
  `patchdiff_commits {"target_file_id":"${id}","pdcp_log_id":"${receipt['pdcp_log_id'] as string}","version":${receipt['after_version'] as string}}`;

describe('commits are announced', () => {
  test('to nobody while nobody has subscribed', async () => {
    const id = await target('text');
    await callDirect(writer, match(id, 0, 'ex', 'oas'));
    expect(await arrived()).toEqual([]);
  });

  test('by ids alone, once they are committed, and never for a rejection, a recovery or a rollback', async () => {
    const id = await target('a secret text');
    await listener.query(`select patchdiff.subscribe_commits('test')`);
    await writer.query('begin');
    const first = await callDirect(writer, match(id, 0, 'ex', 'oas'));
    expect(await arrived()).toEqual([]);
    await writer.query('commit');
    expect(await arrived()).toEqual([said(id, first)]);
    expect(heard.join()).not.toContain('secret');

    heard = [];
    await callDirect(writer, match(id, 1, 'gone', ''));
    await writer.query('begin');
    await callDirect(writer, match(id, 1, 'secret', 's'));
    await writer.query('rollback');
    const keyed = { ...match(id, 1, 'secret', 's') };
    keyed.values['p_client_request_id'] = 'key';
    const second = await callDirect(writer, keyed);
    expect(await callDirect(writer, keyed)).toMatchObject({ deduplicated: true });
    expect(await arrived()).toEqual([said(id, second)]);
  });

  test('those of commit_attempt too', async () => {
    const id = await target('text');
    await listener.query(`select patchdiff.subscribe_commits('test')`);
    const submission = prepareSubmission('patchdiff-tx/3', { target_file_id: id, intent: 'i', expected_target_version: 0, replacement: 'new' });
    const claim = evaluate(submission, 'text', sha256);
    if (claim.verdict !== 'accepted') throw new Error('unreachable');
    const pool = openDatabase({ connectionString: database.url('writer'), max: 1 });
    const row = await commitAttempt(
      pool,
      bareCall(submission, id, { verdict: 'accepted', baseHash: sha256('text'), resolvedStarts: [0], afterHash: claim.applied.afterHash }),
    );
    await pool.close();
    expect(await arrived()).toEqual([said(id, { ...row, after_version: String(row.after_version) })]);
  });

  test('until the lease has run out or is given back', async () => {
    const id = await target('0');
    await listener.query(`select patchdiff.subscribe_commits('one', '1 hour')`);
    // As if the hour had passed: the row is what decides.
    await admin.query(`update patchdiff_store.commit_subscriptions set expires_at = clock_timestamp() - interval '1 second'`);
    await callDirect(writer, match(id, 0, '0', '1'));
    expect(await arrived()).toEqual([]);

    await listener.query(`select patchdiff.subscribe_commits('one')`);
    await callDirect(writer, match(id, 1, '1', '2'));
    expect(await arrived()).toHaveLength(1);

    const { rows } = await listener.query<{ ended: boolean }>(`select patchdiff.unsubscribe_commits('one') as ended`);
    expect(rows).toEqual([{ ended: true }]);
    heard = [];
    await callDirect(writer, match(id, 2, '2', '3'));
    expect(await arrived()).toEqual([]);
  });
});

describe('subscriptions', () => {
  test('are renewed in place, each login has its own, and stale ones go with the next call', async () => {
    await listener.query(`select patchdiff.subscribe_commits('same', '1 minute')`);
    await listener.query(`select patchdiff.subscribe_commits('same', '1 hour')`);
    await writer.query(`select patchdiff.subscribe_commits('same', '1 minute')`);
    expect((await writer.query(`select patchdiff.unsubscribe_commits('same') as ended`)).rows).toEqual([{ ended: true }]);
    expect((await writer.query(`select patchdiff.unsubscribe_commits('same') as ended`)).rows).toEqual([{ ended: false }]);
    const left = 'select subscriber, db_session_user, expires_at > clock_timestamp() + $1::interval as long from patchdiff_store.commit_subscriptions';
    expect((await admin.query(left, ['50 minutes'])).rows).toMatchObject([{ subscriber: 'same', long: true }]);
    await admin.query(`update patchdiff_store.commit_subscriptions set expires_at = clock_timestamp() - interval '1 second'`);
    await writer.query(`select patchdiff.subscribe_commits('next')`);
    expect((await admin.query(left, ['0'])).rows).toMatchObject([{ subscriber: 'next' }]);
  });

  test('one that another session is renewing holds nobody up', async () => {
    await writer.query(`select patchdiff.subscribe_commits('held')`);
    await admin.query(`update patchdiff_store.commit_subscriptions set expires_at = clock_timestamp() - interval '1 second'`);
    await writer.query('begin');
    await writer.query(`select patchdiff.subscribe_commits('held')`);
    await listener.query(`select patchdiff.subscribe_commits('free')`);
    await writer.query('commit');
    expect((await admin.query('select subscriber from patchdiff_store.commit_subscriptions order by 1')).rows).toEqual([{ subscriber: 'free' }, { subscriber: 'held' }]);
  });

  test('of one login are bounded, so that nobody fills the table that everyone reads', async () => {
    const many = 'select count(patchdiff.subscribe_commits(i::text)) from generate_series(1, $1::integer) as i';
    await admin.query(`insert into patchdiff_store.commit_subscriptions select $1, i::text, clock_timestamp() + '1 hour' from generate_series(1, 999) as i`, [
      new URL(database.url('writer')).username,
    ]);
    expect((await writer.query(many, [1000])).rows).toEqual([{ count: '1000' }]);
    const error = await writer.query(`select patchdiff.subscribe_commits('one-more')`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PD100', detail: expect.stringContaining('at most 1000 running names') as string });
    await listener.query(`select patchdiff.subscribe_commits('another-login')`);
    await writer.query(`select patchdiff.unsubscribe_commits('1')`);
    await writer.query(`select patchdiff.subscribe_commits('one-more')`);
  });

  test.each([
    [`null`, 'p_subscriber'],
    [`''`, 'p_subscriber'],
    [`'a b'`, 'p_subscriber'],
    [`repeat('x', 129)`, 'p_subscriber'],
    [`'ok', null`, 'p_lease'],
    [`'ok', '0'`, 'p_lease'],
    [`'ok', '-1 hour'`, 'p_lease'],
    [`'ok', '1 hour 1 second'`, 'p_lease'],
    [`'ok', '1 month'`, 'p_lease'],
    // An hour, by the order of intervals; by the calendar, more than a year.
    [`'ok', '1200 months -36000 days 1 hour'`, 'p_lease'],
    [`'ok', '1 day -23 hours'`, 'p_lease'],
    [`'ok', 'infinity'`, 'p_lease'],
  ])('subscribe_commits(%s) is misuse', async (args, argument) => {
    const error = await listener.query(`select patchdiff.subscribe_commits(${args})`).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'PD100' });
    expect(JSON.parse((error as { detail: string }).detail)).toMatchObject({ argument });
  });
});
