-- Reading a target's history page by page, rebuilding every version from it, and walking its retries.
begin;
select plan(40);
create temporary table doc as
select r.target_file_id as id from patchdiff.create_target(null, 'doc', e'añb\r\nsecond line\nthird€ line\n') as r;
create temporary table version (number bigint, content text);
insert into version select 0, r.current_content from doc as d, patchdiff.read_target(d.id) as r;

-- Submits matches on the target as it is, the way a caller does; answers the receipt.
create function pg_temp.submit(p_edits json, p_key text default null, p_parent text default null) returns patchdiff.commit_receipt language plpgsql as $$
declare
  v_head patchdiff.target_state := (select r from doc as d, patchdiff.read_target(d.id) as r);
  v_buffer bytea := convert_to(v_head.current_content, 'UTF8');
  v_starts integer[] := '{}';
  v_start integer;
  v_edit json;
  v_receipt patchdiff.commit_receipt;
begin
  for v_edit in select e.value from json_array_elements(p_edits) as e loop
    v_start := position(convert_to(v_edit ->> 'match', 'UTF8') in v_buffer) - 1;
    exit when v_start < 0;
    v_starts := v_starts || v_start;
    v_buffer := overlay(v_buffer placing convert_to(v_edit ->> 'replace', 'UTF8') from v_start + 1 for octet_length(v_edit ->> 'match'));
  end loop;
  v_receipt := patchdiff.commit_attempt(
    v_head.target_file_id,
    '{"edits":' || p_edits || ',"expected_current_hash":null,"expected_target_version":' || v_head.version
      || ',"format":"patchdiff-tx/1","intent":"why","target_file_id":"' || v_head.target_file_id || '"}',
    p_key, p_parent, null, null, '{"host":"test","agent":"robot"}', v_head.current_hash,
    case when v_start < 0 then 'rejected' else 'accepted' end, v_starts, encode(sha256(v_buffer), 'hex'),
    case when v_start < 0 then '{"failure_reason":"match_absent"}'::json end, null
  );
  if v_receipt.outcome = 'accepted' then
    insert into version values (v_receipt.after_version, convert_from(v_buffer, 'UTF8'));
  end if;
  return v_receipt;
end;
$$;

select is(r.outcome, 'accepted', 'two changes') from pg_temp.submit('[{"match":"ñb","replace":"XYZ"},{"match":"€","rationale":"more money","replace":"€€","risk":"high"}]', 'key-1') as r;
create temporary table refused as select r.pdcp_log_id as id, r.outcome from pg_temp.submit('[{"match":"nowhere","replace":""}]') as r;
select is(r.outcome, 'rejected', 'a rejection') from refused as r;
select is(s.outcome, 'checkpointed', 'a checkpoint') from doc as d, patchdiff.save_target(d.id, p_client_request_id => 'save-1') as s;
select is(r.outcome, 'accepted', 'a retry') from refused as f, pg_temp.submit('[{"match":"second","replace":"2nd"}]', 'key-2', f.id::text) as r;
select is(r.outcome, 'accepted', 'a deletion') from pg_temp.submit('[{"match":"third","replace":""}]') as r;
select is(r.outcome, 'accepted', 'everything at once') from pg_temp.submit('[{"match":"2nd","replace":"x"},{"match":"x","replace":"y"},{"match":"€€","replace":"漢字"}]') as r;

-- Pages of attempts: newest first, one row more than asked for when there are more.
create function pg_temp.log(p_limit integer, p_before bigint default null, p_status text default null, p_hash text default null, p_key text default null)
returns bigint[] language sql return array(
  select a.log_sequence from doc as d, patchdiff.read_attempts(d.id, p_limit, p_before, p_status, p_hash, p_key) as a
);
select is(pg_temp.log(null), '{5,4,3,2,1}'::bigint[], 'the whole log, newest first');
select is(pg_temp.log(2), '{5,4,3}'::bigint[], 'a page and one row more');
select is(pg_temp.log(2, 4), '{3,2,1}'::bigint[], 'below the cursor');
select is(pg_temp.log(2, 2), '{1}'::bigint[], 'the last page');
select is(pg_temp.log(2, 1), '{}'::bigint[], 'nothing below the first');
select is(pg_temp.log(1, null, 'rejected'), '{2}'::bigint[], 'rejected ones');
select is(pg_temp.log(1, 5, 'accepted'), '{4,3}'::bigint[], 'accepted ones');
select is(pg_temp.log(5, null, null, null, 'key-2'), '{3}'::bigint[], 'of one key');
select is(pg_temp.log(5, null, 'rejected', null, 'key-2'), '{}'::bigint[], 'filters are conjunctive');
select is(pg_temp.log(5, null, null, a.pdcp_content_hash), array[4::bigint], 'of one payload')
from doc as d, patchdiff.read_attempts(d.id) as a where a.log_sequence = 4;
select throws_ok('select * from doc as d, patchdiff.read_attempts(d.id, 0)', 'PD100', null, 'a limit of none');
select throws_ok('select * from patchdiff.read_attempts(gen_random_uuid())', 'PD104', null, 'an unknown target');
select ok(bool_and(a.pdcp_content is null), 'no payload unless asked for') from doc as d, patchdiff.read_attempts(d.id) as a;
select ok(bool_and(a.pdcp_content is not null), 'the payload when asked for') from doc as d, patchdiff.read_attempts(d.id, p_include_content => true) as a;
select is(a.log_sequence, 2::bigint, 'one attempt by its id') from refused as f, patchdiff.read_attempt(f.id) as a;

-- Pages of the ledger: the newest ones, oldest first.
create function pg_temp.ledger(p_all boolean, p_limit integer, p_before bigint default null)
returns bigint[] language sql return array(
  select g.ledger_sequence from doc as d, patchdiff.read_ledger(d.id, p_all, p_limit, p_before) as g
);
select is(pg_temp.ledger(true, null), '{1,2,3,4,5,6,7}'::bigint[], 'the whole ledger, oldest first');
select is(pg_temp.ledger(true, 3), '{4,5,6,7}'::bigint[], 'the newest page, its extra row first');
select is(pg_temp.ledger(true, 3, 5), '{1,2,3,4}'::bigint[], 'below the cursor');
select is(pg_temp.ledger(false, null), '{3,4,5,6,7}'::bigint[], 'the open cycle');
select is(pg_temp.ledger(false, 2, 5), '{3,4}'::bigint[], 'the open cycle below the cursor');
select results_eq(
  $$select g.change_id, g.operation, g.intent, g.rationale, g.risk, g.before_version, g.derived ->> 'span_start'
    from doc as d, patchdiff.read_ledger(d.id, true) as g where g.ledger_sequence <= 2$$,
  $$values ('chg_001', 'match', 'why', null, null, 0::bigint, '1'), ('chg_002', 'match', 'more money', 'more money', 'high', 0::bigint, '22')$$,
  'what an entry tells'
);

-- Replay pages under the lock.
select is(
  array(select h.log_sequence from doc as d, patchdiff.lock_history(d.id, 0, 2) as h), '{0,1,3,4}'::bigint[], 'the initial snapshot, then accepted attempts'
);
select is(
  array(select h.log_sequence from doc as d, patchdiff.lock_history(d.id, 3, 2) as h), '{4,5}'::bigint[], 'the next page'
);

-- Every version, from the nearest snapshot, equals what the caller saw.
select is_empty(
  $$select v.number from version as v, doc as d where patchdiff_audit.reconstruct(d.id, v.number) <> v.content$$, 'every version is rebuilt byte for byte'
);
select is((select count(*)::integer from version), 5, 'all five of them');
select is(patchdiff_audit.reconstruct(d.id, r.version), r.current_content, 'the current one too') from doc as d, patchdiff.read_target(d.id) as r;
select is(
  patchdiff_audit.reconstruct(d.id, patchdiff_audit.version_at(d.id, t.created_at - interval '1 microsecond')), null, 'nothing before the creation'
) from doc as d, patchdiff.read_target(d.id) as t;
select throws_ok('select patchdiff_audit.reconstruct(d.id, 5) from doc as d', 'PD105', null, 'a version to come');
select throws_ok('select patchdiff_audit.reconstruct(d.id, -1) from doc as d', 'PD105', null, 'a negative version');
select is(patchdiff_audit.version_at(d.id, a.created_at), 2::bigint, 'the version at a moment')
from doc as d, patchdiff.read_attempts(d.id) as a where a.log_sequence = 3;

select is(
  array(select row(t.depth, t.log_sequence)::text from refused as f, patchdiff_audit.retry_tree(f.id) as t), '{"(0,2)","(1,3)"}'::text[], 'an attempt and its retry'
);
select is(
  array(select row(c.editing_cycle, c.opened_at_version, c.closed_at_version)::text from patchdiff_audit.cycles as c order by c.editing_cycle),
  '{"(1,0,1)","(2,1,)"}'::text[], 'cycles end where the next one begins'
);
select is(
  (select count(*)::integer from patchdiff_audit.attempts as a where a.actor_agent = 'robot'), 5, 'attempts are readable'
);
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');
select * from finish();
rollback;
