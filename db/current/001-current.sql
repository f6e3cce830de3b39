-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- New tables, columns and includes of changed routines stand here, in an order in which they can be created.
--! include patchdiff/read_attempts.sql
--! include patchdiff/read_ledger.sql
reset role;
select patchdiff_guard.guard_ddl(true);
