import { blockLength, spansOf } from './reading.ts';
import type { Span } from './reading.ts';
import { expectStatus } from './session.ts';
import type { Answer, Session } from './session.ts';
import type { Change, Place } from './task.ts';

const PAGE_LINES = 40;

interface Line {
  line: number;
  start: number;
  text: string;
}

/**
 * Carries the changes out with the tools of the profile `workspace`: a place is found by its headings, read by lines until its end is in
 * sight, and all its edits are spans of one guarded submission a change. `targets`: the ids that the import returned.
 */
export async function changeThroughWorkspace(
  session: Session,
  targets: ReadonlyMap<string, string>,
  changes: readonly Change[],
): Promise<Answer[]> {
  const receipts: Answer[] = [];
  for (const { file, intent, places } of changes) {
    const target = targets.get(file);
    const spans: Span[] = [];
    let version: unknown;
    for (const place of places) {
      const { first, guard } = await findPlace(session, target, place);
      version = guard;
      const { start, text } = await readBlock(session, target, first);
      for (const span of spansOf(text, place.edits)) spans.push({ ...span, start: start + span.start, end: start + span.end });
    }
    // From the last to the first: each offset is one of the text as it was read.
    const operations = spans.sort((one, other) => other.start - one.start).map((span) => ({ op: 'span', ...span }));
    const submission = { target_file_id: target, expected_target_version: version, intent, operations };
    const receipt = await session.call('patchdiff_submit_operations', {
      ...submission,
      client_request_id: `change-${receipts.length + 1}`,
    });
    receipts.push(expectStatus(receipt, 'accepted'));
  }
  return receipts;
}

/** The first line of the place, and the version that was searched. */
async function findPlace(session: Session, target: unknown, { headings }: Place): Promise<{ first: number; guard: unknown }> {
  let [from, first, guard]: [number, number, unknown] = [0, 0, null];
  for (const text of headings) {
    const found = expectStatus(await session.call('patchdiff_find_occurrences', { target_file_id: target, text, context_chars: 0 }), 'ok');
    const next = (found['occurrences'] as { start: number; line: number }[]).find(({ start }) => start >= from);
    if (next === undefined) throw new Error(`${text} is not in the document`);
    [from, first, guard] = [next.start, next.line, found['version']];
  }
  return { first, guard };
}

/** The text of what begins on a line, and its first code point. */
async function readBlock(session: Session, target: unknown, first: number): Promise<{ start: number; text: string }> {
  const lines: Line[] = [];
  for (let next: unknown = first; next !== null;) {
    const page = expectStatus(
      await session.call('patchdiff_read_lines', { target_file_id: target, start_line: next, line_count: PAGE_LINES }),
      'ok',
    );
    lines.push(...(page['lines'] as Line[]));
    next = page['next_line'];
    const length = blockLength(lines.map(({ text }) => text));
    if (length !== null) {
      lines.length = length;
      break;
    }
  }
  return { start: lines[0]?.start ?? 0, text: lines.map(({ text }) => text).join('\n') };
}
