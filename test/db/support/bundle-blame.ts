import type pg from 'pg';
import { canonicalize } from '../../../src/text/index.ts';
import type { BundleApplied, Transaction } from '../../../src/transaction/index.ts';
import { linesOf, spliced, type OwnedLine } from '../../audit/support/line-tracker.ts';

/** The lines of a first text, which no change wrote. */
export const firstLines = (content: string): OwnedLine[] => linesOf(content).map((text) => ({ text, owner: '0' }));

/**
 * The lines after an accepted bundle, each owned by the version, attempt and change that wrote it: its changes one after the other in the
 * order of application, each spliced in where its fact says that it stands in the document.
 */
export function linesAfter(
  before: readonly OwnedLine[],
  version: number,
  attempt: string,
  { changes }: Transaction,
  facts: BundleApplied['changes'],
): OwnedLine[] {
  return facts.reduce<readonly OwnedLine[]>((lines, { span_start: start, span_end: end, ordinal, change_id, operation }, at) => {
    const replacement = canonicalize(changes[at]?.replace ?? '');
    return spliced(lines, { operation, start, end, replacement }, [version, attempt, ordinal, change_id].join(' '));
  }, before) as OwnedLine[];
}

/** Of every `step`th version from the newest down what blame says of its lines, as lines without their LF. */
export async function blamed(auditor: pg.Pool, id: string, newest: number, step: number): Promise<Map<number, OwnedLine[]>> {
  const { rows } = await auditor.query<OwnedLine & { version: number }>(
    `select v.version, b.line_text as text, concat_ws(' ', b.written_version, b.pdcp_log_id, b.ordinal, b.change_id) as owner
     from generate_series($2::integer, 0, -$3::integer) as v(version) cross join lateral patchdiff_audit.blame($1, v.version) as b
     order by v.version, b.line_number`,
    [id, newest, step],
  );
  const versions = new Map<number, OwnedLine[]>();
  // A version of an empty text has no rows.
  for (let version = newest; version >= 0; version -= step) versions.set(version, []);
  for (const { version, ...line } of rows) versions.get(version)?.push(line);
  return versions;
}
