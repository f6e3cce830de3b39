import { findBinding } from '../../db/calls/find-binding.ts';
import { readHead } from '../../db/calls/read-head.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { resolvePath } from '../../workspace/index.ts';
import type { ImportedFile, Workspace } from '../../workspace/index.ts';
import type { Context } from '../common/context.ts';
import { nextStepForImport } from './save-receipt.ts';
import type { CallOptions } from '../common/types.ts';

/** What an import from the workspace is asked for. */
export interface WorkspaceImport {
  targetFileId: string | null;
  displayName: string | null;
  path: string;
}

/** Nothing was created and nothing changed. */
export function refused(code: string, detail: string, facts: Readonly<Record<string, JsonValue>> = {}): JsonObject {
  return { status: 'rejected', failure_code: code, detail, next_step: nextStepForImport(code), facts };
}

/** What every success answers: the target as it stands now, with the facts of its source. */
export async function describe(
  context: Context,
  status: 'created' | 'existing' | 'adopted',
  id: string,
  options: CallOptions,
): Promise<JsonObject> {
  const head = await readHead(context.database, id, options);
  if (head === null) throw new RangeError('a target vanished');
  return {
    status,
    target_file_id: id,
    display_name: head.display_name,
    version: head.version,
    current_hash: head.current_hash,
    total_chars: head.content_chars,
    content_bytes: head.content_bytes,
    source_line_endings: head.source_line_endings,
    source_bom: head.source_bom,
    workspace_path: head.workspace_path,
    created_at: head.created_at,
    chain_sequence: head.chain_sequence,
    chain_head: head.chain_head,
  };
}

/** JSON text of a file's place, as the procedures take it. */
export function workspaceFacts(workspace: Workspace, path: string, diskSha256: string | null): string {
  const { root, device, inode } = workspace.facts;
  return JSON.stringify({ root, path, root_device: device, root_inode: inode, disk_sha256: diskSha256 });
}

/** A file whose bytes are not the synced ones, with what its target knows of them; `now` null: the target is gone. */
export function drifted(
  id: string,
  file: ImportedFile,
  now: { version: number; last_synced_version: number | null; last_synced_disk_sha256: string | null } | null,
): JsonObject {
  return refused('drift', 'the file on disk is not the one that was last imported or saved for its target', {
    bound_target_file_id: id,
    expected_disk_sha256: now?.last_synced_disk_sha256 ?? null,
    observed_disk_sha256: file.diskSha256,
    path: file.path,
    current_version: now?.version ?? null,
    last_synced_version: now?.last_synced_version ?? null,
  });
}

/** A file whose lines end in more ways than are kept line by line: it could not be written back as it is. */
export function unknownEndings(path: string): JsonObject {
  return refused('unknown_line_endings', 'the file changes its line ends more often than is recorded line by line', { path });
}

export function boundElsewhere(asked: WorkspaceImport, boundId: string): JsonObject {
  return refused('file_bound_elsewhere', `the path belongs to target ${boundId}`, {
    ...(asked.targetFileId === null ? {} : { target_file_id: asked.targetFileId }),
    bound_target_file_id: boundId,
  });
}

/** Of a file that is not there: whether a target is bound to its path all the same; null when none is. */
export async function boundButMissing(
  context: Context,
  workspace: Workspace,
  asked: WorkspaceImport,
  options: CallOptions,
): Promise<JsonObject | null> {
  const location = await resolvePath(workspace, asked.path);
  if (!location.ok || location.present) return null;
  const binding = await findBinding(context.database, workspace.facts.root, location.path, options);
  if (binding === null) return null;
  const { target_file_id: id, last_synced_disk_sha256: synced } = binding;
  const answer = refused('path_not_found', `there is no such file, but the path belongs to target ${id}`, {
    path: location.path,
    bound_target_file_id: id,
    last_synced_disk_sha256: synced,
    last_synced_version: binding.last_synced_version,
    current_version: binding.version,
  });
  const next =
    synced === null
      ? 'Use the target that bound_target_file_id names; patchdiff_save with sync_workspace creates its file.'
      : 'Use the target that bound_target_file_id names; put the bytes of last_synced_disk_sha256 back at the path before it is saved there. If the file was moved, an operator binds the target to where it is now: `patchdiff rebind <target_file_id> <path>`.';
  return { ...answer, next_step: next };
}
