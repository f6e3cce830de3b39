-- patchdiff.save_target: checkpoint, cycle, guards, request keys.
begin;
select plan(25);
create function pg_temp.edit(p_target uuid, p_replace text, p_key text default null) returns text language plpgsql as $$
declare
  v_head patchdiff.target_state := patchdiff.read_head(p_target);
  v_payload text := '{"expected_current_hash":null,"expected_target_version":' || v_head.version
    || ',"format":"patchdiff-tx/3","intent":"edit","operations":[{"op":"replace_all","replace":' || to_json(p_replace)
    || '}],"target_file_id":"' || p_target || '"}';
begin
  return (patchdiff.commit_attempt(
    p_target, v_payload, p_key, null, null, null, null, v_head.current_hash, 'accepted', array[0],
    encode(sha256(convert_to(p_replace, 'UTF8')), 'hex'), null, null
  )).outcome;
end;
$$;
grant execute on function pg_temp.edit(uuid, text, text) to public;
set local role patchdiff_writer;
create temporary table doc as select r.target_file_id as id, r.current_hash as hash from patchdiff.create_target(null, 'doc', 'one') as r;

select is(r.outcome, 'unchanged', 'nothing new: unchanged') from doc as d, patchdiff.save_target(d.id) as r;
select is(r.editing_cycle, 1, 'and the cycle stays') from doc as d, patchdiff.save_target(d.id) as r;
select is(pg_temp.edit(d.id, 'two', 'edit-1'), 'accepted', 'an edit') from doc as d;

select is(r.failure_reason, 'target_version_mismatch', 'a stale version guard') from doc as d, patchdiff.save_target(d.id, 0, null, 'stale') as r;
select is(r.failure_reason, 'target_hash_mismatch', 'a stale hash guard') from doc as d, patchdiff.save_target(d.id, 1, d.hash) as r;
select throws_ok(format('select patchdiff.save_target(%L, -1)', d.id), 'PD100', null, 'a malformed version') from doc as d;
select throws_ok(format('select patchdiff.save_target(%L, null, %L)', d.id, upper(d.hash)), 'PD100', null, 'a malformed hash') from doc as d;
select throws_ok(format('select patchdiff.save_target(%L, null, null, %L)', d.id, k.key), 'PD100', null, 'a malformed key')
from doc as d, (values (''), ('a b'), (e'a\n'), (repeat('k', 129)), ('é')) as k (key);
select throws_ok(format('select patchdiff.save_target(%L, p_actor => %L)', d.id, to_json(repeat('x', 8192))), 'PD100', null, 'an actor of more than 8192 bytes') from doc as d;
select throws_ok('select patchdiff.save_target(gen_random_uuid())', 'PD104', null, 'an unknown target');
select throws_ok('select patchdiff.save_target(null)', 'PD100', null, 'no target');

select is(r.outcome, 'publication_needed', 'with a file in mind it only says so') from doc as d, patchdiff.save_target(d.id, p_sync_workspace => true) as r;
select ok(r.deduplicated, 'nothing said about a file is no file') from doc as d, patchdiff.save_target(d.id, 0, null, 'stale', p_sync_workspace => null) as r;
select results_eq(
  $$select r.outcome, r.version, r.editing_cycle, r.deduplicated from doc as d, patchdiff.save_target(d.id, 1, null, 'save-1') as r$$,
  $$values ('checkpointed', 1::bigint, 2, false)$$, 'a checkpoint opens a cycle'
);
select is(pg_temp.edit(d.id, 'three'), 'accepted', 'a later edit') from doc as d;
select results_eq(
  $$select r.outcome, r.version, r.editing_cycle, r.deduplicated from doc as d, patchdiff.save_target(d.id, 1, null, 'save-1') as r$$,
  $$values ('checkpointed', 1::bigint, 2, true)$$, 'the key answers its first receipt, however far the target moved'
);
select results_eq(
  $$select r.outcome, r.failure_reason, r.deduplicated from doc as d, patchdiff.save_target(d.id, 0, null, 'stale') as r$$,
  $$values ('rejected', 'target_version_mismatch', true)$$, 'a rejection by guard too'
);
select is(r.failure_code, 'request_key_conflict', 'another request under the key') from doc as d, patchdiff.save_target(d.id, 2, null, 'save-1') as r;
select is(r.failure_code, 'request_key_conflict', 'the key of a submission') from doc as d, patchdiff.save_target(d.id, null, null, 'edit-1') as r;
reset role;
select is((select count(*)::integer from patchdiff_store.target_snapshots as s, doc as d where s.target_file_id = d.id), 2, 'one checkpoint was written');
update patchdiff_store.cloud_target_files set current_content = 'tampered';
select is(r.failure_reason, 'target_diverged', 'corrupt content never becomes a checkpoint') from doc as d, patchdiff.save_target(d.id) as r;
select * from finish();
rollback;
