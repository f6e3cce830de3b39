import { nextStepForImport } from './save-receipt.ts';

const READ_AGAIN = 'Read the target again (patchdiff_read_lines) and run the command with the version and hash of that answer.';
const OTHER_ROOT = 'Name the workspace root where the file is now with --workspace.';
const AGAIN = 'Run the same command again.';

/** What to do after a move of a binding that was refused, where it is mended otherwise than an import. */
const NEXT: Readonly<Record<string, string>> = {
  drift:
    "Another file stands there and is never taken for the target's. Move it aside and run the same command again. To go on from its text, put it back then and call patchdiff_initialize_target with from_workspace: true, its path, adopt_disk: true, and expected_target_version and expected_current_hash as the last read of the target returned them.",
  not_workspace_bound:
    'To start a file from its text, create a target of it: patchdiff_initialize_target with from_workspace: true, path and content.',
  file_bound_elsewhere: 'Use the target that bound_target_file_id names, or bind that one to another file first.',
  target_version_mismatch: READ_AGAIN,
  target_hash_mismatch: READ_AGAIN,
  content_diverged:
    'An operator must run `patchdiff verify`, which names the damaged row, and restore it. Then run the same command again.',
  root_missing: OTHER_ROOT,
  root_not_directory: OTHER_ROOT,
  root_unreadable: OTHER_ROOT,
  path_not_found: 'Create its directory, or name another path inside the workspace, relative to its root.',
  lease_busy: AGAIN,
  path_changed: AGAIN,
  directory_vanished: AGAIN,
};

export function nextStepForRebinding(code: string): string {
  return NEXT[code] ?? nextStepForImport(code);
}
