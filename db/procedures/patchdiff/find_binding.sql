-- The target bound to a workspace file, by the workspace root's canonical path and the real path within it: one row, or none. One
-- of the few reads across targets.
create or replace function patchdiff.find_binding (
  p_root text,
  p_path text
)
  returns table (
    target_file_id uuid,
    root_device text,
    root_inode text,
    bound_at timestamptz,
    version bigint,
    current_hash text,
    last_synced_disk_sha256 text,
    last_synced_version bigint,
    source_bom boolean,
    source_line_endings jsonb
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    b.target_file_id,
    b.root_device,
    b.root_inode,
    b.bound_at,
    t.version,
    t.current_hash,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.source_line_endings
  from patchdiff_store.workspace_bindings as b
  join patchdiff_store.cloud_target_files as t on t.target_file_id = b.target_file_id
  where b.file_key = patchdiff_store.file_key(p_root, p_path)
$$;

comment on function patchdiff.find_binding(text, text) is 'The target bound to a workspace file.';
