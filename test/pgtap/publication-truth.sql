-- What a publication records is what the database checked, not what its caller says; corrupt content is never checkpointed.
begin;
select plan(29);
create function pg_temp.digest(p_text text) returns text language sql return encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
create function pg_temp.edit(p_target uuid, p_replace text) returns text language plpgsql as $$
declare
  v_head patchdiff.target_state := patchdiff.read_head(p_target);
begin
  return (patchdiff.commit_attempt(
    p_target, '{"expected_current_hash":null,"expected_target_version":' || v_head.version
      || ',"format":"patchdiff-tx/3","intent":"edit","operations":[{"op":"replace_all","replace":' || to_json(p_replace)
      || '}],"target_file_id":"' || p_target || '"}',
    null, null, null, null, null, v_head.current_hash, 'accepted', array[0], pg_temp.digest(p_replace), null, null
  )).outcome;
end;
$$;
create function pg_temp.open(p_target uuid, p_key text default null) returns uuid language sql return (
  select (patchdiff.open_publication(
    h.target_file_id, h.version, null, h.version, h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes, null, p_key
  )).publication_id
  from patchdiff.read_head(p_target) as h
);
create temporary table doc as
select r.target_file_id as id
from patchdiff.create_target(null, 'doc', 'one', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;

-- The digest that was found after writing is the one that was to be written.
create temporary table first as select pg_temp.open(d.id, 'key-1') as id from doc as d;
select throws_ok(
  format('select patchdiff.record_publication(%L, %L, %L, %L, null, %L)', d.id, f.id, 'published', pg_temp.digest('x'), 'key-1'), 'PD100', null, 'another digest than the written one'
) from doc as d, first as f;
select throws_ok(
  format('select patchdiff.record_publication(%L, %L, %L, p_client_request_id => %L)', d.id, f.id, 'published', k.key), 'PD100', null, 'another key than the intent''s'
) from doc as d, first as f, (values ('key-2')) as k (key);

-- Two intents under one key: the key stands for the one that was published.
create temporary table twin as select pg_temp.open(d.id, 'key-1') as id from doc as d;
select is(r.outcome, 'published', 'the first is published') from doc as d, first as f, patchdiff.record_publication(d.id, f.id, 'published', pg_temp.digest('one'), null, 'key-1') as r;
select results_eq(
  $$select r.outcome, r.failure_code, r.deduplicated from doc as d, twin as t, patchdiff.record_publication(d.id, t.id, 'published', null, null, 'key-1') as r$$,
  $$values ('rejected', 'request_key_conflict', false)$$, 'the second is not answered with the first one''s receipt'
);
select is(r.outcome, 'published', 'without the key it is closed') from doc as d, twin as t, patchdiff.record_publication(d.id, t.id, 'published') as r;
select ok(r.deduplicated, 'the first is recalled') from doc as d, first as f, patchdiff.record_publication(d.id, f.id, 'published', null, null, 'key-1') as r;

-- A rejection's words are the database's own.
create temporary table lie as select '{"failure_reason":"target_diverged","failure_code":"made_up","failure_detail":"a lie"}'::json as detail;
create temporary table refused as select pg_temp.open(d.id, 'key-3') as id from doc as d;
select results_eq(
  $$select r.outcome, r.failure_reason, r.failure_code from doc as d, refused as f, lie as l, patchdiff.record_publication(d.id, f.id, 'rejected', null, l.detail, 'key-3') as r$$,
  $$values ('rejected', 'workspace_refused', 'publication_rejected')$$, 'nothing that could be checked stands against it'
);
select is(p.detail ->> 'failure_code', 'made_up', 'the claim stands in the row') from refused as f, patchdiff_audit.publications as p where p.publication_id = f.id;
select is_empty($$select from patchdiff_store.request_keys as k where k.client_request_id = 'key-3'$$, 'the key is not used up');
create temporary table stale as select pg_temp.open(d.id, 'key-4') as id from doc as d;
select is(pg_temp.edit(d.id, 'two'), 'accepted', 'an edit') from doc as d;
select results_eq(
  $$select r.failure_reason, r.failure_code, r.failure_detail from doc as d, stale as s, lie as l, patchdiff.record_publication(d.id, s.id, 'rejected', null, l.detail, 'key-4') as r$$,
  $$values ('target_version_mismatch', 'target_version_mismatch', 'the target is at version 1, not 0; read it again')$$, 'the guard that failed'
);
select results_eq(
  $$select r.deduplicated, r.failure_code from doc as d, patchdiff.save_target(d.id, 0, null, 'key-4', null, true) as r$$,
  $$values (true, 'target_version_mismatch')$$, 'is what the key stands for'
);
create temporary table gone as select pg_temp.open(d.id) as id from doc as d;
select is(pg_temp.edit(d.id, 'three'), 'accepted', 'an edit') from doc as d;
select results_eq(
  $$select r.outcome, r.failure_code from doc as d, gone as g, lie as l, patchdiff.record_publication(d.id, g.id, 'superseded', null, l.detail) as r$$,
  $$values ('superseded', 'target_version_mismatch')$$, 'and so in what is superseded'
);
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');

-- Keys of SAVEs stand in the rows that the chain covers.
select results_eq(
  $$select p.kind, p.client_request_id collate "default", p.request_fingerprint is not null from patchdiff_store.workspace_publications as p order by p.publication_sequence$$,
  $$values
    ('intent', 'key-1', true), ('intent', 'key-1', true), ('published', 'key-1', true), ('published', null, false),
    ('intent', 'key-3', true), ('rejected', null, false), ('intent', 'key-4', true), ('rejected', 'key-4', true),
    ('intent', null, false), ('superseded', null, false)$$,
  'an outcome has the key that it settled'
);

-- Content that its hash does not describe.
create temporary table broken as select pg_temp.open(d.id, 'key-5') as id from doc as d;
create temporary table snapshots as select count(*) as n from patchdiff_store.target_snapshots;
update patchdiff_store.cloud_target_files set current_content = 'tampered';
select results_eq(
  $$select r.outcome, r.failure_reason, r.failure_code from doc as d, broken as b, patchdiff.lock_publication(d.id, b.id) as r$$,
  $$values ('rejected', 'target_diverged', 'content_diverged')$$, 'it is not to be published'
);
select results_eq(
  $$select r.outcome, r.failure_reason, r.snapshot_id from doc as d, broken as b, patchdiff.record_publication(d.id, b.id, 'published', null, null, 'key-5') as r$$,
  $$values ('rejected', 'target_diverged', null::uuid)$$, 'nor called published'
);
select is((select count(*) from patchdiff_store.target_snapshots), s.n, 'no checkpoint') from snapshots as s;
select is(r.outcome, 'rejected', 'the intent stays open') from doc as d, broken as b, patchdiff.lock_publication(d.id, b.id) as r;
update patchdiff_store.cloud_target_files set current_content = 'three';
select is(r.outcome, 'published', 'until the content is mended') from doc as d, broken as b, patchdiff.record_publication(d.id, b.id, 'published', null, null, 'key-5') as r;
select is(s.client_request_id, 'key-5', 'its checkpoint has the key too') from patchdiff_store.target_snapshots as s order by s.snapshot_sequence desc limit 1;
create temporary table ended as select pg_temp.open(d.id, 'key-6') as id from doc as d;
update patchdiff_store.cloud_target_files set current_content = 'tampered';
select results_eq(
  $$select r.outcome, r.failure_reason from doc as d, ended as e, patchdiff.record_publication(d.id, e.id, 'rejected', null, null, 'key-6') as r$$,
  $$values ('rejected', 'target_diverged')$$, 'a publication that was given up for that reason says so'
);
select is(k.save_receipt ->> 'failure_reason', 'target_diverged', 'under its key too') from patchdiff_store.request_keys as k where k.client_request_id = 'key-6';
update patchdiff_store.cloud_target_files set current_content = 'three';
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');

select is(pg_temp.edit(d.id, 'four'), 'accepted', 'an edit') from doc as d;
create temporary table saved as select r.* from doc as d, patchdiff.save_target(d.id, null, null, 'key-7') as r;
select is(s.client_request_id, 'key-7', 'a checkpoint has the key of its SAVE') from patchdiff_store.target_snapshots as s, saved as v where s.snapshot_id = v.snapshot_id;
select results_eq(
  $$select s.client_request_id collate "default", s.request_fingerprint::text collate "default" from patchdiff_store.target_snapshots as s where s.snapshot_sequence = 1$$,
  $$values (null::text, null::text)$$, 'an upload has none'
);
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');
select * from finish();
rollback;
