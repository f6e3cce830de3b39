import { keywordsOf, type Routine } from './routine.ts';
import { ENTERED_HELPERS } from './entered.ts';
import { at, listAt, textAt } from './tree.ts';

/** What a rule may look at beside the one file. */
export interface Surroundings {
  /** Codes of db/sqlstates.tsv. */
  codes: ReadonlySet<string>;
  /** Unqualified names of all our routines and relations, which pg_catalog does not hold. */
  ownNames: ReadonlySet<string>;
}

/** A convention for one file of db/procedures: what breaks it, in words; an empty list means that it holds. */
export interface Rule {
  name: string;
  check: (routine: Routine, around: Surroundings) => string[];
}

const DEFINER_SCHEMAS = ['patchdiff', 'patchdiff_audit'];
const CLOSED_PATH = ', pg_temp';

const schemaOf = (routine: Routine): string => routine.name.split('.')[0] ?? '';
const optionOf = (routine: Routine, name: string) => routine.options.find((option) => option.name === name);
const isDefiner = (routine: Routine): boolean => at(optionOf(routine, 'security')?.value, 'Boolean', 'boolval') === true;
/** Whether a session, a trigger or the owner calls it, and not only a routine of ours that has closed its search_path. */
const isEntered = (routine: Routine): boolean =>
  schemaOf(routine) !== 'patchdiff_store' || routine.returns.endsWith('trigger') || Object.hasOwn(ENTERED_HELPERS, routine.name);

/** What a function sets a parameter to, its values joined, or undefined. */
function settingOf(routine: Routine, parameter: string): string | undefined {
  const setting = routine.options.find((option) => option.name === 'set' && textAt(option.value, 'VariableSetStmt', 'name') === parameter);
  if (setting === undefined) return undefined;
  return listAt(setting.value, 'VariableSetStmt', 'args')
    .map((name) => textAt(name, 'A_Const', 'sval', 'sval') ?? '')
    .join(', ');
}

function volatilityOf(routine: Routine): string | undefined {
  return textAt(optionOf(routine, 'volatility')?.value, 'String', 'sval');
}

/** `['broken']` when the condition does not hold. */
const unless = (holds: boolean, broken: string): string[] => (holds ? [] : [broken]);

const forFunctions =
  (check: Rule['check']): Rule['check'] =>
  (routine, around) =>
    routine.kind === 'function' ? check(routine, around) : [];

export const RULES: readonly Rule[] = [
  {
    name: 'one routine a file',
    check: (routine) => [
      ...unless(routine.kind !== 'other', `the first statement is ${routine.kinds[0] ?? 'missing'}, not a function or view`),
      ...routine.kinds.slice(1).flatMap((kind) => unless(kind === 'CommentStmt', `${kind} stands beside the routine`)),
    ],
  },
  {
    name: 'path is the qualified name',
    check: (routine) => unless(routine.path === `${routine.name.replace('.', '/')}.sql`, `${routine.name} is in ${routine.path}`),
  },
  {
    name: 'create or replace',
    check: (routine) => unless(routine.replaces, 'created without `or replace`, so it cannot be applied again'),
  },
  {
    name: 'header comment',
    check: (routine) => unless(routine.header.length >= 40, 'no comment above `create` that says what it promises'),
  },
  {
    name: 'parameters are p_, locals are v_',
    check: (routine) => [
      ...routine.parameters
        .filter((one) => one.mode === 'in' && !/^p_[a-z]/.test(one.name))
        .map((one) => `parameter ${one.name || '(unnamed)'}`),
      ...routine.locals.filter((name) => !/^v_[a-z]/.test(name)).map((name) => `local ${name}`),
    ],
  },
  {
    name: 'one argument a line',
    check: forFunctions((routine) => {
      const lines = [routine.openingLine, ...routine.parameters.filter((one) => one.mode === 'in').map((one) => one.line)];
      return unless(new Set(lines).size === lines.length, 'arguments share a line');
    }),
  },
  {
    name: 'one attribute a line',
    check: forFunctions((routine) => {
      const lines = [routine.openingLine, ...routine.options.filter((option) => option.name !== 'as').map((option) => option.line)];
      return unless(new Set(lines).size === lines.length, 'attributes share a line');
    }),
  },
  {
    name: 'lower case, no tabs, no trailing blanks',
    check: (routine) => [
      ...keywordsOf(routine.text)
        .filter((keyword) => keyword !== keyword.toLowerCase())
        .map((keyword) => `keyword ${keyword}`),
      ...unless(!routine.text.includes('\t'), 'a tab'),
      ...unless(!/[ \t]+$/m.test(routine.text), 'trailing blanks'),
      ...unless(/[^\n]\n$/.test(routine.text), 'must end with one line feed'),
    ],
  },
  {
    name: 'volatility stated',
    check: forFunctions((routine) => unless(volatilityOf(routine) !== undefined, 'neither immutable, stable nor volatile')),
  },
  {
    name: 'what locks is volatile',
    check: (routine) =>
      unless(routine.locks.length === 0 || volatilityOf(routine) === 'volatile', 'it locks, but would read an older snapshot'),
  },
  {
    name: 'locks only in patchdiff_store/lock_*.sql',
    check: (routine) => (/^patchdiff_store\/lock_\w+\.sql$/.test(routine.path) ? [] : routine.locks.map((lock) => `takes ${lock}`)),
  },
  {
    name: 'search_path closed exactly at the door',
    check: forFunctions((routine) => {
      const path = settingOf(routine, 'search_path');
      // A caller's temporary schema is searched first for types, unless it is named last.
      if (isEntered(routine)) return unless(path === CLOSED_PATH, `entered from outside with search_path ${path ?? 'not set'}`);
      return unless(path === undefined, 'a helper sets search_path: drop the line, or give the reason in test/conventions/sql/entered.ts');
    }),
  },
  {
    name: 'a definer reads string constants one way',
    check: forFunctions((routine) => {
      const setting = settingOf(routine, 'standard_conforming_strings');
      // Bodies are parsed at their first use in a session, under the caller's settings.
      return unless(!isDefiner(routine) || setting === 'on', `standard_conforming_strings of a definer is ${setting ?? 'not set'}`);
    }),
  },
  {
    name: 'a helper without search_path names in full',
    check: forFunctions((routine, { ownNames }) =>
      settingOf(routine, 'search_path') === undefined
        ? routine.bareNames.filter((name) => ownNames.has(name)).map((name) => `bare name ${name}`)
        : [],
    ),
  },
  {
    name: 'security definer exactly where callers enter',
    check: forFunctions((routine) => {
      const entry = DEFINER_SCHEMAS.includes(schemaOf(routine));
      return unless(
        isDefiner(routine) === entry,
        entry ? 'an entry point without security definer' : 'security definer behind the entry points',
      );
    }),
  },
  {
    name: 'every raise is registered and tells the next call',
    check: (routine, { codes }) =>
      routine.raises.flatMap((raise) => {
        const where = `raise in line ${String(raise.line)} of the body`;
        if (!raise.isError) return [`${where} is no error: outcomes are returned, not announced`];
        return [
          ...unless(raise.code !== undefined, `${where} has no literal errcode`),
          ...unless(raise.code === undefined || codes.has(raise.code), `${where} uses unregistered ${raise.code ?? ''}`),
          ...unless(raise.hasMessage, `${where} has no message`),
          ...unless(raise.hasDetail, `${where} has no detail`),
          ...unless(raise.hasHint, `${where} has no hint`),
        ];
      }),
  },
  {
    name: 'comment on the routine',
    check: (routine) => {
      const own = routine.comments.find((comment) => comment.name === routine.name);
      if (own === undefined) return [`no comment on ${routine.name}`];
      const types = routine.parameters.filter((one) => one.mode === 'in').map((one) => one.type);
      return [
        ...unless(own.text.length >= 20, 'the comment says next to nothing'),
        ...unless(
          routine.kind !== 'function' || own.types.join() === types.join(),
          `commented as (${own.types.join(', ')}), created as (${types.join(', ')})`,
        ),
      ];
    },
  },
];
