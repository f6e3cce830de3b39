import { canonicalize } from '../text/index.ts';
import { applyTransaction } from './apply.ts';
import { applyBundle } from './apply-bundle.ts';
import type { Sha256 } from './json.ts';
import { decodeStored } from './stored.ts';
import type { ChangeFact, Transaction } from './types.ts';

const UNLIMITED = { resultBytes: Infinity };

/** The `initial_upload` snapshot of a target. */
export interface InitialSnapshot {
  target_file_id: string;
  content: string;
  content_hash: string;
}

/** An accepted row of the attempts log, as far as replay reads it. */
export interface AcceptedAttempt {
  target_file_id: string;
  pdcp_log_id: string;
  log_sequence: number;
  before_version: number;
  after_version: number;
  before_hash: string;
  after_hash: string;
  pdcp_content: string;
  pdcp_content_hash: string;
  protocol_version: string;
  runtime_version: string;
}

/** The row that history should have led to, as stored. */
export interface MaterializedState {
  content: string;
  hash: string;
  version: number;
}

export type ReplayCheck =
  | 'initial_snapshot'
  | 'initial_owner'
  | 'initial_hash'
  | 'owner'
  | 'protocol'
  | 'before_version'
  | 'after_version'
  | 'before_hash'
  | 'payload_hash'
  | 'decode'
  | 'apply'
  | 'after_hash';

/** The first step that does not hold. The two row fields are null when it is the initial snapshot. */
export interface ReplayFailure {
  check: ReplayCheck;
  reason: 'replay_integrity_failed' | 'replay_protocol_invalid' | 'replay_apply_failed';
  pdcp_log_id: string | null;
  log_sequence: number | null;
  detail: string;
}

export interface MaterializedChecks {
  content_matches: boolean | null;
  stored_hash_matches: boolean | null;
  recomputed_hash_matches: boolean | null;
  version_matches: boolean | null;
}

/** `content`, hash and version are those after the last step that held. The checks are null when the state was not compared. */
export interface ReplayResult {
  status: 'success' | 'failed';
  reconstructed_content: string;
  reconstructed_hash: string;
  reconstructed_version: number;
  steps: number;
  materialized_state_checks: MaterializedChecks;
  materialized_state_matches: boolean | null;
  first_failing_step: ReplayFailure | null;
}

/** A replay that takes history page by page: `step` answers false as soon as something failed. */
export interface Replay {
  step(attempt: AcceptedAttempt): boolean;
  /** Compares with the stored row, or with nothing (null) when history was not replayed to its end. */
  finish(state: MaterializedState | null): ReplayResult;
}

/**
 * Replays a whole history and never repairs. Linear in it: an attempt costs its payload and the document, which is hashed
 * after each, because every recorded hash is checked.
 */
export function replay(
  initial: InitialSnapshot | null,
  attempts: Iterable<AcceptedAttempt>,
  state: MaterializedState | null,
  targetFileId: string,
  sha256: Sha256,
): ReplayResult {
  const run = startReplay(initial, targetFileId, sha256);
  for (const attempt of attempts) if (!run.step(attempt)) break;
  return run.finish(state);
}

/** Starts from the initial snapshot, whose owner and hash are checked; null when the target has none. */
export function startReplay(initial: InitialSnapshot | null, targetFileId: string, sha256: Sha256): Replay {
  let content = initial?.content ?? '';
  let hash = sha256(content);
  let version = 0;
  let steps = 0;
  let failure: ReplayFailure | null = null;
  if (initial === null) failure = broken('initial_snapshot', null, 'the target has no initial snapshot');
  else if (initial.target_file_id !== targetFileId)
    failure = broken('initial_owner', null, 'the initial snapshot belongs to another target');
  else if (hash !== initial.content_hash) failure = broken('initial_hash', null, 'the initial snapshot does not hash to its recorded hash');
  return {
    step(attempt) {
      if (failure !== null) return false;
      const next = replayStep(attempt, { content, hash, version }, targetFileId, sha256);
      if ('check' in next) failure = next;
      else {
        ({ content, hash, version } = next);
        steps += 1;
      }
      return failure === null;
    },
    finish(state) {
      const checks = compare(failure === null ? state : null, { content, hash, version }, sha256);
      return {
        status: failure === null ? 'success' : 'failed',
        reconstructed_content: content,
        reconstructed_hash: hash,
        reconstructed_version: version,
        steps,
        materialized_state_checks: checks,
        materialized_state_matches: checks.content_matches === null ? null : Object.values(checks).every((held) => held === true),
        first_failing_step: failure,
      };
    },
  };
}

/** The state after an attempt, and what was applied: changes and facts in the order of application. */
export interface ReplayedStep extends MaterializedState {
  transaction: Transaction;
  changes: ChangeFact[];
}

/** Applies one attempt to the state before it, checking every fact it records. */
export function replayStep(
  attempt: AcceptedAttempt,
  at: MaterializedState,
  targetFileId: string,
  sha256: Sha256,
): ReplayedStep | ReplayFailure {
  if (attempt.target_file_id !== targetFileId) return broken('owner', attempt, 'the attempt belongs to another target');
  const stored = decodeStored(attempt, targetFileId, sha256);
  if (!stored.ok && stored.check === 'protocol') return unreadable(attempt, stored);
  if (attempt.before_version !== at.version)
    return broken('before_version', attempt, `version ${at.version} is expected, not ${attempt.before_version}`);
  if (attempt.after_version !== at.version + 1)
    return broken('after_version', attempt, `version ${at.version + 1} is expected, not ${attempt.after_version}`);
  if (attempt.before_hash !== at.hash) return broken('before_hash', attempt, 'the attempt starts from another content');
  if (sha256(attempt.pdcp_content) !== attempt.pdcp_content_hash)
    return broken('payload_hash', attempt, 'the payload does not hash to its recorded hash');
  if (!stored.ok) return unreadable(attempt, stored);
  const { bundle, profile, transaction } = stored;
  const applied =
    bundle === null
      ? applyTransaction(at.content, transaction, profile, sha256, UNLIMITED)
      : applyBundle(at.content, bundle, profile, sha256, UNLIMITED);
  if (!applied.ok) return { ...broken('apply', attempt, applied.fault.detail), reason: 'replay_apply_failed' };
  if (applied.afterHash !== attempt.after_hash) return broken('after_hash', attempt, 'the result does not hash to the recorded hash');
  return {
    content: applied.content,
    hash: applied.afterHash,
    version: attempt.after_version,
    transaction,
    changes: applied.changes,
  };
}

function compare(state: MaterializedState | null, at: MaterializedState, sha256: Sha256): MaterializedChecks {
  if (state === null) return { content_matches: null, stored_hash_matches: null, recomputed_hash_matches: null, version_matches: null };
  return {
    content_matches: state.content === at.content,
    stored_hash_matches: state.hash === at.hash,
    recomputed_hash_matches: sha256(canonicalize(state.content)) === at.hash,
    version_matches: state.version === at.version,
  };
}

function broken(check: ReplayCheck, attempt: AcceptedAttempt | null, detail: string): ReplayFailure {
  return {
    check,
    reason: 'replay_integrity_failed',
    pdcp_log_id: attempt?.pdcp_log_id ?? null,
    log_sequence: attempt?.log_sequence ?? null,
    detail,
  };
}

function unreadable(attempt: AcceptedAttempt, { check, detail }: { check: ReplayCheck; detail: string }): ReplayFailure {
  return { ...broken(check, attempt, detail), reason: 'replay_protocol_invalid' };
}
