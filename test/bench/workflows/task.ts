import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of the task, as it is on disk before and as it must be after: every byte. */
export interface TaskFile {
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** A text to be changed within a place, and what it becomes. It occurs there once; with `every` as often as it likes. */
export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly every?: true;
}

/** A place as a maintainer names it. */
export interface Place {
  /** Names of what it is in and of itself, outermost first. */
  readonly names: readonly string[];
  /** What one would search for to find it: the first of them occurs once in the file, each other one first after the one before. */
  readonly headings: readonly string[];
  readonly edits: readonly Edit[];
}

/** What one change of one file is to achieve. A whole run carries out all of them, in order. */
export interface Change {
  readonly file: string;
  readonly intent: string;
  readonly places: readonly Place[];
}

const read = (folder: string, name: string): string => readFileSync(path.join(import.meta.dirname, folder, `${name}.txt`), 'utf8');

/** As an editor of another system leaves it: with a byte order mark and CRLF. */
const asForeign = (text: string): Buffer => Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`, 'utf8');

function file(at: string, bytes: (text: string) => Buffer = (text) => Buffer.from(text, 'utf8')): TaskFile {
  const name = path.basename(at);
  return { path: at, before: bytes(read('before', name)), after: bytes(read('after', name)) };
}

export const FILES: readonly TaskFile[] = [
  file('src/scheduler.ts'),
  file('tools/report.py'),
  file('internal/queue/queue.go'),
  file('docs/operations.md', asForeign),
  file('deploy/services.yaml'),
];

const GUARD = { old: '    job.status = status;', new: guarded('    job.status = status;') };

function guarded(line: string): string {
  return `    if (job.status !== 'running' && job.status !== 'waiting') {\n      return job;\n    }\n${line}`;
}

export const CHANGES: readonly Change[] = [
  {
    file: 'src/scheduler.ts',
    intent: 'Say in its name that the wait is in milliseconds',
    places: [{ names: ['backoffFor'], headings: ['function backoffFor('], edits: [{ old: 'delay', new: 'waitMs', every: true }] }],
  },
  {
    file: 'src/scheduler.ts',
    intent: 'A job that has ended keeps its status',
    places: [
      { names: ['JobStore', 'markFailed'], headings: ['class JobStore', 'markFailed('], edits: [GUARD] },
      { names: ['JobStore', 'markSkipped'], headings: ['class JobStore', 'markSkipped('], edits: [GUARD] },
    ],
  },
  {
    file: 'tools/report.py',
    intent: 'Name the currency in the head of the summary',
    places: [
      {
        names: ['render_summary'],
        headings: ['def render_summary('],
        edits: [
          { old: '    day: date,', new: '    day: date,\n    currency: str = "EUR",' },
          { old: "{'value':>14}", new: "{'value ' + currency:>14}" },
        ],
      },
      {
        names: ['build'],
        headings: ['def build('],
        edits: [
          { old: 'day: date)', new: 'day: date, currency: str = "EUR")' },
          { old: 'render_summary(totals, day)', new: 'render_summary(totals, day, currency)' },
        ],
      },
    ],
  },
  {
    file: 'internal/queue/queue.go',
    intent: 'A drained ring lets go of its memory',
    places: [
      {
        names: ['Ring', 'Drain'],
        headings: ['func (q *Ring) Drain('],
        edits: [{ old: 'q.items = q.items[:0]', new: 'q.items = make([]Item, 0, q.limit)' }],
      },
    ],
  },
  {
    file: 'internal/queue/queue.go',
    intent: 'Waiting counts after a time of grace',
    places: [
      {
        names: ['Oldest'],
        headings: ['func Oldest('],
        edits: [
          { old: 'now time.Time)', new: 'now time.Time, grace time.Duration)' },
          { old: 'return now.Sub(items[0].Received)', new: 'return max(0, now.Sub(items[0].Received)-grace)' },
        ],
      },
    ],
  },
  {
    file: 'docs/operations.md',
    intent: 'Restore from the dump that was verified, and stop at the first error',
    places: [
      {
        names: ['Backups', 'Restore'],
        headings: ['## Backups', '### Restore'],
        edits: [
          {
            old: 'vault get warehouse/latest.dump > /tmp/latest.dump',
            new: 'vault get warehouse/verified.dump > /tmp/verified.dump',
          },
          { old: '--dbname warehouse /tmp/latest.dump', new: '--exit-on-error --dbname warehouse /tmp/verified.dump' },
          {
            old: 'look at the log for ten minutes.',
            new: 'look at the log for twenty minutes — 王 wants to hear of every warning.',
          },
        ],
      },
    ],
  },
  {
    file: 'deploy/services.yaml',
    intent: 'More memory and more connections for the workers alone',
    places: [
      {
        names: ['worker', 'environment'],
        headings: ['  worker:', '    environment:'],
        edits: [{ old: 'POOL_SIZE: "10"', new: 'POOL_SIZE: "20"\n      PREFETCH: "4"' }],
      },
      {
        names: ['worker', 'limits'],
        headings: ['  worker:', '      limits:'],
        edits: [{ old: 'memory: 512Mi', new: 'memory: 1Gi' }],
      },
    ],
  },
];
