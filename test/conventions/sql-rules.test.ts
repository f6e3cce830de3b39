import { loadModule } from 'libpg-query';
import { beforeAll, describe, expect, test } from 'vitest';
import { ownNames, readRoutines, readSqlstates } from './sql/project.ts';
import { readRoutine, type Routine } from './sql/routine.ts';
import { RULES, type Surroundings } from './sql/rules.ts';

/** A file that keeps every rule. Each sample below breaks it in one place. */
const GOOD = `-- Answers the length of a text in code points and refuses null, which has none.
create or replace function patchdiff.sample (
  p_text text,
  p_more integer[] default null
)
  returns integer
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_length integer;
begin
  if p_text is null then
    raise exception 'a text is required'
      using errcode = 'PD100',
            detail = '{}',
            hint = 'send a text';
  end if;
  select s.length into v_length from patchdiff_store.sample as s;
  return v_length;
end;
$$;

comment on function patchdiff.sample(text, integer[]) is 'Length of a text in code points.';
`;
const PATH = 'patchdiff/sample.sql';
const HELPER_PATH = 'patchdiff_store/lock_sample.sql';
const helper = (text: string): string =>
  text
    .replaceAll('patchdiff.sample', 'patchdiff_store.lock_sample')
    .replace('  security definer\n', '')
    .replace("  set search_path = '', pg_temp\n", '');

const BROKEN: Record<string, [sample: string, text: string, path?: string][]> = {
  'one routine a file': [
    ['a second statement', `${GOOD}grant execute on function patchdiff.sample(text) to public;\n`],
    ['a table', '-- A table that should stand in a migration, not here.\ncreate table patchdiff.sample (a text);\n'],
  ],
  'path is the qualified name': [['another name', GOOD, 'patchdiff/other.sql']],
  'create or replace': [['a plain create', GOOD.replace('create or replace', 'create')]],
  'header comment': [
    ['none', GOOD.replace(/^--.*\n/, '')],
    ['too short', GOOD.replace(/^--.*\n/, '-- sample\n')],
    ['set apart', GOOD.replace('\ncreate', '\n\ncreate')],
  ],
  'parameters are p_, locals are v_': [
    ['a bare parameter', GOOD.replaceAll('p_text', 'body')],
    ['a bare local', GOOD.replaceAll('v_length', 'size')],
    ['a bare loop variable', GOOD.replace('  return v', '  for i in 1..2 loop null; end loop;\n  return v')],
  ],
  'one argument a line': [['two arguments on one line', GOOD.replace('p_text text,\n ', 'p_text text,')]],
  'one attribute a line': [['two attributes on one line', GOOD.replace('plpgsql\n ', 'plpgsql')]],
  'lower case, no tabs, no trailing blanks': [
    ['an upper-case keyword', GOOD.replace('language', 'LANGUAGE')],
    ['one in the body', GOOD.replace('select', 'SELECT')],
    ['a tab', GOOD.replace('  returns', '\treturns')],
    ['a trailing blank', GOOD.replace('begin\n', 'begin \n')],
    ['no final line feed', GOOD.trimEnd()],
  ],
  'volatility stated': [['nothing said', GOOD.replace('  volatile\n', '')]],
  'what locks is volatile': [
    ['a stable lock', helper(GOOD).replace('as s;', 'as s for update;').replace('volatile', 'stable'), HELPER_PATH],
  ],
  'locks only in patchdiff_store/lock_*.sql': [
    ['for update', GOOD.replace('as s;', 'as s for update;')],
    ['for no key update', GOOD.replace('as s;', 'as s for no key update;')],
    ['for share', GOOD.replace('as s;', 'as s for share;')],
    ['an advisory lock', GOOD.replace('  return v', '  perform pg_advisory_xact_lock(1);\n  return v')],
    ['a tried advisory lock', GOOD.replace('return v_length', 'return pg_catalog.pg_try_advisory_lock(1)::integer')],
    ['a table lock', GOOD.replace('  return v', '  lock table patchdiff_store.sample;\n  return v')],
  ],
  'search_path closed exactly at the door': [
    ['none', GOOD.replace("  set search_path = '', pg_temp\n", '')],
    ['an open one', GOOD.replace("search_path = '', pg_temp", 'search_path = patchdiff_store')],
    ['public', GOOD.replace("'', pg_temp", "'', public")],
    ['a definer that lets types of the caller in', GOOD.replace("'', pg_temp", "''")],
    ['a trigger function without one', helper(GOOD).replace(/\(\n[\s\S]*?\n\)\n  returns integer/, '()\n  returns trigger'), HELPER_PATH],
    ['a helper with one', helper(GOOD).replace('  set standard', "  set search_path = '', pg_temp\n  set standard"), HELPER_PATH],
  ],
  'a definer reads string constants one way': [
    ['left to the caller', GOOD.replace("  set standard_conforming_strings = 'on'\n", '')],
    ['turned off', GOOD.replace("strings = 'on'", "strings = 'off'")],
  ],
  'a helper without search_path names in full': [
    ['a bare table', helper(GOOD).replace('patchdiff_store.sample as', 'target_heads as'), HELPER_PATH],
    ['a bare routine', helper(GOOD).replace('select s.length', 'select sha256_hex(s.bytes)'), HELPER_PATH],
    ['a bare type in a cast', helper(GOOD).replace('select s.length', 'select (s.a::walk).fault'), HELPER_PATH],
    ['a bare type of a local', helper(GOOD).replace('v_length integer', 'v_length walk'), HELPER_PATH],
    ['a bare array of one', helper(GOOD).replace('v_length integer', 'v_length fault[]'), HELPER_PATH],
    ['a bare row type', helper(GOOD).replace('v_length integer', 'v_length target_heads%rowtype'), HELPER_PATH],
    ['a bare column type', helper(GOOD).replace('v_length integer', 'v_length target_heads.log_sequence%type'), HELPER_PATH],
    ['a bare type of a parameter', helper(GOOD).replaceAll('text,', 'walk,').replace('(text, ', '(walk, '), HELPER_PATH],
    ['a bare type of the result', helper(GOOD).replace('returns integer', 'returns walk'), HELPER_PATH],
  ],
  'security definer exactly where callers enter': [
    ['missing at an entry', GOOD.replace('  security definer\n', '')],
    ['given to a helper', helper(GOOD).replace('  volatile\n', '  volatile\n  security definer\n'), HELPER_PATH],
  ],
  'every raise is registered and tells the next call': [
    ['no code', GOOD.replace("errcode = 'PD100',", '')],
    ['a foreign code', GOOD.replace('PD100', 'PD999')],
    ['a computed code', GOOD.replace("'PD100'", "'PD' || '100'")],
    [
      'a named condition',
      GOOD.replace("raise exception 'a text is required'\n      using errcode = 'PD100',", "raise division_by_zero using message = 'a',"),
    ],
    ['no detail', GOOD.replace("detail = '{}',", '')],
    ['no hint', GOOD.replace("'{}',\n            hint = 'send a text'", "'{}'")],
    ['no message', GOOD.replace("raise exception 'a text is required'\n      using", 'raise exception using')],
    ['a notice', GOOD.replace('raise exception', 'raise notice')],
    [
      'inside a handler',
      GOOD.replace('  return v_length;\n', () => "  return v_length;\nexception\n  when others then\n    raise exception 'lost';\n"),
    ],
  ],
  'comment on the routine': [
    ['none', GOOD.replace(/\ncomment.*\n/, '')],
    ['of other arguments', GOOD.replace('(text, integer[]) is', '(text) is')],
    ['empty', GOOD.replace("is 'Length of a text in code points.'", "is 'sample'")],
  ],
};

let around: Surroundings;
let routines: Routine[];
let unreadable: string[];

beforeAll(async () => {
  await loadModule();
  ({ routines, unreadable } = readRoutines());
  around = { codes: new Set(readSqlstates().map((state) => state.code)), ownNames: ownNames(routines) };
});

function broken(routine: Routine): string[] {
  return RULES.filter((rule) => rule.check(routine, around).length > 0).map((rule) => rule.name);
}

describe('the rules can fail', () => {
  test('the good samples keep every rule', () => {
    expect(broken(readRoutine(PATH, GOOD))).toEqual([]);
    expect(broken(readRoutine(HELPER_PATH, helper(GOOD)))).toEqual([]);
    const view =
      "-- One row a target, for people who read with SQL only.\ncreate or replace view patchdiff_audit.sample as select 1 as a;\n\ncomment on view patchdiff_audit.sample is 'One row a target, newest first.';\n";
    expect(broken(readRoutine('patchdiff_audit/sample.sql', view))).toEqual([]);
  });

  test('every rule has a sample that breaks it', () => {
    expect(Object.keys(BROKEN).sort()).toEqual(RULES.map((rule) => rule.name).sort());
  });

  test.each(Object.entries(BROKEN).flatMap(([rule, samples]) => samples.map(([sample, text, path]) => ({ rule, sample, text, path }))))(
    '$rule: $sample',
    ({ rule, text, path }) => {
      expect(`${path ?? PATH}${text}`).not.toBe(`${PATH}${GOOD}`);
      expect(broken(readRoutine(path ?? PATH, text))).toContain(rule);
    },
  );
});

test('every file of db/procedures can be parsed', () => {
  expect(unreadable).toEqual([]);
});

test.each(RULES.map((rule) => rule.name))('every file of db/procedures: %s', (name) => {
  const rule = RULES.find((one) => one.name === name);
  const found = routines.flatMap((routine) => (rule?.check(routine, around) ?? []).map((words) => `${routine.path}: ${words}`));
  expect(found).toEqual([]);
});
