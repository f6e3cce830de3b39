-- Append-only tables refuse change from everyone, the owner and a superuser in replica mode included.
begin;
select plan(92);

create temporary table guarded (name text);
insert into guarded values
  ('append_only_pdcp_logs'), ('append_only_manifest_ledger'), ('target_snapshots'), ('editing_cycles'),
  ('workspace_publications'), ('request_keys'), ('scope_observations'), ('observed_scopes');
grant select on guarded to public;
do $$ begin perform patchdiff.create_target('00000000-0000-0000-0000-00000000000a', 'a', 'text'); end $$;

select is(t.tgenabled::text, 'A', g.name || ' has its guard, always enabled')
from guarded as g
left join pg_trigger as t on t.tgrelid = ('patchdiff_store.' || g.name)::regclass and t.tgname = '_100_append_only';

-- Statements that touch no row are refused too, whoever runs them.
select throws_ok(format('update patchdiff_store.%I set target_file_id = target_file_id where false', g.name), 'PD001', null, 'superuser updates ' || g.name)
from guarded as g;
select throws_ok(format('delete from patchdiff_store.%I', g.name), 'PD001', null, 'superuser deletes from ' || g.name)
from guarded as g;
select throws_ok(format('truncate patchdiff_store.%I cascade', g.name), 'PD001', null, 'superuser truncates ' || g.name)
from guarded as g;

set local session_replication_role = replica;
select throws_ok(format('update patchdiff_store.%I set target_file_id = target_file_id', g.name), 'PD001', null, 'replica mode updates ' || g.name)
from guarded as g;
select throws_ok(format('delete from patchdiff_store.%I', g.name), 'PD001', null, 'replica mode deletes from ' || g.name)
from guarded as g;
select throws_ok(format('truncate patchdiff_store.%I cascade', g.name), 'PD001', null, 'replica mode truncates ' || g.name)
from guarded as g;
set local session_replication_role = origin;

set local role patchdiff_owner;
select throws_ok(format('update patchdiff_store.%I set target_file_id = target_file_id', g.name), 'PD001', null, 'the owner updates ' || g.name)
from guarded as g;
select throws_ok(format('delete from patchdiff_store.%I', g.name), 'PD001', null, 'the owner deletes from ' || g.name)
from guarded as g;
select throws_ok('truncate patchdiff_store.cloud_target_files cascade', 'PD001', null, 'a cascade from the targets');
select throws_ok($$
  insert into patchdiff_store.editing_cycles
  select * from patchdiff_store.editing_cycles
  on conflict (target_file_id, editing_cycle) do update set opened_at_version = 9
$$, 'PD001', null, 'on conflict do update');
select throws_ok($$
  merge into patchdiff_store.editing_cycles as c using (values (1)) as v (n) on c.editing_cycle = v.n
  when matched then delete
$$, 'PD001', null, 'merge');
reset role;

-- The rows that history hangs on are updated, never removed.
create temporary table kept (name text);
insert into kept values ('cloud_target_files'), ('target_heads');
grant select on kept to public;
select is(t.tgenabled::text, 'A', k.name || ' has its guard, always enabled')
from kept as k
left join pg_trigger as t on t.tgrelid = ('patchdiff_store.' || k.name)::regclass and t.tgname = '_100_no_removal';
set local session_replication_role = replica;
select throws_ok(format('delete from patchdiff_store.%I where false', k.name), 'PD001', null, 'replica mode deletes from ' || k.name) from kept as k;
select throws_ok(format('truncate patchdiff_store.%I cascade', k.name), 'PD001', null, 'replica mode truncates ' || k.name) from kept as k;
set local session_replication_role = origin;
set local role patchdiff_owner;
select throws_ok(format('delete from patchdiff_store.%I', k.name), 'PD001', null, 'the owner deletes from ' || k.name) from kept as k;
select throws_ok(format('truncate patchdiff_store.%I', k.name), e.code, null, 'the owner truncates ' || k.name)
from kept as k join (values ('target_heads', 'PD001'), ('cloud_target_files', '0A000')) as e (name, code) using (name);
select throws_ok($$
  merge into patchdiff_store.target_heads as h using (values (1)) as v (n) on true when matched then delete
$$, 'PD001', null, 'merge');
reset role;
select lives_ok('update patchdiff_store.cloud_target_files set updated_at = updated_at', 'a target is still updated');
select lives_ok('update patchdiff_store.target_heads set log_sequence = log_sequence', 'and so is its head');
select is((select count(*)::integer from patchdiff_store.target_heads), 1, 'both are there');
select is((select count(*)::integer from patchdiff_store.cloud_target_files), 1, 'and nothing else');

set local role patchdiff_writer;
select throws_ok('delete from patchdiff_store.append_only_pdcp_logs', '42501', null, 'the writer does not even reach the guard');
reset role;
select is((select count(*)::integer from patchdiff_store.target_snapshots), 1, 'nothing was changed');

select * from finish();
rollback;
