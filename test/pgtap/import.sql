-- Bringing in older attempts: who may, what is refused, and what a row looks like afterwards. Which payloads replay accepts is
-- compared with src/transaction elsewhere.
begin;
select plan(86);

select is_empty($$
  select a.grantee::regrole
  from pg_proc as p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
  where p.oid::regproc::text like 'patchdiff_store.%import%' and a.grantee <> p.proowner
$$, 'granted to nobody');
select is(
  (select count(*)::integer from pg_proc as p where p.oid::regproc::text = 'patchdiff_store.import_attempt' and not p.prosecdef), 1,
  'and runs as its caller'
);
select throws_ok(format(
  'set local role %I; select patchdiff_store.import_attempt(gen_random_uuid(), gen_random_uuid(), now(), null, null, null, null, null, 0, null)', r.name
), '42501', null, r.name || ' may not') from (values ('patchdiff_writer'), ('patchdiff_auditor')) as r(name);
reset role;

create temporary table doc as select r.target_file_id as id, r.current_hash from patchdiff.create_target(null, 'doc', e'aaa b\n') as r;
create temporary table other as select r.target_file_id as id from patchdiff.create_target(null, 'other', 'x') as r;
create function pg_temp.sha(p_text text) returns text language sql as $$select encode(sha256(convert_to(p_text, 'UTF8')), 'hex')$$;
create function pg_temp.payload(p_items text, p_more text default '"expected_target_version":0,') returns text language sql as $$
  select '{"edits":' || p_items || ',"expected_current_hash":null,' || p_more || '"format":"patchdiff-tx/1","intent":"old","target_file_id":"' || d.id || '"}' from doc as d
$$;

-- An accepted attempt on the first text and a rejected one, each as the arguments that bring it in.
create temporary table base as
select
  c.named,
  c.call || jsonb_build_object(
    'target', d.id, 'created_at', '2023-05-01T12:00:00.123456Z', 'protocol_version', 'patchdiff-tx/1', 'payload_hash', pg_temp.sha(c.call ->> 'payload'),
    'before_version', 0, 'before_hash', d.current_hash, 'pdcp_log_id', md5(c.named)::uuid
  ) as call
from doc as d, (values
  ('accepted', jsonb_build_object(
    'status', 'accepted', 'runtime_version', 'patchdiff-mvp-0.1.0', 'payload', pg_temp.payload('[{"change_id":"any id","match":"aa","replace":"x"}]'),
    'after_version', 1, 'after_hash', pg_temp.sha(e'xa b\n'), 'client_request_id', 'ein alter Schlüssel', 'attempt', 3, 'source', 'old host')),
  ('rejected', jsonb_build_object(
    'status', 'rejected', 'runtime_version', 'patchdiff-mvp-0.2.0', 'payload', pg_temp.payload('[{"match":"z","replace":"y"}]'),
    'validation_stage', 'transaction_applicability', 'failure_reason', 'match_absent', 'failure_code', 'match_absent', 'diagnostic', '{"b":1, "a":2}'))
) as c(named, call);

create function pg_temp.bring(p_call jsonb) returns patchdiff.attempt_entry language sql as $$
  select patchdiff_store.import_attempt(
    (p_call ->> 'target')::uuid, (p_call ->> 'pdcp_log_id')::uuid, (p_call ->> 'created_at')::timestamptz, p_call ->> 'status',
    p_call ->> 'protocol_version', p_call ->> 'runtime_version', p_call ->> 'payload', p_call ->> 'payload_hash',
    (p_call ->> 'before_version')::bigint, p_call ->> 'before_hash', (p_call ->> 'after_version')::bigint, p_call ->> 'after_hash',
    coalesce(p_call ->> 'decided_by', 'runtime'), p_call ->> 'client_request_id', coalesce((p_call ->> 'is_fingerprinted')::boolean, true),
    p_call ->> 'parent', (p_call ->> 'attempt')::integer, p_call ->> 'source', (p_call ->> 'actor')::json, (p_call ->> 'warnings')::json,
    p_call ->> 'validation_stage', p_call ->> 'failure_reason', p_call ->> 'failure_code', p_call ->> 'failure_detail',
    p_call ->> 'failed_change_id', (p_call ->> 'diagnostic')::json
  )
$$;
-- What refuses the call: SQLSTATE, and the check or argument that DETAIL names; null when nothing does. Undone in either case.
create function pg_temp.refused(p_named text, p_changes jsonb) returns text language plpgsql as $$
declare
  v_call jsonb := (select b.call from base as b where b.named = p_named) || p_changes;
  v_detail text;
begin
  if p_changes ? 'payload' and not p_changes ? 'payload_hash' then
    v_call := v_call || jsonb_build_object('payload_hash', pg_temp.sha(v_call ->> 'payload'));
  end if;
  perform pg_temp.bring(v_call);
  raise exception using errcode = 'P0001', message = 'undo';
exception
  when raise_exception then return null;
  when others then
    get stacked diagnostics v_detail = pg_exception_detail;
    if sqlstate !~ '^PD' then
      return sqlstate || ' ' || sqlerrm;
    end if;
    return sqlstate || ' ' || coalesce(v_detail::json ->> 'check', v_detail::json ->> 'argument', v_detail::json ->> 'taken', v_detail::json ->> 'rule', '');
end;
$$;

select is(pg_temp.refused('accepted', '{}'), null, 'the acceptance comes in as it is');
select is(pg_temp.refused('rejected', '{}'), null, 'the rejection too');
create temporary table refusal (named text, expected text, changes jsonb);
insert into refusal values
  ('accepted', 'PD100 p_target', '{"target": null}'),
  ('accepted', 'PD104 ', '{"target": "00000000-0000-0000-0000-000000000001"}'),
  ('accepted', 'PD100 p_pdcp_log_id', '{"pdcp_log_id": null}'),
  ('accepted', 'PD100 p_created_at', '{"created_at": "infinity"}'),
  ('accepted', 'PD100 p_created_at', '{"created_at": "2999-01-01"}'),
  ('accepted', 'PD100 p_created_at', '{"created_at": null}'),
  -- No reader of ours knows a time before year 1, in whatever zone it is shown.
  ('accepted', 'PD100 p_created_at', '{"created_at": "0044-03-15 BC"}'),
  ('accepted', 'PD100 p_created_at', '{"created_at": "0001-12-31T23:59:59.999999Z BC"}'),
  ('accepted', null, '{"created_at": "0001-01-01T00:00:00Z"}'),
  ('accepted', 'PD100 p_status', '{"status": "stale"}'),
  ('accepted', 'PD100 p_payload_hash', '{"payload_hash": "A"}'),
  ('accepted', 'PD100 p_before_version', '{"before_version": -1}'),
  ('accepted', 'PD100 p_after_hash', '{"after_hash": null}'),
  ('accepted', 'PD100 p_decided_by', '{"decided_by": "nobody"}'),
  ('accepted', 'PD100 p_attempt', '{"attempt": 0}'),
  ('accepted', 'PD100 p_source', '{"source": " "}'),
  ('accepted', 'PD100 p_failure_reason', '{"failure_reason": "match_absent"}'),
  ('accepted', 'PD100 p_validation_stage', '{"validation_stage": "commit_guard"}'),
  ('accepted', 'PD100 p_actor', '{"actor": "\"\\u0000\""}'),
  ('accepted', 'PD100 p_warnings', '{"warnings": "{}"}'),
  ('accepted', 'PD100 p_client_request_id', jsonb_build_object('client_request_id', repeat('é', 4097))),
  -- Not even compressed does it fit the index of keys.
  ('accepted', 'PD100 p_client_request_id', jsonb_build_object('client_request_id', (select string_agg(md5(i::text), '') from generate_series(1, 200) as i))),
  -- No reader's stack has to hold what a row says: 64 levels are let in, 65 are not.
  ('accepted', null, jsonb_build_object('actor', '{"host": ' || repeat('[', 63) || repeat(']', 63) || '}')),
  ('accepted', 'PD100 p_actor', jsonb_build_object('actor', '{"host": ' || repeat('[', 64) || repeat(']', 64) || '}')),
  ('accepted', 'PD100 p_warnings', jsonb_build_object('warnings', '[{"code":"no_op_change","change_id":null,"more":' || repeat('[', 63) || repeat(']', 63) || '}]')),
  ('rejected', null, jsonb_build_object('diagnostic', '{"a": ' || repeat('[', 63) || repeat(']', 63) || '}')),
  ('rejected', 'PD100 p_diagnostic', jsonb_build_object('diagnostic', '{"a": ' || repeat('[', 64) || repeat(']', 64) || '}')),
  ('rejected', 'PD100 p_diagnostic', jsonb_build_object('diagnostic', repeat('{"a":', 5000) || '1' || repeat('}', 5000))),
  ('rejected', 'PD100 p_warnings', '{"warnings": "[]"}'),
  ('rejected', 'PD100 p_validation_stage', '{"validation_stage": null}'),
  ('rejected', 'PD100 p_failure_reason', '{"failure_reason": null}'),
  ('rejected', 'PD100 p_diagnostic', '{"diagnostic": "[]"}'),
  ('rejected', 'PD100 p_diagnostic', '{"diagnostic": "{\"a\":\"\\ud800\"}"}'),
  ('accepted', 'PD111 it does not start from the current version', '{"before_version": 1, "after_version": 2}'),
  ('accepted', 'PD112 before_hash', jsonb_build_object('before_hash', repeat('0', 64))),
  ('accepted', 'PD112 payload_hash', jsonb_build_object('payload_hash', repeat('0', 64))),
  ('accepted', 'PD112 after_version', '{"after_version": 2}'),
  ('accepted', 'PD112 after_hash', jsonb_build_object('after_hash', repeat('0', 64))),
  ('accepted', 'PD112 protocol', '{"runtime_version": "patchdiff-mvp-0.3.0"}'),
  ('accepted', 'PD112 protocol', '{"protocol_version": "patchdiff-tx/3", "runtime_version": "patchdiff-mvp-0.3.0"}'),
  ('accepted', 'PD112 protocol', '{"protocol_version": "patchdiff-observed-batch/1", "runtime_version": "patchdiff-observed-batch-r1"}'),
  ('accepted', 'PD112 decode', '{"runtime_version": "patchdiff-mvp-0.2.1"}'),
  ('accepted', 'PD112 decode', '{"payload": "[]"}'),
  ('accepted', 'PD112 decode', '{"payload": "no json"}'),
  ('accepted', 'PD112 decode', jsonb_build_object('payload', replace(pg_temp.payload('[{"match":"aa","replace":"x"}]'), 'target_file_id":"', 'target_file_id":"0'))),
  ('accepted', 'PD112 decode', jsonb_build_object('payload', pg_temp.payload('[{"match":"aa","occurrence_index":1.0,"replace":"x"}]'))),
  ('accepted', 'PD112 decode', jsonb_build_object('payload', pg_temp.payload('[{"match":"aa","occurrence_index":1e0,"replace":"x"}]'))),
  ('accepted', null, jsonb_build_object('payload', pg_temp.payload('[{"change_id":"1e0 \\\" 2E5","match":"aa","replace":"x"}]'))),
  ('accepted', 'PD112 guards', jsonb_build_object('payload', pg_temp.payload('[{"match":"aa","replace":"x"}]', '"expected_target_version":5,'))),
  ('accepted', 'PD112 apply', '{"runtime_version": "patchdiff-mvp-0.2.0"}'),
  ('accepted', 'PD112 parent', jsonb_build_object('parent', md5('accepted')::uuid)),
  ('accepted', 'PD112 warnings', '{"warnings": "[{\"code\":\"no_op_change\",\"change_id\":\"other\"}]"}'),
  ('accepted', null, '{"warnings": "[{\"code\":\"no_op_change\",\"change_id\":\"any id\"}]"}'),
  ('rejected', 'PD112 after_version', '{"after_version": 1}'),
  ('rejected', 'PD112 after_hash', jsonb_build_object('after_hash', repeat('0', 64))),
  ('rejected', 'PD112 protocol', '{"runtime_version": "patchdiff-mvp-0.5.0"}'),
  ('rejected', 'PD112 protocol', '{"protocol_version": "patchdiff-tx/2", "runtime_version": "patchdiff-mvp-0.3.0"}'),
  ('rejected', 'PD112 decode', '{"payload": "[1]"}'),
  ('rejected', 'PD112 decode', '{"payload": "{\"evidence_format\":\"patchdiff-invalid-input/1\",\"inputs\":\"x\"}"}'),
  ('rejected', 'PD112 outcome', '{"failure_reason": "target_not_found"}'),
  ('rejected', 'PD112 outcome', '{"validation_stage": "protocol_validation"}'),
  ('rejected', 'PD112 outcome', '{"failure_code": "match_ambiguous"}'),
  ('rejected', null, '{"failure_code": null, "diagnostic": null}'),
  ('rejected', 'PD112 outcome', '{"validation_stage": "precondition_guard", "failure_reason": "target_version_mismatch", "failure_code": null}'),
  ('rejected', 'PD112 client_request_id',
    '{"validation_stage": "precondition_guard", "failure_reason": "context_invalid", "failure_code": "invalid_client_request_id", "client_request_id": "k"}'),
  ('rejected', 'PD112 parent', '{"parent": "nobody"}'),
  ('rejected', null, '{"parent": "nobody", "validation_stage": "precondition_guard", "failure_reason": "context_invalid", "failure_code": "parent_invalid"}'),
  ('rejected', null,
    '{"payload": "{\"bytes\":9000000,\"evidence_format\":\"patchdiff-oversized-input/1\",\"prefix\":\"{\",\"sha256\":\"0000000000000000000000000000000000000000000000000000000000000000\"}", "validation_stage": "protocol_validation", "failure_reason": "manifest_invalid", "failure_code": "payload_too_large"}');
select is(pg_temp.refused(r.named, r.changes), r.expected, r.named || ' with ' || left(r.changes::text, 120)) from refusal as r;

-- A history: a rejection, then an acceptance that retries it.
select is(e.log_sequence, 1::bigint, 'the rejection comes in') from base as b, pg_temp.bring(b.call) as e where b.named = 'rejected';
select is(
  array[e.regeneration_source, e.parent_pdcp_log_id::text, e.submission_source, e.created_at::text], array[null, md5('rejected')::uuid::text, 'old host', '2023-05-01 12:00:00.123456+00'],
  'its retry comes in'
) from base as b, pg_temp.bring(b.call || jsonb_build_object('parent', upper(md5('rejected')::uuid::text))) as e where b.named = 'accepted';
select is(pg_temp.refused('accepted', '{}'), 'PD113 pdcp_log_id', 'not twice');
select is(pg_temp.refused('rejected', jsonb_build_object('pdcp_log_id', gen_random_uuid(), 'client_request_id', 'ein alter Schlüssel', 'before_version', 1)),
  'PD113 client_request_id', 'nor under a key that is taken');
select is(
  pg_temp.refused('rejected', jsonb_build_object('pdcp_log_id', md5('accepted')::uuid, 'target', o.id)), 'PD113 pdcp_log_id', 'nor with the id of another target''s'
) from other as o;
select is(
  pg_temp.refused('rejected', jsonb_build_object(
    'pdcp_log_id', gen_random_uuid(), 'before_version', 1, 'before_hash', pg_temp.sha(e'xa b\n'), 'created_at', '2023-05-01T12:00:00.123455Z')),
  'PD111 the attempt before it is later', 'nor before its time'
);
select results_eq(
  $$select a.imported_at > a.created_at, a.db_session_user = session_user::text, a.client_request_id collate "default", a.diagnostic::text
    from patchdiff_audit.attempts as a, doc as d where a.target_file_id = d.id order by a.log_sequence$$,
  $$values (true, true, null, '{"b":1, "a":2}'), (true, true, 'ein alter Schlüssel', null)$$, 'what the log says of them'
);
select is(patchdiff_audit.version_at(d.id, '2023-05-01T12:00:00.123456Z'), 1::bigint, 'the version at that moment') from doc as d;
select is(patchdiff_audit.version_at(d.id, '2023-05-01T12:00:00Z'), null, 'and none before') from doc as d;
select is_empty('select f.* from doc as d, patchdiff_audit.verify_target(d.id) as f', 'the target verifies');

-- Behind an attempt of the service there is no older one.
select is(r.outcome, 'rejected', 'a submission') from doc as d, patchdiff.commit_attempt(d.id, '{}', null, null, null, null, null, null, 'none', null, null, null, null) as r;
select is(
  pg_temp.refused('rejected', jsonb_build_object('pdcp_log_id', gen_random_uuid(), 'before_version', 1, 'before_hash', pg_temp.sha(e'xa b\n'), 'created_at', now())),
  'PD111 the target has attempts that were not brought in', 'an older attempt behind it'
);

select * from finish();
rollback;
