import type { DiskState } from '../../workspace/index.ts';

/**
 * What became of an open intent, as far as the disk proves it. `installed_not_recorded`: the bytes to be written stand there.
 * `nothing_installed`: the file is what it was before. `overtaken`: a later row of the target says what the file
 * held since, so this one can only be closed as superseded. `ambiguous`: none of these, and nothing is guessed.
 */
export type IntentState = 'installed_not_recorded' | 'nothing_installed' | 'overtaken' | 'ambiguous';

export interface IntentDigests {
  expected_disk_sha256: string | null;
  written_sha256: string;
}

/** Of an intent that no later row overtook. */
export function intentState(intent: IntentDigests, disk: DiskState): Exclude<IntentState, 'overtaken'> {
  // A file too large to be one of ours has no digest, and is not the absence of one.
  if (disk.status !== null && disk.sha256 === null) return 'ambiguous';
  if (disk.sha256 === intent.written_sha256) return 'installed_not_recorded';
  return disk.sha256 === intent.expected_disk_sha256 ? 'nothing_installed' : 'ambiguous';
}
