-- patchdiff.create_target: what it records, that it may be repeated, and what it refuses.
begin;
select plan(29);
set local role patchdiff_writer;

create function pg_temp.id(p_n integer) returns uuid language sql return ('00000000-0000-0000-0000-' || lpad(p_n::text, 12, '0'))::uuid;

select results_eq(
  $$select r.outcome, r.version, r.content_chars, r.content_bytes, r.chain_sequence from patchdiff.create_target(pg_temp.id(1), 'doc', e'a\r\nb\rñ\n') as r$$,
  $$values ('created', 0::bigint, 6, 7, 1::bigint)$$,
  'a target is created with canonical text'
);
select is((select r.current_content from patchdiff.read_target(pg_temp.id(1)) as r), e'a\nb\nñ\n', 'CRLF and CR became LF');
select is(
  (select r.source_line_endings from patchdiff.read_head(pg_temp.id(1)) as r),
  jsonb_build_object(
    'style', 'mixed', 'lf', 1, 'crlf', 1, 'cr', 1, 'normalized', true, 'source_code_points', 7, 'source_utf8_bytes', 8,
    'source_sha256', encode(sha256(convert_to(e'a\r\nb\rñ\n', 'UTF8')), 'hex')
  ),
  'the text as sent is the source, and its line endings are counted'
);
select is(r.outcome, 'existing', 'the same id and text: existing') from patchdiff.create_target(pg_temp.id(1), 'other name', e'a\r\nb\rñ\n') as r;
select is(r.display_name, 'doc', 'its name stays') from patchdiff.create_target(pg_temp.id(1), 'other name', e'a\r\nb\rñ\n') as r;
select throws_ok($$select patchdiff.create_target(pg_temp.id(1), 'doc', 'x')$$, 'PD103', null, 'another text under the same id');
select throws_ok($$select patchdiff.create_target(pg_temp.id(1), 'doc', e'a\nb\nñ\n')$$, 'PD103', null, 'the same canonical text from another source');
select is(r.outcome, 'created', 'without an id a new one is chosen') from patchdiff.create_target(null, 'doc', '') as r;
select isnt(r.target_file_id, s.target_file_id, 'each time')
from patchdiff.create_target(null, 'doc', '') as r, patchdiff.create_target(null, 'doc', '') as s;

select is((r.source_line_endings ->> 'style'), e.style, 'style ' || e.style)
from (values (10, 'x', 'none'), (11, e'x\n', 'lf'), (12, e'x\r\ny\r\n', 'crlf'), (13, e'x\ry', 'cr'), (14, '', 'none')) as e (n, content, style)
cross join lateral patchdiff.create_target(pg_temp.id(e.n), 'doc', e.content) as c
cross join lateral patchdiff.read_head(c.target_file_id) as r;

create function pg_temp.source(p_changed jsonb) returns jsonb language sql return jsonb_build_object(
  'bom', true,
  'line_endings', jsonb_build_object(
    'style', 'lf', 'lf', 1, 'crlf', 0, 'cr', 0, 'normalized', false, 'source_code_points', 3, 'source_utf8_bytes', 5,
    'source_sha256', encode(sha256('\xefbbbf780a'), 'hex')
  ) || p_changed
);
select is(r.outcome, 'created', 'given facts that fit are taken') from patchdiff.create_target(pg_temp.id(20), 'doc', e'x\n', pg_temp.source('{}')) as r;
select is(r.source_line_endings ->> 'source_sha256', encode(sha256('\xefbbbf780a'), 'hex'), 'as they are') from patchdiff.read_head(pg_temp.id(20)) as r;
select ok(r.source_bom, 'with the byte order mark') from patchdiff.read_head(pg_temp.id(20)) as r;
select throws_ok(format('select patchdiff.create_target(null, %L, %L, %L)', 'doc', e'x\n', pg_temp.source(e.changed)), 'PD100', null, 'facts: ' || e.changed::text)
from (values ('{"lf": 2}'::jsonb), ('{"style": "dos"}'), ('{"source_sha256": "AA"}'), ('{"normalized": 1}'), ('{"cr": -1}'), ('{"crlf": null}')) as e (changed);
select is((select r.source_line_endings from patchdiff.create_target(pg_temp.id(21), 'd', 'x', '{"line_endings": null, "bom": false}') as c, patchdiff.read_head(c.target_file_id) as r), null, 'null facts stay unknown');

select throws_ok($$select patchdiff.create_target(null, '', 'x')$$, 'PD100', null, 'a name is required');
select throws_ok($$select patchdiff.create_target(null, 'doc', null)$$, 'PD100', null, 'a text is required');
select throws_ok($$select patchdiff.create_target(null, 'doc', repeat('x', 16777217))$$, 'PD107', null, 'one byte over 16 MiB');
select lives_ok($$select patchdiff.create_target(null, 'doc', repeat(e'\r\n', 16777216))$$, 'canonical text of just 16 MiB');

select is(r.outcome, 'created', 'bound to a file')
from patchdiff.create_target(pg_temp.id(30), 'doc', 'x', null, jsonb_build_object('root', '/w', 'path', 'a', 'root_device', '1', 'root_inode', '2', 'disk_sha256', repeat('b', 64))) as r;
select is(
  (select row(b.target_file_id, b.root_device, b.last_synced_disk_sha256, b.last_synced_version)::text from patchdiff.find_binding('/w', 'a') as b),
  row(pg_temp.id(30), '1', repeat('b', 64), 0::bigint)::text, 'and found by it'
);
select throws_ok(
  $$select patchdiff.create_target(null, 'doc', 'x', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}')$$,
  'PD109', null, 'the file belongs to another target'
);
select throws_ok(
  $$select patchdiff.create_target(pg_temp.id(1), 'doc', e'a\r\nb\rñ\n', null, '{"root": "/w", "path": "b", "root_device": "1", "root_inode": "2"}')$$,
  'PD109', null, 'an existing target is not bound by the way'
);
select throws_ok($$select patchdiff.create_target(null, 'doc', 'x', null, '{"root": "/w"}')$$, 'PD100', null, 'half a binding');
select is_empty('select * from patchdiff_audit.verify_all()', 'all of it verifies');

select * from finish();
rollback;
