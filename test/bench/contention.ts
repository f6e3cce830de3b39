import pg from 'pg';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { newSubject, sha256 } from './commit.ts';
import { document } from './documents.ts';
import { writeBlindly } from './floor.ts';
import type { Row } from './report.ts';

const CLIENTS = 8;
const BYTES = 65_536;

/** Commits per second of 8 clients on one target, through the service's queue, against 8 blind writers of the same rows. */
export async function benchContention(
  admin: pg.Client,
  url: string,
  writerUrl: string,
  quick: boolean,
  report: (row: Row) => void,
): Promise<void> {
  const seconds = quick ? 1.5 : 4;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    theirs.push(await blind(admin, url, seconds));
    ours.push(await throughService(writerUrl, seconds));
  }
  const best = (values: number[]): number => [...values].sort((left, right) => left - right)[1] ?? 0;
  report({
    bench: 'contention',
    case: `${CLIENTS} clients, one target, 64 KB, 1 edit`,
    reference: `${CLIENTS} blind writers`,
    ratio: best(ours) / best(theirs),
    goal: 0.5,
    bound: 'least',
    ours: best(ours),
    theirs: best(theirs),
    unit: 'per second',
  });
}

async function throughService(writerUrl: string, seconds: number): Promise<number> {
  const database = openDatabase({ connectionString: writerUrl, max: CLIENTS });
  const service = createService({ database, actor: { host: 'bench' } });
  const content = document(BYTES, false);
  const lines = content.split('\n');
  const created = await service.initializeTarget({ content, display_name: 'hot' });
  const target = created['target_file_id'] as string;
  let commits = 0;
  let next = 0;
  const end = Date.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      // The queue keeps the order of the calls, so each knows the version it will meet; each client works on a line of its own.
      let mark = (lines[10 + client * 40] ?? '').slice(-33);
      for (let turn = 0; Date.now() < end; turn += 1) {
        const next32 = `@${String(client).padStart(16, '0')}${String(turn).padStart(16, '0')}`;
        const expected = next;
        next += 1;
        const receipt = await service.submit('patchdiff-tx/1', {
          target_file_id: target,
          intent: 'change marks',
          expected_target_version: expected,
          client_request_id: `client-${client}-${turn}`,
          edits: [{ match: mark, replace: next32 }],
        });
        if (receipt['status'] !== 'accepted') throw new Error(JSON.stringify(receipt));
        commits += 1;
        mark = next32;
      }
    }),
  );
  await database.close();
  return commits / seconds;
}

async function blind(admin: pg.Client, url: string, seconds: number): Promise<number> {
  const content = document(BYTES, false);
  const subject = await newSubject(admin, content);
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  let sequence = 0;
  let commits = 0;
  const end = Date.now() + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (Date.now() < end) {
        sequence += 1;
        const content64 = `${content.slice(0, -17)}${String(sequence).padStart(16, '0')}\n`;
        const hash = sha256(content64);
        await writeBlindly(client, {
          targetFileId: subject.id,
          content: content64,
          contentChars: content64.length,
          hash,
          beforeHash: hash,
          version: 0,
          sequence,
          ledgerSequence: sequence - 1,
          payload: 'x'.repeat(400),
          payloadHash: hash,
          key: `k${sequence}`,
          facts: [
            {
              ordinal: 1,
              change_id: 'chg_001',
              operation: 'match',
              span_start: 1,
              span_end: 2,
              matched_chars: 1,
              replacement_chars: 1,
              matched_sha256: hash,
              replacement_sha256: hash,
            },
          ],
          startBytes: [1],
        });
        commits += 1;
      }
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  return commits / seconds;
}
