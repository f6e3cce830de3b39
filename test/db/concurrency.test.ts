import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { evaluate, prepareSubmission, type JsonObject } from '../../src/transaction/index.ts';
import { untilBlocked } from '../helpers/blocked.ts';
import { useDatabase } from '../helpers/database.ts';
import { sha256 } from '../scenarios/corpus.ts';

const WRITERS = 32;
const CONTENT = Array.from({ length: 100 }, (_, line) => `line ${line}\n`).join('');
const COMMIT = 'select * from patchdiff.commit_attempt($1, $2, $3, null, null, null, null, $4, $5, $6, $7, null, null)';

interface Receipt {
  outcome: string;
  deduplicated: boolean;
  pdcp_log_id: string;
  failure_reason: string | null;
  current_version: string;
}

describe('many writers on one target', () => {
  const own = useDatabase();

  async function newTarget(client: pg.Client): Promise<string> {
    const { rows } = await client.query<{ target_file_id: string }>('select * from patchdiff.create_target(null, $1, $2)', ['hot', CONTENT]);
    return rows[0]?.target_file_id ?? '';
  }

  /** The values of a call that changes one line of version 0 and says so. */
  function callFor(target: string, line: number, key: string | null): unknown[] {
    const args: JsonObject = {
      target_file_id: target,
      intent: 'change one line',
      expected_target_version: 0,
      edits: [{ match: `line ${line}\n`, replace: `LINE ${line}\n`, anchor_after: 'line 99' }],
    };
    const submission = prepareSubmission('patchdiff-tx/1', args);
    const claim = evaluate(submission, CONTENT, sha256);
    if (claim.verdict !== 'accepted') throw new Error(claim.fault.detail);
    return [target, submission.payload, key, sha256(CONTENT), 'accepted', claim.applied.resolvedStarts, claim.applied.afterHash];
  }

  const rowsOf = async (client: pg.Client, target: string) =>
    (await client.query<Record<string, unknown>>('select * from patchdiff_audit.attempts where target_file_id = $1', [target])).rows;

  it('gives one row and 32 equal answers to 32 copies of one request', async () => {
    const clients = await Promise.all(Array.from({ length: WRITERS }, () => own.client()));
    const [first] = clients;
    if (first === undefined) throw new Error('no client');
    const target = await newTarget(first);
    const values = callFor(target, 7, 'the-key');
    const answers = await Promise.all(clients.map(async (client) => (await client.query<Receipt>(COMMIT, values)).rows[0]));
    expect(answers.filter((answer) => answer?.deduplicated === true)).toHaveLength(WRITERS - 1);
    const equal = new Set(answers.map((answer) => JSON.stringify({ ...answer, deduplicated: null })));
    expect([...equal]).toHaveLength(1);
    expect(answers[0]).toMatchObject({ outcome: 'accepted', current_version: '1' });
    expect(await rowsOf(first, target)).toHaveLength(1);
    await Promise.all(clients.map((client) => client.end()));
  });

  it('lets exactly one of ten writers on one version win and records the others', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => own.client()));
    const [first] = clients;
    if (first === undefined) throw new Error('no client');
    const target = await newTarget(first);
    const answers = await Promise.all(
      clients.map(async (client, line) => (await client.query<Receipt>(COMMIT, callFor(target, line, null))).rows[0]),
    );
    expect(answers.filter((answer) => answer?.outcome === 'accepted')).toHaveLength(1);
    expect(answers.filter((answer) => answer?.failure_reason === 'target_version_mismatch')).toHaveLength(9);
    expect(await rowsOf(first, target)).toHaveLength(10);
    await Promise.all(clients.map((client) => client.end()));
  });

  it('makes the second writer wait for the first, seen in pg_stat_activity', async () => {
    const [winner, loser, watcher] = await Promise.all([own.client(), own.client(), own.client('admin')]);
    const target = await newTarget(winner);
    await winner.query('begin');
    expect((await winner.query<Receipt>(COMMIT, callFor(target, 1, null))).rows[0]?.outcome).toBe('accepted');
    const waiting = loser.query<Receipt>(COMMIT, callFor(target, 2, null));
    await untilBlocked(watcher, loser);
    await winner.query('commit');
    expect((await waiting).rows[0]).toMatchObject({ outcome: 'rejected', failure_reason: 'target_version_mismatch', current_version: '1' });
    expect(await rowsOf(winner, target)).toHaveLength(2);
  });

  it('lets the second writer win when the first one rolls back, and forgets the first', async () => {
    const [first, second, watcher] = await Promise.all([own.client(), own.client(), own.client('admin')]);
    const target = await newTarget(first);
    await first.query('begin');
    await first.query(COMMIT, callFor(target, 1, 'shared-key'));
    const waiting = second.query<Receipt>(COMMIT, callFor(target, 2, 'shared-key'));
    await untilBlocked(watcher, second);
    await first.query('rollback');
    expect((await waiting).rows[0]).toMatchObject({ outcome: 'accepted', deduplicated: false, current_version: '1' });
    expect(await rowsOf(first, target)).toHaveLength(1);
  });

  it('gives a caller at REPEATABLE READ a serialization failure, never a unique violation', async () => {
    const [early, late] = await Promise.all([own.client(), own.client()]);
    const target = await newTarget(early);
    await early.query('begin isolation level repeatable read');
    await early.query('select 1 from patchdiff.read_head($1)', [target]);
    await late.query(COMMIT, callFor(target, 2, null));
    await expect(early.query(COMMIT, callFor(target, 1, null))).rejects.toMatchObject({ code: '40001' });
    await early.query('rollback');
  });
});
