import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { SERVER, RawPipe } from './support/raw-pipe.ts';

const ROUNDS = 12;
const random = new Random(7);

// A killed server leaves either nothing or the whole commit, and the same key sent to the next server tells which.
describe('SIGKILL in the middle of a submit', () => {
  const own = useDatabase();
  const servers: RawPipe[] = [];
  const start = async (): Promise<RawPipe> => {
    const server = new RawPipe(SERVER, [], { DATABASE_URL: own.url('writer') });
    servers.push(server);
    await server.initialize();
    return server;
  };
  afterAll(() => {
    for (const server of servers) server.kill();
  });

  it('leaves nothing or everything, and the key recovers which', { timeout: 240_000 }, async () => {
    const admin = await own.client('admin');
    let server = await start();
    const content = `${'filler of the document\n'.repeat(20_000)}counter 0\n`;
    const created = await toolCall(server, 'patchdiff_initialize_target', { content, display_name: 'killed' });
    const target = String(created['target_file_id']);
    const outcomes = { committed: 0, nothing: 0 };
    let version = 0;

    for (let round = 0; round < ROUNDS; round += 1) {
      const args = {
        target_file_id: target,
        intent: 'count up',
        expected_target_version: version,
        client_request_id: `round-${round}`,
        edits: [{ match: `counter ${round}\n`, replace: `counter ${round + 1}\n` }],
      };
      // Warm the cache in every other round, so that the kill meets a submit of one statement and one of two.
      if (round % 2 === 0) await toolCall(server, 'patchdiff_read_target', { target_file_id: target });
      server.send({
        jsonrpc: '2.0',
        id: `kill-${round}`,
        method: 'tools/call',
        params: { name: 'patchdiff_submit_edits', arguments: args },
      });
      await sleep(random.below(60));
      server.kill();
      await server.exited;
      await untilIdle();

      const rows = await admin.query('select 1 from patchdiff_store.append_only_pdcp_logs where client_request_id = $1', [
        `round-${round}`,
      ]);
      const committed = rows.rowCount === 1;
      const state = await stateOf(target);
      expect(state).toEqual({ version: version + (committed ? 1 : 0), tail: `counter ${round + (committed ? 1 : 0)}\n` });
      outcomes[committed ? 'committed' : 'nothing'] += 1;

      server = await start();
      const receipt = await toolCall(server, 'patchdiff_submit_edits', args);
      expect(receipt).toMatchObject({ status: 'accepted', deduplicated: committed, version: version + 1 });
      version += 1;
    }
    expect(await stateOf(target)).toEqual({ version: ROUNDS, tail: `counter ${ROUNDS}\n` });
    const findings = await admin.query('select * from patchdiff_audit.verify_all()');
    expect(findings.rows).toEqual([]);
    const attempts = await admin.query('select 1 from patchdiff_store.append_only_pdcp_logs');
    expect(attempts.rowCount).toBe(ROUNDS);
    expect(outcomes.committed + outcomes.nothing).toBe(ROUNDS);

    async function untilIdle(): Promise<void> {
      for (;;) {
        const { rows: busy } = await admin.query(
          `select 1 from pg_stat_activity where datname = current_database() and usename = $1 and pid <> pg_backend_pid()`,
          [new URL(own.url('writer')).username],
        );
        if (busy.length === 0) return;
        await sleep(10);
      }
    }

    async function stateOf(id: string): Promise<{ version: number; tail: string }> {
      const { rows: held } = await admin.query<{ version: string; tail: string }>(
        `select version, substring(current_content from 'counter [0-9]+\n$') as tail from patchdiff_store.cloud_target_files where target_file_id = $1`,
        [id],
      );
      return { version: Number(held[0]?.version), tail: held[0]?.tail ?? '' };
    }
  });
});

async function toolCall(server: RawPipe, name: string, args: unknown): Promise<Record<string, unknown>> {
  const reply = await server.call(`${name}-${random.below(1e9)}`, name, args);
  const result = reply.result as { structuredContent?: Record<string, unknown>; isError?: boolean } | undefined;
  expect(result?.isError ?? false, JSON.stringify(reply).slice(0, 1000)).toBe(false);
  return result?.structuredContent ?? {};
}
