-- Where a target's file is and what it was last synced with: the names of columns of cloud_target_files and workspace_bindings,
-- as in creation_facts, and their values. What a rebinding keeps of before and after, under the hash of its row.
create or replace function patchdiff_store.binding_facts (
  p_target uuid
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_object_agg(f.key, f.value)
  from jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as f
  where f.key in (
    'workspace_root_identity', 'workspace_path', 'root_device', 'root_inode', 'bound_at', 'last_synced_disk_sha256',
    'last_synced_version'
  )
$$;

comment on function patchdiff_store.binding_facts(uuid) is 'Where a target''s file is and what it was last synced with, by column.';
