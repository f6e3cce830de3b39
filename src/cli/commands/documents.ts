import { Option, type Command } from 'commander';
import type { JsonObject } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { EXIT, type Exit } from '../exit.ts';
import { plain, printable, short, table, type Host, type Output } from '../output.ts';
import { withProgress } from '../progress.ts';
import type { Run } from '../run.ts';
import { wholeNumber } from '../values.ts';
import { TARGET, withDocument, withSession } from './db-session.ts';

type Row = Record<string, unknown>;

/** The commands that show documents: list, read, log, replay. */
export function addDocumentCommands(program: Command, host: Host, run: Run): void {
  program
    .command('list')
    .description('list documents, newest first')
    .argument('[filter]', 'part of the name or the workspace path')
    .option('--limit <n>', 'documents a page, 1 to 200', wholeNumber(1, 200), 50)
    .option('--after <cursor>', 'continue behind the page that named this cursor')
    .action(
      run((output, filter: string | undefined, options: { limit: number; after?: string }) =>
        withSession(host, output, null, async ({ service }) => {
          const { limit, after } = options;
          const result = await service.listTargets({
            limit,
            ...(filter === undefined ? {} : { filter }),
            ...(after === undefined ? {} : { cursor: after }),
          });
          const exit = answer(output, result, () => renderList(output, result));
          return result['argument'] === 'cursor' ? EXIT.usage : exit;
        }),
      ),
    );

  program
    .command('read')
    .description("print a document's current text")
    .argument('<target>', TARGET)
    .option('--start <n>', 'first code point', wholeNumber(0), 0)
    .option('--length <n>', 'code points; the default prints everything from start on', wholeNumber(1))
    .action(run(readText.bind(null, host)));

  program
    .command('log')
    .description("show a document's attempts, newest first")
    .argument('<target>', TARGET)
    .addOption(new Option('--status <status>', 'only those that ended so').choices(['accepted', 'rejected']))
    .option('--limit <n>', 'attempts a page, 1 to 200', wholeNumber(1, 200), 20)
    .option('--before <sequence>', 'continue below this sequence', wholeNumber(1))
    .action(
      run((output, target: string, options: { status?: string; limit: number; before?: number }) =>
        withDocument(host, output, target, async ({ service }, id) => {
          const { status, limit, before } = options;
          const result = await service.getPdcpLog({
            target_file_id: id,
            limit,
            ...(status === undefined ? {} : { status }),
            ...(before === undefined ? {} : { before_sequence: before }),
          });
          return answer(output, result, () => renderLog(output, result));
        }),
      ),
    );

  program
    .command('replay')
    .description('rebuild a document from its history and compare it with what is stored')
    .argument('<target>', TARGET)
    .option('--to <version>', 'stop at this version', wholeNumber(0))
    .action(
      run((output, target: string, options: { to?: number }) =>
        withDocument(host, output, target, async ({ service }, id) => {
          const upTo = options.to === undefined ? {} : { up_to_version: options.to };
          const result = await withProgress(host, output, (onProgress) =>
            service.replayTarget({ target_file_id: id, ...upTo }, { onProgress }),
          );
          const exit = answer(
            output,
            result,
            () => renderReplay(output, result),
            () => failingStep(result),
          );
          return result['materialized_state_matches'] === false ? EXIT.unsound : exit;
        }),
      ),
    );
}

async function readText(host: Host, output: Output, target: string, options: { start: number; length?: number }): Promise<Exit> {
  return withDocument(host, output, target, async ({ service }, id) => {
    const wanted = options.length ?? Infinity;
    let text = '';
    let start = options.start;
    let result = await service.readTarget({ target_file_id: id, start, length: Math.min(wanted, 8000) });
    const first = result;
    // Pages of one version only: a document that moves meanwhile is read again from its start.
    while (result['status'] === 'ok') {
      if (result['version'] !== first['version']) return readText(host, output, id, options);
      text += plain(result['text']);
      const next = result['next_start'];
      const rest = wanted - [...text].length;
      if (typeof next !== 'number' || rest <= 0) break;
      start = next;
      result = await service.readTarget({ target_file_id: id, start, length: Math.min(rest, 8000) });
    }
    if (result['status'] !== 'ok') return answer(output, result, () => '');
    return answer(
      output,
      { ...first, end: result['end'], text, truncated: result['truncated'], next_start: result['next_start'] ?? null },
      () => text,
    );
  });
}

function renderList(output: Output, result: JsonObject): string {
  const rows = (result['targets'] as Row[]).map((target) => [
    target['target_file_id'],
    target['version'],
    short(target['current_hash']),
    target['display_name'],
    target['workspace_path'],
  ]);
  const more = result['has_more'] === true ? `\nmore: --after ${plain(result['next_cursor'])}` : '';
  return (table(output, ['target', 'version', 'hash', 'name', 'path'], rows) || 'no documents') + more;
}

function renderLog(output: Output, result: JsonObject): string {
  const entries = result['entries'] as Row[];
  const rows = entries.map((entry) => [
    entry['log_sequence'],
    entry['status'],
    entry['status'] === 'accepted'
      ? `${plain(entry['before_version'])} → ${plain(entry['after_version'])}`
      : plain(entry['before_version']),
    entry['failure_reason'],
    entry['pdcp_log_id'],
    entry['created_at'],
  ]);
  const more = result['has_more'] === true ? `\nmore: --before ${plain(result['next_sequence'])}` : '';
  return (table(output, ['#', 'status', 'version', 'reason', 'attempt', 'when'], rows) || 'no attempts') + more;
}

function renderReplay(output: Output, result: JsonObject): string {
  const checks = (result['materialized_state_checks'] ?? {}) as Row;
  // Null below the current version: the stored row is of a later one.
  const compared =
    result['materialized_state_matches'] === null
      ? ['  not compared with the stored document, which is at a later version']
      : Object.entries(checks).map(
          ([name, holds]) => `  ${holds === true ? output.colors.green('holds') : output.colors.red('fails')}  ${name}`,
        );
  const reached = `version ${plain(result['reconstructed_version'])}, hash ${plain(result['reconstructed_hash'])}`;
  return [`${plain(result['status'])}: ${reached}`, ...compared].join('\n');
}

/** What a replay that ended early found, for people: the place, and which attempts are still sound. */
function failingStep(result: JsonObject): string[] {
  const step = result['first_failing_step'] as Row | null | undefined;
  if (!step) return [];
  const inHistory = step['pdcp_log_id'] !== null;
  const where = inHistory ? `attempt ${plain(step['pdcp_log_id'])} (#${plain(step['log_sequence'])})` : 'the first text';
  return [
    `${plain(step['reason'])} at ${where}, check ${plain(step['check'])}: ${printable(plain(step['detail']))}`,
    ...(inHistory ? [`sound up to version ${plain(result['reconstructed_version'])}`] : []),
    'patchdiff verify names the damaged row.',
  ];
}
