-- Moving a binding: what the database checks itself, what it records, and what nobody can forge with it.
begin;
select plan(50);
create function pg_temp.digest(p_text text) returns text language sql return encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
create function pg_temp.place(p_path text, p_text text default 'one', p_root text default '/w', p_inode text default '2') returns jsonb
  language sql return jsonb_build_object(
    'root', p_root, 'path', p_path, 'root_device', '1', 'root_inode', p_inode, 'disk_sha256', pg_temp.digest(p_text));
create function pg_temp.calls(p_target uuid, p_place jsonb, p_rest text default '') returns text
  language sql return format('select patchdiff.rebind_target(%L, %L%s)', p_target, p_place, p_rest);
create function pg_temp.move(p_target uuid, p_place jsonb, p_version bigint default null, p_hash text default null)
  returns setof record language sql as $$
  select r.outcome, r.failure_code, r.workspace_path, r.last_synced_version
  from patchdiff.rebind_target(p_target, p_place, p_version, p_hash, '{"host":"test"}') as r
$$;
set local role patchdiff_writer;
create temporary table doc as
select r.target_file_id as id from patchdiff.create_target(null, 'doc', 'one', null, pg_temp.place('a')) as r;
create temporary table other as
select r.target_file_id as id from patchdiff.create_target(null, 'other', 'one', null, pg_temp.place('taken')) as r;
create temporary table loose as select r.target_file_id as id from patchdiff.create_target(null, 'doc', 'one') as r;

-- What is refused before anything is looked at.
select throws_ok(pg_temp.calls(gen_random_uuid(), pg_temp.place('b')), 'PD104', null, 'no such target');
select throws_ok(pg_temp.calls(null, pg_temp.place('b')), 'PD100', null, 'no target');
select throws_ok(pg_temp.calls(d.id, null), 'PD100', null, 'no place') from doc as d;
select throws_ok(pg_temp.calls(d.id, pg_temp.place('b') || p.lie::jsonb), 'PD100', null, p.lie)
from doc as d, (values
  ('{"path": "../b"}'), ('{"path": "b/../../c"}'), ('{"path": "/b"}'), ('{"path": ""}'), ('{"path": "b//c"}'), ('{"path": "./b"}'), ('{"path": "b/"}'), ('{"path": 5}'),
  ('{"root": ""}'), ('{"root": "w"}'), ('{"root": null}'), ('{"root_device": ""}'), ('{"root_inode": 5}'),
  ('{"disk_sha256": "one"}'), ('{"disk_sha256": ""}'), ('{"disk_sha256": 5}'), ('{"disk_sha256": {}}')
) as p (lie);
select throws_ok(pg_temp.calls(d.id, pg_temp.place('b') - 'disk_sha256'), 'PD100', null, 'no word about the disk') from doc as d;
select throws_ok(pg_temp.calls(d.id, pg_temp.place('b') || jsonb_build_object('disk_sha256', upper(pg_temp.digest('one')))), 'PD100', null, 'a digest in capitals') from doc as d;
select throws_ok(pg_temp.calls(d.id, pg_temp.place(repeat('b', 4097))), 'PD100', null, 'a path that is too long') from doc as d;
select throws_ok(pg_temp.calls(d.id, pg_temp.place('b'), ', -1'), 'PD100', null, 'a malformed guard') from doc as d;
select throws_ok(pg_temp.calls(d.id, pg_temp.place('b'), ', null, ''x'''), 'PD100', null, 'a malformed hash') from doc as d;

-- What the target, the guards, other targets and the disk stand against.
select throws_like(pg_temp.calls(d.id, pg_temp.place('taken')), format('%%%s', o.id), 'the place of another target, which is named') from doc as d, other as o;
select results_eq($$select m.* from loose as l, pg_temp.move(l.id, pg_temp.place('b')) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'not_workspace_bound', null::text, null::bigint)$$, 'a target without a file');
select results_eq($$select m.o, m.f, m.p from doc as d, pg_temp.move(d.id, pg_temp.place('b'), 7) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'target_version_mismatch', 'a')$$, 'a stale version');
select results_eq($$select m.o, m.f, m.p from doc as d, pg_temp.move(d.id, pg_temp.place('b'), 0, pg_temp.digest('two')) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'target_hash_mismatch', 'a')$$, 'a stale hash');
select results_eq($$select m.o, m.f, m.p from doc as d, pg_temp.move(d.id, pg_temp.place('b', 'two'), 0) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'drift', 'a')$$, 'other bytes at the place');
select is_empty($$select h.publication_sequence from doc as d, patchdiff.read_head(d.id) as h where h.publication_sequence > 0$$, 'nothing of it left a row');
select results_eq($$select m.* from doc as d, pg_temp.move(d.id, pg_temp.place('a', 'two'), 7) as m(o text, f text, p text, v bigint)$$, $$values ('unchanged', null::text, 'a', 0::bigint)$$, 'where it is already, whatever was asked');

-- The file was moved: the binding follows, and what it was synced with stays. An open intent ends with it.
create temporary table intent as
select (patchdiff.open_publication(d.id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes)).publication_id as id
from doc as d, patchdiff.read_head(d.id) as h;
select results_eq($$select r.outcome, r.from_root || r.from_path, r.workspace_root || r.workspace_path, r.superseded, r.last_synced_disk_sha256 collate "default"
  from doc as d, patchdiff.rebind_target(d.id, pg_temp.place('b', p_root => '/v'), 0, pg_temp.digest('one'), '{"host":"test"}') as r$$,
  $$select 'rebound', '/wa', '/vb', array[i.id], pg_temp.digest('one') from intent as i$$, 'a moved file under another root');
select throws_ok(format('select patchdiff.record_publication(%L, %L, ''published'')', d.id, i.id), 'PD110', null, 'its intent cannot be called published') from doc as d, intent as i;
select results_eq($$select p.outcome, p.detail ->> 'failure_code' from patchdiff_audit.publications as p, intent as i where p.publication_id = i.id$$, $$values ('superseded', 'target_rebound')$$, 'and says why it ended');
select is(b.target_file_id, null, 'the old place is free') from doc as d left join patchdiff.find_binding('/w', 'a') as b on true;
select is(b.target_file_id, d.id, 'the new one is taken') from doc as d, patchdiff.find_binding('/v', 'b') as b;
select throws_ok(pg_temp.calls(o.id, pg_temp.place('b', p_root => '/v')), 'PD109', null, 'for others too') from other as o;
select throws_ok(format('select patchdiff.create_target(null, ''d'', ''x'', null, %L)', pg_temp.place('b', 'x', '/v')), 'PD109', null, 'and for a creation');

-- The same place after a remount: device and inode inform, and decide nothing; the disk is not asked.
select results_eq($$select m.* from doc as d, pg_temp.move(d.id, pg_temp.place('b', 'two', '/v', '9')) as m(o text, f text, p text, v bigint)$$, $$values ('refreshed', null::text, 'b', 0::bigint)$$, 'another inode of the root');
select is(h.last_synced_disk_sha256 collate "default", pg_temp.digest('one'), 'the file is held against the same bytes') from doc as d, patchdiff.read_head(d.id) as h;

-- No file at the new place: nothing is synced until the next SAVE; the way back stays open.
select results_eq($$select m.* from doc as d, pg_temp.move(d.id, pg_temp.place('c') || '{"disk_sha256": null}') as m(o text, f text, p text, v bigint)$$, $$values ('rebound', null::text, 'c', null::bigint)$$, 'to nothing');
select is((patchdiff.save_target(d.id, p_sync_workspace => true)).outcome, 'publication_needed', 'then SAVE has a file to write') from doc as d;
select results_eq($$select m.* from doc as d, pg_temp.move(d.id, pg_temp.place('e') || '{"disk_sha256": null}') as m(o text, f text, p text, v bigint)$$, $$values ('rebound', null::text, 'e', null::bigint)$$, 'and again');
select results_eq($$select m.o, m.f from doc as d, pg_temp.move(d.id, pg_temp.place('b', 'two', '/v')) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'drift')$$, 'not back to other bytes');
select results_eq($$select m.* from doc as d, pg_temp.move(d.id, pg_temp.place('b', p_root => '/v')) as m(o text, f text, p text, v bigint)$$, $$values ('rebound', null::text, 'b', 0::bigint)$$, 'but to the file by which it is known');

select results_eq($$select b.bound_by, b.workspace_root || '/' || b.workspace_path, b.root_inode, b.disk_sha256 is not null, b.bound_until is null, b.actor_host
  from doc as d join patchdiff_audit.bindings as b on b.target_file_id = d.id order by b.publication_sequence$$,
  $$values ('created', '/w/a', '2', true, false, null), ('rebound', '/v/b', '2', true, false, 'test'), ('rebound', '/v/b', '9', true, false, 'test'), ('rebound', '/w/c', '2', false, false, 'test'),
    ('rebound', '/w/e', '2', false, false, 'test'), ('rebound', '/v/b', '2', true, true, 'test')$$, 'every place is shown');
select is_empty($$select b.* from loose as l join patchdiff_audit.bindings as b on b.target_file_id = l.id$$, 'a target without a file was nowhere');
select is_empty($$select v.* from doc as d, patchdiff_audit.verify_target(d.id) as v$$, 'the chain holds them');

-- Damaged content is not moved.
reset role;
update patchdiff_store.cloud_target_files set current_content = 'forged' where target_file_id = (select d.id from doc as d);
select results_eq($$select m.o, m.f, m.p from doc as d, pg_temp.move(d.id, pg_temp.place('z')) as m(o text, f text, p text, v bigint)$$, $$values ('rejected', 'content_diverged', 'b')$$, 'content that is damaged');
select * from finish();
rollback;
