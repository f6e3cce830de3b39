import { findBinding } from '../../db/calls/find-binding.ts';
import type { BindingRow } from '../../db/calls/find-binding.ts';
import { openIntents } from '../../db/calls/open-intents.ts';
import type { Database } from '../../db/port.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { importFile } from '../../workspace/index.ts';
import type { ImportedFile } from '../../workspace/index.ts';
import type { AdoptionGuards } from './adopt-disk.ts';
import { invalidArgument } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { boundButMissing, describe, drifted, refused, unknownEndings } from './import-answers.ts';
import type { CallOptions } from '../common/types.ts';

/** Whether an interrupted SAVE left the bytes that stand in the file: an import finishes it first, and then the file is in sync. */
async function isOwnPublication(database: Database, id: string, root: string, file: ImportedFile, options: CallOptions): Promise<boolean> {
  const intents = await openIntents(database, root, options);
  return intents.some(
    (intent) =>
      intent.target_file_id === id &&
      intent.workspace_path === file.path &&
      intent.written_sha256 === file.diskSha256 &&
      !intent.is_overtaken,
  );
}

/** The refusal that an adoption with these guards would meet; null: none that can be seen without the target's lock. */
function adoptionFault(binding: BindingRow, file: ImportedFile, guards: AdoptionGuards): JsonObject | null {
  const { target_file_id: id, version, last_synced_version: synced } = binding;
  if (file.lineEndings.style === 'mixed' && file.eolRuns === null) return unknownEndings(file.path);
  const facts = {
    bound_target_file_id: id,
    expected_disk_sha256: binding.last_synced_disk_sha256,
    observed_disk_sha256: file.diskSha256,
    current_version: version,
    last_synced_version: synced,
  };
  if (guards.expectedVersion === null && guards.expectedHash === null) {
    return version === synced ? null : refused('guard_missing', 'the target has versions that were never saved to its file', facts);
  }
  if (guards.expectedVersion !== null && guards.expectedVersion !== version) {
    return refused('target_version_mismatch', `the target is at version ${version}, not ${guards.expectedVersion}; read it again`, facts);
  }
  if (guards.expectedHash !== null && guards.expectedHash !== binding.current_hash) {
    return refused('target_hash_mismatch', "the content's hash is not the expected one; read it again", facts);
  }
  return null;
}

/**
 * What an import of a workspace file would come to now: `would_create`, `existing`, `would_adopt`, or its refusal. Nothing is
 * written: an interrupted SAVE that an import would finish stays open.
 */
export async function foreseeImport(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const path = reader.rawText('path') ?? '';
  const adopts = reader.flag('adopt_disk', false);
  const guards: AdoptionGuards = {
    expectedVersion: reader.integer('expected_target_version', null, 0),
    expectedHash: reader.optionalHash('expected_current_hash'),
  };
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
  if (binding.last_synced_disk_sha256 === file.diskSha256 || (await isOwnPublication(context.database, id, root, file, options))) {
    return describe(context, 'existing', id, options);
  }
  if (!adopts) return drifted(id, file, binding);
  return (
    adoptionFault(binding, file, guards) ?? {
      status: 'would_adopt',
      target_file_id: id,
      workspace_path: file.path,
      version: binding.version,
    }
  );
}
