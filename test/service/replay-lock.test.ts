import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/port.ts';
import type { Service } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';
/** More than one page of history. */
const VERSIONS = 120;
let admin: pg.Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
});

async function targetWithHistory(): Promise<string> {
  const id = await newTarget(context.service, 'v0 \n');
  for (let version = 0; version < VERSIONS; version += 1)
    await context.service.submit(TX1, edit(id, version, `v${String(version)} `, `v${String(version + 1)} `));
  return id;
}

/** Sessions of this database that wait for a row lock, by what they run. */
async function waiting(): Promise<string[]> {
  const { rows } = await admin.query<{ query: string }>(
    `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
  );
  return rows.map(({ query }) => query);
}

async function waitFor(routine: string): Promise<void> {
  while (!(await waiting()).some((query) => query.includes(routine))) await sleep(5);
}

/** A service whose replay stops before it asks for its n-th page, until it is let go. */
function pausing(page: number): { service: Service; paused: Promise<void>; go: () => void } {
  let pause: () => void = () => undefined;
  let go: () => void = () => undefined;
  const paused = new Promise<void>((resolve) => (pause = resolve));
  const released = new Promise<void>((resolve) => (go = resolve));
  let pages = 0;
  const wrap = (database: Database): Database => ({
    autocommit: database.autocommit,
    query: async (statement, options) => {
      if (statement.name === 'lock_history' && (pages += 1) === page) {
        pause();
        await released;
      }
      return database.query(statement, options);
    },
    transaction: (work) => database.transaction((bound) => work(wrap(bound))),
    snapshot: (work) => database.snapshot((bound) => work(wrap(bound))),
    close: () => database.close(),
  });
  return { service: context.another({ database: wrap(context.database) }), paused, go };
}

describe('replay and whoever writes meanwhile', () => {
  test('a submission waits until replay has read its last page, and replay shows one state', async () => {
    const id = await targetWithHistory();
    const { service, paused, go } = pausing(2);
    const replaying = service.replayTarget({ target_file_id: id });
    await paused;
    const submitting = context.another().submit(TX1, edit(id, VERSIONS, `v${String(VERSIONS)} `, 'late '));
    await waitFor('commit_attempt');
    go();
    expect(await replaying).toMatchObject({
      status: 'success',
      steps: VERSIONS,
      reconstructed_version: VERSIONS,
      materialized_state_matches: true,
    });
    expect(await submitting).toMatchObject({ status: 'accepted', version: VERSIONS + 1 });
    expect(await context.service.replayTarget({ target_file_id: id })).toMatchObject({
      steps: VERSIONS + 1,
      materialized_state_matches: true,
    });
  });

  test('replay waits for a writer, and then reads what that one committed', async () => {
    const id = await targetWithHistory();
    const writer = await context.server.client('writer');
    await writer.query('begin');
    const { rows } = await writer.query<{ outcome: string }>(
      `select r.outcome from patchdiff.commit_attempt($1::uuid,
         '{"expected_current_hash":null,"expected_target_version":${String(VERSIONS)},"format":"patchdiff-tx/3","intent":"i","operations":[{"op":"replace_all","replace":"end"}],"target_file_id":"' || $1::text || '"}',
         null, null, null, null, null, patchdiff.read_head_hash, 'accepted', '{0}', encode(sha256('end'), 'hex'), null, null) as r`.replace(
        'patchdiff.read_head_hash',
        '(select h.current_hash from patchdiff.read_head($1::uuid) as h)',
      ),
      [id],
    );
    expect(rows).toEqual([{ outcome: 'accepted' }]);
    const replaying = context.service.replayTarget({ target_file_id: id });
    await waitFor('lock_history');
    await writer.query('commit');
    expect(await replaying).toMatchObject({
      status: 'success',
      steps: VERSIONS + 1,
      materialized_state_matches: true,
      reconstructed_chars: 3,
    });
  });

  test('leaves no lock behind', async () => {
    const id = await newTarget(context.service, 'a');
    await context.service.replayTarget({ target_file_id: id });
    expect(await context.service.submit(TX1, edit(id, 0, 'a', 'b'))).toMatchObject({ status: 'accepted' });
    expect(await waiting()).toEqual([]);
  });
});
