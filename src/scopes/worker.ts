import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { CodePointIndex, lineStarts } from '../text/index.ts';
import { assemble, lineAt } from './assemble.ts';
import { sectionsOf } from './markdown.ts';
import { regionsOf } from './regions.ts';
import type { Answer, Job } from './job.ts';
import type { Parsers } from './parse.ts';
import type { Reading } from './types.ts';

/** Loaded with the first text that needs it: Markdown and regions are read without the parser's package. Null: it is not there. */
let parsers: Promise<Parsers | null> | undefined;
const digest = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

async function read({ text, language, sha256 }: Job): Promise<Reading> {
  if (language === null) return { ok: true, scopes: regionsOf(text), errors: 0, firstError: null };
  if (language === 'markdown') return { ok: true, scopes: sectionsOf(text), errors: 0, firstError: null };
  parsers ??= import('./parse.ts').then(
    (module) => new module.Parsers(),
    () => null,
  );
  const loaded = await parsers;
  return loaded === null ? { ok: false, reason: 'parser_unavailable' } : loaded.read(text, language, sha256 ?? '');
}

async function answer(job: Job): Promise<Answer> {
  const reading = await read(job);
  if (!reading.ok) return reading;
  const scopes = assemble(job.text, reading.scopes, digest);
  if (scopes === null) return { ok: false, reason: 'too_many_scopes' };
  const { errors, firstError } = reading;
  const first =
    firstError === null
      ? null
      : { offset: new CodePointIndex(job.text).toCodePoint(firstError), line: lineAt(lineStarts(job.text), firstError) };
  return { ok: true, scopes, errors: { count: errors, first } };
}

parentPort?.on('message', (job: Job) => {
  answer(job).then(
    (result) => parentPort?.postMessage(result),
    // The module's memory may be damaged: the host replaces the thread.
    () => parentPort?.postMessage({ ok: false, reason: 'parser_trapped' } satisfies Answer),
  );
});
