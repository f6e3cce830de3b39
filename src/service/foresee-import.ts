import { findBinding } from '../db/calls/find-binding.ts';
import type { JsonObject } from '../transaction/index.ts';
import { importFile } from '../workspace/index.ts';
import { invalidArgument } from './answers.ts';
import { ArgumentReader } from './arguments.ts';
import type { Context } from './context.ts';
import { boundButMissing, describe, drifted, refused } from './import-answers.ts';
import type { CallOptions } from './types.ts';

/**
 * What an import of a workspace file would come to now: `would_create`, `existing`, `would_adopt`, or its refusal. Nothing is
 * written, so that an interrupted SAVE, which an import would close, counts as drift here.
 */
export async function foreseeImport(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const path = reader.rawText('path') ?? '';
  const adopts = reader.flag('adopt_disk', false);
  const guarded = reader.integer('expected_target_version', null, 0) !== null || reader.optionalHash('expected_current_hash') !== null;
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  if (context.openWorkspace === null) return refused('workspace_unavailable', 'the server was started without a workspace');
  const workspace = await context.openWorkspace();
  if (!workspace.ok) return refused(workspace.code, workspace.message, workspace.facts);
  const file = await importFile(workspace, path);
  if (!file.ok) {
    const asked = { targetFileId: null, displayName: null, path };
    const bound = file.code === 'path_not_found' ? await boundButMissing(context, workspace, asked, options) : null;
    return bound ?? refused(file.code, file.message, file.facts);
  }
  const { root } = workspace.facts;
  const binding = await findBinding(context.database, root, file.path, options);
  if (binding === null) {
    return {
      status: 'would_create',
      workspace_path: file.path,
      version: 0,
      source_line_endings: { ...file.lineEndings },
      source_bom: file.bom,
    };
  }
  const id = binding.target_file_id;
  if (binding.last_synced_disk_sha256 === file.diskSha256) return describe(context, 'existing', id, options);
  if (!adopts) return drifted(id, file, binding);
  if (!guarded && binding.version !== binding.last_synced_version) {
    return refused('guard_missing', 'the target has versions that were never saved to its file', {
      bound_target_file_id: id,
      current_version: binding.version,
      last_synced_version: binding.last_synced_version,
    });
  }
  return { status: 'would_adopt', target_file_id: id, workspace_path: file.path, version: binding.version };
}
