-- Whether any table of the store holds a row of this target.
create or replace function patchdiff_store.is_mentioned (
  p_target uuid
)
  returns boolean
  language sql
  stable
as $$
  select exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_heads as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_manifest_ledger as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_snapshots as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.editing_cycles as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_publications as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.scope_observations as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.observed_scopes as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.request_keys as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_bindings as t where t.target_file_id = p_target)
$$;

comment on function patchdiff_store.is_mentioned(uuid) is 'Whether any table of the store holds a row of this target.';
