import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../src/db/port.ts';
import { createService } from '../../src/service/index.ts';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { edit, newTarget, useService } from './support/service.ts';

const context = useService();
const TX1 = 'patchdiff-tx/1';

/** Every kind of preview: accepted, each stage of rejection, keys of both kinds, a parent. */
async function previewsOf(service: Service, id: string): Promise<JsonObject[]> {
  const rejected = await service.submit(TX1, edit(id, 0, 'absent', 'x', { client_request_id: 'known' }));
  await service.save({ target_file_id: id, client_request_id: 'save' });
  return [
    edit(id, 0, 'alpha', 'x'),
    edit(id, 0, 'alpha', 'x', { client_request_id: 'new', parent_pdcp_log_id: rejected['pdcp_log_id'] as string }),
    edit(id, 0, 'absent', 'x', { client_request_id: 'known' }),
    edit(id, 0, 'alpha', 'x', { client_request_id: 'known' }),
    edit(id, 0, 'alpha', 'x', { client_request_id: 'save' }),
    edit(id, 0, 'alpah', 'x'),
    edit(id, 7, 'alpha', 'x'),
    edit(id, 0, 'alpha', '\ud800'),
    edit(id, 0, 'alpha', 'x', { region_hint: 1 }),
  ];
}

const STATUSES = ['would_accept', 'would_accept', 'would_recover', ...Array.from({ length: 6 }, () => 'would_reject')];

describe('while another session has committed nothing yet', () => {
  test('a preview answers about the state before, and nothing waits', async () => {
    const id = await newTarget(context.service, 'alpha\nbeta\n');
    const previews = await previewsOf(context.service, id);
    const [holder, watcher] = [await context.server.client('admin'), await context.server.client('admin')];
    const waiting = async (): Promise<number> => {
      const { rows } = await watcher.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]?.count ?? -1;
    };
    // A whole commit that holds target row and head row, and has written a new version of both.
    await holder.query('begin');
    const payload = `{"edits":[{"match":"alpha","replace":"omega"}],"expected_current_hash":null,"expected_target_version":0,"format":"patchdiff-tx/1","intent":"held","target_file_id":"${id}"}`;
    const { rows } = await holder.query<{ outcome: string }>(
      `select (c).outcome from (select patchdiff.commit_attempt($1, $2, 'new', null, null, null, null, t.current_hash, 'accepted', '{0}',
         encode(sha256(convert_to(E'omega\\nbeta\\n', 'UTF8')), 'hex'), null, null) as c
       from patchdiff_store.cloud_target_files as t where t.target_file_id = $1) as called`,
      [id, payload],
    );
    expect(rows).toEqual([{ outcome: 'accepted' }]);
    // As any writer would find: the rows are held.
    const blocked = context.another().submit(TX1, edit(id, 0, 'beta', 'y'));
    while ((await waiting()) === 0) await sleep(10);

    for (const service of [context.service, context.another()]) {
      const answers = Promise.all(previews.map((args) => service.preview({ ...args, format: TX1 })));
      const seen = new Set<number>();
      let isDone = false;
      void answers.finally(() => (isDone = true));
      while (!isDone) seen.add(await waiting());
      // Only the submission waits.
      expect([...seen]).toEqual([1]);
      expect((await answers).map(({ status }) => status)).toEqual(STATUSES);
      for (const { version } of await answers) expect(version).toBe(0);
    }
    await holder.query('commit');
    expect(await blocked).toMatchObject({ failure_reason: 'target_version_mismatch' });
    const [first] = previews;
    expect(await context.service.preview({ ...first, format: TX1 })).toMatchObject({
      failure_reason: 'target_version_mismatch',
      version: 1,
    });
  });
});

describe('a preview cannot write', () => {
  interface Seen {
    read_only: string;
    isolation: string;
    xid: string | null;
    modes: string[];
  }

  /** A service that looks, at the end of each of its transactions, at what that transaction is and holds. */
  function watched(seen: Seen[]): Service {
    const wrap = (database: Database): Database => ({
      autocommit: true,
      query: (statement, options) => database.query(statement, options),
      transaction: () => Promise.reject(new Error('a preview opens no transaction that could write')),
      snapshot: (work) =>
        database.snapshot(async (inner) => {
          const result = await work(inner);
          const text = `select current_setting('transaction_read_only') as read_only, current_setting('transaction_isolation') as isolation,
            pg_current_xact_id_if_assigned()::text as xid,
            array(select distinct l.mode from pg_locks as l where l.pid = pg_backend_pid() and l.locktype in ('relation', 'tuple', 'transactionid', 'advisory')) as modes`;
          seen.push(...(await inner.query<Seen>({ name: 'seen', text, values: [] })));
          return result;
        }),
      close: () => Promise.resolve(),
    });
    return createService({ database: wrap(context.database), actor: null });
  }

  test('it runs in one read-only snapshot, holds no lock but that of reading, and gets no transaction id', async () => {
    const id = await newTarget(context.service, 'alpha\nbeta\n');
    const previews = await previewsOf(context.service, id);
    const seen: Seen[] = [];
    const service = watched(seen);
    for (const [at, args] of previews.entries()) {
      expect((await service.preview({ ...args, format: TX1 }))['status']).toBe(STATUSES[at]);
    }
    expect(seen).toHaveLength(previews.length);
    for (const each of seen) expect(each).toEqual({ read_only: 'on', isolation: 'repeatable read', xid: null, modes: ['AccessShareLock'] });
  });

  test('nothing of it is anywhere afterwards', async () => {
    const id = await newTarget(context.service, 'alpha\nbeta\n');
    const previews = await previewsOf(context.service, id);
    const admin = await context.server.client('admin');
    const state = async (): Promise<unknown> => {
      const { rows: tables } = await admin.query<{ name: string }>(
        `select format('%I.%I', n.nspname, c.relname) as name from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
         where c.relkind = 'r' and n.nspname like 'patchdiff%' order by 1`,
      );
      const counts = [];
      // xmax would show a row lock, even one that was let go.
      for (const { name } of tables)
        counts.push(
          (
            await admin.query(
              `select '${name}' as name, count(*), string_agg(t.xmin::text || ',' || t.xmax::text || t.ctid::text, ' ' order by t.ctid) as rows from ${name} as t`,
            )
          ).rows,
        );
      return { counts, head: (await admin.query('select * from patchdiff_audit.chain_head($1)', [id])).rows };
    };
    const before = await state();
    for (const args of previews) await context.another().preview({ ...args, format: TX1 });
    expect(await state()).toEqual(before);
    // A key that was previewed is still new.
    expect(await context.service.submit(TX1, previews[1] ?? {})).toMatchObject({ status: 'accepted', deduplicated: false });
  });
});

test('one committed state, however much is committed meanwhile', async () => {
  const id = await newTarget(context.service, 'count 0\n');
  let isDone = false;
  const writer = (async () => {
    for (let version = 0; version < 60; version += 1) {
      const args = edit(id, version, `count ${version}`, `count ${version + 1}`, { client_request_id: `k${version}` });
      expect(await context.service.submit(TX1, args)).toMatchObject({ status: 'accepted' });
    }
    isDone = true;
  })();
  const statuses = new Set<unknown>();
  while (!isDone) {
    // Guarded by nothing that goes stale: only the row and the content can contradict each other.
    const answer = await context.another().preview({ ...edit(id, 0, 'count', 'number'), expected_target_version: 0, format: TX1 });
    const actual = ((answer['diagnostic'] as JsonObject | undefined)?.['actual'] ?? 0) as number;
    statuses.add(answer['status']);
    expect(actual).toBe(answer['version']);
    const shown = (answer['current_context'] as JsonObject | undefined)?.['text'] ?? 'count 0\n';
    expect(shown).toBe(`count ${answer['version'] as number}\n`);
  }
  await writer;
  expect(statuses).toContain('would_reject');
});
