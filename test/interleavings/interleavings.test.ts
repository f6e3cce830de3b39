import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { evaluate, prepareSubmission, type Observation } from '../../src/transaction/index.ts';
import { sha256 } from '../db/support/attacks.ts';
import { GRAMMAR, honestBundle, observed, scopeOf } from '../db/support/bundle-calls.ts';
import { pidOf } from '../helpers/blocked.ts';
import { useDatabase } from '../helpers/database.ts';
import { interleave, type Step } from './interleaver.ts';
import {
  expected,
  EXPECTED_VERSION,
  KINDS,
  type Ending,
  type Isolation,
  type Kind,
  type Outcome,
  type Script,
  type State,
} from './model.ts';
import { ordersOf, type Order } from './orders.ts';

/*
 * Every order of each pair of commit, save, replay and create on one target, and of observations and bundles beside what writes: begin,
 * call, end of two transactions, against what the model says of answers, waiting and what is left; every wait is seen in
 * pg_stat_activity.
 */

const own = useDatabase();
let clients: [pg.Client, pg.Client];
let watcher: pg.Client;
let writer: Database;

beforeAll(async () => {
  writer = openDatabase({ connectionString: own.url('writer'), max: 1 });
  clients = [await own.client('writer'), await own.client('writer')];
  watcher = await own.client('admin');
});
afterAll(() => writer.close());

const FIRST = 'text of the beginning\n';
const CONTENT = 'text of version 1\n';
const RAN: Record<Kind, string> = {
  commit: `select r.outcome || coalesce(' ' || r.current_version, '') as answer
    from patchdiff.commit_attempt($1, $2, null, null, null, null, null, $3, 'accepted', array[0], $4, null, null) as r`,
  save: `select r.outcome || ' ' || r.version as answer from patchdiff.save_target($1) as r`,
  replay: `select 'replayed ' || max(h.after_version) as answer from patchdiff.lock_history($1) as h`,
  create: `select r.outcome || ' ' || r.version as answer from patchdiff.create_target($1, 'doc', $2) as r`,
  // With the text that was cut, so that version and text cannot be of different moments.
  observe: `select concat_ws(' ', r.outcome, r.version, r.scopes #>> '{0,text}') as answer
    from patchdiff.observe_scopes($1, ${EXPECTED_VERSION}, $2, null, $3, false, $4) as r`,
  bundle: `select r.outcome || coalesce(' ' || r.current_version, '') as answer
    from patchdiff.commit_attempt($1, $2, null, null, null, null, null, $3, 'accepted', array[0], $4, null, null) as r`,
};
/** The words behind `text of `. */
const SCOPE = scopeOf(CONTENT, CONTENT.slice('text of '.length, -1));

/** The values of one session's call; each commit writes a text of its own. */
function valuesOf(kind: Kind, target: string, who: number, seen: Observation | null): unknown[] {
  if (kind === 'create') return [target, FIRST];
  if (kind === 'observe') return [target, sha256(CONTENT), JSON.stringify(GRAMMAR), JSON.stringify([SCOPE])];
  if (kind === 'bundle') {
    const groups = [
      { scope_id: seen?.scopes[0]?.scope_id ?? '', operations: [{ op: 'match', match: 'version', replace: `session ${who}` }] },
    ];
    const args = {
      target_file_id: target,
      bundle_id: seen?.bundle_id ?? '',
      intent: 'interleave',
      expected_target_version: EXPECTED_VERSION,
      groups,
    };
    const call = honestBundle(args, seen, target, CONTENT);
    return [target, call.payload, call.baseHash, call.afterHash];
  }
  if (kind !== 'commit') return [target];
  const replacement = `text of session ${who}\n`;
  const args = { target_file_id: target, intent: 'interleave', expected_target_version: EXPECTED_VERSION, replacement };
  const { payload } = prepareSubmission('patchdiff-tx/3', args);
  return [target, payload, sha256(CONTENT), sha256(replacement)];
}

/** A target at version 1 that is not saved yet. */
async function newTarget(): Promise<string> {
  const target = randomUUID();
  await watcher.query('select patchdiff.create_target($1, $2, $3)', [target, 'doc', FIRST]);
  const submission = prepareSubmission('patchdiff-tx/3', {
    target_file_id: target,
    intent: 'begin',
    expected_target_version: 0,
    replacement: CONTENT,
  });
  const claim = evaluate(submission, FIRST, sha256);
  if (claim.verdict !== 'accepted') expect.fail(claim.fault.detail);
  await watcher.query(RAN.commit, [target, submission.payload, sha256(FIRST), claim.applied.afterHash]);
  return target;
}

async function stateOf(target: string): Promise<State | null> {
  const { rows } = await watcher.query<{ state: State }>(
    `select json_build_object('version', t.version, 'attempts', h.log_sequence, 'snapshots', h.snapshot_sequence, 'observations', h.observation_sequence,
       'saved', (select max(s.version) from patchdiff_store.target_snapshots as s where s.target_file_id = t.target_file_id)) as state
     from patchdiff_store.cloud_target_files as t join patchdiff_store.target_heads as h using (target_file_id)
     where t.target_file_id = $1`,
    [target],
  );
  return rows[0]?.state ?? null;
}

/** Begin, call, end; the call's answer is left in `answers`. */
function stepsOf(
  script: Script,
  isolation: Isolation,
  target: string,
  seen: Observation | null,
  who: 0 | 1,
  answers: [string, string],
): Step[] {
  return [
    async (client) => {
      await client.query(`begin isolation level ${isolation}`);
      // A snapshot is taken by the first query, not by BEGIN.
      await client.query('select 1');
    },
    async (client) => {
      try {
        const { rows } = await client.query<{ answer: string }>(RAN[script.kind], valuesOf(script.kind, target, who, seen));
        answers[who] = rows[0]?.answer ?? '';
      } catch (error) {
        answers[who] = (error as { code: string }).code;
      }
    },
    // A transaction that failed is rolled back by either.
    (client) => client.query(script.ending),
  ];
}

/** At READ COMMITTED nothing is seen at the beginning, so it is made with the call. */
function ordersAt(isolation: Isolation): Order[] {
  if (isolation === 'repeatable read') return ordersOf(3, 3);
  return ordersOf(2, 2).map((order) => order.flatMap((who, at) => (order.indexOf(who) === at ? [who, who] : [who])));
}

async function expectEveryOrder(pair: readonly [Kind, Kind], exists: boolean, isolation: Isolation, endings: readonly [Ending, Ending]) {
  const scripts: [Script, Script] = [
    { kind: pair[0], ending: endings[0] },
    { kind: pair[1], ending: endings[1] },
  ];
  let waits = 0;
  for (const order of ordersAt(isolation)) {
    const target = exists ? await newTarget() : randomUUID();
    const looked = pair.includes('bundle') ? await observed(writer, target, CONTENT, EXPECTED_VERSION, [SCOPE]) : null;
    const before = await stateOf(target);
    const answers: [string, string] = ['', ''];
    const steps = scripts.map((script, who) => stepsOf(script, isolation, target, looked, who as 0 | 1, answers));
    const seen = await interleave(
      watcher,
      [
        { client: clients[0], steps: steps[0] ?? [] },
        { client: clients[1], steps: steps[1] ?? [] },
      ],
      order,
    );
    const outcome: Outcome = {
      answers,
      waited: [seen.some(({ session }) => session === 0), seen.some(({ session }) => session === 1)],
      state: await stateOf(target),
    };
    expect({ order, ...outcome }).toEqual({ order, ...expected(before, scripts, order, isolation) });
    for (const { session, step, blockers } of seen) {
      expect({ step, blockers }).toEqual({ step: 1, blockers: [pidOf(clients[session === 0 ? 1 : 0])] });
    }
    waits += seen.length;
    if (outcome.state === null) continue;
    expect((await watcher.query('select * from patchdiff_audit.verify_target($1)', [target])).rows).toEqual([]);
  }
  return waits;
}

const PAIRS: (readonly [Kind, Kind])[] = [
  ...KINDS.flatMap((left, at) => KINDS.slice(at).map((right) => [left, right] as const)),
  ['observe', 'observe'],
  ['observe', 'commit'],
  ['observe', 'save'],
  ['observe', 'bundle'],
  ['bundle', 'bundle'],
];
/** Of the 20 orders of begin, call and end. */
const OVERLAPS = 12;
const ENDINGS: [Ending, Ending][] = [
  ['commit', 'commit'],
  ['rollback', 'commit'],
  ['commit', 'rollback'],
];

describe.each<Isolation>(['read committed', 'repeatable read'])('at %s', (isolation) => {
  describe.each(ENDINGS)('ended by %s and %s', (...endings) => {
    test.each(PAIRS)('%s and %s, of a target that exists', async (...pair) => {
      // Where the calls overlap the later one waits; begin apart from the call makes more of such orders.
      expect(await expectEveryOrder(pair, true, isolation, endings)).toBe(isolation === 'repeatable read' ? OVERLAPS : 4);
    });

    test.each(PAIRS.filter((pair) => pair.includes('create')))('%s and %s, of an id without a target', async (...pair) => {
      await expectEveryOrder(pair, false, isolation, endings);
    });
  });
});
