-- What the creation of a target fixes, and no later call changes, with what it was synced with and the endings of its lines: the names of columns of
-- cloud_target_files and workspace_bindings, and their values. The initial snapshot keeps this as it was (column creation),
-- under its hash; verify_creation holds the two tables against it. Null for an unknown target.
create or replace function patchdiff_store.creation_facts (
  p_target uuid
)
  returns json
  language sql
  stable
as $$
  select json_build_object(
    'display_name', t.display_name,
    'created_at', t.created_at,
    'source_bom', t.source_bom,
    'source_line_endings', t.source_line_endings,
    'eol_runs', t.eol_runs,
    'eol_version', t.eol_version,
    'workspace_tracked', t.workspace_tracked,
    'workspace_root_identity', t.workspace_root_identity,
    'workspace_path', t.workspace_path,
    'last_synced_disk_sha256', t.last_synced_disk_sha256,
    'last_synced_version', t.last_synced_version,
    'root_device', b.root_device,
    'root_inode', b.root_inode,
    'bound_at', b.bound_at
  )
  from patchdiff_store.cloud_target_files as t
  left join patchdiff_store.workspace_bindings as b on b.target_file_id = t.target_file_id
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.creation_facts(uuid) is 'What the creation of a target fixes, by column.';
