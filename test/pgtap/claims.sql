-- A caller's claims are kept for ever and read with ->> by people: what PostgreSQL text cannot hold is refused.
begin;
select plan(21);
set local role patchdiff_writer;
create temporary table doc as
select r.target_file_id as id, r.current_hash as hash
from patchdiff.create_target(null, 'doc', 'one', null, '{"root": "/w", "path": "a", "root_device": "1", "root_inode": "2"}') as r;
create temporary table intent as select r.publication_id as id from doc as d, patchdiff.open_publication(d.id, null, null, 0, d.hash, null, d.hash, 3) as r;
create temporary table claim as select c.value from (values ('{"host":"\u0000"}'), ('{"agent":"\ud800"}'), (repeat('[', 65) || repeat(']', 65))) as c (value);

select throws_ok(format('select patchdiff.create_target(null, %L, %L, p_actor => %L)', 'doc', 'x', c.value), 'PD100', null, 'creation: ' || c.value) from claim as c;
select throws_ok(format('select patchdiff.save_target(%L, p_actor => %L)', d.id, c.value), 'PD100', null, 'save: ' || c.value) from doc as d, claim as c;
select throws_ok(
  format('select patchdiff.open_publication(%L, null, null, 0, %L, null, %L, 3, %L)', d.id, d.hash, d.hash, c.value), 'PD100', null, 'intent: ' || c.value
) from doc as d, claim as c;
select throws_ok(
  format('select patchdiff.record_publication(%L, %L, %L, p_actor => %L)', d.id, i.id, 'published', c.value), 'PD100', null, 'outcome: ' || c.value
) from doc as d, intent as i, claim as c;
select throws_ok(
  format('select patchdiff.record_publication(%L, %L, %L, p_detail => %L)', d.id, i.id, 'published', c.value), 'PD100', null, 'detail: ' || c.value
) from doc as d, intent as i, claim as c;
select lives_ok(format('select patchdiff.save_target(%L, p_actor => %L)', d.id, c.value), 'kept: ' || c.value)
from doc as d, (values ('{"host":"\\u0000"}'), ('{"host":"\ud83d\ude00"}')) as c (value);
select throws_ok(
  format('select patchdiff.commit_attempt(%L, %L, null, null, null, null, %L, null, %L, null, null, null, null)', d.id, '{}', repeat('[', 65) || repeat(']', 65), 'none'),
  'PD100', null, 'attempt: 65 levels'
) from doc as d;
select lives_ok(
  format('select patchdiff.commit_attempt(%L, %L, null, null, null, null, %L, null, %L, null, null, null, null)', d.id, '{}', c.value, 'none'), 'attempt: 64 levels'
) from doc as d, (values (repeat('[', 64) || repeat(']', 64)), ('{"a":"' || repeat('[', 100) || '"}')) as c (value);
select is_empty('select p.actor ->> ''host'' from patchdiff_audit.publications as p where p.outcome is not null', 'and the view is read');
select * from finish();
rollback;
