-- Binds a target to a file of a workspace: one target a file, one file a target. Repeating the binding it already has
-- changes nothing. Refuses PD109 when the file belongs to another target or the target to another file (or to none:
-- an existing target is bound only by creation). The primary key decides between two that bind at once.
create or replace function patchdiff_store.bind_target (
  p_target uuid,
  p_workspace jsonb
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_bound uuid;
begin
  insert into patchdiff_store.workspace_bindings (
    file_key, workspace_root, workspace_path, target_file_id, root_device, root_inode, bound_at
  )
  select
    patchdiff_store.file_key(t.workspace_root_identity, t.workspace_path), t.workspace_root_identity, t.workspace_path, t.target_file_id, p_workspace ->> 'root_device',
    p_workspace ->> 'root_inode', clock_timestamp()
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
  and t.workspace_root_identity = p_workspace ->> 'root'
  and t.workspace_path = p_workspace ->> 'path'
  on conflict do nothing;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_workspace ->> 'root', p_workspace ->> 'path');
  if v_bound is distinct from p_target then
    raise exception 'the file is not bound to target %', p_target
      using errcode = 'PD109',
            detail = json_build_object('target_file_id', p_target, 'bound_target_file_id', v_bound)::text,
            hint = 'use the target that the file is bound to, or leave the workspace out';
  end if;
end;
$$;

comment on function patchdiff_store.bind_target(uuid, jsonb) is
  'Binds a target to its workspace file, one target a file.';
