-- Event triggers refuse DDL on our objects to the owner and to a superuser, until a superuser opens them.
begin;
select plan(72);

select is(
  (select count(*)::integer from pg_event_trigger as e where e.evtname like 'patchdiff\_forbid\_%' and e.evtenabled = 'A'),
  3, 'three event triggers, always enabled'
);

create temporary table attack (name text, statement text, owner_gets text default 'PD002');
insert into attack (name, statement) values
  ('disable trigger', 'alter table patchdiff_store.append_only_pdcp_logs disable trigger user'),
  ('drop trigger', 'drop trigger _100_append_only on patchdiff_store.append_only_pdcp_logs'),
  ('replace the trigger function', 'create or replace function patchdiff_store.forbid_change() returns trigger language plpgsql as ''begin return null; end'''),
  ('rewrite by alter type using', 'alter table patchdiff_store.append_only_manifest_ledger alter start_byte type bigint using 0'),
  ('drop column', 'alter table patchdiff_store.append_only_pdcp_logs drop column pdcp_content cascade'),
  ('rename table', 'alter table patchdiff_store.append_only_pdcp_logs rename to old'),
  ('rename column', 'alter table patchdiff_store.append_only_pdcp_logs rename pdcp_content to old'),
  ('drop table', 'drop table patchdiff_store.append_only_pdcp_logs cascade'),
  ('drop schema', 'drop schema patchdiff_store cascade'),
  ('rename schema', 'alter schema patchdiff_store rename to elsewhere'),
  ('rule', 'create rule r as on insert to patchdiff_store.append_only_pdcp_logs do instead nothing'),
  ('another trigger', 'create trigger m before insert on patchdiff_store.append_only_pdcp_logs for each row execute function patchdiff_store.forbid_change()'),
  ('child table', 'create table patchdiff_store.child () inherits (patchdiff_store.append_only_pdcp_logs)'),
  ('row security', 'alter table patchdiff_store.append_only_pdcp_logs enable row level security'),
  ('policy', 'create policy p on patchdiff_store.append_only_pdcp_logs using (false)'),
  ('drop constraint', 'alter table patchdiff_store.append_only_pdcp_logs drop constraint append_only_pdcp_logs_pkey cascade'),
  ('logged to unlogged', 'alter table patchdiff_store.append_only_manifest_ledger set unlogged');
-- Renaming a schema takes CREATE on the database, which the owner role does not have.
update attack set owner_gets = '42501' where name = 'rename schema';
grant select on attack to public;

set local role patchdiff_owner;
select throws_ok(a.statement, a.owner_gets, null, 'owner: ' || a.name) from attack as a;
select throws_ok('grant insert on patchdiff_store.request_keys to patchdiff_writer', 'PD002', null, 'owner: a grant that lets others write');
select throws_ok(
  $$create or replace function patchdiff_guard.forbid_ddl() returns event_trigger language plpgsql as 'begin end'$$,
  '42501', null, 'owner: replace the guard'
);
select throws_ok('drop function patchdiff_guard.forbid_ddl() cascade', '42501', null, 'owner: drop the guard');
select throws_ok('drop schema patchdiff_guard cascade', '42501', null, 'owner: drop its schema');
select throws_ok('drop owned by patchdiff_owner cascade', 'PD002', null, 'owner: drop owned');
select lives_ok('grant select on patchdiff_store.request_keys to patchdiff_auditor', 'owner: a grant that lets others read');
select throws_ok(g.statement, 'PD002', null, 'owner: ' || g.statement)
from (values
  ('grant select on patchdiff_store.request_keys to public'),
  ('grant select on patchdiff_audit.targets to pg_monitor'),
  ('grant update (version) on patchdiff_store.cloud_target_files to patchdiff_writer'),
  ('grant select (version) on patchdiff_store.cloud_target_files to public'),
  ('grant select on patchdiff_audit.targets to patchdiff_auditor with grant option'),
  ('grant usage on schema patchdiff_store to public'),
  ('grant create on schema patchdiff to patchdiff_writer'),
  ('grant execute on function patchdiff.save_target to public'),
  ('grant execute on function patchdiff.save_target to patchdiff_auditor'),
  ('grant execute on function patchdiff_store.lock_target to patchdiff_writer'),
  ('grant execute on all routines in schema patchdiff_store to patchdiff_writer'),
  ('alter default privileges grant insert on tables to patchdiff_writer'),
  ('alter default privileges in schema patchdiff_store grant execute on functions to public')
) as g (statement);
select throws_ok(c.statement, 'PD002', null, 'owner: ' || c.statement)
from (values
  ('create cast (patchdiff.save_receipt as text) with inout as implicit'),
  ('create cast (text as patchdiff_store.finding) with inout as assignment')
) as c (statement);
select lives_ok('grant execute on function patchdiff_audit.chain_head to patchdiff_auditor', 'owner: what is granted already');
select lives_ok('grant usage on schema patchdiff to patchdiff_writer', 'owner: also of a schema');
reset role;
select throws_ok(a.statement, 'PD002', null, 'superuser: ' || a.name) from attack as a;
select throws_ok('alter default privileges for role patchdiff_owner grant execute on functions to public', 'PD002', null, 'superuser: default privileges of the owner');
select throws_ok('grant usage on schema patchdiff_guard to public', 'PD002', null, 'superuser: the guard''s schema');
select throws_ok('grant execute on function patchdiff_guard.guard_ddl to patchdiff_owner', 'PD002', null, 'superuser: its switch');
select lives_ok('alter default privileges grant select on tables to public', 'superuser: own default privileges are nobody''s business');
create type pg_temp.own as (a integer);
select lives_ok('create cast (pg_temp.own as text) with inout', 'superuser: and so are own casts');
select lives_ok('create function pg_temp.reader(patchdiff.save_receipt) returns integer language sql return 1', 'superuser: and own routines that take what we answer');

create temporary table harmless (a integer);
select throws_ok('create table public.child () inherits (patchdiff_store.append_only_pdcp_logs)', 'PD002', null, 'superuser: a child elsewhere');
select lives_ok('alter table harmless add column b integer', 'other objects are nobody''s business');
select lives_ok('reindex table patchdiff_store.request_keys', 'maintenance passes');

select throws_ok($$set local role patchdiff_owner; alter event trigger patchdiff_forbid_ddl disable$$, '42501', null, 'the owner cannot open the guard');
select is(patchdiff_guard.guard_ddl(false), false, 'a superuser opens it');
select lives_ok('alter table patchdiff_store.request_keys set (fillfactor = 90)', 'then a migration may change things');
select is(patchdiff_guard.guard_ddl(true), true, 'and closes it');
select throws_ok('alter table patchdiff_store.request_keys reset (fillfactor)', 'PD002', null, 'from then on it refuses again');

select * from finish();
rollback;
