import type { SaveReceiptRow } from '../../db/calls/save-target.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import { member } from '../../transaction/index.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import type { Refusal } from '../../workspace/index.ts';

const READ_AGAIN = 'Read the target again and save with the version and hash of that answer and a new client_request_id.';
const RETRY = 'Send the same call again.';
const MEND_FILE = 'Correct what detail says about the file or its directory, then send the same call again.';

/** The way out of drift, for whoever has the facts of the refusal; a file that is gone (observed_disk_sha256 null) has no text to take over. */
const ADOPT =
  'call patchdiff_initialize_target with from_workspace: true, path as in facts, adopt_disk: true, and expected_target_version and expected_current_hash as the last read of the target returned them';

/** The way out when the file is elsewhere now. */
const REBIND = '`patchdiff rebind <target_file_id> <path>`';

/** After a SAVE that found no file where one was: there is no text to take over. */
const GONE = `Someone else removed the file. Put the bytes last imported or saved (expected_disk_sha256) back at the path, then save again. If the file was moved, an operator binds the target to where it is now: ${REBIND}; then save again.`;

/** What to do after a SAVE or an import that was refused, by failure code. */
const NEXT: Readonly<Record<string, string>> = {
  target_version_mismatch: READ_AGAIN,
  target_hash_mismatch: READ_AGAIN,
  publication_moved: READ_AGAIN,
  request_key_conflict: 'Send this save with a client_request_id that was never used on this target.',
  content_diverged:
    'Stop editing this target: an operator must run `patchdiff verify`, which names the damaged row, and restore it. Then save with a new client_request_id.',
  not_workspace_bound: 'Save without sync_workspace; only a target imported from the workspace has a file to write.',
  workspace_unavailable: 'Save without sync_workspace, or start the server with a workspace root (--workspace).',
  workspace_mismatch: `Start the server with the workspace that the target is bound to, or save without sync_workspace. If its file was moved into the served one, an operator binds the target to it: ${REBIND} with --workspace.`,
  drift: `Someone else changed the file. To go on from its text: ${ADOPT}, then send the changes that it lacks as submissions and save again. To keep the target's text instead: put the bytes last imported or saved (expected_disk_sha256; null: no file) back at the path, then save again. If the file was moved, an operator binds the target to where it is now: ${REBIND}; then save again.`,
  unknown_line_endings: 'Save without sync_workspace and export with format "canonical".',
  publication_interrupted: RETRY,
  lease_busy: RETRY,
  path_changed: `${RETRY} If it stays so, the file's directory was replaced by a symbolic link: an operator binds the target to the real path, ${REBIND}.`,
  directory_vanished: `Put the directory back, or have an operator bind the target to where the file is now, ${REBIND}; then send the same call again.`,
  root_missing: `Put the workspace directory back, then send the same call again. If it was moved, start the server with the new place (--workspace); an operator binds the target to it: ${REBIND} with --workspace.`,
  root_changed: 'Put the directory that the server was started with back, or restart the server; then send the same call again.',
  file_changed_while_reading: RETRY,
  destination_busy: RETRY,
  file_exists: 'Import the file as it is: leave content out.',
  file_bound_elsewhere: 'Use the target that bound_target_file_id names.',
  target_exists_with_other_content: 'Read the existing target, or leave target_file_id out to create another one.',
  content_too_large: 'Split the document: a target holds at most 16 MiB.',
  file_too_large: 'Split the file: a target holds at most 16 MiB.',
  invalid_utf8: 'Convert the file to UTF-8, then import it again.',
};

export function nextStepFor(code: string | null): string {
  return (code === null ? undefined : NEXT[code]) ?? MEND_FILE;
}

const READ_TO_ADOPT =
  'Read the target again (patchdiff_read_lines); when its text may be replaced, send this call again with the version and current_hash of that answer as guards.';
const OTHER_PATH = 'Send the call again with the path of a text file inside the workspace, relative to its root.';

/** Where an import, whose path is the caller's own, is mended otherwise than a SAVE. */
const NEXT_OF_IMPORT: Readonly<Record<string, string>> = {
  path_empty: OTHER_PATH,
  path_absolute: OTHER_PATH,
  path_parent: OTHER_PATH,
  path_nul: OTHER_PATH,
  path_too_long: OTHER_PATH,
  path_not_utf8: OTHER_PATH,
  path_trailing_slash: OTHER_PATH,
  path_not_found: OTHER_PATH,
  path_leaves_root: OTHER_PATH,
  symlink_loop: OTHER_PATH,
  symlink_dangling: OTHER_PATH,
  is_directory: OTHER_PATH,
  not_regular_file: OTHER_PATH,
  drift: `The file belongs to the target that bound_target_file_id names, and someone else changed it. To go on from its text: ${ADOPT}. To keep the target's text instead: put the bytes last imported or saved (expected_disk_sha256; null: no file) back at the path.`,
  guard_missing:
    'The target has versions that never reached its file. Read it (patchdiff_read_lines); when its text may be replaced, send this call again with expected_target_version and expected_current_hash of that answer.',
  target_version_mismatch: READ_TO_ADOPT,
  target_hash_mismatch: READ_TO_ADOPT,
  content_diverged:
    'Stop editing this target: an operator must run `patchdiff verify`, which names the damaged row, and restore it. Then send this call again.',
  unknown_line_endings: 'Give the file one kind of line ends, then send the same call again.',
  nothing_to_adopt_into: 'Import the file: send the call again without adopt_disk and without guards.',
  contains_nul: 'Remove the NUL from the file, then import it again.',
  workspace_unavailable: 'Send content and display_name instead, or start the server with a workspace root (--workspace).',
};

/** What to do after an import that was refused. */
export function nextStepForImport(code: string): string {
  return NEXT_OF_IMPORT[code] ?? nextStepFor(code);
}

/** What stands on disk, as recorded with the outcome: the first receipt and every repeat of it say the same. */
function diskFacts(installation: SaveReceiptRow['installation']): JsonObject {
  if (installation === null) return {};
  const { workspace_path, disk_sha256, written_bytes, detail } = installation;
  const claimed = (name: string): JsonValue => (detail === null ? null : (member(detail, name) ?? null));
  return {
    workspace_path,
    disk_sha256,
    written_bytes,
    durable: claimed('durable'),
    owner_kept: claimed('owner_kept'),
    leftover: claimed('leftover'),
  };
}

/** The receipt of a SAVE as recorded, with what only this call knows beside it. */
export function saveReceipt(targetFileId: string, row: SaveReceiptRow, more: JsonObject = {}): JsonObject {
  const rejected = row.outcome === 'rejected';
  return {
    status: row.outcome,
    deduplicated: row.deduplicated,
    target_file_id: targetFileId,
    version: row.version,
    current_hash: row.current_hash,
    editing_cycle: row.editing_cycle,
    snapshot_id: row.snapshot_id,
    publication_id: row.publication_id,
    failure_reason: row.failure_reason,
    failure_code: row.failure_code,
    ...(rejected ? { detail: row.failure_detail, next_step: nextStepFor(row.failure_code) } : {}),
    chain_sequence: row.chain_sequence,
    chain_head: row.chain_head,
    ...diskFacts(row.installation),
    ...more,
  };
}

/** What a refusal says in words, whether a row records it or not. */
export function refusalWords(code: string, detail: string, facts: Readonly<Record<string, JsonValue>>): JsonObject {
  const gone = code === 'drift' && facts['observed_disk_sha256'] === null && facts['observed_bytes'] === null;
  return {
    failure_reason: code === 'drift' ? 'workspace_drift' : 'workspace_refused',
    failure_code: code,
    detail,
    next_step: gone ? GONE : nextStepFor(code),
    facts,
  };
}

/** The target as it stood when a SAVE was refused. */
export type Standing = Pick<TargetHead, 'target_file_id' | 'version' | 'current_hash' | 'chain_sequence' | 'chain_head'>;

/** A refusal that no row records: nothing was changed, neither on disk nor in the database. */
export function refusedSave(standing: Standing, code: string, detail: string, facts: Readonly<Record<string, JsonValue>> = {}): JsonObject {
  return {
    status: 'rejected',
    deduplicated: false,
    target_file_id: standing.target_file_id,
    version: standing.version,
    current_hash: standing.current_hash,
    ...refusalWords(code, detail, facts),
    chain_sequence: standing.chain_sequence,
    chain_head: standing.chain_head,
  };
}

export function refusedByWorkspace(standing: Standing, refusal: Refusal): JsonObject {
  return refusedSave(standing, refusal.code, refusal.message, refusal.facts);
}
