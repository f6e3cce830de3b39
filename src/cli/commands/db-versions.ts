import type { Command } from 'commander';
import { readBlame, readChangesBetween, readDiff, type BlameRow } from '../../db/audit.ts';
import { readHead } from '../../db/calls/read-head.ts';
import { answerUnknown } from '../answer.ts';
import { EXIT, type Exit } from '../exit.ts';
import { printable, short, table, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { wholeNumber } from '../values.ts';
import { TARGET, withDocument, type Session } from './db-session.ts';

/** The commands that compare versions of a document and say who wrote its lines. */
export function addVersionCommands(program: Command, host: Host, run: Run): void {
  program
    .command('diff')
    .description('show what changed between two versions, as a unified diff and with each change that led there')
    .argument('<target>', TARGET)
    .argument('<from>', 'the version that the diff applies to', wholeNumber(0))
    .argument('[to]', 'the version that it makes; without it the current one', wholeNumber(0))
    .addHelpText('after', '\nThe diff alone is on stdout, so that patch and git apply read it; the changes are with --json.')
    .action(run((output, target: string, from: number, to: number | undefined) => diff(host, output, target, { from, to })));

  program
    .command('blame')
    .description('say for each line of a version which change last wrote it, why, when and by whom')
    .argument('<target>', TARGET)
    .argument('[version]', 'without it the current one', wholeNumber(0))
    .addHelpText(
      'after',
      '\n"claimed" is what the writer says it is, "login" what the database saw. Lines of the initial upload have version 0 and no attempt.',
    )
    .action(run((output, target: string, version: number | undefined) => blame(host, output, target, { version })));
}

/** Runs work on a document whose versions are all there; null: refused, and said. */
async function withVersions(
  host: Host,
  output: Output,
  target: string,
  versions: Readonly<Record<string, number | undefined>>,
  work: (session: Session, id: string, current: number) => Promise<Exit>,
): Promise<Exit> {
  return withDocument(host, output, target, async (session, id) => {
    const head = await readHead(session.database, id);
    if (head === null) {
      return answerUnknown(output, id);
    }
    const beyond = Object.entries(versions).find(([, version]) => version !== undefined && version > head.version);
    if (beyond !== undefined) {
      const [argument, version] = beyond;
      const detail = `version ${String(version)} is still to come; the document is at version ${head.version}`;
      output.refuse({ status: 'invalid_argument', argument, detail }, () => detail);
      return EXIT.refused;
    }
    return work(session, id, head.version);
  });
}

function diff(host: Host, output: Output, target: string, versions: { from: number; to: number | undefined }): Promise<Exit> {
  return withVersions(host, output, target, versions, async ({ database }, id, current) => {
    const { from, to = current } = versions;
    const text = await readDiff(database, id, from, to);
    const changes = output.json ? await readChangesBetween(database, id, from, to) : [];
    if (text === '' && !output.json) output.warn(`versions ${from} and ${to} are equal`);
    else output.answer({ status: 'ok', target_file_id: id, from, to, diff: text, changes }, () => coloured(output, text));
    return EXIT.done;
  });
}

/** For a terminal in colours and without control characters but tabs; for a pipe as it is. */
function coloured(output: Output, diffText: string): string {
  const { bold, cyan, green, red } = output.colors;
  const paint = (raw: string): string => {
    const line = raw.split('\t').map(printable).join('\t');
    if (/^(---|\+\+\+) /.test(line)) return bold(line);
    if (line.startsWith('@@')) return cyan(line);
    if (line.startsWith('+')) return green(line);
    return line.startsWith('-') ? red(line) : line;
  };
  return output.colors.isColorSupported ? diffText.split('\n').map(paint).join('\n') : diffText;
}

function blame(host: Host, output: Output, target: string, versions: { version: number | undefined }): Promise<Exit> {
  return withVersions(host, output, target, versions, async ({ database }, id, current) => {
    const version = versions.version ?? current;
    const lines = await readBlame(database, id, version);
    output.answer({ status: 'ok', target_file_id: id, version, lines }, () => renderBlame(output, lines));
    return EXIT.done;
  });
}

function renderBlame(output: Output, lines: readonly BlameRow[]): string {
  const rows = lines.map((line) => [
    line.line_number,
    line.written_version,
    line.written_at.slice(0, 19),
    line.actor_agent ?? line.actor_host,
    line.db_session_user,
    short(line.pdcp_log_id),
    line.change_id,
    line.line_text,
  ]);
  return table(output, ['line', 'version', 'written', 'claimed', 'login', 'attempt', 'change', 'text'], rows) || 'no lines';
}
