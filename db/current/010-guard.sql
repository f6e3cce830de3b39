-- The guard against DDL, in a schema that belongs to the migrating login and not to patchdiff_owner, whom it guards
-- against; and, as the last statement of a migration, its closing. A later migration opens it in its first statement:
-- select patchdiff_guard.guard_ddl(false), and ends with the block below.
create schema if not exists patchdiff_guard;
revoke all on schema patchdiff_guard from public;
comment on schema patchdiff_guard is 'The guard against DDL. Belongs to the migrating superuser; granted to nobody.';

--! include patchdiff_guard/forbid_ddl.sql
--! include patchdiff_guard/guard_ddl.sql

revoke all on all routines in schema patchdiff_guard from public;

do $$
begin
  if not patchdiff_guard.guard_ddl(true) then
    raise notice 'patchdiff: event triggers need a superuser; DDL by the owner is not refused, and found by the chain alone';
  end if;
end;
$$;
