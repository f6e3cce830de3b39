import type pg from 'pg';
import { startReplay } from '../../../src/transaction/index.ts';
import type { AcceptedAttempt, InitialSnapshot } from '../../../src/transaction/index.ts';
import { sha256 } from './checks.ts';
import type { Checks } from './checks.ts';
import type { Answer } from './session.ts';
import { CHANGES, FILES } from './task.ts';
import type { TaskFile } from './task.ts';

/** What the server answered about one file. */
export interface FileAnswers {
  imported: Answer;
  receipts: readonly Answer[];
  saved: Answer;
}

/** As the database holds it: without byte order mark, lines ended by LF. */
const canonical = (bytes: Buffer): string =>
  bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n');

/**
 * Checks answers and history of a run of ours, file by file: what was answered is what is recorded, and every accepted commit is rebuilt
 * three times, by SQL, by the replay in TypeScript and by a reader of its own that knows only where the ledger says what was replaced.
 */
export async function checkHistory(auditor: pg.Client, answers: ReadonlyMap<string, FileAnswers>, checks: Checks): Promise<void> {
  const targets = await auditor.query<{ workspace_path: string }>('select workspace_path from patchdiff_audit.targets order by 1');
  checks.equal(
    targets.rows.map(({ workspace_path: at }) => at).join(' '),
    FILES.map(({ path }) => path)
      .sort()
      .join(' '),
    'documents of the database',
  );
  for (const file of FILES) {
    const given = answers.get(file.path);
    checks.that(given !== undefined, `${file.path} was not imported`);
    if (given !== undefined) await checkFile(auditor, file, given, checks);
  }
}

async function checkFile(auditor: pg.Client, file: TaskFile, { imported, receipts, saved }: FileAnswers, checks: Checks): Promise<void> {
  const id = String(imported['target_file_id']);
  const at = (what: string): string => `${file.path}: ${what}`;
  const [before, after] = [canonical(file.before), canonical(file.after)];
  const versions = CHANGES.filter(({ file: changed }) => changed === file.path).length;

  checks.equal(imported['status'], 'created', at('status of the import'));
  checks.equal(imported['current_hash'], sha256(before), at('hash of the import'));
  checks.equal(receipts.length, versions, at('receipts'));
  for (const [step, receipt] of receipts.entries()) {
    checks.equal(receipt['version'], step + 1, at(`version of receipt ${step + 1}`));
    checks.equal(receipt['before_hash'], step === 0 ? sha256(before) : receipts[step - 1]?.['after_hash'], at('hash before'));
  }
  checks.equal(receipts.at(-1)?.['after_hash'], sha256(after), at('hash of the last receipt'));
  checks.equal(saved['version'], versions, at('version of the SAVE'));
  checks.equal(saved['disk_sha256'], sha256(file.after), at('digest that the SAVE wrote'));
  checks.equal(saved['written_bytes'], file.after.length, at('bytes that the SAVE wrote'));

  const { rows: findings } = await auditor.query('select * from patchdiff_audit.verify_target($1)', [id]);
  checks.equal(JSON.stringify(findings), '[]', at('findings of verify_target'));
  const attempts = await attemptsOf(auditor, id);
  const { rows: all } = await auditor.query<{ status: string }>('select status from patchdiff_audit.attempts where target_file_id = $1', [
    id,
  ]);
  checks.equal(all.map(({ status }) => status).join(' '), attempts.map(() => 'accepted').join(' '), at('attempts'));
  checks.equal(attempts.length, versions, at('accepted attempts'));

  const { rows } = await auditor.query<{ version: string; content: string }>(
    `select v.version, patchdiff_audit.reconstruct($1, v.version) as content from generate_series(0, $2::bigint) as v(version) order by 1`,
    [id, versions],
  );
  const bySql = rows.map(({ content }) => content);
  const byLedger = await rebuiltFromLedger(auditor, id, before);
  checks.equal(bySql[0], before, at('SQL rebuilds version 0'));
  for (const [step, attempt] of attempts.entries()) {
    const version = step + 1;
    checks.equal(sha256(bySql[version] ?? ''), attempt.after_hash, at(`SQL rebuilds version ${version}`));
    checks.equal(byLedger[version], bySql[version], at(`the ledger rebuilds version ${version}`));
    const replayed = await replayTo(auditor, id, attempts.slice(0, version));
    checks.equal(replayed, bySql[version], at(`the replay rebuilds version ${version}`));
  }
  checks.equal(bySql[versions], after, at('the last version is the text that was meant'));
}

type Attempt = AcceptedAttempt & { pdcp_content: string };

async function attemptsOf(auditor: pg.Client, id: string): Promise<Attempt[]> {
  const { rows } = await auditor.query<Attempt>(
    `select target_file_id, pdcp_log_id, log_sequence::integer, before_version::integer, after_version::integer, before_hash, after_hash,
       pdcp_content, pdcp_content_hash, protocol_version, runtime_version
     from patchdiff_store.append_only_pdcp_logs where target_file_id = $1 and status = 'accepted' order by log_sequence`,
    [id],
  );
  return rows;
}

/** The text after these attempts, or the words of the step that failed. */
async function replayTo(auditor: pg.Client, id: string, attempts: readonly AcceptedAttempt[]): Promise<string> {
  const { rows } = await auditor.query<InitialSnapshot>(
    'select target_file_id, content, content_hash from patchdiff_store.target_snapshots where target_file_id = $1 and snapshot_sequence = 1',
    [id],
  );
  const replay = startReplay(rows[0] ?? null, id, sha256);
  for (const attempt of attempts) if (!replay.step(attempt)) break;
  const { status, reconstructed_content: content, first_failing_step: failure } = replay.finish(null);
  return status === 'success' ? content : JSON.stringify(failure);
}

interface LedgerRow {
  after_version: string;
  ordinal: number;
  span_start: number;
  span_end: number;
  matched_sha256: string;
  pdcp_content: string;
}

/**
 * Every version's text by what the ledger says alone: each change in the order of its application, the code points from `span_start` to
 * `span_end`, which must hash to what was matched, replaced by the text that the payload has at its ordinal.
 */
async function rebuiltFromLedger(auditor: pg.Client, id: string, before: string): Promise<string[]> {
  const { rows } = await auditor.query<LedgerRow>(
    `select c.after_version, c.ordinal, c.span_start, c.span_end, c.matched_sha256, l.pdcp_content
     from patchdiff_audit.changes as c join patchdiff_store.append_only_pdcp_logs as l using (target_file_id, log_sequence)
     where c.target_file_id = $1 order by c.log_sequence, c.apply_ordinal`,
    [id],
  );
  const versions = [before];
  let text = [...before];
  for (const row of rows) {
    const matched = text.slice(row.span_start, row.span_end).join('');
    if (sha256(matched) !== row.matched_sha256) throw new Error(`the ledger of ${id} names another text than ${JSON.stringify(matched)}`);
    text = [...text.slice(0, row.span_start), ...replacementOf(row), ...text.slice(row.span_end)];
    versions[Number(row.after_version)] = text.join('');
  }
  return versions;
}

function replacementOf({ pdcp_content: payload, ordinal }: LedgerRow): string {
  const { operations, groups = [] } = JSON.parse(payload) as { operations?: Operation[]; groups?: { operations: Operation[] }[] };
  const all = operations ?? groups.flatMap((group) => group.operations);
  return all[ordinal - 1]?.replace ?? '';
}

interface Operation {
  replace: string;
}
