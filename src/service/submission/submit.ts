import { commitAttempt } from '../../db/calls/commit-attempt.ts';
import type { CommitReceiptRow } from '../../db/calls/commit-attempt.ts';
import type { Database } from '../../db/port.ts';
import { canonicalUuid, decodeSubmission, member, prepareSubmission } from '../../transaction/index.ts';
import type { AnyFormat, Format, JsonObject, Submission, Transaction, WarningCode } from '../../transaction/index.ts';
import { isJsonObject } from '../common/arguments.ts';
import { claimOf } from './claim.ts';
import type { Claim } from './claim.ts';
import { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { explainMiss } from './explain-miss.ts';
import { missedOf } from './near-misses.ts';
import type { Missed } from './near-misses.ts';
import { receiptOf, unlinkedReceipt } from './receipt.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';
import { describeValue } from '../common/value-kind.ts';
import { wrongArguments, wrongShape } from './wrong-shape.ts';

/** With the guards held the content is fixed, so one re-claim suffices; the bound only keeps a defect from looping. */
const MAX_CALLS = 3;

/** The two warnings that are ours to give; the procedure derives the others itself. */
const ADVISORY: ReadonlySet<WarningCode> = new Set(['occurrence_index_basis_shift', 'grapheme_boundary_split']);

function call(
  context: Context,
  database: Database,
  submission: Submission<AnyFormat>,
  targetFileId: string,
  claim: Claim,
  options: CallOptions,
): Promise<CommitReceiptRow> {
  const applied = claim.verdict === 'accepted' ? claim.applied : null;
  return commitAttempt(
    database,
    {
      targetFileId,
      payload: submission.payload,
      clientRequestId: submission.clientRequestId,
      parent: submission.parent,
      attempt: submission.attempt,
      source: submission.source,
      actor: context.actor,
      baseHash: claim.verdict === 'none' ? null : (claim.base?.hash ?? null),
      verdict: claim.verdict,
      resolvedStarts: applied?.resolvedStarts ?? null,
      afterHash: applied?.afterHash ?? null,
      diagnostic: claim.verdict === 'rejected' ? JSON.stringify({ failure_reason: claim.fault.reason }) : null,
      warnings: applied === null ? null : JSON.stringify(applied.warnings.filter(({ code }) => ADVISORY.has(code))),
      rawMetadata: submission.rawMetadata === null ? null : JSON.stringify(submission.rawMetadata),
    },
    { signal: options.signal },
  );
}

/** Keeps the cache at what the procedure just said under the lock. */
function remember(context: Context, targetFileId: string, row: CommitReceiptRow, claim: Claim): void {
  if (row.outcome === 'accepted' && row.deduplicated !== true && claim.verdict === 'accepted' && row.after_version !== null) {
    context.cache.put(targetFileId, new CachedContent(row.after_version, claim.applied.afterHash, claim.applied.content));
    return;
  }
  const held = context.cache.get(targetFileId);
  if (held !== null && (held.version !== row.current_version || held.hash !== row.current_hash)) context.cache.drop(targetFileId);
}

/** What the last call of a submission answered, and what this process had made of it. */
interface Committed {
  row: CommitReceiptRow;
  claim: Claim;
  previous: CachedContent | null;
}

/** What is submitted, as far as committing it asks. */
export interface Proposal {
  submission: Submission<AnyFormat>;
  /** What this process makes of it over a content; null: none is held. */
  claim: (base: CachedContent | null) => Claim;
  /** Its changes, to look for the one that failed; null when it does not decode. */
  transaction: Transaction | null;
}

/** Null for a recovered outcome, and when the database's reason is not the one found here. */
function missedBy(targetFileId: string, transaction: Transaction | null, { row, claim, previous }: Committed): Missed | null {
  if (row.deduplicated === true || transaction === null || claim.verdict !== 'rejected') return null;
  const { fault, base, struck } = claim;
  if (struck === null || base === null || row.failure_reason !== fault.reason || row.before_version === null) return null;
  return missedOf({ targetFileId, fault, transaction, ...struck, base: { version: row.before_version, content: base.content }, previous });
}

/** Makes the statements over `database`, which may be bound to a transaction: nothing is certain before that is committed. */
async function commit(
  context: Context,
  database: Database,
  { submission, claim: claimOver }: Proposal,
  targetFileId: string,
  options: CallOptions,
): Promise<Committed> {
  let base = context.cache.get(targetFileId);
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    const claim = claimOver(base);
    const row = await call(context, database, submission, targetFileId, claim, options);
    if (row.outcome === 'not_found') return { row, claim, previous: null };
    if (row.outcome !== 'stale_base') {
      remember(context, targetFileId, row, claim);
      return { row, claim, previous: context.cache.previous(targetFileId) };
    }
    const content = row.current_content ?? '';
    base = new CachedContent(row.current_version ?? 0, sha256(content), content);
    context.cache.replace(targetFileId, base);
  }
  throw new RangeError('commit_attempt kept answering stale_base although the evaluated content was its own');
}

/** Commits a proposal to a target and answers its receipt; `shape`: what is wrong with the shape of its arguments, in words. */
export async function commitProposal(
  context: Context,
  proposal: Proposal,
  targetFileId: string,
  { args, shape }: { args: JsonObject; shape: string | null },
  options: CallOptions,
): Promise<JsonObject> {
  const committed = await context.queue.run(targetFileId, {
    database: context.database,
    attempt: (database) => commit(context, database, proposal, targetFileId, options),
    undone: () => context.cache.drop(targetFileId),
    signal: options.signal,
  });
  if (committed.row.outcome === 'not_found') {
    const detail = 'no target has this id';
    return unlinkedReceipt(
      proposal.submission.format,
      targetFileId,
      { reason: 'target_not_found', code: 'target_not_found', detail },
      shape,
    );
  }
  // After the commit, and outside the queue: whoever waits for the target does not wait for a hint.
  const nearMisses = await explainMiss(context, missedBy(targetFileId, proposal.transaction, committed), options);
  return receiptOf(committed.row, { targetFileId, args, shape, nearMisses });
}

/** The rejection of arguments that name no target: no row can hold it. Null when they name one. */
export function withoutTarget(format: AnyFormat, args: unknown): JsonObject | null {
  if (!isJsonObject(args)) {
    const detail = 'the arguments are not a JSON object';
    const fault = { reason: 'context_invalid', code: 'arguments_not_an_object', detail } as const;
    return unlinkedReceipt(format, null, fault, wrongArguments(format, args));
  }
  if (canonicalUuid(member(args, 'target_file_id')) !== null) return null;
  const detail = `target_file_id: a UUID, as the server returned it; got ${describeValue(member(args, 'target_file_id'))}`;
  return unlinkedReceipt(format, null, { reason: 'context_invalid', code: 'target_id_malformed', detail }, wrongShape(format, args));
}

/**
 * Commits one submission: exactly one statement when the target's content is cached, whatever the outcome (a text that is not there
 * may cost one read more, after the commit: ./explain-miss.ts); those that had to wait for one another share a transaction. `args` are the
 * tool's arguments as sent; every judgement about them is our decoder's, so that a bad submission to a known target
 * is a durable row. Rejects only for the outside world; then nothing is known to have happened unless the error says so.
 */
export async function submit(context: Context, format: Format, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const refused = withoutTarget(format, args);
  if (refused !== null) return refused;
  const sent = args as JsonObject;
  const submission = prepareSubmission(format, sent);
  const decoded = decodeSubmission(submission);
  const proposal: Proposal = {
    submission,
    claim: (base) => claimOf(submission.record, decoded, base),
    transaction: decoded.ok ? decoded.transaction : null,
  };
  return commitProposal(context, proposal, submission.targetFileId ?? '', { args: sent, shape: wrongShape(format, sent) }, options);
}
