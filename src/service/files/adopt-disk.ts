import { adoptDisk } from '../../db/calls/adopt-disk.ts';
import type { AdoptionRow } from '../../db/calls/adopt-disk.ts';
import { findBinding } from '../../db/calls/find-binding.ts';
import type { BindingRow } from '../../db/calls/find-binding.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { importFile, resolvePath, withLease } from '../../workspace/index.ts';
import type { Workspace } from '../../workspace/index.ts';
import type { Context } from '../common/context.ts';
import { boundButMissing, boundElsewhere, describe, refused, unknownEndings, workspaceFacts } from './import-answers.ts';
import type { WorkspaceImport } from './import-answers.ts';
import { closeOwnIntents } from './own-intents.ts';
import type { CallOptions } from '../common/types.ts';

/** What the caller read before: the versions that the file's text may replace. */
export interface AdoptionGuards {
  expectedVersion: number | null;
  expectedHash: string | null;
}

function nextStep(row: AdoptionRow): string {
  return row.pdcp_log_id === null
    ? 'The text is the same as before; only how its file is written was recorded anew. Go on with version and current_hash of this answer.'
    : `Read the target again (patchdiff_read_lines): its text is the file's now. The text before stays in the history as version ${row.before_version}.`;
}

async function answerFor(context: Context, id: string, row: AdoptionRow, binding: BindingRow, options: CallOptions): Promise<JsonObject> {
  const digests = { previous_disk_sha256: row.previous_disk_sha256, disk_sha256: row.disk_sha256 };
  if (row.outcome === 'rejected') {
    return refused(row.failure_code ?? '', row.failure_detail ?? '', {
      bound_target_file_id: id,
      expected_disk_sha256: row.previous_disk_sha256,
      observed_disk_sha256: row.disk_sha256,
      current_version: row.version,
      last_synced_version: binding.last_synced_version,
      pdcp_log_id: row.pdcp_log_id,
    });
  }
  if (row.outcome === 'unchanged') return { ...(await describe(context, 'existing', id, options)), ...digests };
  return {
    ...(await describe(context, 'adopted', id, options)),
    ...digests,
    // The version that was made, also when another call has moved the target since.
    version: row.version,
    current_hash: row.current_hash,
    before_version: row.before_version,
    adoption_id: row.adoption_id,
    pdcp_log_id: row.pdcp_log_id,
    superseded_publications: row.superseded,
    next_step: nextStep(row),
  };
}

/** Under the lease: what stands in the file now becomes the target's text. */
async function adopt(
  context: Context,
  workspace: Workspace,
  path: string,
  id: string,
  guards: AdoptionGuards,
  options: CallOptions,
): Promise<JsonObject> {
  await closeOwnIntents(context, workspace, id, path, options);
  const file = await importFile(workspace, path);
  if (!file.ok) return refused(file.code, file.message, file.facts);
  if (file.lineEndings.style === 'mixed' && file.eolRuns === null) return unknownEndings(path);
  const binding = await findBinding(context.database, workspace.facts.root, path, options);
  if (binding?.target_file_id !== id) return refused('path_changed', `the binding of "${path}" changed meanwhile`, { path });
  try {
    const row = await adoptDisk(
      context.database,
      {
        targetFileId: id,
        content: file.content,
        source: JSON.stringify({ line_endings: file.lineEndings, bom: file.bom, eol_runs: file.eolRuns }),
        workspace: workspaceFacts(workspace, path, file.diskSha256),
        ...guards,
        actor: context.actor,
      },
      options,
    );
    return await answerFor(context, id, row, binding, options);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'refused' || error.code === 'bad_call') throw error;
    return refused(error.code, error.message, (error.detail ?? {}) as Record<string, JsonValue>);
  }
}

/**
 * The way out of drift: the text that others wrote into a target's file becomes the target's, as a guarded attempt of source
 * `disk`, and the file counts as synced. Answers `adopted`, or `existing` when the file still is what was last synced, so that the
 * call may be repeated. Nothing is written to the disk.
 */
export async function adoptFromDisk(
  context: Context,
  workspace: Workspace,
  asked: WorkspaceImport,
  guards: AdoptionGuards,
  options: CallOptions,
): Promise<JsonObject> {
  const location = await resolvePath(workspace, asked.path);
  if (!location.ok) return refused(location.code, location.message, location.facts);
  if (!location.present) {
    const missing = await boundButMissing(context, workspace, asked, options);
    return missing ?? refused('path_not_found', `"${asked.path}": there is no such file.`, { path: asked.path });
  }
  const binding = await findBinding(context.database, workspace.facts.root, location.path, options);
  if (binding === null) return refused('nothing_to_adopt_into', 'no target is bound to this file', { path: location.path });
  const id = binding.target_file_id;
  if (asked.targetFileId !== null && asked.targetFileId !== id) return boundElsewhere(asked, id);
  const leased = await withLease(workspace, location.path, () => adopt(context, workspace, location.path, id, guards, options));
  return leased.ok ? leased.value : refused(leased.code, leased.message, leased.facts);
}
