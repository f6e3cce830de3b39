import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Checks } from './checks.ts';
import { occurrences } from './reading.ts';
import { CHANGES, FILES } from './task.ts';

/** A file that nobody has any business with. */
const BYSTANDER = { path: 'docs/notes.txt', text: 'delay\nmemory: 512Mi\n' };
const MODE = 0o640;

/** How a file came out: every byte as meant, or all but its line endings, or otherwise. */
export type Outcome = 'as meant' | 'other line endings' | 'other text';

/** A fresh directory with the task's files and a bystander. The caller removes it. */
export function makeTree(): { root: string; remove: () => void } {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-workflow-')));
  for (const file of [...FILES.map(({ path: at, before }) => ({ at, bytes: before })), { at: BYSTANDER.path, bytes: BYSTANDER.text }]) {
    const absolute = path.join(root, file.at);
    mkdirSync(path.dirname(absolute), { recursive: true });
    writeFileSync(absolute, file.bytes);
    chmodSync(absolute, MODE);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Checks what is on disk after a run, whichever way it went, and says how each file came out; that alone is for the caller to judge. */
export function checkTree(root: string, checks: Checks): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const { path: at, after } of FILES) {
    const absolute = path.join(root, at);
    const [bytes, meant] = [readFileSync(absolute), after.toString('utf8')];
    const text = bytes.toString('utf8');
    const isText = withoutReturns(text) === withoutReturns(meant);
    outcomes.set(at, bytes.equals(after) ? 'as meant' : isText ? 'other line endings' : 'other text');
    checks.that(isText, `${at} has another text than meant`);
    checks.equal(text.startsWith('\uFEFF'), meant.startsWith('\uFEFF'), `${at} begins with a byte order mark`);
    checks.equal((statSync(absolute).mode & 0o777).toString(8), MODE.toString(8), `permissions of ${at}`);
    for (const edit of CHANGES.filter(({ file }) => file === at).flatMap(({ places }) => places.flatMap(({ edits }) => edits))) {
      for (const wanted of [edit.old, edit.new]) {
        const count = (whole: string): number => occurrences(withoutReturns(whole), wanted).length;
        checks.equal(count(text), count(meant), `${JSON.stringify(wanted)} in ${at}`);
      }
    }
  }
  const expected = [...FILES.map(({ path: at }) => at), BYSTANDER.path].sort();
  checks.equal(filesBelow(root).join(' '), expected.join(' '), 'files of the directory');
  checks.equal(readFileSync(path.join(root, BYSTANDER.path), 'utf8'), BYSTANDER.text, 'the file that nobody was to touch');
  return outcomes;
}

const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n');

function filesBelow(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
