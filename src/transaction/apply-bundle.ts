import { CodePointIndex, canonicalize, utf8Length } from '../text/index.ts';
import { applyTransaction } from './apply.ts';
import type { ApplyOptions } from './apply.ts';
import { inApplicationOrder } from './bundle.ts';
import { inGroup } from './decode-bundle.ts';
import type { JsonObject, Sha256 } from './json.ts';
import { LIMITS } from './limits.ts';
import type { Profile } from './profiles.ts';
import type { Applied, Bundle, BundleApplied, BundleNotApplied, Fault, ScopedFact, ScopedGroup, ScopeEvidence } from './types.ts';
import { faultOf } from './words.ts';

/**
 * Applies a decoded bundle to a text, all or nothing: every scope must have the text that was observed, every group is applied
 * to its own slice as a transaction of its own, and the slices are put back from the last to the first. Pure. The first scope or
 * operation in submitted order that does not hold decides the fault.
 */
export function applyBundle(
  content: string,
  bundle: Bundle,
  profile: Profile,
  sha256: Sha256,
  options: ApplyOptions = {},
): BundleApplied | BundleNotApplied {
  const start = canonicalize(content);
  const index = new CodePointIndex(start);
  for (const group of bundle.groups) {
    const fault = scopeFault(index, group, sha256);
    if (fault !== null) return { ok: false, fault, buffer: start, priorChanges: 0, changes: [], scope: null };
  }

  const results = new Map<ScopedGroup, Applied>();
  const resolvedStarts: number[] = [];
  for (const group of bundle.groups) {
    const transaction = { ...bundle, changes: group.changes };
    const result = applyTransaction(sliceOf(index, group.scope), transaction, profile, sha256, { ...options, resultBytes: Infinity });
    if (!result.ok) {
      const fault = inGroup(inDocument(result.fault, group.scope), { ...group, operation: result.priorChanges });
      return { ...result, fault, scope: group.scope };
    }
    results.set(group, result);
    resolvedStarts.push(...result.resolvedStarts);
  }
  return assemble(index, { bundle, results, resolvedStarts }, sha256, options.resultBytes ?? LIMITS.resultBytes);
}

interface Slices {
  bundle: Bundle;
  results: ReadonlyMap<ScopedGroup, Applied>;
  resolvedStarts: number[];
}

function assemble(
  index: CodePointIndex,
  { bundle, results, resolvedStarts }: Slices,
  sha256: Sha256,
  resultBytes: number,
): BundleApplied | BundleNotApplied {
  const { text } = index;
  const changes: ScopedFact[] = [];
  const warnings: Applied['warnings'] = [];
  const parts: string[] = [];
  let kept = text.length;
  for (const group of inApplicationOrder(bundle.groups)) {
    const { scope } = group;
    const result = results.get(group) as Applied;
    parts.push(text.slice(index.toUnit(scope.end), kept), result.content);
    kept = index.toUnit(scope.start);
    for (const fact of result.changes) {
      const { span_start, span_end } = fact;
      changes.push({
        ...fact,
        span_start: scope.start + span_start,
        span_end: scope.start + span_end,
        apply_ordinal: changes.length + 1,
        scope_id: scope.scope_id,
        scope_span_start: span_start,
        scope_span_end: span_end,
      });
    }
    warnings.push(...result.warnings.filter(({ code }) => code !== 'no_op_transaction'));
  }
  const after = [...parts, text.slice(0, kept)].reverse().join('');
  if (utf8Length(after) > resultBytes) {
    return { ok: false, fault: faultOf('result_too_large'), buffer: after, priorChanges: changes.length, changes, scope: null };
  }
  if (after === text) warnings.push({ code: 'no_op_transaction', change_id: null });
  return { ok: true, content: after, afterHash: sha256(after), changes, resolvedStarts, warnings };
}

/** The fault of a scope whose text is not at its place any more; null when it is. */
function scopeFault(index: CodePointIndex, { index: at, scope }: ScopedGroup, sha256: Sha256): Fault | null {
  const actual = scope.end <= index.length ? sha256(sliceOf(index, scope)) : null;
  if (actual === scope.sha256) return null;
  const fault = faultOf('scope_hash_mismatch', {
    path: `groups[${at}].scope_id`,
    cut: { kind: 'window', point: scope.start },
    evidence: { observed_sha256: scope.sha256, actual_sha256: actual },
  });
  return inGroup(fault, { index: at, scope });
}

function sliceOf(index: CodePointIndex, { start, end }: ScopeEvidence): string {
  return index.text.slice(index.toUnit(start), index.toUnit(end));
}

/** A fault of the slice with its candidates in document coordinates, the slice's own beside them. */
function inDocument(fault: Fault, { start }: ScopeEvidence): Fault {
  const candidates = fault.evidence['exact_candidates'] as { occurrence_index: number; start: number; end: number }[] | undefined;
  if (candidates === undefined) return fault;
  const placed = candidates.map(({ occurrence_index, start: from, end: to, ...beside }): JsonObject => {
    const scoped = { start: start + from, end: start + to, scope_start: from, scope_end: to };
    return { occurrence_index, ...scoped, ...beside };
  });
  return { ...fault, evidence: { ...fault.evidence, exact_candidates: placed } };
}
