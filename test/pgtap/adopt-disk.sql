-- Taking a file's text over: what the database checks itself, what it records, and what nobody can forge with it.
begin;
select plan(34);
create function pg_temp.digest(p_text text) returns text language sql return encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
create function pg_temp.place(p_text text, p_path text default 'a') returns jsonb language sql return jsonb_build_object(
  'root', '/w', 'path', p_path, 'root_device', '1', 'root_inode', '2', 'disk_sha256', pg_temp.digest(p_text));
create function pg_temp.adopt(p_target uuid, p_text text, p_version bigint default null, p_hash text default null)
  returns setof record language sql as $$
  select a.outcome, a.failure_code, a.version, a.pdcp_log_id is not null
  from patchdiff.adopt_disk(p_target, p_text, null, pg_temp.place(p_text), p_version, p_hash, '{"host":"test"}') as a
$$;
create function pg_temp.calls(p_target uuid, p_text text, p_source text, p_place jsonb, p_rest text default '') returns text
  language sql return format('select patchdiff.adopt_disk(%L, %L, %L, %L%s)', p_target, p_text, p_source, p_place, p_rest);
set local role patchdiff_writer;
create temporary table doc as
select r.target_file_id as id from patchdiff.create_target(null, 'doc', e'one\n', null, pg_temp.place(e'one\n')) as r;
create temporary table loose as select r.target_file_id as id from patchdiff.create_target(null, 'doc', 'one') as r;

-- What is refused before anything is looked at.
select throws_ok(pg_temp.calls(gen_random_uuid(), 'x', null, pg_temp.place('x')), 'PD104', null, 'no such target');
select throws_ok(pg_temp.calls(d.id, 'x', null, null), 'PD100', null, 'no file') from doc as d;
select throws_ok(pg_temp.calls(d.id, null, null, pg_temp.place('x')), 'PD100', null, 'no text') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x') - 'disk_sha256'), 'PD100', null, 'no digest') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('y')), 'PD100', null, 'the digest of another text') from doc as d;
select throws_ok(pg_temp.calls(d.id, e'x\r\n', null, pg_temp.place(e'x\n')), 'PD100', null, 'the digest of other endings') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', '{"bom": true}', pg_temp.place('x')), 'PD100', null, 'unknown endings') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', '{"bom": true, "line_endings": {"style": "none", "lf": 0, "crlf": 0, "cr": 0, "normalized": false, "source_code_points": 1, "source_utf8_bytes": 1, "source_sha256": "' || pg_temp.digest('x') || '"}}', pg_temp.place('x')), 'PD100', null, 'a mark that the digest does not have') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x', '../a')), 'PD100', null, 'a path out of the root') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x', 'b')), 'PD109', null, 'another file') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x') || '{"root": "/v"}'), 'PD109', null, 'another root') from doc as d;
select throws_ok(pg_temp.calls(l.id, 'x', null, pg_temp.place('x')), 'PD109', null, 'a target without a file') from loose as l;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x'), ', -1'), 'PD100', null, 'a malformed guard') from doc as d;
select throws_ok(pg_temp.calls(d.id, 'x', null, pg_temp.place('x'), ', null, ''x'''), 'PD100', null, 'a malformed hash') from doc as d;
select throws_ok(pg_temp.calls(d.id, repeat('x', 16777217), null, pg_temp.place(repeat('x', 16777217))), 'PD107', null, 'more than a file may have') from doc as d;

-- The file as it was synced is nothing to take over, whatever the guards.
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, e'one\n', 7) as a(o text, f text, v bigint, l boolean)$$, $$values ('unchanged', null::text, 0::bigint, false)$$, 'unchanged');

-- Endings alone are a row without an attempt.
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, e'one\r\n') as a(o text, f text, v bigint, l boolean)$$, $$values ('adopted', null::text, 0::bigint, false)$$, 'the same text in other bytes');
select results_eq($$select h.source_line_endings ->> 'style', h.last_synced_disk_sha256 collate "default", h.last_synced_version, h.log_sequence from doc as d, patchdiff.read_head(d.id) as h$$,
  $$values ('crlf', pg_temp.digest(e'one\r\n'), 0::bigint, 0::bigint)$$, 'its endings and digest are recorded');

-- Another text is a guarded attempt.
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'two') as a(o text, f text, v bigint, l boolean)$$, $$values ('adopted', null::text, 1::bigint, true)$$, 'another text, without a guard while all was saved');
select results_eq($$select a.status, a.submission_source, a.protocol_version, a.expected_target_version, a.decided_by from doc as d join patchdiff_audit.attempts as a on a.target_file_id = d.id$$,
  $$values ('accepted', 'disk', 'patchdiff-tx/3', 0::bigint, 'database')$$, 'an attempt of source disk');
select is((patchdiff.commit_replacement(d.id, 'three', 'why', 1)).outcome, 'accepted', 'an edit that never reached the file') from doc as d;
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'four') as a(o text, f text, v bigint, l boolean)$$, $$values ('rejected', 'guard_missing', 2::bigint, false)$$, 'then a guard is required');
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'four', 1) as a(o text, f text, v bigint, l boolean)$$, $$values ('rejected', 'target_version_mismatch', 2::bigint, true)$$, 'a stale one is a rejected attempt');
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'three', null, pg_temp.digest('two')) as a(o text, f text, v bigint, l boolean)$$, $$values ('rejected', 'target_hash_mismatch', 2::bigint, true)$$, 'also of the same text');
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'four', 2, pg_temp.digest('three')) as a(o text, f text, v bigint, l boolean)$$, $$values ('adopted', null::text, 3::bigint, true)$$, 'both that hold');

-- Only here may a text be larger than a submission.
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, repeat('12345678', 150000)) as a(o text, f text, v bigint, l boolean)$$, $$values ('adopted', null::text, 4::bigint, true)$$, 'a large file');
select is((patchdiff.commit_replacement(d.id, repeat('12345678', 150001), 'why', 4, p_source => 'disk')).failure_code, 'replacement_too_large', 'not by naming the source') from doc as d;
select throws_ok(format('select patchdiff_store.commit_submission(%L, ''{}'', null, null, null, ''disk'', null, null, ''derive'', null, null, null, null, null, true)', d.id), '42501', null, 'and not by the routine behind it') from doc as d;

-- An open intent is closed with it, and stays closed.
create temporary table intent as
select (patchdiff.open_publication(d.id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes)).publication_id as id
from doc as d, patchdiff.read_head(d.id) as h;
select is(a.superseded, array[i.id], 'an open intent is superseded')
from doc as d, intent as i, patchdiff.adopt_disk(d.id, 'five', null, pg_temp.place('five')) as a;
select throws_ok(format('select patchdiff.record_publication(%L, %L, ''published'')', d.id, i.id), 'PD110', null, 'and cannot be called published') from doc as d, intent as i;

select is(count(*), 5::bigint, 'every adoption is shown') from doc as d join patchdiff_audit.adoptions as a on a.target_file_id = d.id;
select results_eq($$select a.before_version, a.version, a.pdcp_log_id is null, a.source_line_endings ->> 'style', a.actor_host, a.previous_disk_sha256 collate "default"
  from doc as d join patchdiff_audit.adoptions as a on a.target_file_id = d.id order by a.publication_sequence limit 2$$,
  $$values (0::bigint, 0::bigint, true, 'crlf', 'test', pg_temp.digest(e'one\n')), (0, 1, false, 'none', 'test', pg_temp.digest(e'one\r\n'))$$, 'with what it replaced');
select is_empty($$select v.* from doc as d, patchdiff_audit.verify_target(d.id) as v$$, 'the chain holds them');

-- Corrupt content is not built upon: the attempt is rejected, and the file stays what it was.
reset role;
update patchdiff_store.cloud_target_files set current_content = 'forged' where target_file_id = (select d.id from doc as d);
select results_eq($$select a.* from doc as d, pg_temp.adopt(d.id, 'six', 5) as a(o text, f text, v bigint, l boolean)$$, $$values ('rejected', 'content_diverged', 5::bigint, true)$$, 'content that is damaged');
select * from finish();
rollback;
