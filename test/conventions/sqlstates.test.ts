import { loadModule } from 'libpg-query';
import { beforeAll, expect, test } from 'vitest';
import { REFUSALS } from '../../src/db/sqlstate.ts';
import { codesRaisedByBlocks, readMigrations, readProject, readRoutines, readSqlstates } from './sql/project.ts';

beforeAll(loadModule);

const states = readSqlstates();
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();
const codes = sorted(states.map((state) => state.code));

const raisedByRoutines = (): string[] =>
  sorted(readRoutines().routines.flatMap((routine) => routine.raises.map((raise) => raise.code ?? `computed in ${routine.path}`)));

test('the registry is complete and unambiguous', () => {
  expect(codes).toHaveLength(states.length);
  expect(sorted(states.map((state) => state.name))).toHaveLength(states.length);
  for (const state of states) {
    expect(state.code).toMatch(/^PD\d{3}$/);
    expect(state.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(state.meaning).toMatch(/^[A-Z].{20,}\.$/);
    expect(state.next).toMatch(/^[A-Z].{10,}\.$/);
  }
});

test('every code raised is registered and every registered code is raised', () => {
  const byBlocks = [...readMigrations('current'), ...readMigrations('committed')].flatMap(({ text }) => codesRaisedByBlocks(text));
  expect(sorted([...raisedByRoutines(), ...byBlocks])).toEqual(codes);
});

test('src/db/sqlstate.ts maps every code that a routine raises, under its registered name', () => {
  const registered = Object.fromEntries(states.map((state) => [state.code, state.name]));
  const mapped: Record<string, string> = REFUSALS;
  expect(Object.fromEntries(Object.keys(mapped).map((code) => [code, registered[code]]))).toEqual(mapped);
  expect(raisedByRoutines().filter((code) => !Object.hasOwn(mapped, code))).toEqual([]);
});

test('docs/spec/database.md documents every code', () => {
  const page = readProject('docs/spec/database.md');
  expect(states.filter((state) => !page.includes(state.code) || !page.includes(state.name)).map((state) => state.code)).toEqual([]);
});

test('a DO block is searched for codes too', () => {
  const block = "do $$ begin raise exception 'a' using errcode = 'PD999', detail = '{}', hint = 'b'; end; $$;";
  expect(codesRaisedByBlocks(block)).toEqual(['PD999']);
});
