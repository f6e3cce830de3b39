import type pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { importOldHistory, type OldHistory } from '../db/support/old-history.ts';
import { useDatabase } from '../helpers/database.ts';
import { History } from './support/history.ts';

const database = useDatabase();
let auditor: pg.Client;
let history: History;
/** Moments of creation and of each version, to the microsecond. */
let moments: string[];

async function at(moment: string, id = history.id): Promise<number | null> {
  const sql = 'select patchdiff_audit.version_at($1, $2)::integer as version';
  return (await auditor.query<{ version: number | null }>(sql, [id, moment])).rows[0]?.version ?? null;
}

/** The moment so many microseconds later. */
async function later(moment: string, microseconds: number): Promise<string> {
  const sql = `select ($1::timestamptz + make_interval(secs => $2::numeric / 1000000))::text as moment`;
  return (await auditor.query<{ moment: string }>(sql, [moment, microseconds])).rows[0]?.moment ?? '';
}

beforeAll(async () => {
  auditor = await database.client('auditor');
  history = await History.create(await database.client('writer'), 'a\n');
  for (const text of ['b', 'c', 'd']) {
    await history.splice([0, 1, text]);
    await history.flush();
  }
  const { rows } = await auditor.query<{ moment: string }>(
    `select created_at::text as moment from patchdiff_audit.targets where target_file_id = $1
     union all (select created_at::text from patchdiff_audit.attempts where target_file_id = $1 order by log_sequence)`,
    [history.id],
  );
  moments = rows.map(({ moment }) => moment);
});

describe('the version at a moment', () => {
  test('exactly at each one, a microsecond before and after', async () => {
    for (const [version, moment] of moments.entries()) {
      expect(await at(moment)).toBe(version);
      expect(await at(await later(moment, 1))).toBe(version);
      expect(await at(await later(moment, -1))).toBe(version === 0 ? null : version - 1);
    }
  });

  test.each([
    ['infinity', 3],
    ['9999-12-31', 3],
    ['-infinity', null],
    ['0001-01-01 BC', null],
  ])('at %s', async (moment, version) => {
    expect(await at(moment)).toBe(version);
  });

  test.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia'])('whatever the time zone of the session: %s', async (zone) => {
    const client = await database.client('auditor');
    await client.query(`select set_config('timezone', $1, false), set_config('datestyle', 'German', false)`, [zone]);
    for (const [version, moment] of moments.entries()) {
      const { rows } = await client.query<{ exact: string; before: string }>(
        `select patchdiff_audit.version_at($1, $2::timestamptz) as exact,
           patchdiff_audit.version_at($1, ($2::timestamptz at time zone $3 - interval '1 microsecond') at time zone $3) as before`,
        [history.id, moment, zone],
      );
      expect(rows).toEqual([{ exact: String(version), before: version === 0 ? null : String(version - 1) }]);
    }
  });

  test('rejections, snapshots and other targets move nothing', async () => {
    const before = await at('now');
    await history.save();
    await auditor.query('select 1');
    const other = await History.create(await database.client('writer'), 'x');
    expect([before, await at('now'), await at('now', other.id)]).toEqual([3, 3, 0]);
  });

  test('of a history older than its target counts its own times', async () => {
    const old: OldHistory = await importOldHistory(await database.client('owner'));
    const accepted = old.calls.filter((call) => call['status'] === 'accepted').map((call) => call['created_at'] as string);
    expect(await at(await later(accepted[0] as string, -1), old.target)).toBe(null);
    for (const [index, moment] of accepted.entries()) expect(await at(moment, old.target)).toBe(index + 1);
  });
});
