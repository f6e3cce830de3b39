import { readHead } from '../../db/calls/read-head.ts';
import { readOpenPublications } from '../../db/calls/read-open-publications.ts';
import type { OpenPublicationRow } from '../../db/calls/read-open-publications.ts';
import { rebindTarget } from '../../db/calls/rebind-target.ts';
import type { RebindingRow } from '../../db/calls/rebind-target.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import type { Database } from '../../db/port.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { openWorkspace, readDisk, resolvePath, withLease } from '../../workspace/index.ts';
import type { Refusal, Workspace } from '../../workspace/index.ts';
import { notFound } from '../common/answers.ts';
import { workspaceFacts } from './import-answers.ts';
import { closeProven } from './own-intents.ts';
import { nextStepForRebinding } from './rebind-steps.ts';

export interface RebindRequest {
  database: Database;
  targetFileId: string;
  /** The new workspace root; null: the one that the target is bound to. */
  root: string | null;
  /** The new path, relative to the root. */
  path: string;
  expectedVersion: number | null;
  expectedHash: string | null;
  /** JSON text of the claimed actor. */
  actor: string | null;
}

type Facts = Readonly<Record<string, JsonValue>>;

/** Nothing was changed. */
function refused(request: RebindRequest, code: string, detail: string, facts: Facts): JsonObject {
  return {
    status: 'rejected',
    target_file_id: request.targetFileId,
    failure_code: code,
    detail,
    next_step: nextStepForRebinding(code),
    facts,
  };
}

const refusedBy = (request: RebindRequest, { code, message, facts }: Refusal): JsonObject => refused(request, code, message, facts);

function answerFor(request: RebindRequest, row: RebindingRow, finished: readonly string[]): JsonObject {
  const { outcome, disk_sha256: found } = row;
  if (outcome === 'rejected') {
    return refused(request, row.failure_code ?? '', row.failure_detail ?? '', {
      path: request.path,
      expected_disk_sha256: row.expected_disk_sha256,
      observed_disk_sha256: found,
      current_version: row.version,
      workspace_root: row.workspace_root,
      workspace_path: row.workspace_path,
    });
  }
  const first = found === null ? 'No file stands at the new place: patchdiff_save with sync_workspace creates it. ' : '';
  return {
    status: outcome,
    target_file_id: request.targetFileId,
    version: row.version,
    current_hash: row.current_hash,
    from_root: row.from_root,
    from_path: row.from_path,
    workspace_root: row.workspace_root,
    workspace_path: row.workspace_path,
    disk_sha256: found,
    last_synced_disk_sha256: row.last_synced_disk_sha256,
    last_synced_version: row.last_synced_version,
    rebinding_id: row.rebinding_id,
    superseded_publications: row.superseded,
    ...(finished.length === 0 ? {} : { finished_publications: [...finished] }),
    chain_sequence: row.chain_sequence,
    chain_head: row.chain_head,
    ...(outcome === 'rebound' ? { next_step: `${first}A file that still stands at the old place belongs to no target any more.` } : {}),
  };
}

/**
 * Closes the open intents on the old file whose outcome is proved: by the file at the old place, under the lease of its directory; or,
 * where none stands any more, by the one at the new place, which then is the moved one. Answers the ids found published.
 */
async function closeOldIntents(request: RebindRequest, head: TargetHead, workspace: Workspace, path: string): Promise<string[] | Refusal> {
  const intents = await readOpenPublications(request.database, head.target_file_id);
  const { workspace_root: oldRoot, workspace_path: oldPath } = head;
  const mine = intents.filter((intent) => intent.workspace_root === oldRoot && intent.workspace_path === oldPath);
  if (mine.length === 0 || oldRoot === null || oldPath === null) return [];
  const there = await closeWhere(request, await openWorkspace(oldRoot), oldRoot, oldPath, mine);
  return there ?? (await closeWhere(request, workspace, workspace.facts.root, path, mine)) ?? [];
}

/** Null: no file stands there that could prove anything. */
async function closeWhere(
  request: RebindRequest,
  workspace: Workspace | Refusal,
  root: string,
  path: string,
  intents: readonly OpenPublicationRow[],
): Promise<string[] | Refusal | null> {
  if (!workspace.ok || workspace.facts.root !== root) return null;
  const leased = await withLease(workspace, path, async () => {
    const disk = await readDisk(workspace, path);
    return disk.ok && disk.status !== null ? closeProven(request, intents, disk, {}) : null;
  });
  if (leased.ok) return leased.value;
  return leased.code === 'lease_busy' ? leased : null;
}

/** Under the lease of the new directory: what stands there decides, and the database whether the rest holds. */
async function move(request: RebindRequest, workspace: Workspace, path: string, finished: readonly string[]): Promise<JsonObject> {
  const disk = await readDisk(workspace, path);
  if (!disk.ok) return refusedBy(request, disk);
  // No digest: more than a file of a target can have, and not the absence of one.
  if (disk.status !== null && disk.sha256 === null) {
    const facts = { path, observed_disk_sha256: null, observed_bytes: disk.status.size };
    return refused(request, 'drift', 'another file stands at the new place, larger than any that was saved; nothing was changed', facts);
  }
  try {
    const { database, targetFileId, expectedVersion, expectedHash, actor } = request;
    const facts = workspaceFacts(workspace, path, disk.sha256);
    const row = await rebindTarget(database, { targetFileId, workspace: facts, expectedVersion, expectedHash, actor });
    return answerFor(request, row, finished);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== 'file_bound_elsewhere') throw error;
    return refused(request, error.code, error.message, { path, ...((error.detail ?? {}) as Facts) });
  }
}

/**
 * Binds a target to another file: to where its file was moved, or to a place where none stands yet. Another file that stands there is
 * never taken for it, and nothing on the disk is written. The old root may be gone. Answers `rebound`, `refreshed` (the same
 * place, whose root has another device or inode), `unchanged`, `rejected` or `not_found`; repeating the call answers `unchanged`.
 */
export async function rebind(request: RebindRequest): Promise<JsonObject> {
  const head = await readHead(request.database, request.targetFileId);
  if (head === null) return notFound(request.targetFileId);
  if (head.workspace_root === null) {
    return refused(request, 'not_workspace_bound', 'the target is bound to no workspace file; a binding is made by creation alone', {});
  }
  const workspace = await openWorkspace(request.root ?? head.workspace_root);
  if (!workspace.ok) return refusedBy(request, workspace);
  const location = await resolvePath(workspace, request.path);
  if (!location.ok) return refusedBy(request, location);
  const { path } = location;
  const finished = await closeOldIntents(request, head, workspace, path);
  if (!Array.isArray(finished)) return refusedBy(request, finished);
  const leased = await withLease(workspace, path, () => move(request, workspace, path, finished));
  return leased.ok ? leased.value : refusedBy(request, leased);
}
