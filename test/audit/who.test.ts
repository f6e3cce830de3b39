import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useDatabase } from '../helpers/database.ts';

/** What a writer may claim that would like to be taken for what the database knows. */
const CLAIM = {
  host: 'patchdiff_owner',
  host_version: '9.9',
  agent: 'postgres',
  session: 'ops',
  session_user: 'postgres',
  db_session_user: 'postgres',
  application_name: 'psql',
  db_client_addr: '10.0.0.1',
};
const CLAIMED = { actor: CLAIM, actor_host: 'patchdiff_owner', actor_host_version: '9.9', actor_agent: 'postgres', actor_session: 'ops' };

const database = useDatabase();
let admin: pg.Client;
let writer: pg.Client;
let known: Record<string, unknown>;
let id: string;

/** Commits as whoever this session is. */
async function commit(client: pg.Client, replacement: string, claim: unknown = CLAIM): Promise<void> {
  const { rows } = await client.query<{ outcome: string }>(
    `select r.outcome from patchdiff.commit_replacement($1, $2, 'why', (select version from patchdiff.read_head($1)), p_actor => $3) as r`,
    [id, replacement, JSON.stringify(claim)],
  );
  expect(rows).toEqual([{ outcome: 'accepted' }]);
}

const rowsOf = async (from: string): Promise<Record<string, unknown>[]> =>
  (await admin.query<Record<string, unknown>>(`select * from patchdiff_audit.${from}`, [id])).rows;

beforeAll(async () => {
  [admin, writer] = await Promise.all([database.client('admin'), database.client('writer')]);
  await writer.query(`set application_name = 'billing service'`);
  const login = new URL(database.url('writer')).username;
  const { rows } = await writer.query<{ address: string | null }>('select host(inet_client_addr()) as address');
  known = { db_session_user: login, db_application_name: 'billing service', db_client_addr: rows[0]?.address };
  const bound = `{"root": "/w", "path": "who.md", "root_device": "1", "root_inode": "2"}`;
  const made = await writer.query<{ id: string }>(
    `select target_file_id as id from patchdiff.create_target(null, 'doc', $1, null, $2, p_actor => $3)`,
    ['a\n', bound, JSON.stringify(CLAIM)],
  );
  id = (made.rows[0] as { id: string }).id;
});

test('every view and blame show a claim beside what the database saw, unmixed', async () => {
  await commit(writer, 'a\nb\n');
  const opened = await writer.query<{ publication: string }>(
    `select r.publication_id as publication from patchdiff.read_head($1) as h, patchdiff.open_publication(
       $1, null, null, h.version, h.current_hash, null, h.current_hash, h.content_bytes, $2) as r`,
    [id, JSON.stringify(CLAIM)],
  );
  const other = await database.client('owner');
  await other.query(`select * from patchdiff.record_publication($1, $2, 'rejected', p_actor => '{"host":"janitor"}')`, [
    id,
    opened.rows[0]?.publication,
  ]);
  await writer.query('select * from patchdiff.save_target($1, p_actor => $2)', [id, JSON.stringify(CLAIM)]);
  const both = { ...CLAIMED, ...known };
  expect(await rowsOf('targets where target_file_id = $1')).toMatchObject([both]);
  expect(await rowsOf('attempts where target_file_id = $1')).toMatchObject([both]);
  expect(await rowsOf('retry_tree((select pdcp_log_id from patchdiff_audit.attempts where target_file_id = $1))')).toMatchObject([both]);
  expect(await rowsOf('changes where target_file_id = $1')).toMatchObject([both]);
  expect(await rowsOf('cycles where target_file_id = $1 order by editing_cycle')).toMatchObject([both, both]);
  expect(await rowsOf('blame($1)')).toMatchObject([
    { written_version: '0', ...both },
    { written_version: '1', ...both },
  ]);
  expect(await rowsOf('changes_between($1, 0)')).toMatchObject([both]);
  const closer = { closed_actor: { host: 'janitor' }, closed_db_session_user: new URL(database.url('owner')).username };
  expect(await rowsOf('publications where target_file_id = $1')).toMatchObject([{ ...both, outcome: 'rejected', ...closer }]);
});

test.each<[acting: string, login: 'admin' | 'owner', statements: string[]]>([
  ['a superuser who became a writer', 'admin', ['set role patchdiff_writer']],
  ['a member of the owner role', 'owner', []],
  ['a superuser who became the owner', 'admin', ['set role patchdiff_owner']],
])('%s is recorded by the login, not by the role', async (_acting, login, statements) => {
  const client = await database.client(login);
  for (const statement of statements) await client.query(statement);
  const { rows } = await client.query<{ login: string; role: string }>('select session_user as login, current_user as role');
  expect(rows[0]?.role).not.toBe(rows[0]?.login);
  await commit(client, `${login} ${statements.join()}\n`, null);
  const [latest] = await rowsOf('attempts where target_file_id = $1 order by log_sequence desc limit 1');
  expect(latest).toMatchObject({ db_session_user: rows[0]?.login, actor_host: null, actor_agent: null });
  expect(await rowsOf('blame($1)')).toMatchObject([{ db_session_user: rows[0]?.login }]);
});

test.each([[['a', 1]], ['text'], [7], [{ host: { deep: true }, agent: null }]])(
  'a claim of another shape spoils no view: %j',
  async (claim) => {
    await commit(writer, `${JSON.stringify(claim)}\n`, claim);
    for (const from of ['attempts', 'changes']
      .map((view) => `${view} where target_file_id = $1 order by log_sequence desc limit 1`)
      .concat('blame($1)'))
      expect(await rowsOf(from)).toMatchObject([{ actor: claim, actor_agent: null, ...known }]);
  },
);

test('no column of an audit view or of blame is named like neither', async () => {
  const { rows } = await admin.query<{ name: string }>(
    `select distinct c.column_name::text as name from information_schema.columns as c where c.table_schema = 'patchdiff_audit'
     union select unnest(p.proargnames) from pg_proc as p where p.pronamespace = 'patchdiff_audit'::regnamespace`,
  );
  const about = rows.map(({ name }) => name).filter((name) => /actor|user|agent|host|application|addr|session/.test(name));
  expect(about.filter((name) => !/^(closed_)?(actor($|_)|db_)/.test(name))).toEqual([]);
});
