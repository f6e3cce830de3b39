import { readOpenPublications } from '../../db/calls/read-open-publications.ts';
import type { OpenPublicationRow } from '../../db/calls/read-open-publications.ts';
import { recordPublication } from '../../db/calls/record-publication.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { readDisk } from '../../workspace/index.ts';
import type { DiskState, Workspace } from '../../workspace/index.ts';
import type { Context } from '../common/context.ts';
import { intentState } from './intent-state.ts';
import type { CallOptions } from '../common/types.ts';

type IntentContext = Pick<Context, 'database' | 'actor'>;

type Close = { outcome: 'published' | 'rejected'; detail: JsonObject } | null;

/** How an intent is closed whose outcome the disk proves; null: it proves none, and nothing is guessed. */
function verdictOn(intent: OpenPublicationRow, disk: DiskState): Close {
  switch (intentState(intent, disk)) {
    case 'installed_not_recorded':
      return { outcome: 'published', detail: { resumed: true } };
    case 'nothing_installed': {
      const detail = 'the publication was interrupted before the file was replaced';
      return {
        outcome: 'rejected',
        detail: { failure_reason: 'publication_interrupted', failure_code: 'publication_interrupted', failure_detail: detail },
      };
    }
    case 'ambiguous':
      return null;
  }
}

/**
 * Closes the target's open intents on this file whose outcome the disk proves: the bytes to be written stand there (our own
 * publication, interrupted before its checkpoint), or the file is still as it was before. Answers the ids found published.
 * Call it under the directory's lease: then an open intent is a leftover, never one under way.
 */
export async function closeOwnIntents(
  context: IntentContext,
  workspace: Workspace,
  targetFileId: string,
  path: string,
  options: CallOptions,
): Promise<string[]> {
  const intents = await readOpenPublications(context.database, targetFileId, options);
  const mine = intents.filter((intent) => intent.workspace_root === workspace.facts.root && intent.workspace_path === path);
  if (mine.length === 0) return [];
  const disk = await readDisk(workspace, path);
  return disk.ok ? closeProven(context, mine, disk, options) : [];
}

/** Closes those of a target's open intents whose outcome the state of the file proves; the ids found published. */
export async function closeProven(
  context: IntentContext,
  intents: readonly OpenPublicationRow[],
  disk: DiskState,
  options: CallOptions,
): Promise<string[]> {
  const published: string[] = [];
  for (const intent of intents) {
    const close = verdictOn(intent, disk);
    if (close === null) continue;
    try {
      const receipt = await recordPublication(
        context.database,
        {
          targetFileId: intent.target_file_id,
          publicationId: intent.publication_id,
          outcome: close.outcome,
          observedDiskSha256: disk.sha256,
          detail: JSON.stringify(close.detail),
          clientRequestId: null,
          actor: context.actor,
        },
        options,
      );
      if (receipt.outcome === 'published') published.push(intent.publication_id);
    } catch (error) {
      // Another process closed it first, or a later publication stands in its place.
      if (!(error instanceof DatabaseError && error.code === 'publication_closed')) throw error;
    }
  }
  return published;
}
