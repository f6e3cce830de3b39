import { canonicalize, codePointLength, occursIn } from '../text/index.ts';
import { PieceBuffer } from './buffer.ts';
import { consumerOf } from './consumer.ts';
import type { Splice } from './consumer.ts';
import { candidatesFault, mismatchFault, missingFault, outOfBoundsFault } from './explain.ts';
import type { Sha256 } from './json.ts';
import { LIMITS } from './limits.ts';
import { NeedleIndex } from './needles.ts';
import type { Profile } from './profiles.ts';
import { haystackOf, select } from './select.ts';
import type { Haystack } from './select.ts';
import type { Applied, Change, ChangeFact, Fault, MatchChange, NotApplied, SpanChange, Transaction, Warning } from './types.ts';
import { basisOf, noteBasis, splits } from './warnings.ts';
import type { Basis } from './warnings.ts';
import { faultOf } from './words.ts';

/** From here on the matches are looked up in an index: below, reading the buffer for each is cheaper. */
const INDEXED_CHANGES = 24;

export interface ApplyOptions {
  /** UTF-8 bytes a result may have; Infinity at replay. */
  resultBytes?: number;
  /** Match changes from which the index is built; tests lower it. */
  indexedChanges?: number;
}

/** The state of one application; positions are units of the buffer. */
interface Walk {
  readonly profile: Profile;
  readonly start: string;
  readonly buffer: PieceBuffer;
  readonly needles: NeedleIndex | null;
  readonly basis: Basis;
  readonly splices: Splice[];
}

type Resolved = { ok: true; from: number; to: number } | { ok: false; fault: Fault };

/**
 * Applies a decoded transaction to a text: every change in order against the buffer the one before left, all or nothing.
 * Pure. Content and payload texts are canonicalised to LF first; all of them must be well-formed and free of NUL.
 * The first change that does not apply decides the fault, and `buffer` is the text it failed in.
 * Cost: the document plus the changes, not their product, for texts of 8 units and more.
 */
export function applyTransaction(
  content: string,
  transaction: Transaction,
  profile: Profile,
  sha256: Sha256,
  options: ApplyOptions = {},
): Applied | NotApplied {
  const start = canonicalize(content);
  const buffer = new PieceBuffer(start);
  const needles = indexFor(buffer, transaction, profile, options.indexedChanges ?? INDEXED_CHANGES);
  const walk: Walk = { profile, start, buffer, needles, basis: basisOf(start, transaction, profile, needles), splices: [] };
  const changes: ChangeFact[] = [];
  const resolvedStarts: number[] = [];
  const warnings: Warning[] = [];
  for (const change of transaction.changes) {
    const resolved = resolve(walk, change, changes);
    if (!resolved.ok) return { ok: false, fault: resolved.fault, buffer: buffer.text(), priorChanges: changes.length, changes };
    const { from, to } = resolved;
    const first = buffer.atUnit(from);
    const last = buffer.atUnit(to);
    const matched = buffer.slice(from, to);
    const replacement = canonicalize(change.replace);
    changes.push({
      ordinal: change.ordinal,
      change_id: change.changeId,
      operation: change.operation,
      span_start: first.point,
      span_end: last.point,
      matched_chars: last.point - first.point,
      replacement_chars: codePointLength(replacement),
      matched_sha256: sha256(matched),
      replacement_sha256: sha256(replacement),
    });
    resolvedStarts.push(first.byte);
    const same = matched === replacement;
    if (same) warnings.push({ code: 'no_op_change', change_id: change.changeId });
    if (noteBasis(walk.basis, buffer, change, from)) warnings.push({ code: 'occurrence_index_basis_shift', change_id: change.changeId });
    if (splits(buffer, from) || splits(buffer, to)) warnings.push({ code: 'grapheme_boundary_split', change_id: change.changeId });
    walk.splices.push({ from, to, replacement, same });
    // A splice that changes nothing leaves the pieces, and with them the origin of every unit, as they are.
    if (same) continue;
    buffer.splice(from, to, replacement);
    needles?.noteSplice(from, replacement.length);
  }
  if (buffer.bytes > (options.resultBytes ?? LIMITS.resultBytes)) {
    return { ok: false, fault: faultOf('result_too_large'), buffer: buffer.text(), priorChanges: changes.length, changes };
  }
  const after = buffer.text();
  if (after === start) warnings.push({ code: 'no_op_transaction', change_id: null });
  return { ok: true, content: after, afterHash: sha256(after), changes, resolvedStarts, warnings };
}

function resolve(walk: Walk, change: Change, done: readonly ChangeFact[]): Resolved {
  switch (change.operation) {
    case 'match':
      return resolveMatch(walk, change, done);
    case 'span':
      return resolveSpan(walk, change);
    case 'replace_all':
      return { ok: true, from: 0, to: walk.buffer.units };
  }
}

function resolveMatch(walk: Walk, change: MatchChange, done: readonly ChangeFact[]): Resolved {
  const { buffer, profile, start } = walk;
  const wanted = canonicalize(change.match);
  const selectors = {
    occurrenceIndex: change.occurrenceIndex,
    anchorBefore: change.anchorBefore === null ? null : canonicalize(change.anchorBefore),
    anchorAfter: change.anchorAfter === null ? null : canonicalize(change.anchorAfter),
  };
  const selection = select(haystack(walk), wanted, selectors, profile);
  switch (selection.kind) {
    case 'one':
      return { ok: true, from: selection.unit, to: selection.unit + wanted.length };
    case 'none': {
      const consumed = done.length > 0 && occursIn(start, wanted);
      const consumer = consumed ? done[consumerOf(start, wanted, walk.splices)] : undefined;
      return { ok: false, fault: missingFault(change, wanted, buffer.points, consumer) };
    }
    case 'several':
    case 'excluded':
      return { ok: false, fault: candidatesFault(change, buffer.text(), wanted, selection) };
  }
}

function resolveSpan({ buffer }: Walk, change: SpanChange): Resolved {
  const total = buffer.points;
  if (change.start > change.end || change.end > total) return { ok: false, fault: outOfBoundsFault(change, total) };
  const from = buffer.atPoint(change.start).unit;
  const to = buffer.atPoint(change.end).unit;
  const expected = canonicalize(change.expectedText);
  const before = change.expectedBefore === null ? '' : canonicalize(change.expectedBefore);
  const after = change.expectedAfter === null ? '' : canonicalize(change.expectedAfter);
  const pointed = (first: number, last: number): string =>
    buffer.slice(buffer.atPoint(Math.max(0, first)).unit, buffer.atPoint(Math.min(total, last)).unit);
  if (buffer.slice(from, to) !== expected) {
    return { ok: false, fault: mismatchFault(change, 'expected_text', expected, pointed(change.start, change.end)) };
  }
  if (from < before.length || buffer.slice(from - before.length, from) !== before) {
    const actual = pointed(change.start - codePointLength(before), change.start);
    return { ok: false, fault: mismatchFault(change, 'expected_before', before, actual) };
  }
  if (buffer.slice(to, to + after.length) !== after) {
    const actual = pointed(change.end, change.end + codePointLength(after));
    return { ok: false, fault: mismatchFault(change, 'expected_after', after, actual) };
  }
  return { ok: true, from, to };
}

/** The buffer as the selectors see it: through the index where it knows the text, else by reading. */
function haystack({ buffer, needles, profile }: Walk): Haystack {
  const plain = (): Haystack => haystackOf(buffer.text(), profile.overlappingMatches);
  return {
    each: (wanted, visit) => {
      const found = needles?.find(wanted) ?? null;
      if (found === null) plain().each(wanted, visit);
      else for (const unit of found) if (!visit(unit)) return;
    },
    first: (wanted) => {
      const found = needles?.find(wanted) ?? null;
      return found === null ? plain().first(wanted) : (found[0] ?? null);
    },
    last: (wanted) => {
      const found = needles?.find(wanted) ?? null;
      return found === null ? plain().last(wanted) : (found.at(-1) ?? null);
    },
  };
}

function indexFor(buffer: PieceBuffer, { changes }: Transaction, profile: Profile, least: number): NeedleIndex | null {
  // The index lists overlapping occurrences only; the one profile that counts otherwise reads.
  if (!profile.overlappingMatches) return null;
  const matches = changes.filter((change) => change.operation === 'match');
  if (matches.length < least) return null;
  const texts = matches.flatMap(({ match, anchorBefore, anchorAfter }) => [match, anchorBefore, anchorAfter]);
  return new NeedleIndex(buffer, new Set(texts.filter((text) => text !== null).map(canonicalize)));
}
