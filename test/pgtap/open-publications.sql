-- The view of publication intents that nobody closed, for whoever reconciles.
begin;
select plan(5);
create temporary table doc as
select r.target_file_id as id
from patchdiff.create_target(null, 'doc', 'one', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;
create function pg_temp.open() returns uuid language sql return (
  select (patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes, '{"host":"test"}')).publication_id
  from doc as d, patchdiff.read_head(d.id) as h
);
create temporary table first as select pg_temp.open() as id;
grant select on doc, first to patchdiff_writer;
set local role patchdiff_writer;
select results_eq($$select p.publication_id, p.display_name, p.version, p.current_version, p.is_current, p.is_overtaken, p.actor_host from patchdiff_audit.open_publications as p$$,
  $$select f.id, 'doc', 0::bigint, 0::bigint, true, false, 'test' from first as f$$, 'an open intent, with what it was for');
reset role;
create temporary table second as select pg_temp.open() as id;
select is((patchdiff.record_publication(d.id, s.id, 'published')).outcome, 'published', 'a later one is published') from doc as d, second as s;
select results_eq($$select p.publication_id, p.is_overtaken, p.last_synced_version from patchdiff_audit.open_publications as p$$,
  $$select f.id, true, 0::bigint from first as f$$, 'the first is overtaken');
select is((patchdiff.record_publication(d.id, f.id, 'superseded')).outcome, 'superseded', 'it is closed as such') from doc as d, first as f;
select is_empty('select * from patchdiff_audit.open_publications', 'and gone from the view');
select * from finish();
rollback;
