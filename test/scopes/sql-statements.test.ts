import { describe, expect, test } from 'vitest';
import { wholeStatements } from '../../src/scopes/sql-statements.ts';
import type { RawScope } from '../../src/scopes/types.ts';
import { builtEngine, discovered, textOf } from './laws.ts';

const engine = await builtEngine();

/** Paths and texts of what is listed of a script. */
async function listed(text: string): Promise<[string, string][]> {
  const found = await discovered(engine, { text, language: 'sql' });
  return found.scopes.map((scope) => [scope.path, textOf(text, scope)]);
}
const paths = async (text: string): Promise<string[]> => (await listed(text)).map(([path]) => path);
/** The texts of the statements alone, where the grammar found nothing. */
const split = (text: string): string[] => wholeStatements(text, [], true).map(({ start, end }) => text.slice(start, end));

describe('what the grammar does not take', () => {
  test('a procedure is one scope with its comment, and its body is not listed', async () => {
    const text = `-- Moves money. 📦\nCREATE OR REPLACE PROCEDURE app.transfer(a int)\nLANGUAGE plpgsql AS $$\nBEGIN\n  UPDATE accounts SET b = b - 1 WHERE id = a;\n  COMMIT;\nEND;\n$$;\n\nSELECT 1 FROM t;\n`;
    expect(await listed(text)).toEqual([
      ['procedure app.transfer', text.slice(0, text.indexOf('\n\nSELECT'))],
      ['statement select t', 'SELECT 1 FROM t;'],
    ]);
  });

  test('a body in PL/pgSQL leaves its function whole', async () => {
    const body = `DECLARE\n  r record;\nBEGIN\n  FOR r IN SELECT * FROM a LOOP\n    INSERT INTO b VALUES (r.x);\n  END LOOP;\n  RETURN NEW;\nEND`;
    const text = `CREATE FUNCTION f() RETURNS trigger AS $body$\n${body};\n$body$ LANGUAGE plpgsql;\nCREATE TABLE t (a int);`;
    expect(await listed(text)).toEqual([
      ['function f', text.slice(0, text.indexOf('\nCREATE TABLE'))],
      ['table t', 'CREATE TABLE t (a int);'],
    ]);
  });

  test.each([
    ['GRANT SELECT ON users TO reader;', 'statement grant users'],
    ['REVOKE ALL ON TABLE public.users FROM reader;', 'statement revoke public.users'],
    ['DO $$ BEGIN PERFORM 1; END $$;', 'statement do'],
    ['CREATE POLICY mine ON users USING (true);', 'policy mine'],
    ["CREATE DOMAIN email AS text CHECK (value LIKE '%@%;');", 'domain email'],
    ['CALL app.transfer(1, 2);', 'statement call app.transfer'],
    ['CREATE EVENT TRIGGER et ON ddl_command_end EXECUTE FUNCTION f();', 'trigger et'],
  ])('%s', async (statement, path) => {
    expect(await listed(`SELECT 1 FROM a;\n${statement}\nSELECT 2 FROM b;`)).toEqual([
      ['statement select a', 'SELECT 1 FROM a;'],
      [path, statement],
      ['statement select b', 'SELECT 2 FROM b;'],
    ]);
  });

  test('a dump: rows of COPY and lines of psql belong to nothing', async () => {
    const text = `\\connect shop\nCREATE TABLE t (a int, b text);\nCOPY t (a, b) FROM stdin;\n1\tSELECT 1;\n2\tDROP TABLE t;\n\\.\nCREATE INDEX i ON t (a);\n`;
    expect(await paths(text)).toEqual(['table t', 'statement copy t', 'index i']);
  });
});

describe('statements', () => {
  test.each([
    ["a 'x;y'; b", ["a 'x;y';", 'b']],
    ["a 'it''s;'; b", ["a 'it''s;';", 'b']],
    [String.raw`a e'\';'; b`, [String.raw`a e'\';';`, 'b']],
    [String.raw`a 'c:\'; b`, [String.raw`a 'c:\';`, 'b']],
    ['a "x;""y"; b', ['a "x;""y";', 'b']],
    ['a /* ; /* ; */ ; */ ; b', ['a /* ; /* ; */ ; */ ;', 'b']],
    ['a -- ;\n; b', ['a -- ;\n;', 'b']],
    ['a $$;$x$;$$; b', ['a $$;$x$;$$;', 'b']],
    ['a $x$;$$;$x$; b', ['a $x$;$$;$x$;', 'b']],
    ['a $1; b', ['a $1;', 'b']],
    ["a 'open; b", ["a 'open; b"]],
    ['begin; a; end; b', ['begin;', 'a;', 'end;', 'b']],
    [
      'create procedure p() begin if x then a; end if; case y when 1 then b; end case; begin c; end; end; d',
      ['create procedure p() begin if x then a; end if; case y when 1 then b; end case; begin c; end; end;', 'd'],
    ],
    [
      'create function f() returns int begin atomic select case when a then 1 end; end; d',
      ['create function f() returns int begin atomic select case when a then 1 end; end;', 'd'],
    ],
    ['', []],
    [' ;\n-- only a comment\n', []],
    ['a;\n;\n;b', ['a;', 'b']],
    ['a\n\\gexec\nb;', ['a', 'b;']],
    ['create rule r as do (a; b); c', ['create rule r as do (a; b);', 'c']],
    ['create table t (a;\nb;', ['create table t (a;', 'b;']],
    ['create proc p as begin begin tran; a; commit; end; b', ['create proc p as begin begin tran; a; commit; end;', 'b']],
    ['create proc p as begin set @end = t.case; end; b', ['create proc p as begin set @end = t.case; end;', 'b']],
    ['a;\n<<<<<<< HEAD\nb;\n=======\nc\n>>>>>>> x\nd;', ['a;', 'b;', 'c', 'd;']],
    ['.mode csv\na;', ['a;']],
  ])('%j', (text, statements) => {
    expect(split(text)).toEqual(statements);
  });

  test.each([
    [
      'delimiter $$\ncreate procedure p()\nbegin a; end$$\ncreate function f() return 1$$\ndelimiter ;\nb;',
      ['create procedure p()\nbegin a; end$$', 'create function f() return 1$$', 'b;'],
    ],
    ["DELIMITER //\na; b //\nDELIMITER ;\n# it's; c\nd;", ['a; b //', "# it's; c\nd;"]],
    ['insert into `t` values (\'a\\\';b\', "c\\";d"); e # ;\n;', ['insert into `t` values (\'a\\\';b\', "c\\";d");', 'e # ;\n;']],
    ['select a #> b; c', ['select a #> b;', 'c']],
    [
      'use a\nGO\ncreate table [a;b] (c int)\ngo\ncreate proc p as a; b\nGO 2\nif a begin b; c end\nd;',
      ['use a', 'create table [a;b] (c int)', 'create proc p as a; b', 'if a begin b; c end\nd;'],
    ],
    [
      'create package body p as x int; begin a; end p;\n/\nselect a / b\n/\n',
      ['create package body p as x int; begin a; end p;', 'select a / b'],
    ],
  ])('of another dialect: %j', (text, statements) => {
    expect(split(text)).toEqual(statements);
  });

  test('a statement in PL/pgSQL does not take in what follows', async () => {
    const body =
      'DECLARE x int := 1;\nBEGIN\n  IF NEW.id IS NULL THEN RETURN NULL; END IF;\n  EXECUTE format($q$ SELECT %I; $q$);\n  RETURN NEW;\nEND;';
    const text = `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $body$\n${body}\n$body$;\nCREATE TRIGGER t BEFORE INSERT ON u FOR EACH ROW EXECUTE FUNCTION f();\nDO $$ BEGIN RAISE NOTICE 'x;'; END $$;\nCREATE VIRTUAL TABLE s USING fts5(a);\n`;
    expect(await paths(text)).toEqual(['function f', 'trigger t', 'statement do', 'table s']);
  });

  test('a view ends before the line that parts it from the next batch', async () => {
    expect(await listed('CREATE VIEW v AS SELECT a FROM t\nGO\nSELECT b FROM u\nGO\n')).toEqual([
      ['view v', 'CREATE VIEW v AS SELECT a FROM t'],
      ['statement select u', 'SELECT b FROM u'],
    ]);
  });

  test('what the grammar took stays as it is, several without semicolons too', () => {
    const text = 'SELECT 1\n-- next\nSELECT 2';
    const scope = (start: number, end: number): RawScope => ({
      kind: 'statement',
      name: 's',
      start,
      end,
      parent: -1,
      hasErrors: false,
      onlyAsParent: false,
    });
    const taken = [scope(0, 8), scope(9, text.length)];
    expect(wholeStatements(text, taken, false)).toEqual(taken);
    expect(wholeStatements(text, [scope(0, 8)], false)).toHaveLength(1);
    expect(wholeStatements(text, [scope(0, 8)], false)[0]).toMatchObject({ start: 0, end: text.length });
  });

  test.each([
    '/*',
    '$a$',
    "'",
    '(',
    'begin ',
    'create function begin ',
    'case ',
    '-- x\n',
    'copy;',
    '$a ',
    'go\n',
    'delimiter ;\n',
    '=======\n',
    '#',
    '[',
    '\\',
    ' \t',
    'create rule (',
    '/\ndeclare a;',
  ])('a megabyte of %j is read once', (unit) => {
    const text = unit.repeat(Math.ceil((1 << 20) / unit.length));
    // Read again and again, it would not end before the test's time does.
    expect(split(text).join('').length).toBeLessThanOrEqual(text.length);
  });
});
