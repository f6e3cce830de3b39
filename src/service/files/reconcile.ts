import { openIntents, outcomeOf } from '../../db/calls/open-intents.ts';
import type { OpenIntentRow } from '../../db/calls/open-intents.ts';
import { recordPublication } from '../../db/calls/record-publication.ts';
import type { RecordPublication } from '../../db/calls/record-publication.ts';
import type { Database } from '../../db/port.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import type { JsonObject } from '../../transaction/index.ts';
import { openWorkspace, readDisk, withLease } from '../../workspace/index.ts';
import type { DiskState, Workspace } from '../../workspace/index.ts';
import { intentState } from './intent-state.ts';
import type { IntentState } from './intent-state.ts';

export interface ReconcileRequest {
  database: Database;
  /** Canonical path of one root; null: every root, where the intents say it is. */
  root: string | null;
  /** Record what the disk proves. Without it nothing is written anywhere. */
  finish: boolean;
  /** JSON text of the claimed actor. */
  actor: string | null;
}

type Outcome = RecordPublication['outcome'];

const CLOSES_AS: Readonly<Record<Exclude<IntentState, 'ambiguous'>, Outcome>> = {
  installed_not_recorded: 'published',
  nothing_installed: 'rejected',
  overtaken: 'superseded',
};

const NEXT = {
  finish: 'Run patchdiff reconcile --finish, or save the target again: both record it.',
  ambiguous:
    'The file holds neither the bytes before nor those to be written. Put one of them back, or take the text of the file over (patchdiff_initialize_target with adopt_disk: true), which closes the intent.',
  unreadable: 'Correct what detail says about the directory or the file, then run patchdiff reconcile again.',
  damaged: 'The stored content does not match its recorded hash: run patchdiff verify and restore what it names, then reconcile again.',
} as const;

/** Records what the disk proved; what stood in the way, or null. Somebody who was faster stands in nobody's way. */
async function close(request: ReconcileRequest, intent: OpenIntentRow, outcome: Outcome, disk: DiskState): Promise<string | null> {
  const words = { reconciled: true, failure_code: outcome === 'rejected' ? 'publication_interrupted' : null };
  try {
    const receipt = await recordPublication(request.database, {
      targetFileId: intent.target_file_id,
      publicationId: intent.publication_id,
      outcome,
      observedDiskSha256: disk.sha256,
      detail: JSON.stringify(words),
      clientRequestId: null,
      actor: request.actor,
    });
    return receipt.outcome === outcome ? null : receipt.failure_code;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'publication_closed') return error.code;
    throw error;
  }
}

async function judge(request: ReconcileRequest, workspace: Workspace, intent: OpenIntentRow): Promise<JsonObject> {
  const { database, finish } = request;
  const earlier = await outcomeOf(database, intent.target_file_id, intent.publication_id);
  if (earlier !== null) return { state: 'recorded', outcome: earlier, open: false };
  const disk = await readDisk(workspace, intent.workspace_path);
  if (!disk.ok) return { state: 'unreadable', open: true, failure_code: disk.code, detail: disk.message, next_step: NEXT.unreadable };
  const state: IntentState = intent.is_overtaken ? 'overtaken' : intentState(intent, disk);
  const seen = { state, observed_disk_sha256: disk.sha256, observed_bytes: disk.status?.size ?? null };
  if (state === 'ambiguous') return { ...seen, open: true, next_step: NEXT.ambiguous };
  if (!finish) return { ...seen, open: true, next_step: NEXT.finish };
  const outcome = CLOSES_AS[state];
  const hindrance = await close(request, intent, outcome, disk);
  if (hindrance === null) return { ...seen, outcome, open: false };
  return { ...seen, open: true, failure_code: hindrance, next_step: hindrance === 'content_diverged' ? NEXT.damaged : NEXT.finish };
}

/** Intent, disk and database of one publication, under the directory's lease: then it is a leftover, never one under way. */
async function reconcileOne(request: ReconcileRequest, workspaces: Map<string, Workspace>, intent: OpenIntentRow): Promise<JsonObject> {
  const facts: JsonObject = { ...intent };
  const unreadable = (failure: { code: string; message: string }): JsonObject => ({
    ...facts,
    state: 'unreadable',
    open: true,
    failure_code: failure.code,
    detail: failure.message,
    next_step: NEXT.unreadable,
  });
  let workspace = workspaces.get(intent.workspace_root);
  if (workspace === undefined) {
    const opened = await openWorkspace(intent.workspace_root);
    if (!opened.ok) return unreadable(opened);
    if (opened.facts.root !== intent.workspace_root) {
      return unreadable({ code: 'root_changed', message: `The root "${intent.workspace_root}" now leads to "${opened.facts.root}".` });
    }
    workspaces.set(intent.workspace_root, (workspace = opened));
  }
  const served = workspace;
  const leased = await withLease(served, intent.workspace_path, () => judge(request, served, intent));
  return leased.ok ? { ...facts, ...leased.value } : unreadable(leased);
}

/**
 * Says of every open publication intent what became of it (nothing installed; installed and not recorded; recorded meanwhile), and with
 * `finish` records it. An ambiguous disk is reported with all three digests and left alone. `status` is `clean` when none is
 * open any more.
 */
export async function reconcile(request: ReconcileRequest): Promise<JsonObject> {
  const workspaces = new Map<string, Workspace>();
  const intents: JsonObject[] = [];
  for (const intent of await openIntents(request.database, request.root)) intents.push(await reconcileOne(request, workspaces, intent));
  const open = intents.filter((intent) => intent['open'] === true).length;
  return { status: open === 0 ? 'clean' : 'open', open, closed: intents.length - open, intents };
}
