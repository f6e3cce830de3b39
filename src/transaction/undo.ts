import { canonicalize, occursIn, takeCodePoints } from '../text/index.ts';
import { PieceBuffer } from './buffer.ts';
import { consumerOf } from './consumer.ts';
import type { Splice } from './consumer.ts';
import type { Sha256 } from './json.ts';
import { decodeStored } from './stored.ts';
import type { Change } from './types.ts';

/** Units rebuilt in one search; a version costs its own length. */
const REBUILT_UNITS = 1 << 25;
/** Code points of the intent that is repeated. */
const INTENT_POINTS = 200;

/** An accepted attempt, as far as taking it back needs it. */
export interface RecentAttempt {
  pdcp_log_id: string;
  protocol_version: string;
  runtime_version: string;
  before_version: number;
  after_version: number;
  before_hash: string;
  /** Code points, one a change in the order of application, each in the buffer as it stood at that change. */
  span_starts: readonly number[];
  pdcp_content: string;
}

/** Who took a text away. */
export interface Removal {
  /** The last version that held the text. */
  version: number;
  pdcpLogId: string;
  /** The first change of that attempt after which the text no longer occurred. */
  changeId: string;
  /** The change's rationale, else the attempt's intent; at most 200 code points. */
  intent: string;
  /** It put in place of the text what `replacement` says. */
  sameReplacement: boolean;
}

/** A text that stands in no place of a version, and what was to replace it. */
export interface Missing {
  targetFileId: string;
  content: string;
  version: number;
  wanted: string;
  replacement: string;
}

/**
 * The latest of the versions before `content` that still held the wanted text, and the change that took it away; null when none
 * of the given attempts (newest first, without a gap) did. Every step back is proven by the hash of what it leads to, so
 * the answer is never wrong; a step that cannot be taken or proven ends the search.
 */
export function findRemoval(missing: Missing, attempts: Iterable<RecentAttempt>, sha256: Sha256): Removal | null {
  const { targetFileId, wanted, replacement } = missing;
  let { content, version } = missing;
  if (wanted === '' || occursIn(content, wanted)) return null;
  let rebuilt = 0;
  for (const attempt of attempts) {
    rebuilt += content.length;
    if (attempt.after_version !== version || attempt.before_version !== version - 1 || rebuilt > REBUILT_UNITS) return null;
    const stored = decodeStored(attempt, targetFileId, sha256);
    const transaction = stored.ok ? stored.transaction : null;
    const undone = transaction === null ? null : undo(content, transaction.changes, attempt.span_starts);
    if (transaction === null || undone === null || sha256(undone.content) !== attempt.before_hash) return null;
    ({ content } = undone);
    version = attempt.before_version;
    if (!occursIn(content, wanted)) continue;
    const change = transaction.changes[consumerOf(content, wanted, undone.splices)]!;
    return {
      version,
      pdcpLogId: attempt.pdcp_log_id,
      changeId: change.changeId,
      intent: takeCodePoints(change.rationale ?? transaction.intent, INTENT_POINTS),
      sameReplacement: removedBy(change) === wanted && canonicalize(change.replace) === replacement,
    };
  }
  return null;
}

/** The text before the changes, with the splices that lead from it back to `content`; null when they cannot have led there. */
function undo(content: string, changes: readonly Change[], starts: readonly number[]): { content: string; splices: Splice[] } | null {
  if (changes.length !== starts.length) return null;
  const buffer = new PieceBuffer(content);
  const splices: Splice[] = [];
  for (const [position, change] of Array.from(changes.entries()).reverse()) {
    const removed = removedBy(change);
    const start = starts[position]!;
    if (removed === null || start > buffer.points) return null;
    const replacement = canonicalize(change.replace);
    const from = buffer.atPoint(start).unit;
    if (buffer.slice(from, from + replacement.length) !== replacement) return null;
    buffer.splice(from, from + replacement.length, removed);
    splices.push({ from, to: from + removed.length, replacement, same: removed === replacement });
  }
  return { content: buffer.text(), splices: splices.reverse() };
}

/** What the change took away; null when only the version before it tells. */
function removedBy(change: Change): string | null {
  switch (change.operation) {
    case 'match':
      return canonicalize(change.match);
    case 'span':
      return canonicalize(change.expectedText);
    case 'replace_all':
      return null;
  }
}
