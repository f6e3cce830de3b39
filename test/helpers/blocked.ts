import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** The backend that serves a client. */
export const pidOf = (client: pg.Client): number => (client as unknown as { processID: number }).processID;

/** Backends whose locks a client's statement waits for, as pg_stat_activity has it; none while it waits for nothing. */
export async function blockersOf(watcher: pg.Client, client: pg.Client): Promise<number[]> {
  const { rows } = await watcher.query<{ blockers: number[] }>(
    `select pg_blocking_pids(pid) as blockers from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`,
    [pidOf(client)],
  );
  return rows[0]?.blockers ?? [];
}

/** Resolves once a client's statement waits for a lock: proof that the lock blocks, not the clock. */
export async function untilBlocked(watcher: pg.Client, client: pg.Client): Promise<void> {
  while ((await blockersOf(watcher, client)).length === 0) await sleep(5);
}
