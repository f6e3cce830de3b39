-- Lines and who wrote them: what two texts have in common, what a splice writes, which lines a diff keeps, and the two
-- functions that answer with it.
begin;
select plan(46);
create function pg_temp.b(p_text text) returns bytea language sql return convert_to(p_text, 'UTF8');

select is(patchdiff_store.common_prefix(pg_temp.b(o.one), pg_temp.b(o.other)), o.expected, format('common beginning of %s and %s', length(o.one), length(o.other)))
from (values ('', '', 0), ('a', '', 0), ('abc', 'abd', 2), ('ab', 'abc', 2), (repeat('x', 1000) || 'a', repeat('x', 1000) || 'b', 1000), (repeat('x', 64), repeat('x', 65), 64)) as o(one, other, expected);
select is(patchdiff_store.common_suffix(pg_temp.b(o.one), pg_temp.b(o.other), o.most), o.expected, format('common end, at most %s', o.most))
from (values ('', '', 0, 0), ('cba', 'dba', 3, 2), ('cba', 'dba', 1, 1), ('a' || repeat('x', 1000), 'b' || repeat('x', 1000), 1001, 1000), ('ba', 'cba', 2, 2)) as o(one, other, most, expected);

select is(patchdiff_store.line_start(pg_temp.b(o.content), o.place), o.expected, format('the line of byte %s', o.place))
from (values ('', 0, 0), (e'ab\ncd', 2, 0), (e'ab\ncd', 3, 3), (e'ab\ncd', 5, 3), (e'\n' || repeat('é', 500), 900, 1), (repeat('x', 500), 300, 0)) as o(content, place, expected);
select is(array(select patchdiff_store.is_line_start(pg_temp.b(e'a\nb'), o) from generate_series(0, 3) as o), '{t,f,t,f}'::boolean[], 'where lines begin');

select is(patchdiff_store.lines_of(o.content), o.expected, format('lines of %s', to_json(o.content)))
from (values ('', '{}'::text[]), (e'a\n', '{a}'), (e'\n\n', array['', '']), (e'a\nb', array['a', e'b\n'])) as o(content, expected);

select is(patchdiff_store.differing_lines(pg_temp.b(o.old), pg_temp.b(o.new)), o.expected, format('%s and %s', to_json(o.old), to_json(o.new)))
from (values
  (e'a\nb\n', e'a\nb\n', '{4,4,4}'::integer[]),
  (e'a\nb\nc\n', e'a\nx\nc\n', '{2,4,4}'),
  (e'a\nbx\n', e'a\ncx\n', '{2,5,5}'),
  (e'a\na\n', e'a\na\na\n', '{4,4,6}'),
  ('ab', 'cb', '{0,2,2}')
) as o(old, new, expected);

select is(patchdiff_store.matched_lines('{a,b,c,d}', '{x,b,d,a}'), '{0,2,0,3}'::integer[], 'the longest common subsequence');
select is(patchdiff_store.matched_lines('{a,b}', '{}'), '{0,0}'::integer[], 'none of no lines');
select is(patchdiff_store.matched_lines('{}', '{a}'), '{}'::integer[], 'no lines of some');
-- 4,000 × 80 pairs of x are beyond the bound, the one of m is within it.
select is(
  patchdiff_store.matched_lines(
    array_fill('x'::text, array[2000]) || '{m}'::text[] || array_fill('x'::text, array[2000]),
    '{y}'::text[] || array_fill('x'::text, array[40]) || '{m}'::text[] || array_fill('x'::text, array[40]) || '{z}'::text[]
  ),
  array_fill(0, array[1960]) || array(select g from generate_series(2, 82) as g) || array_fill(0, array[1960]),
  'beyond the bound lines are kept beside a kept one'
);

select ok(0 = all (patchdiff_store.matched_lines(array_fill('x'::text, array[1048577]), '{x}')), 'no line of more than are compared');

select is(patchdiff_store.written_range(pg_temp.b(o.content), o.place, o.deleted, pg_temp.b(o.inserted)), o.expected, o.name)
from (values
  (e'a\nb\n', 2, 0, e'x\n', '{2,4,2}'::integer[], 'an inserted line'),
  (e'a\nb\n', 0, 2, '', '{0,0,-2}', 'a deleted line'),
  (e'a\nb\n', 1, 1, '', '{0,3,-1}', 'joined lines'),
  (e'ab\n', 1, 0, e'\n', '{0,4,1}', 'a split line'),
  (e'a\nb', 3, 0, e'\n', '{2,4,1}', 'an LF behind the last line'),
  (repeat('x', 1000), 500, 1, 'y', '{498,503,0}', 'no more than the splice is long, inside a long line')
) as o(content, place, deleted, inserted, expected, name);
select is(patchdiff_store.line_writers(e'a\nx\nb\n', '{2}', '{4}', '{2}'), '{0,1,0}'::integer[], 'which write a line comes from');
select is(patchdiff_store.line_writers('', '{0}', '{0}', '{-4}'), '{}'::integer[], 'no line of an empty text');

create temporary table doc as select r.target_file_id as id from patchdiff.create_target(null, e'a "b"\tc', e'a\nb\n') as r;
select is((patchdiff.commit_replacement(d.id, e'a\nc\n', 'why', 0)).outcome, 'accepted', 'a change') from doc as d;
select results_eq(
  'select b.line_number, b.line_text, b.written_version, b.intent from doc as d, patchdiff_audit.blame(d.id) as b',
  $$values (1, 'a', 0::bigint, null), (2, 'c', 1::bigint, 'why')$$, 'blame'
);
select is(patchdiff_audit.diff(d.id, 0), e'--- a/a _b__c\tversion 0\n+++ b/a _b__c\tversion 1\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n', 'diff') from doc as d;
select is(patchdiff_audit.diff(d.id, 1, 1), '', 'no diff of a version and itself') from doc as d;
select is(c.after_version, 1::bigint, 'changes between') from doc as d, patchdiff_audit.changes_between(d.id, 1, 0) as c;
select throws_ok('select * from doc as d, patchdiff_audit.blame(d.id, 2)', 'PD105', null, 'blame of a version to come');
select * from finish();
rollback;
