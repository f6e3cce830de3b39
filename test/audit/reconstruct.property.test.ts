import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { startReplay, type AcceptedAttempt } from '../../src/transaction/index.ts';
import { sha256 } from '../db/support/attacks.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { History } from './support/history.ts';
import { randomTransaction } from './support/random-transaction.ts';

const HISTORIES = 10;
/** Transactions in all; more on demand. */
const TRANSACTIONS = Number(process.env['PATCHDIFF_HISTORY_TRANSACTIONS'] ?? 10_000);
/** Without a snapshot on the way every version is rebuilt from the first text, which is quadratic. */
const UNSAVED = 150;

const database = useDatabase();
let writer: pg.Client;
let auditor: pg.Client;

beforeAll(async () => {
  [writer, auditor] = await Promise.all([database.client('writer'), database.client('auditor')]);
  await writer.query('set synchronous_commit = off');
});

async function randomHistory(seed: number, transactions: number, saves: number): Promise<History> {
  const random = new Random(seed);
  const history = await History.create(writer, random.pick(['', 'a\r\nb\rc', 'one\n😀 two\n\nthree\n']));
  while (history.version < transactions) {
    // A text that grew long starts again: what is random here is how texts change, not how long they are.
    const fresh =
      history.content.length > 400
        ? { format: 'patchdiff-tx/3' as const, args: { replacement: random.text(['a\n', 'b', '漢'], 9) } }
        : null;
    const { format, args } = fresh ?? randomTransaction(random, history.content);
    await history.submit(format, args);
    if (random.chance(saves)) await history.save();
  }
  await history.flush();
  return history;
}

/** The hash of every version by the replay in TypeScript, from the rows as recorded. Throws when a step does not hold. */
async function replayed({ id }: History): Promise<string[]> {
  const initial = await auditor.query<{ target_file_id: string; content: string; content_hash: string }>(
    'select target_file_id, content, content_hash from patchdiff_store.target_snapshots where target_file_id = $1 and snapshot_sequence = 1',
    [id],
  );
  const first = initial.rows[0] as (typeof initial.rows)[0];
  const attempts = await auditor.query<AcceptedAttempt>(
    `select target_file_id, pdcp_log_id, log_sequence::integer, before_version::integer, after_version::integer, before_hash, after_hash,
       pdcp_content, pdcp_content_hash, protocol_version, runtime_version
     from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and status = 'accepted' order by log_sequence`,
    [id],
  );
  const replay = startReplay(first, id, sha256);
  // A step holds only when the text it makes has the hash of its row.
  for (const attempt of attempts.rows) if (!replay.step(attempt)) throw new Error(JSON.stringify(replay.finish(null).first_failing_step));
  return [first.content_hash, ...attempts.rows.map((attempt) => attempt.after_hash)];
}

// Compared is every version of every history: the hash of patchdiff_audit.reconstruct's answer with that of the replay, which in turn
// is that of the text which the applier made when the transaction was submitted.
test.each(Array.from({ length: HISTORIES }, (_, seed) => seed))(
  'history %i: SQL rebuilds every version as the replay does',
  async (seed) => {
    const isUnsaved = seed === 0;
    const share = Math.round((TRANSACTIONS - UNSAVED) / (HISTORIES - 1));
    const history = await randomHistory(seed + 1, isUnsaved ? UNSAVED : share, isUnsaved ? 0 : seed % 2 === 0 ? 0.1 : 0.3);
    const { rows } = await auditor.query<{ hash: string; snapshots: number }>(
      `select encode(sha256(convert_to(patchdiff_audit.reconstruct($1, v.version), 'UTF8')), 'hex') as hash
     from generate_series(0, $2::bigint) as v(version) order by v.version`,
      [history.id, history.version],
    );
    const hashes = rows.map(({ hash }) => hash);
    expect(hashes).toEqual(await replayed(history));
    expect(hashes).toEqual(history.contents.map(sha256));
  },
  600_000,
);
