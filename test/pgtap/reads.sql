-- The reads beside the pages of one target: lists of targets, what a preview asks, blame, diff and the views, and what each
-- answers for a target that is unknown, a version that never was, and a history that is damaged.
begin;
select plan(42);
create temporary table doc as
select r.target_file_id as id
from patchdiff.create_target(null, 'Read me.md', e'one\ntwo\nthree\n', null, '{"root": "/w", "path": "docs/a.md", "root_device": "1", "root_inode": "2"}') as r;
create temporary table made as
select r.*, 1 as place from doc as d, patchdiff.commit_match(d.id, 'two', '2', 'shorter', 0, p_change_id => 'mine', p_client_request_id => 'key-1') as r;
insert into made select r.*, 2 from doc as d, patchdiff.commit_match(d.id, 'zwei', '2', 'shorter', 1) as r;
insert into made select r.*, 3 from doc as d, patchdiff.commit_match(d.id, e'2\n', e'2\n2b\n', 'one more', 1, p_parent_pdcp_log_id => (select m.pdcp_log_id::text from made as m where m.place = 2)) as r;
create temporary table other as select r.target_file_id as id, r.created_at from patchdiff.create_target(null, 'other', '') as r;
select results_eq('select m.outcome from made as m order by m.place', $$values ('accepted'), ('rejected'), ('accepted')$$, 'a history to read');

-- Lists of targets.
select results_eq(
  'select t.target_file_id from patchdiff.list_targets() as t', 'select o.id from other as o union all select d.id from doc as d', 'newest first'
);
select results_eq($$select t.display_name from patchdiff.list_targets('READ') as t$$, $$values ('Read me.md')$$, 'by part of the name, without case');
select results_eq($$select t.display_name from patchdiff.list_targets('DOCS/') as t$$, $$values ('Read me.md')$$, 'by part of the path');
select is_empty($$select t from patchdiff.list_targets('%') as t$$, 'a filter is no pattern');
select results_eq('select count(*)::integer from patchdiff.list_targets(p_limit => 1)', 'values (2)', 'one more than the limit when there are more');
select results_eq(
  'select t.target_file_id from other as o, patchdiff.list_targets(null, 5, o.created_at, o.id) as t', 'select d.id from doc as d', 'the page after a row'
);
select throws_ok('select patchdiff.list_targets(p_limit => 0)', 'PD100', null, 'a page of nothing');

-- What a preview asks.
select results_eq(
  $$select f.version, f.content_chars, f.counted_chars, f.is_intact, f.is_parent, f.key_kind, f.key_pdcp_log_id
    from doc as d, made as m, patchdiff.preview_facts(d.id, (select n.pdcp_log_id from made as n where n.place = 2), 'key-1') as f where m.place = 1$$,
  $$select 2::bigint, 15, 15, true, true, 'submission', m.pdcp_log_id from made as m where m.place = 1$$, 'the row, the parent and the key'
);
select results_eq(
  $$select f.is_parent, f.key_kind from doc as d, made as m, patchdiff.preview_facts(d.id, m.pdcp_log_id, 'new') as f where m.place = 1$$,
  'values (false, null::text)', 'an acceptance is no parent, a new key stands for nothing'
);
select is_empty('select f from patchdiff.preview_facts(gen_random_uuid()) as f', 'facts of an unknown target');
select results_eq(
  $$select r.outcome, r.pdcp_log_id, r.deduplicated from doc as d, patchdiff.preview_recovery(d.id, 'key-1') as r$$,
  $$select 'accepted', m.pdcp_log_id, true from made as m where m.place = 1$$, 'a key recovers its receipt'
);
select is_empty($$select r from doc as d, patchdiff.preview_recovery(d.id, 'new') as r$$, 'a new key recovers nothing');
select results_eq(
  'select r.after_version, r.span_starts from doc as d, patchdiff.read_recent_changes(d.id, 2) as r',
  'values (2::bigint, array[4]), (1::bigint, array[4])', 'recent acceptances, newest first'
);
select results_eq('select r.after_version from doc as d, patchdiff.read_recent_changes(d.id, 2, 1) as r', 'values (2::bigint)', 'no more than asked for');
select is_empty('select r from doc as d, patchdiff.read_recent_changes(d.id, 0) as r', 'none led to the beginning');

-- Blame and diff.
select results_eq(
  'select b.line_number, b.line_text, b.written_version, b.change_id from doc as d, patchdiff_audit.blame(d.id) as b',
  $$values (1, 'one', 0::bigint, null::text), (2, '2', 1, 'mine'), (3, '2b', 2, 'chg_001'), (4, 'three', 0, null)$$, 'each line by who last wrote it'
);
select results_eq(
  'select b.line_text, b.written_version from doc as d, patchdiff_audit.blame(d.id, 0) as b',
  $$values ('one', 0::bigint), ('two', 0), ('three', 0)$$, 'of an earlier version'
);
select is_empty('select b from other as o, patchdiff_audit.blame(o.id) as b', 'an empty text has no lines');
select matches(
  (select patchdiff_audit.diff(d.id, 0, 2) from doc as d), e'@@ -1,3 \\+1,4 @@\n one\n-two\n\\+2\n\\+2b\n three\n', 'the difference of two versions'
);
select matches((select patchdiff_audit.diff(d.id, 2, 0) from doc as d), e'\n-2\n-2b\n\\+two\n', 'and back');
select is((select patchdiff_audit.diff(d.id, 2) from doc as d), '', 'none between a version and itself');
select results_eq(
  'select c.after_version, c.change_id collate "default" from doc as d, patchdiff_audit.changes_between(d.id, 0, 2) as c',
  $$values (1::bigint, 'mine'), (2, 'chg_001')$$, 'the changes on the way, oldest first'
);
select results_eq('select c.after_version from doc as d, patchdiff_audit.changes_between(d.id, 2, 1) as c', 'values (2::bigint)', 'in either direction');

-- The views.
select results_eq(
  'select c.ledger_sequence, c.intent, c.operation, c.before_version from doc as d, patchdiff_audit.changes as c where c.target_file_id = d.id order by 1',
  $$values (1::bigint, 'shorter', 'match', 0::bigint), (2, 'one more', 'match', 1)$$, 'changes'
);
select results_eq(
  'select b.workspace_path collate "default", b.root_device from doc as d, patchdiff_store.workspace_bindings as b where b.target_file_id = d.id', $$values ('docs/a.md', '1')$$,
  'a binding is kept as it was made'
);

-- What never was.
select throws_ok(c.call, 'PD104', null, 'unknown target: ' || c.call)
from (values
  ('select patchdiff_audit.blame(gen_random_uuid())'), ('select patchdiff_audit.diff(gen_random_uuid(), 0)'),
  ('select patchdiff_audit.changes_between(gen_random_uuid(), 0)'), ('select patchdiff_audit.reconstruct(gen_random_uuid(), 0)')
) as c (call);
select throws_ok(format(c.call, d.id), 'PD105', null, 'no such version: ' || c.call)
from doc as d, (values
  ('select patchdiff_audit.blame(%L, 3)'), ('select patchdiff_audit.diff(%L, -1)'), ('select patchdiff_audit.changes_between(%L, 0, 3)'),
  ('select patchdiff_audit.reconstruct(%L, 3)')
) as c (call);
select throws_ok(format('select patchdiff.commit_attempt(%L, %L, null, null, null, null, null, null, %L, null, null, null, null)', d.id, p.payload, 'none'), p.code, null, p.named)
from doc as d, (values ('[]', 'PD101', 'a payload that is no object'), ('{', 'PD101', 'a payload that is no JSON')) as p (payload, code, named);

-- A history that contradicts itself, once every guard is off.
do $$ begin perform patchdiff_guard.guard_ddl(false); end $$;
alter table patchdiff_store.append_only_manifest_ledger disable trigger all;
update patchdiff_store.append_only_manifest_ledger set start_byte = start_byte + 2 where ledger_sequence = 1;
select throws_ok(format(c.call, d.id), 'PD106', null, 'damaged: ' || c.call)
from doc as d, (values
  ('select patchdiff_audit.reconstruct(%L, 2)'), ('select patchdiff_audit.blame(%L)'), ('select patchdiff_audit.diff(%L, 0)')
) as c (call);
select is((select patchdiff_audit.reconstruct(d.id, 0) from doc as d), e'one\ntwo\nthree\n', 'what lies before the damage is still rebuilt');

-- Who asks to be told is kept until the lease ends.
do $$ begin perform patchdiff.subscribe_commits('told', '1 minute'); end $$;
select is((select count(*)::integer from patchdiff_store.commit_subscriptions as s where s.subscriber = 'told'), 1, 'a lease is a row');
do $$ begin perform patchdiff.unsubscribe_commits('told'); end $$;
select is_empty('select s from patchdiff_store.commit_subscriptions as s', 'and ends with it');

select * from finish();
rollback;
