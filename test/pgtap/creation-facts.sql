-- The facts of a source are what the content says, no more; a file is named by a path within its root.
begin;
select plan(41);
set local role patchdiff_writer;
create function pg_temp.digest(p_bytes bytea) returns text language sql return encode(sha256(p_bytes), 'hex');
-- Facts of `x LF`, imported from `x CR LF` without a byte order mark.
create function pg_temp.source(p_changed jsonb default '{}', p_bom jsonb default 'false') returns jsonb language sql return jsonb_build_object(
  'bom', p_bom,
  'line_endings', jsonb_build_object(
    'style', 'crlf', 'lf', 0, 'crlf', 1, 'cr', 0, 'normalized', true, 'source_code_points', 3, 'source_utf8_bytes', 3,
    'source_sha256', pg_temp.digest(e'x\r\n')
  ) || p_changed
);
create function pg_temp.facts(p_source jsonb, p_content text default e'x\n') returns jsonb language plpgsql as $$
declare
  v_id uuid := (patchdiff.create_target(null, 'doc', p_content, p_source)).target_file_id;
begin
  return (patchdiff.read_head(v_id)).source_line_endings;
end;
$$;

select is(pg_temp.facts(pg_temp.source()), pg_temp.source() -> 'line_endings', 'true facts are kept');
select is(pg_temp.facts(pg_temp.source('{"note": "more"}') || '{"other": 1}'), pg_temp.source() -> 'line_endings', 'and nothing beside them');
select lives_ok(format('select pg_temp.facts(%L, %L)', pg_temp.source(e.changed, e.bom), e.content), 'true: ' || e.changed::text)
from (values
  ('{"source_code_points": 4, "source_utf8_bytes": 6}'::jsonb || jsonb_build_object('source_sha256', pg_temp.digest('\xefbbbf780d0a')), 'true'::jsonb, e'x\n'),
  ('{"style": "cr", "crlf": 0, "cr": 1, "source_code_points": 2, "source_utf8_bytes": 2}' || jsonb_build_object('source_sha256', pg_temp.digest(e'x\r')), 'false', e'x\n'),
  ('{"style": "lf", "crlf": 0, "lf": 1, "normalized": false, "source_code_points": 2, "source_utf8_bytes": 2}' || jsonb_build_object('source_sha256', pg_temp.digest(e'x\n')), 'false', e'x\n'),
  ('{"style": "none", "crlf": 0, "normalized": false, "source_code_points": 0, "source_utf8_bytes": 0}' || jsonb_build_object('source_sha256', pg_temp.digest('')), 'false', ''),
  ('{"style": "mixed", "lf": 1, "source_code_points": 5, "source_utf8_bytes": 6}' || jsonb_build_object('source_sha256', pg_temp.digest('anything')), 'false', e'x\nñ\n')
) as e (changed, bom, content);
select throws_ok(format('select pg_temp.facts(%L)', pg_temp.source(e.changed)), 'PD100', null, 'false: ' || e.changed::text)
from (values
  ('{"lf": "0"}'::jsonb), ('{"crlf": 1.0}'), ('{"lf": 999999999, "crlf": 999999999, "cr": 999999999}'), ('{"style": "lf"}'), ('{"style": "mixed"}'),
  ('{"normalized": false}'), ('{"crlf": 0, "cr": 1, "style": "cr"}'), ('{"source_code_points": 2}'), ('{"source_utf8_bytes": 4}'),
  ('{"lf": 1, "crlf": 0, "style": "lf", "normalized": false, "source_code_points": 2, "source_utf8_bytes": 2}'),
  (jsonb_build_object('source_sha256', pg_temp.digest(e'x\n'))), (jsonb_build_object('source_sha256', 5)), ('{"style": ["crlf"]}')
) as e (changed);
select throws_ok(format('select pg_temp.facts(%L)', pg_temp.source('{}', 'true')), 'PD100', null, 'a byte order mark that nothing counts');

create function pg_temp.bind(p_root text, p_path text) returns text language sql as $$
  select r.outcome from patchdiff.create_target(null, 'doc', 'x', null, jsonb_build_object('root', p_root, 'path', p_path, 'root_device', '1', 'root_inode', '2')) as r
$$;
select throws_ok(format('select pg_temp.bind(%L, %L)', '/w', p.path), 'PD100', null, 'no path: ' || left(p.path, 20))
from (values ('../a'), ('a/../b'), ('..'), ('/a'), ('a//b'), ('a/'), ('./a'), ('.'), (repeat('x', 4097)), (repeat('é', 2049))) as p (path);
select is(pg_temp.bind('/w', p.path), 'created', 'a path: ' || left(p.path, 20))
from (values ('a'), ('..a/b..'), ('a b/…'), (repeat('x/', 2047) || 'xx')) as p (path);
select throws_ok(format('select pg_temp.bind(%L, %L)', '/' || repeat('r', 4096), 'a'), 'PD100', null, 'a root of more than 4096 bytes');
select throws_ok($$select patchdiff.create_target(null, 'doc', 'x', null, '{"root": "/w", "path": ["a"], "root_device": "1", "root_inode": "2"}')$$, 'PD100', null, 'a path that is no string');
select throws_ok($$select patchdiff.create_target(null, 'doc', 'x', null, jsonb_build_object('root', '/w', 'path', 'c', 'root_device', repeat('1', 65), 'root_inode', '2'))$$, 'PD100', null, 'a device of more than 64 bytes');
-- Text that does not compress, as long as a path may be: no index takes it as it is.
create temporary table long as
select '/' || left(string_agg(md5('r' || n), ''), 4095) as root, left(string_agg(md5('p' || n), ''), 4096) as path from generate_series(1, 128) as n;
select is(pg_temp.bind(l.root, l.path), 'created', 'the longest root and path') from long as l;
select throws_ok(format('select pg_temp.bind(%L, %L)', l.root, l.path), 'PD109', null, 'once') from long as l;
select isnt_empty('select b.* from long as l, patchdiff.find_binding(l.root, l.path) as b', 'and found');
select * from finish();
rollback;
