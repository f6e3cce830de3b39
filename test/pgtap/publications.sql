-- Publication: intent, recheck, outcome; each recorded once and chained.
begin;
select plan(28);
create function pg_temp.digest(p_text text) returns text language sql return encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
create function pg_temp.edit(p_target uuid, p_replace text) returns text language plpgsql as $$
declare
  v_head patchdiff.target_state := patchdiff.read_head(p_target);
  v_payload text := '{"expected_current_hash":null,"expected_target_version":' || v_head.version
    || ',"format":"patchdiff-tx/3","intent":"edit","operations":[{"op":"replace_all","replace":' || to_json(p_replace)
    || '}],"target_file_id":"' || p_target || '"}';
begin
  return (patchdiff.commit_attempt(
    p_target, v_payload, null, null, null, null, null, v_head.current_hash, 'accepted', array[0],
    pg_temp.digest(p_replace), null, null
  )).outcome;
end;
$$;
-- Opens a publication of the target as it is now.
create function pg_temp.open(p_target uuid, p_key text default null) returns patchdiff.publication_receipt language sql return (
  select patchdiff.open_publication(
    h.target_file_id, h.version, null, h.version, h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes,
    '{"host":"test"}', p_key
  )
  from patchdiff.read_head(p_target) as h
);
set local role patchdiff_writer;
create temporary table doc as
select r.target_file_id as id, r.current_hash as hash
from patchdiff.create_target(null, 'doc', 'one', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;
create temporary table loose as select r.target_file_id as id from patchdiff.create_target(null, 'doc', 'one') as r;

select is((pg_temp.open(l.id)).failure_code, 'not_workspace_bound', 'a target without a file') from loose as l;
select is(
  (patchdiff.open_publication(d.id, null, null, 1, d.hash, null, d.hash, 3)).failure_code, 'publication_moved', 'another version than the rendered one'
) from doc as d;
select is(
  (patchdiff.open_publication(d.id, null, null, 0, d.hash, repeat('0', 64), d.hash, 3)).failure_reason, 'workspace_drift', 'another digest than the synced one'
) from doc as d;
select is(
  (patchdiff.open_publication(d.id, 5, null, 0, d.hash, null, d.hash, 3)).failure_reason, 'target_version_mismatch', 'a stale guard'
) from doc as d;
select throws_ok(format('select patchdiff.open_publication(%L, null, null, 0, %L, null, %L, 3)', d.id, d.hash, 'x'), 'PD100', null, 'a malformed digest') from doc as d;
select throws_ok(format('select patchdiff.lock_publication(%L, gen_random_uuid())', d.id), 'PD108', null, 'no such intent') from doc as d;

create temporary table first as select r.* from doc as d, pg_temp.open(d.id, 'pub-1') as r;
select is(f.outcome, 'opened', 'an intent is opened') from first as f;
select is(p.publication_id, f.publication_id, 'and listed as open') from first as f, doc as d, patchdiff.read_open_publications(d.id) as p;
select is(r.outcome, 'current', 'it stands') from doc as d, first as f, patchdiff.lock_publication(d.id, f.publication_id) as r;
select results_eq(
  $$select r.outcome, r.version, r.editing_cycle, r.deduplicated, r.snapshot_id is not null from doc as d, first as f,
    patchdiff.record_publication(d.id, f.publication_id, 'published', d.hash, null, 'pub-1') as r$$,
  $$values ('published', 0::bigint, 1, false, true)$$, 'it is published; the initial snapshot is its checkpoint'
);
select is(h.last_synced_disk_sha256, d.hash, 'the file is in step') from doc as d, patchdiff.read_head(d.id) as h;
select is(r.outcome, 'closed', 'it is closed') from doc as d, first as f, patchdiff.lock_publication(d.id, f.publication_id) as r;
select ok(r.deduplicated, 'the key answers its receipt')
from doc as d, first as f, patchdiff.record_publication(d.id, f.publication_id, 'published', d.hash, null, 'pub-1') as r;
select is((pg_temp.open(d.id, 'pub-1')).outcome, 'recovered', 'to a whole SAVE under the key as well') from doc as d;
select is(r.receipt ->> 'outcome', 'published', 'with the receipt') from doc as d, pg_temp.open(d.id, 'pub-1') as r;
select throws_ok(format('select patchdiff.record_publication(%L, %L, %L)', d.id, f.publication_id, 'rejected'), 'PD110', null, 'an outcome is final') from doc as d, first as f;
select throws_ok(format('select patchdiff.record_publication(%L, %L, %L)', d.id, f.publication_id, 'done'), 'PD100', null, 'an unknown outcome') from doc as d, first as f;

select is(pg_temp.edit(d.id, 'two'), 'accepted', 'an edit') from doc as d;
create temporary table second as select r.* from doc as d, pg_temp.open(d.id) as r;
select is(pg_temp.edit(d.id, 'three'), 'accepted', 'an edit between the two transactions') from doc as d;
select results_eq(
  $$select r.outcome, r.failure_reason from doc as d, second as s, patchdiff.lock_publication(d.id, s.publication_id) as r$$,
  $$values ('moved', 'target_version_mismatch')$$, 'it moved'
);
select is(r.outcome, 'superseded', 'it is closed as superseded') from doc as d, second as s, patchdiff.record_publication(d.id, s.publication_id, 'superseded') as r;

create temporary table third as select r.* from doc as d, pg_temp.open(d.id) as r;
select results_eq(
  $$select r.outcome, r.version, r.editing_cycle from doc as d, third as t,
    patchdiff.record_publication(d.id, t.publication_id, 'published', pg_temp.digest('three')) as r$$,
  $$values ('published', 2::bigint, 2)$$, 'a new version is published and checkpointed'
);
select is(pg_temp.edit(d.id, 'four'), 'accepted', 'an edit') from doc as d;
create temporary table fourth as select r.* from doc as d, pg_temp.open(d.id) as r;
select is(pg_temp.edit(d.id, 'five'), 'accepted', 'an edit after a crash between installation and bookkeeping') from doc as d;
select results_eq(
  $$select r.outcome, r.snapshot_id from doc as d, fourth as f,
    patchdiff.record_publication(d.id, f.publication_id, 'published', pg_temp.digest('four')) as r$$,
  $$values ('published', null::uuid)$$, 'the bookkeeping is finished late, without a checkpoint'
);
select is(h.last_synced_version, 3::bigint, 'the file holds the older version') from doc as d, patchdiff.read_head(d.id) as h;
select bag_eq(
  $$select p.outcome from patchdiff_audit.publications as p$$, $$values ('published'), ('superseded'), ('published'), ('published')$$, 'the view tells'
);
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');
select * from finish();
rollback;
