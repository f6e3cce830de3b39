import { readHistory } from '../../db/calls/read-history.ts';
import { readLineEndings } from '../../db/calls/read-line-endings.ts';
import type { TargetHead } from '../../db/calls/target-state.ts';
import type { Database } from '../../db/port.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import { countLineFeeds, endingsOfRuns } from '../../text/index.ts';
import type { LineEnding, LineEndings } from '../../text/index.ts';
import { carryLineEndings, member, replayStep } from '../../transaction/index.ts';
import { attemptOf } from './accepted-attempt.ts';
import { sha256 } from './sha256.ts';
import type { CallOptions } from './types.ts';

/** Attempts a statement: payloads may be 4 MiB each. */
const PAGE = 50;

/** How the lines of a target's text end in its file. */
export type FileEndings =
  /** One ending for all, or the ending of each. */
  | { kind: 'known'; endings: LineEnding | LineEndings }
  | { kind: 'refused'; code: 'unknown_line_endings' | 'content_diverged'; detail: string }
  /** A later version was written to the file since the text was read: read it again. */
  | { kind: 'moved' };

const ENDING_OF_STYLE: Readonly<Record<string, LineEnding>> = { lf: 'lf', crlf: 'crlf', cr: 'cr', none: 'lf' };

const DIVERGED: FileEndings = {
  kind: 'refused',
  code: 'content_diverged',
  detail: 'the history since the endings of the lines were recorded does not make the stored content',
};

/**
 * The endings of the lines of `content`, which is the text of `head`: those recorded when the file was last imported or written,
 * carried through the accepted attempts since then. What is not recorded is refused, never guessed.
 * Without runs that is one narrow statement; with them it costs the history since the last SAVE.
 */
export async function fileEndings(database: Database, head: TargetHead, content: string, options: CallOptions): Promise<FileEndings> {
  const lines = countLineFeeds(content, 0, content.length);
  try {
    const row = await readLineEndings(database, head.target_file_id, head.version, options);
    if (row === null) throw new RangeError('a target vanished');
    if (row.eol_runs === null || row.eol_version === null) return uniform(head, lines);
    if (row.eol_version > head.version) return { kind: 'moved' };
    const recorded = endingsOfRuns(row.eol_runs);
    const endings =
      row.eol_version === head.version
        ? recorded
        : await carried(database, head, { endings: recorded, content: row.content ?? '', version: row.eol_version }, options);
    return endings?.length === lines ? { kind: 'known', endings } : DIVERGED;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'history_diverged') return DIVERGED;
    throw error;
  }
}

/** Nothing is recorded line by line: one style for all, or nothing known. */
function uniform({ source_line_endings: facts }: TargetHead, lines: number): FileEndings {
  const style = facts === null ? undefined : member(facts, 'style');
  const ending = typeof style === 'string' && Object.hasOwn(ENDING_OF_STYLE, style) ? ENDING_OF_STYLE[style] : undefined;
  if (ending !== undefined) return { kind: 'known', endings: ending };
  const mixed = style === 'mixed';
  if (mixed && lines === 0) return { kind: 'known', endings: new Uint8Array(0) };
  return {
    kind: 'refused',
    code: 'unknown_line_endings',
    detail: mixed
      ? 'the source mixed line ends, and which line had which is not recorded; nothing is guessed'
      : 'the line ends of the source are not recorded; nothing is guessed',
  };
}

interface Recorded {
  endings: LineEndings;
  content: string;
  version: number;
}

/** The endings at the version of `head`; null when history does not lead there. */
async function carried(database: Database, head: TargetHead, from: Recorded, options: CallOptions): Promise<LineEndings | null> {
  const id = head.target_file_id;
  const otherwise = mostFrequent(head);
  let endings = from.endings;
  let state = { content: from.content, hash: sha256(from.content), version: from.version };
  while (state.version < head.version) {
    const rows = await readHistory(database, id, state.version, Math.min(PAGE, head.version - state.version), options);
    const before = state.version;
    for (const row of rows) {
      if (state.version === head.version) break;
      const next = replayStep(attemptOf(row), state, id, sha256);
      if ('check' in next) return null;
      endings = carryLineEndings(endings, state.content, next.transaction, next.changes, otherwise);
      state = next;
    }
    if (state.version === before) return null;
  }
  return state.hash === head.current_hash ? endings : null;
}

/** The kind of which the source had most, the first named of equals; LF when that is not known. */
function mostFrequent({ source_line_endings: facts }: TargetHead): LineEnding {
  const count = (ending: LineEnding): number => (facts === null ? 0 : Number(member(facts, ending) ?? 0));
  return (['lf', 'crlf', 'cr'] as const).reduce((most, ending) => (count(ending) > count(most) ? ending : most));
}
