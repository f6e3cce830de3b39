import type { Command } from 'commander';
import { chainHead, readChanges, readWitness, verifyAll, verifyTarget, type FindingRow } from '../../db/audit.ts';
import { readAttempt } from '../../db/calls/read-attempt.ts';
import { answerUnknown } from '../answer.ts';
import { EXIT, type Exit } from '../exit.ts';
import { printable, table, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { uuid } from '../values.ts';
import { TARGET, withDocument, withSession, type Session } from './db-session.ts';

/** The commands that read the audit schema: show one attempt, verify the history. */
export function addAuditCommands(program: Command, host: Host, run: Run): void {
  program
    .command('show')
    .description('show one attempt: outcome, guards, evidence, changes, exact payload')
    .argument('<attempt>', 'pdcp_log_id', uuid)
    .action(run((output, attempt: string) => show(host, output, attempt)));

  program
    .command('verify')
    .description('prove that history and content agree: chain, sequences, hashes, reconstruction')
    .argument('[target]', `${TARGET}; without it every document`)
    .option('--noted <sequence:hash>', 'a chain head noted elsewhere: proves that nothing before it was cut off or rewritten')
    .addHelpText(
      'after',
      '\nPrints the chain head to note elsewhere. Without a noted head a rewritten chain that is sound in itself looks sound.',
    )
    .action(run((output, target: string | undefined, options: { noted?: string }) => verify(host, output, target, options)));
}

async function show(host: Host, output: Output, id: string): Promise<Exit> {
  return withSession(host, output, null, async ({ database }) => {
    const attempt = await readAttempt(database, id);
    if (!attempt) {
      output.refuse(
        { status: 'not_found', pdcp_log_id: id },
        () => `there is no attempt ${id}; patchdiff log <target> shows those there are`,
      );
      return EXIT.notFound;
    }
    const changes = attempt.status === 'accepted' ? await readChanges(database, attempt.target_file_id, attempt.log_sequence) : [];
    const witness = await readWitness(database, id);
    output.answer({ ...attempt, ...witness, changes }, () => {
      const { pdcp_content: payload, diagnostic, actor, ...narrow } = attempt;
      const fields = Object.entries({ ...narrow, 'actor (claimed)': actor === null ? null : JSON.stringify(actor), ...witness })
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [name, value]);
      const parts = [table(output, ['field', 'value'], fields)];
      if (changes.length > 0) {
        parts.push(
          table(
            output,
            ['change', 'operation', 'at', 'removed', 'written', 'intent'],
            changes.map((change) => [
              change.change_id,
              change.operation,
              `${change.span_start}–${change.span_end}`,
              change.matched_chars,
              change.replacement_chars,
              change.intent,
            ]),
          ),
        );
      }
      if (diagnostic !== null) parts.push(output.colors.bold('diagnostic'), printableJson(diagnostic));
      parts.push(output.colors.bold('payload'), printable(payload));
      return parts.join('\n');
    });
    return EXIT.done;
  });
}

async function verify(host: Host, output: Output, target: string | undefined, options: { noted?: string }): Promise<Exit> {
  const noted = /^(\d+):([0-9a-f]{64})$/.exec(options.noted ?? '');
  if (options.noted !== undefined && (!noted || target === undefined)) {
    output.refuse(
      { status: 'invalid_argument', argument: 'noted' },
      () => '--noted takes <sequence>:<64 hexadecimal digits>, and a target',
    );
    return EXIT.usage;
  }
  const told = async ({ database }: Session, id?: string): Promise<Exit> => {
    const head = id === undefined ? null : await chainHead(database, id);
    if (id !== undefined && head === null) {
      return answerUnknown(output, id);
    }
    const findings =
      id === undefined
        ? await verifyAll(database)
        : await verifyTarget(database, id, noted ? { sequence: Number(noted[1]), hash: noted[2] ?? '' } : null);
    const status = findings.length === 0 ? 'sound' : 'unsound';
    output.answer({ status, findings, ...(head === null ? {} : { chain_head: head }) }, () => renderFindings(output, findings, head));
    return findings.length === 0 ? EXIT.done : EXIT.unsound;
  };
  return target === undefined ? withSession(host, output, null, (session) => told(session)) : withDocument(host, output, target, told);
}

function renderFindings(output: Output, findings: FindingRow[], head: { chain_sequence: number; chain_head: string } | null): string {
  const noted = head === null ? '' : `\nchain head to note elsewhere: ${head.chain_sequence}:${head.chain_head}`;
  if (findings.length === 0) return `${output.colors.green('sound')}${noted}`;
  const rows = findings.map((finding) => [finding.table_name, finding.row_key, finding.column_name, finding.problem]);
  return `${output.colors.red(findings.length === 1 ? '1 finding' : `${findings.length} findings`)}\n${table(output, ['table', 'row', 'column', 'problem'], rows)}${noted}`;
}

function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printable).join('\n');
}
