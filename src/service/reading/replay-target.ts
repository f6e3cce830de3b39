import { lockHistory } from '../../db/calls/lock-history.ts';
import type { HistoryRow } from '../../db/calls/lock-history.ts';
import { readTarget } from '../../db/calls/read-target.ts';
import type { Database } from '../../db/port.ts';
import { codePointLength } from '../../text/index.ts';
import { startReplay } from '../../transaction/index.ts';
import type { AcceptedAttempt, JsonObject, ReplayResult } from '../../transaction/index.ts';
import { attemptOf } from '../common/accepted-attempt.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';
import { unlessUnknown } from '../common/unknown-target.ts';

/** Attempts a statement: payloads may be 4 MiB each. */
const PAGE = 50;

/** Accepted attempts after the first page's snapshot, page by page. */
async function* attemptsOf(
  database: Database,
  id: string,
  firstPage: readonly HistoryRow[],
  options: CallOptions,
): AsyncGenerator<AcceptedAttempt> {
  let rows = firstPage;
  for (;;) {
    yield* rows.slice(0, PAGE).map(attemptOf);
    const last = rows[PAGE - 1];
    if (rows.length <= PAGE || last === undefined) return;
    rows = await lockHistory(database, id, last.log_sequence, PAGE, options);
  }
}

/** Inside one transaction: the lock that the first page takes keeps history and row still. A number: the current version, which `upToVersion` exceeds. */
async function replayLocked(
  database: Database,
  id: string,
  upToVersion: number | null,
  options: CallOptions,
): Promise<ReplayResult | number> {
  const rows = await lockHistory(database, id, 0, PAGE, options);
  const state = await readTarget(database, id, options);
  if (state === null) throw new RangeError('a locked target is gone');
  if (upToVersion !== null && upToVersion > state.version) return state.version;
  const initial = rows.find((row) => row.kind === 'initial_upload') ?? null;
  const firstPage = rows.filter((row) => row.kind === 'accepted');
  const run = startReplay(initial, id, sha256);
  const last = upToVersion ?? Number.MAX_SAFE_INTEGER;
  let steps = 0;
  for await (const attempt of attemptsOf(database, id, last === 0 ? [] : firstPage, options)) {
    if (!run.step(attempt)) break;
    steps += 1;
    if (steps % PAGE === 0) options.onProgress?.(steps, Math.min(last, state.version), 'attempts replayed');
    // Before the next page is read.
    if (steps === last) break;
  }
  const compared = upToVersion === null || upToVersion === state.version;
  return run.finish(compared ? { content: state.current_content, hash: state.current_hash, version: state.version } : null);
}

/** Replays history under the target's lock and compares with the stored row; changes and repairs nothing. */
export async function replayTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const upToVersion = reader.integer('up_to_version', null, 0);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const result = await unlessUnknown(context.database.transaction((bound) => replayLocked(bound, id, upToVersion, options)));
  if (result === null) return notFound(id);
  if (typeof result === 'number')
    return invalidArgument(reader.refuse('up_to_version', `an integer from 0 to ${String(result)}, the current version`));
  const { reconstructed_content: content, ...facts } = result;
  return { target_file_id: id, ...(facts as unknown as JsonObject), reconstructed_chars: codePointLength(content) };
}
