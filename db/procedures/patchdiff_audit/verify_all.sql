-- verify_target for every target that any table of the store mentions, so that a target whose row was removed is found
-- too. Linear in all history: meant for a nightly run. The findings name tables in patchdiff_store.
create or replace function patchdiff_audit.verify_all ()
  returns table (target_file_id uuid, table_name text, row_key text, column_name text, problem text)
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select m.target_file_id, f.table_name, f.row_key, f.column_name, f.problem
  from (
    select t.target_file_id from patchdiff_store.cloud_target_files as t
    union
    select t.target_file_id from patchdiff_store.target_heads as t
    union
    select t.target_file_id from patchdiff_store.append_only_pdcp_logs as t
    union
    select t.target_file_id from patchdiff_store.append_only_manifest_ledger as t
    union
    select t.target_file_id from patchdiff_store.target_snapshots as t
    union
    select t.target_file_id from patchdiff_store.editing_cycles as t
    union
    select t.target_file_id from patchdiff_store.workspace_publications as t
    union
    select t.target_file_id from patchdiff_store.scope_observations as t
    union
    select t.target_file_id from patchdiff_store.observed_scopes as t
    union
    select t.target_file_id from patchdiff_store.request_keys as t
    union
    select t.target_file_id from patchdiff_store.workspace_bindings as t
  ) as m
  cross join lateral patchdiff_store.verify_target(m.target_file_id, null, null) as f
$$;

comment on function patchdiff_audit.verify_all() is 'Findings about the history of every target; none when all is whole.';
