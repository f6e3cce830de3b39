import type { ToolDefinition } from '../tool.ts';
import { commitBundle } from './commit-bundle.ts';
import { exportTarget } from './export-target.ts';
import { findOccurrences } from './find-occurrences.ts';
import { getManifestLedger } from './get-manifest-ledger.ts';
import { getPdcpLog } from './get-pdcp-log.ts';
import { initializeTarget } from './initialize-target.ts';
import { listScopes } from './list-scopes.ts';
import { listTargets } from './list-targets.ts';
import { observeScopes } from './observe-scopes.ts';
import { preview } from './preview.ts';
import { readLines } from './read-lines.ts';
import { readTarget } from './read-target.ts';
import { replayTarget } from './replay-target.ts';
import { save } from './save.ts';
import { submitEdits } from './submit-edits.ts';
import { submitOperations } from './submit-operations.ts';
import { submitReplacement } from './submit-replacement.ts';

/**
 * Every tool, in the order that is advertised. Operations stand before edits, so that the examples run in this order in every profile,
 * also in one that has no edits.
 */
export const TOOLS: readonly ToolDefinition[] = [
  listTargets,
  initializeTarget,
  readTarget,
  readLines,
  findOccurrences,
  listScopes,
  observeScopes,
  preview,
  submitOperations,
  submitEdits,
  submitReplacement,
  commitBundle,
  getPdcpLog,
  getManifestLedger,
  save,
  replayTarget,
  exportTarget,
];
