import { lockPublication } from '../../db/calls/lock-publication.ts';
import { openPublication } from '../../db/calls/open-publication.ts';
import type { PublicationReceiptRow } from '../../db/calls/open-publication.ts';
import { readHead } from '../../db/calls/read-head.ts';
import { readTarget } from '../../db/calls/read-target.ts';
import { recordPublication } from '../../db/calls/record-publication.ts';
import type { RecordPublication } from '../../db/calls/record-publication.ts';
import type { SaveReceiptRow, SaveTarget } from '../../db/calls/save-target.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import type { Database } from '../../db/port.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import { runsOf } from '../../text/index.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { planPublication, publishFile } from '../../workspace/index.ts';
import type { Published, PublicationPlan, Refusal, Workspace } from '../../workspace/index.ts';
import type { Context } from '../common/context.ts';
import { fileEndings } from '../common/line-endings.ts';
import { refusalWords, refusedSave, saveReceipt } from './save-receipt.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';

/** Restarts after the target moved between reading it and holding its lock. */
const MAX_ROUNDS = 3;

interface Rendered {
  kind: 'rendered';
  version: number;
  contentHash: string;
  expectedDiskSha256: string | null;
  plan: PublicationPlan;
  /** JSON text of the runs of line endings that the plan follows; null: one ending for all lines. */
  eolRuns: string | null;
}

/** The refusal when the target is bound to another file than the one that is about to be looked at or written; null when it is not. */
export function reboundMeanwhile(head: TargetHead, workspace: Workspace, path: string): JsonObject | null {
  if (isBoundTo(head, workspace, path)) return null;
  return refusedSave(head, 'publication_moved', 'the target was bound to another file while it was being saved');
}

function isBoundTo(bound: Pick<TargetHead, 'workspace_root' | 'workspace_path'>, workspace: Workspace, path: string): boolean {
  return bound.workspace_root === workspace.facts.root && bound.workspace_path === path;
}

/** The bytes of the version as it stands, the answer when there are none to write, or that it moved while it was read. */
async function render(
  context: Context,
  workspace: Workspace,
  path: string,
  id: string,
  options: CallOptions,
): Promise<Rendered | { kind: 'refused'; answer: JsonObject } | { kind: 'moved' }> {
  const row = await readTarget(context.database, id, options);
  if (row === null) throw new RangeError('a target vanished');
  const rebound = reboundMeanwhile(row, workspace, path);
  if (rebound !== null) return { kind: 'refused', answer: rebound };
  const contentHash = sha256(row.current_content);
  if (contentHash !== row.current_hash) {
    const detail = 'the stored content does not match its recorded hash; nothing was written';
    return { kind: 'refused', answer: refusedSave(row, 'content_diverged', detail) };
  }
  const ends = await fileEndings(context.database, row, row.current_content, options);
  if (ends.kind === 'moved') return ends;
  if (ends.kind === 'refused') return { kind: 'refused', answer: refusedSave(row, ends.code, ends.detail) };
  const plan = planPublication(row.current_content, ends.endings, row.source_bom);
  const eolRuns = typeof ends.endings === 'string' ? null : JSON.stringify(runsOf(ends.endings));
  return { kind: 'rendered', version: row.version, contentHash, expectedDiskSha256: row.last_synced_disk_sha256, plan, eolRuns };
}

/** What the second transaction came to. */
type Installation = { kind: 'moved' } | { kind: 'recorded'; receipt: SaveReceiptRow; refusal: Refusal | null };

interface Attempt {
  workspace: Workspace;
  path: string;
  call: SaveTarget;
  publicationId: string;
  rendered: Rendered;
  /** Set once the bytes stand on disk, so that a failure after that is told apart from one before. */
  published: Published | null;
}

/** The second transaction: the target's lock, the file, the outcome. */
async function install(database: Database, attempt: Attempt): Promise<Installation> {
  const { workspace, path, call, publicationId, rendered } = attempt;
  const close = (outcome: RecordPublication['outcome'], observedDiskSha256: string | null, detail: JsonObject): Promise<SaveReceiptRow> =>
    recordPublication(database, {
      targetFileId: call.targetFileId,
      publicationId,
      outcome,
      observedDiskSha256,
      detail: JSON.stringify(detail),
      clientRequestId: call.clientRequestId,
      actor: call.actor,
    });
  const lock = await lockPublication(database, call.targetFileId, publicationId);
  if (lock.outcome === 'closed') return { kind: 'moved' };
  if (lock.outcome === 'rejected') {
    return { kind: 'recorded', receipt: await close('rejected', null, claimOf(lock)), refusal: null };
  }
  // Rebound after it was rendered: the intent is of the new place, and the bytes would go to the old one.
  if (lock.outcome !== 'current' || !isBoundTo(lock, workspace, path)) return closeMoved(lock, call, close);
  const published = await publishFile(workspace, path, rendered.plan.bytes, rendered.expectedDiskSha256);
  if (!published.ok) {
    const observed = published.facts['observed_disk_sha256'];
    const reason = published.code === 'drift' ? 'workspace_drift' : 'workspace_refused';
    const detail = { failure_reason: reason, failure_code: published.code, failure_detail: published.message };
    const receipt = await close('rejected', typeof observed === 'string' ? observed : null, detail);
    return { kind: 'recorded', receipt, refusal: published };
  }
  attempt.published = published;
  const receipt = await close('published', published.writtenSha256, {
    mode: published.mode,
    owner_kept: published.ownerKept,
    durable: published.durable,
    leftover: published.leftover,
  });
  // A conflict over the key or diverged content, which the lock should have excluded: the bytes stand there unrecorded.
  if (receipt.outcome !== 'published') throw new RangeError(`the publication was not recorded: ${receipt.failure_code ?? ''}`);
  return { kind: 'recorded', receipt, refusal: null };
}

/** Why nothing was installed, as this process sees it: kept with the outcome, while the database derives the receipt's words itself. */
function claimOf(lock: PublicationReceiptRow): JsonObject {
  return { failure_reason: lock.failure_reason, failure_code: lock.failure_code, failure_detail: lock.failure_detail };
}

/** The target moved since it was rendered: with a guard that is the caller's business, without one the SAVE starts again. */
async function closeMoved(
  lock: PublicationReceiptRow,
  call: SaveTarget,
  close: (outcome: 'rejected' | 'superseded', observed: null, detail: JsonObject) => Promise<SaveReceiptRow>,
): Promise<Installation> {
  const guarded = call.expectedVersion !== null || call.expectedHash !== null;
  const receipt = await close(guarded ? 'rejected' : 'superseded', null, claimOf(lock));
  return guarded ? { kind: 'recorded', receipt, refusal: null } : { kind: 'moved' };
}

/** An intent whose second transaction failed before the file was touched; if this fails too, the next SAVE finds it and closes it. */
async function closeInterrupted(context: Context, call: SaveTarget, publicationId: string): Promise<void> {
  const failure = 'publication_interrupted';
  const detail = {
    failure_reason: failure,
    failure_code: failure,
    failure_detail: 'the publication was interrupted before the file was replaced',
  };
  await recordPublication(context.database, {
    targetFileId: call.targetFileId,
    publicationId,
    outcome: 'rejected',
    observedDiskSha256: null,
    detail: JSON.stringify(detail),
    clientRequestId: null,
    actor: context.actor,
  }).catch(() => undefined);
}

function diskFacts(published: Published): JsonObject {
  const { path, writtenSha256, writtenBytes, durable, ownerKept, leftover } = published;
  return { workspace_path: path, disk_sha256: writtenSha256, written_bytes: writtenBytes, durable, owner_kept: ownerKept, leftover };
}

/** The file holds the new bytes; whether the checkpoint was committed is not known, or it was not. */
function partialReceipt(id: string, publicationId: string, published: Published, error: unknown): JsonObject {
  return {
    status: 'partial',
    deduplicated: false,
    target_file_id: id,
    publication_id: publicationId,
    failure_reason: 'checkpoint_failed',
    failure_code: error instanceof DatabaseError ? error.code : 'unexpected_error',
    detail: 'the file was written, but its checkpoint failed or its outcome is unknown',
    next_step: 'Send the same save again: it finds the file as written and finishes the bookkeeping.',
    ...diskFacts(published),
  };
}

/**
 * Publishes the target's current version to its file: intent, lock, installation, outcome. Call it under the directory's lease,
 * with leftovers closed and the guards settled. Cancellation ends with the intent: what touches the disk runs to its end.
 */
export async function publishTarget(
  context: Context,
  workspace: Workspace,
  path: string,
  call: SaveTarget,
  options: CallOptions,
): Promise<JsonObject> {
  const id = call.targetFileId;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const rendered = await render(context, workspace, path, id, options);
    if (rendered.kind === 'refused') return rendered.answer;
    if (rendered.kind === 'moved') continue;
    const { version, contentHash, expectedDiskSha256, plan, eolRuns } = rendered;
    const { targetFileId, expectedVersion, expectedHash, clientRequestId, actor } = call;
    const intent = await openPublication(
      context.database,
      {
        targetFileId,
        expectedVersion,
        expectedHash,
        version,
        contentHash,
        expectedDiskSha256,
        writtenSha256: plan.sha256,
        writtenBytes: plan.bytes.length,
        actor,
        clientRequestId,
        eolRuns,
      },
      options,
    );
    if (intent.outcome === 'recovered' && intent.receipt !== null) return saveReceipt(id, intent.receipt);
    if (intent.outcome !== 'opened' || intent.publication_id === null) {
      if (intent.failure_code === 'publication_moved') continue;
      return {
        ...refusedSave({ ...intent, target_file_id: id }, intent.failure_code ?? '', intent.failure_detail ?? ''),
        failure_reason: intent.failure_reason,
      };
    }
    const publicationId = intent.publication_id;
    const attempt: Attempt = { workspace, path, call, publicationId, rendered, published: null };
    let installation: Installation;
    try {
      installation = await context.database.transaction((bound) => install(bound, attempt));
    } catch (error) {
      if (attempt.published !== null) return partialReceipt(id, publicationId, attempt.published, error);
      await closeInterrupted(context, call, publicationId);
      throw error;
    }
    if (installation.kind === 'recorded') {
      const { receipt, refusal } = installation;
      // Of a refusal that it did not see the database says only that there was one.
      return saveReceipt(id, receipt, refusal === null ? {} : refusalWords(refusal.code, refusal.message, refusal.facts));
    }
  }
  const head = await readHead(context.database, id, options);
  if (head === null) throw new RangeError('a target vanished');
  return refusedSave(head, 'publication_moved', 'the target kept changing while it was being saved');
}
