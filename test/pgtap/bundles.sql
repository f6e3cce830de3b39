-- Bundles: what a caller who may only execute can claim of one, and what becomes of it.
begin;
select plan(33);
create temporary table doc as select r.target_file_id as id, r.current_hash as hash from patchdiff.create_target(null, 'doc', e'one 1\ntwo 1\n') as r;
create temporary table other as select r.target_file_id as id, r.current_hash as hash from patchdiff.create_target(null, 'other', e'one 1\ntwo 1\n') as r;
grant select on doc, other to patchdiff_writer;
set local role patchdiff_writer;
create temporary table seen as
select r.bundle_id, r.scopes from doc as d, patchdiff.observe_scopes(d.id, 0, d.hash, 'x', '{"name":"g","version":"1","sha256":null}', false,
  '[{"kind":"l","name":"a","qualified_path":"a","start":0,"end":5},{"kind":"l","name":"b","qualified_path":"b","start":6,"end":11},{"kind":"all","name":"c","qualified_path":"c","start":0,"end":12}]') as r;
create function pg_temp.group_of(p_scope integer, p_match text, p_replace text) returns text language sql as $$
  select format('{"operations":[{"match":%s,"op":"match","replace":%s}],"scope_id":"%s"}', to_json(p_match), to_json(p_replace), s.scopes -> p_scope ->> 'scope_id') from seen as s
$$;
create function pg_temp.payload(p_groups text, p_version bigint default 0, p_target uuid default null, p_more text default '') returns text language sql as $$
  select format('{"bundle_id":"%s","expected_current_hash":null,"expected_target_version":%s,"format":"patchdiff-observed-batch/1","groups":[%s],"intent":"i"%s,"target_file_id":"%s"}',
    s.bundle_id, p_version, p_groups, p_more, coalesce(p_target, d.id)) from seen as s, doc as d
$$;
create function pg_temp.commit(p_payload text, p_verdict text, p_starts integer[] default null, p_after text default null, p_reason text default null, p_target uuid default null)
returns json language sql as $$
  select to_json(patchdiff.commit_attempt(coalesce(p_target, d.id), p_payload, null, null, null, null, null, r.current_hash, p_verdict, p_starts, p_after,
    case when p_reason is not null then json_build_object('failure_reason', p_reason) end, null))
  from doc as d, patchdiff.read_head(coalesce(p_target, d.id)) as r
$$;
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', '{4}', repeat('0', 64)) ->> 'failure_code', 'claim_mismatch', 'a forged result');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', '{3}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'a forged place');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(1, '1', '2')), 'accepted', '{10}', encode(sha256(e'one 1\ntwo 2\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'a place of the document, not of the scope');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', null, encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'no places');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'rejected', null, null, 'match_absent') ->> 'failure_code', 'claim_mismatch', 'a forged rejection');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'none') ->> 'outcome', 'stale_base', 'nothing claimed');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, 'two', '2')), 'rejected', null, null, 'match_absent') ->> 'failure_code', 'match_absent', 'text outside the scope is not found');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2') || ',' || pg_temp.group_of(2, 'two', '2')), 'rejected', null, null, 'manifest_invalid') ->> 'failure_code', 'scopes_overlap', 'overlapping scopes');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2') || ',' || pg_temp.group_of(0, 'one', '2')), 'rejected', null, null, 'manifest_invalid') ->> 'failure_code', 'scopes_overlap', 'a scope twice');
select is(pg_temp.commit(replace(pg_temp.payload(pg_temp.group_of(0, '1', '2')), (select bundle_id::text from seen), gen_random_uuid()::text), 'rejected', null, null, 'context_invalid') ->> 'failure_code', 'bundle_invalid', 'an unknown bundle');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2'), 0, o.id), 'rejected', null, null, 'context_invalid', o.id) ->> 'failure_code', 'bundle_invalid', 'another target''s bundle') from other as o;
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2'), p_more => ',"observation":{"scopes":[]}'), 'rejected', null, null, 'manifest_invalid') ->> 'failure_code', 'unknown_field', 'an observation of the caller''s own');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2'), 7), 'accepted', '{4}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'target_version_mismatch', 'a guard that does not hold');
select is(pg_temp.commit(pg_temp.payload(replace(pg_temp.group_of(0, '1', '2'), ':[', ': [')), 'accepted', '{4}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'a blank that canonical JSON has not');
select is(pg_temp.commit(' ' || pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', '{4}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'or one before it');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', '{null}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'a place of nothing');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '1', '2')), 'accepted', '{4,4}', encode(sha256(e'one 2\ntwo 1\n'), 'hex')) ->> 'failure_code', 'claim_mismatch', 'a place too many');
create temporary table later as
select r.bundle_id, r.scopes from doc as d, patchdiff.observe_scopes(d.id, 0, d.hash, 'x', '{"name":"g","version":"1","sha256":null}', false,
  '[{"kind":"l","name":"later","qualified_path":"later","start":0,"end":3}]') as r;
select is(pg_temp.commit(replace(pg_temp.payload(pg_temp.group_of(0, '1', '2')), (select scopes #>> '{0,scope_id}' from seen), (select scopes #>> '{0,scope_id}' from later)),
  'rejected', null, null, 'context_invalid') ->> 'failure_code', 'scope_not_observed', 'a scope of another observation');
select is(pg_temp.commit(replace(pg_temp.payload(pg_temp.group_of(0, '1', '2')), (select bundle_id::text from seen), 'x'), 'rejected', null, null, 'context_invalid') ->> 'failure_code', 'bundle_invalid', 'a bundle that is no id');
select is(pg_temp.commit(pg_temp.payload(''), 'rejected', null, null, 'manifest_missing') ->> 'failure_code', 'manifest_missing', 'no group');
select is((select count(*)::integer from patchdiff_audit.attempts where status = 'accepted'), 0, 'nothing of this was applied');
create temporary table done as
select r ->> 'outcome' as outcome, r ->> 'decided_by' as decided_by, (r ->> 'after_version')::bigint as after_version, r -> 'changes' as changes
from pg_temp.commit(pg_temp.payload(pg_temp.group_of(1, '1', '22') || ',' || pg_temp.group_of(0, '1', '333')), 'accepted', '{4,4}', encode(sha256(e'one 333\ntwo 22\n'), 'hex')) as r;
select results_eq('select outcome, decided_by, after_version from done', $$values ('accepted', 'runtime', 1::bigint)$$, 'what is true is accepted');
select results_eq('select c ->> ''ordinal'', c ->> ''apply_ordinal'', c ->> ''span_start'', c ->> ''scope_span_start'' from done, json_array_elements(done.changes) as c',
  $$values ('1', '1', '10', '4'), ('2', '2', '4', '4')$$, 'facts in document coordinates, the scope''s own beside');
select is(pg_temp.commit(pg_temp.payload(pg_temp.group_of(0, '333', '1'), 1), 'rejected', null, null, 'target_hash_mismatch') ->> 'failure_code', 'scope_hash_mismatch', 'a scope whose text moved on');
reset role;
select is((select count(*)::integer from patchdiff_store.append_only_pdcp_logs as a where a.pdcp_content = pg_temp.payload(pg_temp.group_of(0, '1', '2'), p_more => ',"observation":{"scopes":[]}')),
  1, 'what brought an observation of its own is kept as it was sent');
select is((select count(*)::integer from patchdiff_store.append_only_pdcp_logs as a where a.failure_code = 'bundle_invalid' and a.pdcp_content::jsonb -> 'observation' = 'null'),
  3, 'what names no observation says so');
select results_eq('select g.ordinal, g.apply_ordinal, g.start_byte from patchdiff_store.append_only_manifest_ledger as g order by g.ledger_sequence',
  'values (1, 1, 10), (2, 2, 4)', 'the ledger in the order of application');
select is((select a.pdcp_content::jsonb #>> '{observation,scopes,0,name}' from patchdiff_store.append_only_pdcp_logs as a where a.status = 'accepted'), 'b', 'the evidence stands in the order of the groups');
select is((select patchdiff_audit.reconstruct(d.id, 1) from doc as d), e'one 333\ntwo 22\n', 'and the history gives the text');
select is_empty('select f.* from patchdiff_audit.verify_all() as f', 'nothing contradicts another');

-- A superuser edits what an accepted bundle kept, or the observation that it names.
do $$
begin
  perform patchdiff_guard.guard_ddl(false);
  alter table patchdiff_store.append_only_pdcp_logs disable trigger user;
  alter table patchdiff_store.observed_scopes disable trigger user;
end;
$$;
create function pg_temp.found(p_edit text) returns setof text language plpgsql as $$
declare
  v_found text[];
begin
  begin
    execute p_edit;
    v_found := array(select concat_ws(' ', f.table_name, f.row_key, f.column_name, f.problem) from doc as d, patchdiff_audit.verify_target(d.id) as f);
    raise exception using errcode = 'U0001';
  exception
    when sqlstate 'U0001' then return query select unnest(v_found);
  end;
end;
$$;
create temporary table says as
select 'append_only_pdcp_logs log_sequence=' || a.log_sequence || ' pdcp_content keeps another observation than the one that it names' as finding
from patchdiff_store.append_only_pdcp_logs as a where a.status = 'accepted';
select ok(exists (select from says join pg_temp.found(e.edit) as f on f = says.finding), e.act)
from (values
  ('evidence of another name, with its digest', $q$update patchdiff_store.append_only_pdcp_logs as a set pdcp_content = n.content, pdcp_content_hash = encode(sha256(convert_to(n.content, 'UTF8')), 'hex')
    from (select replace(s.pdcp_content, '"name":"b"', '"name":"z"') as content from patchdiff_store.append_only_pdcp_logs as s where s.status = 'accepted') as n where a.status = 'accepted'$q$),
  ('another name in the observation', $q$update patchdiff_store.observed_scopes set name = 'z' where name = 'b'$q$),
  ('an observed scope that is gone', $q$delete from patchdiff_store.observed_scopes where name = 'b'$q$)
) as e (act, edit);
select * from finish();
rollback;
