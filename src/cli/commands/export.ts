import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Option, type Command } from 'commander';
import type { JsonObject, Service } from '../../service/common/types.ts';
import { answer } from '../answer.ts';
import { EXIT, ExitError, type Exit } from '../exit.ts';
import { plain, printable, type Host, type Output } from '../output.ts';
import type { Run } from '../run.ts';
import { TARGET, withDocument } from './db-session.ts';

const PAGE = 8000;
const BOM = '\uFEFF';

interface ExportOptions {
  format: string;
  output?: string;
}

const HELP = `
canonical     the text as it is held: lines end with LF, no byte order mark; its SHA-256 is current_hash
original_eol  the bytes that save --sync would write: each line with the ending of its file, and the byte order mark if that had one;
              refused where the endings are not known

Without --output the bytes are on stdout, nothing added. A file that exists is never replaced.

  patchdiff export notes.md --format original_eol --output copy.md`;

/** The command that gives a whole document out, to the byte. */
export function addExport(program: Command, host: Host, run: Run): void {
  program
    .command('export')
    .description('write out the whole text of a document, byte for byte')
    .argument('<target>', TARGET)
    .addOption(new Option('--format <format>', 'which bytes').choices(['canonical', 'original_eol']).default('canonical'))
    .option('--output <file>', 'a new file to write, instead of stdout')
    .addHelpText('after', HELP)
    .action(run(exportText.bind(null, host)));
}

async function exportText(host: Host, output: Output, target: string, options: ExportOptions): Promise<Exit> {
  return withDocument(host, output, target, async ({ service }, id) => {
    const result = await wholeText(service, id, options.format);
    if (result['status'] !== 'ok') return answer(output, result, () => '');
    // A page's text is the document's own; the mark belongs to the file.
    const mark = options.format === 'original_eol' && result['source_bom'] === true ? BOM : '';
    const bytes = Buffer.from(mark + plain(result['text']), 'utf8');
    if (options.output === undefined) {
      if (output.json) output.answer({ ...result, written_bytes: bytes.length }, () => '');
      else host.stdout.write(bytes);
      return EXIT.done;
    }
    await writeNew(path.resolve(host.cwd, options.output), options.output, bytes);
    const said: JsonObject = { ...result, output: options.output, written_bytes: bytes.length };
    delete said['text'];
    output.answer(said, () => `${bytes.length} bytes of version ${plain(result['version'])} in ${printable(options.output ?? '')}`);
    return EXIT.done;
  });
}

/** All pages of one version, as one answer; one that is not "ok" as it came. */
async function wholeText(service: Service, id: string, format: string): Promise<JsonObject> {
  const first = await service.exportTarget({ target_file_id: id, format, start: 0, length: PAGE });
  const parts: string[] = [];
  let page = first;
  while (page['status'] === 'ok') {
    parts.push(plain(page['text']));
    const next = page['next_start'];
    if (typeof next !== 'number') return { ...page, start: 0, text: parts.join('') };
    page = await service.exportTarget({ target_file_id: id, format, start: next, length: PAGE });
    // Moved meanwhile, by an edit or by a SAVE that wrote other endings: read again from its start.
    if (page['status'] === 'ok' && page['chain_head'] !== first['chain_head']) return wholeText(service, id, format);
  }
  return page;
}

async function writeNew(file: string, shown: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists, and no file is replaced' : message;
    throw new ExitError(EXIT.workspace, `${shown} is not written: ${why}`);
  }
}
