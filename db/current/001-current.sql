-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;

reset role;
select patchdiff_guard.guard_ddl(true);
