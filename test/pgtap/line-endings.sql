-- Which ending each line of a file of mixed line ends has: recorded at creation and with each publication, always proved by
-- the digest of the bytes; and what verify_target makes of it.
begin;
select plan(63);
create function pg_temp.digest(p_text text) returns text language sql return encode(sha256(convert_to(p_text, 'UTF8')), 'hex');
create function pg_temp.runs(p_target uuid) returns jsonb language sql return (
  select jsonb_build_array(r.eol_runs, r.eol_version) from patchdiff.read_line_endings(p_target, 0) as r
);
create function pg_temp.of_text(p_text text) returns jsonb language sql as $$
  select pg_temp.runs(r.target_file_id) from patchdiff.create_target(null, 'doc', p_text) as r
$$;
-- A source of mixed line ends `x CR LF y LF z CR`, as an importer sends it, with these runs.
create function pg_temp.source(p_runs jsonb, p_bom boolean default false, p_changed jsonb default '{}') returns jsonb language sql return
  jsonb_build_object('bom', p_bom, 'eol_runs', p_runs, 'line_endings', jsonb_build_object(
    'style', 'mixed', 'lf', 1, 'crlf', 1, 'cr', 1, 'normalized', true, 'source_code_points', 7 + p_bom::integer, 'source_utf8_bytes', 7 + 3 * p_bom::integer,
    'source_sha256', pg_temp.digest(case when p_bom then chr(65279) else '' end || e'x\r\ny\nz\r')
  ) || p_changed);
create function pg_temp.of_source(p_source jsonb, p_content text default e'x\ny\nz\n') returns jsonb language sql as $$
  select pg_temp.runs(r.target_file_id) from patchdiff.create_target(null, 'doc', p_content, p_source) as r
$$;
set local role patchdiff_writer;

select is(pg_temp.of_text(t.sent), t.runs, 'of a text: ' || t.runs::text)
from (values
  (e'a\r\nb\nc', '[[["crlf", 1], ["lf", 1]], 0]'::jsonb),
  (e'a\nb\r\nc\nd\r\n', '[[["lf", 1], ["crlf", 1], ["lf", 1], ["crlf", 1]], 0]'),
  (e'\r\r\n\n\n\r', '[[["cr", 1], ["crlf", 1], ["lf", 2], ["cr", 1]], 0]'),
  (e'a\n\rb', '[[["lf", 1], ["cr", 1]], 0]'),
  (e'ä\r€\r😀\r\n', '[[["cr", 2], ["crlf", 1]], 0]'),
  (e'a\nb\n', '[null, null]'), (e'a\r\nb\r\n', '[null, null]'), (e'a\rb', '[null, null]'), ('a', '[null, null]'), ('', '[null, null]')
) as t (sent, runs);

select is(pg_temp.of_source(pg_temp.source('[["crlf", 1], ["lf", 1], ["cr", 1]]', b.bom)), '[[["crlf", 1], ["lf", 1], ["cr", 1]], 0]', 'runs that make the source, mark: ' || b.bom)
from (values (false), (true)) as b (bom);
select is(pg_temp.of_source(pg_temp.source(r.runs)), '[null, null]', 'none are sent: unknown')
from (values ('null'::jsonb), (null)) as r (runs);
select is(pg_temp.of_source(pg_temp.source(null) - 'eol_runs'), '[null, null]', 'nor named: unknown');
select throws_ok(format('select pg_temp.of_source(%L)', pg_temp.source(r.runs)), 'PD100', null, 'refused: ' || r.runs::text)
from (values
  ('[["lf", 1], ["crlf", 1], ["cr", 1]]'::jsonb), ('[["crlf", 1], ["lf", 1]]'), ('[["crlf", 1], ["lf", 1], ["cr", 2]]'), ('[["crlf", 3]]'),
  ('[]'), ('{}'), ('"crlf"'), ('5'), ('[1, 2, 3]'), ('[["crlf", 1], ["lf", 1], ["cr", "1"]]'), ('[["crlf", 1], ["lf", 1], ["cr", 1.0]]'),
  ('[["crlf", 1], ["lf", 1], ["nel", 1]]'), ('[["crlf", 1], ["lf", 1], ["cr", 1, 1]]'), ('[["crlf", 1], ["lf", 1], ["cr", 1], ["lf", 0]]'),
  ('[["crlf", 1], ["lf", 1], ["cr", 2], ["lf", -1]]'), ('[["crlf", 1], ["lf", 9007199254740991], ["cr", 9007199254740991]]'),
  ('[["crlf", 1], ["lf", 1], [null, 1]]'), ('[["crlf", 1], null, ["cr", 1]]'), ('[["crlf", 1], ["lf", 1], {"cr": 1}]')
) as r (runs);
select throws_ok(
  format('select pg_temp.of_source(%L, %L)', pg_temp.source('[["lf", 1], ["lf", 1], ["cr", 1]]', false,
    jsonb_build_object('lf', 2, 'crlf', 0, 'source_code_points', 6, 'source_utf8_bytes', 6, 'source_sha256', pg_temp.digest(e'x\ny\nz\r'))), e'x\ny\nz\n'),
  'PD100', null, 'two runs of one ending are one'
);
select throws_ok(
  format('select pg_temp.of_source(%L)', pg_temp.source('[["crlf", 1], ["lf", 1], ["cr", 1]]', false, jsonb_build_object('source_sha256', pg_temp.digest('else')))),
  'PD100', null, 'another digest than the runs make'
);
select throws_ok(
  format('select pg_temp.of_source(%L, %L)', pg_temp.source('[["cr", 1], ["lf", 1]]', false,
    jsonb_build_object('crlf', 0, 'source_code_points', 3, 'source_utf8_bytes', 3, 'source_sha256', pg_temp.digest(e'x\r\n'))), e'x\n\n'),
  'PD100', null, 'a CR before an LF, which no reader takes for two'
);
select throws_ok(format('select pg_temp.of_source(%L, %L)', jsonb_build_object('bom', false, 'eol_runs', '[["lf", 1]]'::jsonb), e'x\n'), 'PD100', null, 'runs without facts');
select throws_ok(
  $$select pg_temp.of_source(pg_temp.source('[["lf", 3]]', false, jsonb_build_object('style', 'lf', 'lf', 3, 'crlf', 0, 'cr', 0, 'normalized', false,
    'source_code_points', 6, 'source_utf8_bytes', 6, 'source_sha256', pg_temp.digest(e'x\ny\nz\n'))))$$, 'PD100', null, 'runs of a uniform style'
);
reset role;
select is(patchdiff_store.eol_runs_of(repeat(e'\n\r\n', 500001)), null, 'more than a million runs count as unknown');
select is(patchdiff_store.eol_runs_fault(jsonb_agg('["lf", 1]'::jsonb), 1000001), 'at most 1000000 runs', 'and are not taken')
from generate_series(1, 1000001);
set local role patchdiff_writer;

create temporary table doc as
select r.target_file_id as id from patchdiff.create_target(null, 'doc', e'x\r\ny\nz', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;
select is(r.outcome, 'existing', 'the same text under the same id') from doc as d, patchdiff.create_target(d.id, 'doc', e'x\r\ny\nz') as r;
select throws_ok(format('select patchdiff.create_target(%L, %L, %L)', d.id, 'doc', e'x\ny\r\nz'), 'PD103', null, 'the same lines with other endings') from doc as d;
create function pg_temp.open(p_written text, p_runs jsonb, p_bytes bigint default null) returns table (publication_id uuid) language sql as $$
  select o.publication_id from doc as d, patchdiff.read_head(d.id) as h, patchdiff.open_publication(
    d.id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256, pg_temp.digest(p_written), coalesce(p_bytes, octet_length(p_written)),
    null, null, p_runs) as o
$$;
select throws_ok(format('select pg_temp.open(%L, %L)', e'x\r\ny\nz', r.runs), 'PD100', null, 'to be written: ' || coalesce(r.runs::text, 'none'))
from (values (null::jsonb), ('[["lf", 1], ["crlf", 1]]'), ('[["crlf", 1]]'), ('[["crlf", 2]]'), ('[["crlf", 1], ["lf", 2]]'), ('null')) as r (runs);
select throws_ok($$select pg_temp.open(e'x\r\ny\nz', '[["crlf", 1], ["lf", 1]]', 7)$$, 'PD100', null, 'nor another number of bytes');
create temporary table first as select o.* from pg_temp.open(e'x\r\ny\nz', '[["crlf", 1], ["lf", 1]]') as o;
select is(pg_temp.runs(d.id), '[[["crlf", 1], ["lf", 1]], 0]', 'an intent changes nothing') from doc as d;
select patchdiff.record_publication(d.id, f.publication_id, 'published') from doc as d, first as f;
create temporary table second as select o.* from pg_temp.open(e'x\ry\r\nz', '[["cr", 1], ["crlf", 1]]') as o;
select patchdiff.record_publication(d.id, s.publication_id, 'rejected') from doc as d, second as s;
select is(pg_temp.runs(d.id), '[[["crlf", 1], ["lf", 1]], 0]', 'nor does one that came to nothing') from doc as d;
create temporary table third as select o.* from pg_temp.open(e'x\ry\r\nz', '[["cr", 1], ["crlf", 1]]') as o;
select patchdiff.record_publication(d.id, t.publication_id, 'published') from doc as d, third as t;
select is(pg_temp.runs(d.id), '[[["cr", 1], ["crlf", 1]], 0]', 'what was written is recorded') from doc as d;

create function pg_temp.edit(p_replace text) returns void language plpgsql as $$
declare
  v_head patchdiff.target_state := (select h from doc as d, patchdiff.read_head(d.id) as h);
begin
  perform patchdiff.commit_replacement(v_head.target_file_id, p_replace, 'edit', v_head.version);
end;
$$;
select pg_temp.edit(e'x\ny\nz' || n) from generate_series(1, 3) as n;
select results_eq(
  $$select r.content from doc as d, generate_series(0, 1) as v, patchdiff.read_line_endings(d.id, v) as r order by v$$,
  $$values (null), (e'x\ny\nz')$$, 'the text of their version, once there is a newer one'
);
select is_empty('select r.* from patchdiff.read_line_endings(gen_random_uuid(), 0) as r', 'nothing of an unknown target');
select results_eq(
  $$select r.after_version, r.kind, r.content::jsonb #>> '{operations,0,replace}' from doc as d, patchdiff.read_history(d.id, 1) as r$$,
  $$values (2::bigint, 'accepted', e'x\ny\nz2'), (3, 'accepted', e'x\ny\nz3')$$, 'the attempts after a version, oldest first'
);
select is(array(select r.after_version from doc as d, patchdiff.read_history(d.id, 0, 1) as r), '{1,2}', 'a page, and one more');
reset role;
select is_empty('select * from patchdiff_audit.verify_all()', 'and verifies');

select patchdiff_guard.guard_ddl(false);
create function pg_temp.found_after(p_change text) returns text[] language plpgsql as $$
declare
  v_found text[];
begin
  execute p_change;
  v_found := array(select distinct f.column_name from doc as d, patchdiff_audit.verify_target(d.id) as f where f.table_name = 'cloud_target_files' order by 1);
  raise exception using errcode = 'P0001', message = array_to_string(v_found, ',');
exception
  when sqlstate 'P0001' then return string_to_array(sqlerrm, ',');
end;
$$;
select is(pg_temp.found_after('update patchdiff_store.cloud_target_files as t set ' || t.change || ' from doc as d where t.target_file_id = d.id'), t.found, t.change)
from (values
  ($$eol_runs = '[["crlf", 1], ["cr", 1]]'$$, '{eol_runs}'::text[]),
  ($$eol_runs = 'null'$$, '{eol_runs}'),
  ('eol_runs = null, eol_version = null', '{eol_runs,eol_version}'),
  ('eol_version = 5', '{eol_version}'),
  ('source_bom = true', '{eol_runs,source_bom}')
) as t (change, found);
select * from finish();
rollback;
