import Table from 'cli-table3';
import picocolors from 'picocolors';

/** The parts of a process that a command lives on. */
export interface Host {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  /** Has `stop` called when a person asks this process to end; until the returned function is called, that is all that happens. */
  onInterrupt: (stop: () => void) => () => void;
}

/** Where a command's answer goes: one JSON document for machines, or text for people. */
export interface Output {
  json: boolean;
  colors: ReturnType<typeof picocolors.createColors>;
  /** With --json the value, else the text. */
  answer(value: unknown, text: () => string): void;
  /** With --json the value on stdout, else the text on stderr: what was not done is no answer that a pipe may take for one. */
  refuse(value: unknown, text: () => string): void;
  /** A line for people while something goes on; nowhere with --json. */
  say(line: string): void;
  /** A line on stderr. */
  warn(line: string): void;
}

export function createOutput(host: Host, json: boolean): Output {
  const wanted = host.env['NO_COLOR'] === undefined && (host.env['FORCE_COLOR'] !== undefined || host.stdout.isTTY === true);
  const colors = picocolors.createColors(wanted && !json);
  const line = (text: string) => void host.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  return {
    json,
    colors,
    answer: (value, text) => line(json ? JSON.stringify(value, null, 2) : text()),
    refuse: (value, text) => {
      if (json) line(JSON.stringify(value, null, 2));
      else host.stderr.write(`${text()}\n`);
    },
    say: (text) => {
      if (!json) line(text);
    },
    warn: (text) => void host.stderr.write(`${text}\n`),
  };
}

/** Rows below bold headings, without frames: what a person reads and `grep` and `cut` can use. */
export function table(output: Output, headings: readonly string[], rows: readonly (readonly unknown[])[]): string {
  if (rows.length === 0) return '';
  const none = '';
  const made = new Table({
    head: headings.map((heading) => output.colors.bold(heading)),
    chars: {
      top: none,
      'top-mid': none,
      'top-left': none,
      'top-right': none,
      bottom: none,
      'bottom-mid': none,
      'bottom-left': none,
      'bottom-right': none,
      left: none,
      'left-mid': none,
      mid: none,
      'mid-mid': none,
      right: none,
      'right-mid': none,
      middle: '  ',
    },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) made.push(row.map((cell) => printable(plain(cell))));
  return made
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n');
}

/** A field of an answer as text: strings as they are, nothing for null, JSON for the rest. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/**
 * Text that cannot move the cursor, clear the screen or be read in another order than it stands: control characters of a document
 * or a name, line separators and what overrides the direction of writing are shown escaped.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\t') return '\\t';
    if (character === '\n') return '\\n';
    const hex = (character.codePointAt(0) ?? 0).toString(16);
    return hex.length > 2 ? `\\u${hex}` : `\\x${hex.padStart(2, '0')}`;
  });
}

/** The beginning of a text, printable, in at most 80 code points. */
export function clipped(text: string): string {
  const points = [...text.slice(0, 200)];
  return printable(points.length > 80 || text.length > 200 ? `${points.slice(0, 79).join('')}…` : text);
}

/** A hash for reading: enough of it to compare by eye. */
export function short(hash: unknown): string {
  return typeof hash === 'string' ? hash.slice(0, 12) : '';
}
