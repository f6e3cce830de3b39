import { readObservation } from '../../db/calls/read-observation.ts';
import { bundleIdOf, decodeBundle, flattenBundle, prepareBundle } from '../../transaction/index.ts';
import type { BundleFormat, JsonObject, Observation, Submission } from '../../transaction/index.ts';
import { bundleClaimOf } from '../submission/claim.ts';
import type { Context } from '../common/context.ts';
import { commitProposal, withoutTarget } from '../submission/submit.ts';
import type { CallOptions } from '../common/types.ts';
import { wrongShape } from '../submission/wrong-shape.ts';

/** The observation that a bundle names; null: none of its target. One read, and none once it was read. */
async function observationOf(
  context: Context,
  submission: Submission<BundleFormat>,
  targetFileId: string,
  options: CallOptions,
): Promise<Observation | null> {
  const bundleId = bundleIdOf(submission);
  if (bundleId === null) return null;
  const kept = context.bundles.get(targetFileId, bundleId);
  if (kept !== null) return kept;
  const read = await readObservation(context.database, targetFileId, bundleId, options);
  if (read === null) return null;
  // The evidence alone: nothing of a commit needs the texts.
  const scopes = read.scopes.map(({ scope_id, kind, name, qualified_path, start, end, sha256 }) => {
    return { scope_id, kind, name, qualified_path, start, end, sha256 };
  });
  const observation = { ...read, scopes };
  context.bundles.put(targetFileId, observation);
  return observation;
}

/**
 * Edits observed scopes in one commit. As a submission in everything (../submission/submit.ts), over an observation that the procedure reads
 * for itself: what this process makes of it is a claim.
 */
export async function commitBundle(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const refused = withoutTarget('patchdiff-observed-batch/1', args);
  if (refused !== null) return refused;
  const sent = args as JsonObject;
  const submission = prepareBundle(sent);
  const targetFileId = submission.targetFileId ?? '';
  const decoded = decodeBundle(submission, await observationOf(context, submission, targetFileId, options));
  const proposal = {
    submission,
    claim: (base: Parameters<typeof bundleClaimOf>[2]) => bundleClaimOf(submission.record, decoded, base),
    transaction: decoded.ok ? flattenBundle(decoded.bundle) : null,
  };
  const shape = wrongShape('patchdiff-observed-batch/1', sent);
  return commitProposal(context, proposal, targetFileId, { args: sent, shape }, options);
}
