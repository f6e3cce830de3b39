import { readOpenPublications } from '../../db/calls/read-open-publications.ts';
import { readHead } from '../../db/calls/read-head.ts';
import { saveTarget } from '../../db/calls/save-target.ts';
import type { SaveReceiptRow, SaveTarget } from '../../db/calls/save-target.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import type { Database } from '../../db/port.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { readDisk, withLease } from '../../workspace/index.ts';
import type { DiskState, Refusal, Workspace } from '../../workspace/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { closeOwnIntents } from './own-intents.ts';
import { publishTarget, reboundMeanwhile } from './publish-target.ts';
import { refusedByWorkspace, refusedSave, saveReceipt } from './save-receipt.ts';
import type { CallOptions } from '../common/types.ts';
import { unlessUnknown } from '../common/unknown-target.ts';

const REQUEST_KEY = /^[\x21-\x7e]{1,128}$/;

/** Rolls the transaction back and carries what it was decided on. */
class Undo<T> extends Error {
  readonly value: T;

  constructor(value: T) {
    super('undone');
    this.value = value;
  }
}

/** True when an interrupted SAVE may have been this very call: then its outcome, not a guard that fails meanwhile, settles the key. */
async function isResumable(bound: Database, call: SaveTarget, options: CallOptions): Promise<boolean> {
  return call.clientRequestId !== null && (await readOpenPublications(bound, call.targetFileId, options)).length > 0;
}

/** What needs no file: a recorded outcome, a guard that fails. Null: the file has to be looked at, and nothing was written. */
async function settleWithoutFile(context: Context, call: SaveTarget, options: CallOptions): Promise<SaveReceiptRow | null> {
  try {
    return await context.database.transaction(async (bound) => {
      const row = await saveTarget(bound, call, options);
      if (row.deduplicated) return row;
      if (row.outcome !== 'rejected' || (await isResumable(bound, call, options))) throw new Undo(null);
      return row;
    });
  } catch (error) {
    if (error instanceof Undo) return null;
    throw error;
  }
}

/** The refusal when the disk is not what was last synced; null when it is. */
function driftOf(head: TargetHead, disk: DiskState | Refusal): JsonObject | null {
  if (!disk.ok) return refusedByWorkspace(head, disk);
  if (disk.sha256 === head.last_synced_disk_sha256 && (disk.status === null) === (disk.sha256 === null)) return null;
  const facts = {
    path: head.workspace_path,
    expected_disk_sha256: head.last_synced_disk_sha256,
    observed_disk_sha256: disk.sha256,
    observed_bytes: disk.status?.size ?? null,
  };
  return refusedSave(head, 'drift', 'the file on disk is not the one that was last imported or saved; nothing was changed', facts);
}

/** Under the lease: `unchanged` only while the disk still has the synced bytes; null when a publication is needed. */
async function settleWithFile(
  context: Context,
  workspace: Workspace,
  path: string,
  call: SaveTarget,
  options: CallOptions,
): Promise<JsonObject | null> {
  try {
    return await context.database.transaction(async (bound) => {
      const row = await saveTarget(bound, call, options);
      if (row.outcome === 'publication_needed') return null;
      if (row.outcome === 'unchanged' && !row.deduplicated) {
        const head = await readHead(bound, call.targetFileId, options);
        const hindrance =
          head === null ? null : (reboundMeanwhile(head, workspace, path) ?? driftOf(head, await readDisk(workspace, path)));
        if (hindrance !== null) throw new Undo(hindrance);
      }
      return saveReceipt(call.targetFileId, row);
    });
  } catch (error) {
    if (error instanceof Undo) return error.value as JsonObject;
    throw error;
  }
}

async function saveToFile(context: Context, call: SaveTarget, options: CallOptions): Promise<JsonObject> {
  const id = call.targetFileId;
  const settled = await settleWithoutFile(context, call, options);
  if (settled !== null) return saveReceipt(id, settled);
  const head = await readHead(context.database, id, options);
  if (head === null) return notFound(id);
  if (head.workspace_path === null) return refusedSave(head, 'not_workspace_bound', 'the target is bound to no workspace file');
  if (context.openWorkspace === null) return refusedSave(head, 'workspace_unavailable', 'the server was started without a workspace');
  const workspace = await context.openWorkspace();
  if (!workspace.ok) return refusedByWorkspace(head, workspace);
  if (workspace.facts.root !== head.workspace_root) {
    const facts = { bound_root: head.workspace_root, served_root: workspace.facts.root };
    return refusedSave(head, 'workspace_mismatch', 'the target is bound to a file of another workspace', facts);
  }
  const path = head.workspace_path;
  const leased = await withLease(workspace, path, async () => {
    const finished = await closeOwnIntents(context, workspace, id, path, options);
    const answer =
      (await settleWithFile(context, workspace, path, call, options)) ?? (await publishTarget(context, workspace, path, call, options));
    return finished.length === 0 ? answer : { ...answer, finished_publications: finished };
  });
  return leased.ok ? leased.value : refusedByWorkspace(head, leased);
}

/**
 * SAVE: a checkpoint and a new editing cycle; with `sync_workspace` the file is replaced too, only while it still is what was last
 * synced. Needs a transaction of its own. What was rejected before installation changed nothing; `partial` says that the file was
 * written and its checkpoint is missing or unknown.
 */
export async function save(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const call: SaveTarget = {
    targetFileId: reader.uuid('target_file_id'),
    expectedVersion: reader.integer('expected_target_version', null, 0),
    expectedHash: reader.optionalHash('expected_current_hash'),
    clientRequestId: reader.matching('client_request_id', REQUEST_KEY, '1 to 128 visible ASCII characters without spaces'),
    actor: context.actor,
    syncWorkspace: reader.flag('sync_workspace', false),
  };
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const id = call.targetFileId;
  const answer = call.syncWorkspace
    ? saveToFile(context, call, options)
    : saveTarget(context.database, call, options).then((row) => saveReceipt(id, row));
  return (await unlessUnknown(answer)) ?? notFound(id);
}
