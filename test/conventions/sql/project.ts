import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'libpg-query';
import { readRoutine, type Routine } from './routine.ts';
import { at, listAt, nodes, textAt, tree } from './tree.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PROCEDURES = join(ROOT, 'db/procedures');

/** A line of db/sqlstates.tsv. */
export interface Sqlstate {
  code: string;
  name: string;
  meaning: string;
  next: string;
}

export function readProject(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Paths of db/procedures, `schema/name.sql`, sorted. */
export function procedurePaths(): string[] {
  return readdirSync(PROCEDURES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .sort();
}

/** The files as routines, beside the ones that PostgreSQL's parsers refuse. */
export function readRoutines(): { routines: Routine[]; unreadable: string[] } {
  const routines: Routine[] = [];
  const unreadable: string[] = [];
  for (const path of procedurePaths()) {
    try {
      routines.push(readRoutine(path, readFileSync(join(PROCEDURES, path), 'utf8')));
    } catch (error) {
      unreadable.push(`${path}: ${String(error)}`);
    }
  }
  return { routines, unreadable };
}

/** Migration files of one folder of db, in order: name and text. */
export function readMigrations(folder: 'current' | 'committed'): { name: string; text: string }[] {
  // Git keeps no empty folder.
  if (!existsSync(join(ROOT, 'db', folder))) return [];
  return readdirSync(join(ROOT, 'db', folder))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readProject(`db/${folder}/${name}`) }));
}

export function readSqlstates(): Sqlstate[] {
  const [head, ...rows] = readProject('db/sqlstates.tsv').trimEnd().split('\n');
  if (head !== 'code\tname\tmeaning\tnext') throw new Error('db/sqlstates.tsv: the columns are code, name, meaning, next');
  return rows.map((row) => {
    const [code = '', name = '', meaning = '', next = ''] = row.split('\t');
    return { code, name, meaning, next };
  });
}

/** Literal errcodes raised by the DO blocks of a migration. */
export function codesRaisedByBlocks(migration: string): string[] {
  return nodes(tree(parseSync(migration)), 'DoStmt').flatMap((block) => {
    const body = listAt(block, 'args')
      .map((argument) => textAt(at(argument, 'DefElem', 'arg'), 'String', 'sval'))
      .find((text) => text?.includes('begin') === true);
    if (body === undefined) return [];
    const routine = readRoutine(
      'block.sql',
      `create or replace function a.block() returns void language plpgsql as $block$${body}$block$;`,
    );
    return routine.raises.flatMap((raise) => (raise.code === undefined ? [] : [raise.code]));
  });
}

/** Unqualified names of every table, view, type and routine of ours, read from the migrations and procedures. */
export function ownNames(routines: Routine[]): Set<string> {
  const names = new Set(routines.map((routine) => routine.name.split('.')[1] ?? ''));
  for (const { text } of [...readMigrations('committed'), ...readMigrations('current')]) {
    for (const [, name] of text.matchAll(/^create (?:table|type|view|domain|sequence) patchdiff\w*\.(\w+)/gm)) names.add(name ?? '');
  }
  return names;
}
