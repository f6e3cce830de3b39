-- Event triggers refuse DDL on our objects to the owner and to a superuser, until a superuser opens them.
begin;
select plan(49);

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
reset role;
select throws_ok(a.statement, 'PD002', null, 'superuser: ' || a.name) from attack as a;

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
