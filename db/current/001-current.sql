-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;

-- Kept as it is: the server has no fast compression, and a large scope would be packed at every observation.
alter table patchdiff_store.observed_scopes alter column scope_text set storage external;
--! include patchdiff_store/carry_content.sql
--! include patchdiff_store/reconstruct.sql
--! include patchdiff_store/blame_lines.sql
--! include patchdiff_store/verify_save_keys.sql
--! include patchdiff_store/verify_splice.sql
--! include patchdiff_store/verify_observations.sql
--! include patchdiff_store/cut_scopes.sql
--! include patchdiff_store/walk_bundle.sql
--! include patchdiff_store/observation_of.sql
--! include patchdiff_store/import_profile.sql
--! include patchdiff_store/check_observation.sql
--! include patchdiff/observe_scopes.sql
-- A parameter is part of a function that only a new one can change.
drop function if exists patchdiff_store.decode_record(jsonb, uuid, text);
--! include patchdiff_store/decode_record.sql
drop function if exists patchdiff_store.non_finite_fault(patchdiff_store.fault, text, uuid, text, text);
--! include patchdiff_store/non_finite_fault.sql
--! include patchdiff_store/commit_submission.sql

reset role;
select patchdiff_guard.guard_ddl(true);
