import type { Profile } from './profiles.ts';

const LOOP = `PatchDIFF edits text documents under authority: every change states what it believes about the document, applies as a whole or not at all, and is recorded for ever.`;

const UNITS = `Offsets and lengths count Unicode code points; lines end with LF. Copy matches exactly, without line numbers.`;

const RECOVER = `RECOVER: status "rejected" is an answer, not an error: nothing was applied. Read failure_reason, failure_detail, current_context, near_misses and next_step. When diagnostic.retryable is true, read again and send a new proposal (with parent_pdcp_log_id = the rejected pdcp_log_id and a new client_request_id). Near misses are hints: copy their text, never assume they were applied. isError means that the outcome may be unknown: repeat the call with the same client_request_id.`;

const SAVE = `SAVE: patchdiff_save with the guards of your last receipt; sync_workspace: true writes the file back. The file on disk changes only then. On drift somebody changed the file: nothing was written.`;

const OBSERVE =
  'OBSERVE: patchdiff_list_scopes names functions, classes, sections; patchdiff_observe_scopes returns texts and a bundle_id.';

const COMMIT =
  'SUBMIT: patchdiff_commit_bundle with one group {scope_id, operations} a scope, in its own text; all apply or none. Always send intent and a fresh client_request_id.';

const GUARD = 'GUARD: send them as expected_target_version and/or expected_current_hash; at least one is required.';

/** What a server tells the model before anything else; at most 1,500 characters each. */
const INSTRUCTIONS: Readonly<Record<Profile, string>> = {
  full: [
    LOOP,
    'READ: find the document (patchdiff_list_targets, or patchdiff_initialize_target for a new one), then patchdiff_read_lines, patchdiff_read_target or patchdiff_find_occurrences. Each returns version and current_hash.',
    GUARD,
    'SUBMIT: patchdiff_submit_edits for exact texts, patchdiff_submit_operations for places, patchdiff_submit_replacement for a whole new text. Always send intent and a fresh client_request_id. patchdiff_preview shows the verdict first.',
    RECOVER,
    SAVE,
    UNITS,
  ].join('\n'),
  workspace: [
    LOOP,
    'READ: patchdiff_initialize_target with from_workspace: true and path returns the target_file_id; then patchdiff_read_lines or patchdiff_find_occurrences. Each returns version and current_hash.',
    GUARD,
    'SUBMIT: patchdiff_submit_operations. Always send intent and a fresh client_request_id.',
    RECOVER,
    SAVE,
    UNITS,
  ].join('\n'),
  observed_workspace: [
    LOOP,
    'READ: patchdiff_initialize_target with from_workspace: true and path returns the target_file_id; patchdiff_read_lines reads. Each returns version and current_hash.',
    OBSERVE,
    GUARD,
    COMMIT,
    RECOVER,
    SAVE,
    UNITS,
  ].join('\n'),
  observed_v2: [
    LOOP,
    'READ: patchdiff_read_lines and patchdiff_find_occurrences of a target_file_id that you were given. Each returns version and current_hash.',
    OBSERVE,
    GUARD,
    COMMIT,
    RECOVER,
    'SAVE: whoever gave you the document saves it; nothing here writes a file.',
    UNITS,
  ].join('\n'),
};

export function instructionsOf(profile: Profile): string {
  return INSTRUCTIONS[profile];
}
