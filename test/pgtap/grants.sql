-- Nothing to PUBLIC; the writer executes and reads views; the auditor reads; nobody but the owner writes.
begin;
select plan(13);

select is_empty($$
  select n.nspname::text from pg_namespace as n, aclexplode(n.nspacl) as a
  where n.nspname like 'patchdiff%' and a.grantee = 0
  union all
  select c.oid::regclass::text from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace, aclexplode(c.relacl) as a
  where n.nspname like 'patchdiff%' and a.grantee = 0
  union all
  select p.oid::regprocedure::text from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
  where n.nspname like 'patchdiff%' and a.grantee = 0
  union all
  select t.oid::regtype::text from pg_type as t
  join pg_namespace as n on n.oid = t.typnamespace, aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) as a
  where n.nspname like 'patchdiff%' and a.grantee = 0
  -- The row type of a table or view goes with that.
  and exists (select from pg_class as c where c.oid = t.typrelid and c.relkind = 'c')
$$, 'PUBLIC holds nothing');

select bag_eq($$
  select distinct n.nspname::text, a.grantee::regrole::text, a.privilege_type
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace, aclexplode(c.relacl) as a
  where n.nspname like 'patchdiff%' and c.relkind in ('r', 'v') and a.grantee <> c.relowner
$$, $$
  values
    ('patchdiff_audit', 'patchdiff_writer', 'SELECT'),
    ('patchdiff_audit', 'patchdiff_auditor', 'SELECT'),
    ('patchdiff_store', 'patchdiff_auditor', 'SELECT')
$$, 'relations are only read, and those of the store by the auditor alone');
select bag_eq($$
  select distinct n.nspname::text, a.grantee::regrole::text
  from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace, aclexplode(p.proacl) as a
  where n.nspname like 'patchdiff%' and a.grantee <> p.proowner
$$, $$
  values
    ('patchdiff', 'patchdiff_writer'),
    ('patchdiff', 'patchdiff_auditor'),
    ('patchdiff_audit', 'patchdiff_writer'),
    ('patchdiff_audit', 'patchdiff_auditor')
$$, 'helpers of the store are executed by nobody');
select bag_eq($$
  select p.proname::text from pg_proc as p, aclexplode(p.proacl) as a
  where p.pronamespace = 'patchdiff'::regnamespace and a.grantee = 'patchdiff_auditor'::regrole
$$, $$values ('subscribe_commits'), ('unsubscribe_commits')$$, 'the auditor enters patchdiff only to be told of commits');
select bag_eq($$
  select n.nspname::text, a.grantee::regrole::text, a.privilege_type
  from pg_namespace as n, aclexplode(n.nspacl) as a
  where n.nspname like 'patchdiff%' and a.grantee <> n.nspowner
$$, $$
  values
    ('patchdiff', 'patchdiff_writer', 'USAGE'),
    ('patchdiff', 'patchdiff_auditor', 'USAGE'),
    ('patchdiff_audit', 'patchdiff_writer', 'USAGE'),
    ('patchdiff_audit', 'patchdiff_auditor', 'USAGE'),
    ('patchdiff_store', 'patchdiff_auditor', 'USAGE')
$$, 'schemas are only used');

select is_empty($$
  select p.oid::regprocedure from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace
  where n.nspname in ('patchdiff', 'patchdiff_audit') and (
    not p.prosecdef or not has_function_privilege('patchdiff_writer', p.oid, 'execute')
  )
$$, 'the writer executes every entry point, each as its owner');
select is_empty($$
  select p.oid::regprocedure from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace
  where n.nspname = 'patchdiff_store' and p.prosecdef
$$, 'no helper runs as its owner');

-- New objects of the owner start closed.
do $$ begin perform patchdiff_guard.guard_ddl(false); end $$;
set local role patchdiff_owner;
create function patchdiff_store.newcomer() returns integer language sql return 1;
create table patchdiff_store.newcomers (a integer);
create type patchdiff_store.newcome as (a integer);
reset role;
select ok(not has_function_privilege('patchdiff_writer', 'patchdiff_store.newcomer()', 'execute'), 'a new routine is closed');
select ok(not has_table_privilege('patchdiff_writer', 'patchdiff_store.newcomers', 'select'), 'a new table is closed');
select ok(not has_type_privilege('patchdiff_writer', 'patchdiff_store.newcome', 'usage'), 'a new type is closed');

select isnt_superuser('patchdiff_owner');
select is(
  (select count(*)::integer from pg_roles as r where r.rolname like 'patchdiff\_%' and (r.rolsuper or r.rolcreaterole or r.rolbypassrls)),
  0, 'none of the roles has powers beyond its grants'
);
select is((select r.rolcanlogin from pg_roles as r where r.rolname = 'patchdiff_owner'), false, 'nobody logs in as the owner');

select * from finish();
rollback;
