import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { CHANGES_SQL, chainHead, readChanges, verifyTarget } from '../../db/audit.ts';
import { resolveServableDatabase } from '../../db/connect.ts';
import { resolveHome } from '../../db/embedded/index.ts';
import { EXIT, ExitError, type Exit } from '../exit.ts';
import { lineToEdit, SOURCE_RULE } from '../demo/source.ts';
import { tell, type Step } from '../demo/story.ts';
import { printable, table, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { withSession } from './db-session.ts';

const SAMPLE = fileURLToPath(new URL('../../../docs/samples/field-notes.md', import.meta.url));

/** `patchdiff demo`: the whole product once, on a real database, a real server process and a real file. */
export function addDemo(program: Command, host: Host, run: Run): void {
  program
    .command('demo')
    .description('import, edit, refuse, recover, save and audit a copy of a file, over a real MCP server')
    .argument('[file]', 'a text file; the default is a sample')
    .addHelpText('after', `\nThe file is ${SOURCE_RULE}.`)
    .option('--in-place', "work on the file itself instead of a copy: the demo's edit is saved into it")
    .action(run((output, file: string | undefined, options: { inPlace?: boolean }) => demo(host, output, file, options.inPlace === true)));
}

async function demo(host: Host, output: Output, file: string | undefined, inPlace: boolean): Promise<Exit> {
  if (inPlace && file === undefined) throw new ExitError(EXIT.usage, '--in-place needs a file');
  // npm runs a script in the package's directory; INIT_CWD is where its user stood.
  const source = file === undefined ? SAMPLE : path.resolve(host.env['INIT_CWD'] || host.cwd, file);
  const edited = lineToEdit(source);
  if (inPlace) return play(host, output, source, edited, true);
  const workspace = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-demo-'));
  try {
    const place = path.join(workspace, path.basename(source));
    copyFileSync(source, place);
    return await play(host, output, place, edited, false);
  } catch (error) {
    rmSync(workspace, { recursive: true, force: true });
    throw error;
  }
}

async function play(host: Host, output: Output, place: string, edited: string, inPlace: boolean): Promise<Exit> {
  const { bold, dim, green, red } = output.colors;
  const workspace = path.dirname(place);
  const resolved = await resolveServableDatabase(host.env);
  output.say(bold('The database'));
  output.say(
    `  ${resolved.kind === 'embedded' ? `embedded PostgreSQL in ${resolveHome(host.env)}, running and migrated` : 'the database that the environment names'}`,
  );
  output.say(`  ${inPlace ? 'the file' : 'a copy of the file'}: ${place}\n`);

  // Loaded only here: an MCP client costs every other command more than all the rest together.
  const { startHost } = await import('../demo/host.ts');
  const agent = await startHost(workspace, host.env, 'demo');
  let story;
  try {
    output.say(bold(`An agent over MCP (stdio, protocol ${agent.protocol}, ${agent.tools} tools)`));
    story = await tell(agent, path.basename(place), edited, (step) => output.say(line(step)));
  } finally {
    await agent.close();
  }
  output.say('');

  const disk = readFileSync(place);
  const checks: [string, boolean][] = [['the file on disk holds the edit', disk.toString('utf8').includes(story.after)]];
  return withSession(host, output, workspace, async ({ database, service }) => {
    const changes = await readChanges(database, story.target);
    output.say(bold('The history, from SQL'));
    output.say(dim(`  ${CHANGES_SQL.replace('$1', () => `'${story.target}'`).replace(/\s+/g, ' ')}`));
    output.say(
      indent(
        table(
          output,
          ['#', 'version', 'at', 'removed', 'written', 'intent'],
          changes.map((change) => [
            change.ledger_sequence,
            change.after_version,
            `${change.span_start}–${change.span_end}`,
            change.matched_chars,
            change.replacement_chars,
            change.intent,
          ]),
        ),
      ),
    );
    output.say('');

    const findings = await verifyTarget(database, story.target);
    const head = await chainHead(database, story.target);
    const replay = await service.replayTarget({ target_file_id: story.target });
    checks.push(
      ['two changes are in the ledger', changes.length === 2],
      ['verify_target finds nothing wrong', findings.length === 0],
      ['replaying the history gives the stored document', replay['materialized_state_matches'] === true],
      ['its hash is the one that the agent was told', replay['reconstructed_hash'] === story.hash],
    );
    const good = checks.every(([, holds]) => holds);
    const summary = {
      status: good ? 'ok' : 'failed',
      target_file_id: story.target,
      file: place,
      disk_sha256: createHash('sha256').update(disk).digest('hex'),
      version: story.version,
      steps: story.steps.map(({ name, tool, result }) => ({
        name,
        tool,
        status: result['status'],
        failure_reason: result['failure_reason'] ?? null,
      })),
      changes,
      findings,
      replay,
      chain_head: head,
    };
    output.answer(summary, () =>
      [
        bold('The proof'),
        ...checks.map(([name, holds]) => `  ${holds ? green('holds') : red('FAILS')}  ${name}`),
        '',
        `On disk: ${printable(story.before)}`,
        `     is: ${printable(story.after)}`,
        '',
        `Look further: npx patchdiff log ${story.target}`,
        '              npx patchdiff db psql    (select * from patchdiff_audit.attempts)',
        ...(resolved.kind === 'embedded' ? ['Its server still runs, and the document stays: npx patchdiff db stop'] : []),
      ].join('\n'),
    );
    return good ? EXIT.done : EXIT.unsound;
  });
}

function line(step: Step): string {
  return `  ${step.name.padEnd(14)} ${step.tool.replace('patchdiff_', '').padEnd(18)} ${printable(step.said)}`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((row) => `  ${row}`)
    .join('\n');
}
