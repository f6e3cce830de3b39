-- Refuses PD109 unless the locked target is bound to just this file.
create or replace function patchdiff_store.check_bound (
  p_locked patchdiff_store.locked_target,
  p_root text,
  p_path text
)
  returns void
  language plpgsql
  stable
as $$
declare
  v_bound uuid;
begin
  if p_locked.workspace_root_identity = p_root and p_locked.workspace_path = p_path then
    return;
  end if;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_root, p_path);
  raise exception 'target % is not bound to the file', p_locked.target_file_id
    using errcode = 'PD109',
          detail = json_build_object('target_file_id', p_locked.target_file_id, 'bound_target_file_id', v_bound)::text,
          hint = 'use the target that the file is bound to';
end;
$$;

comment on function patchdiff_store.check_bound(patchdiff_store.locked_target, text, text) is
  'Refuses unless the locked target is bound to just this file.';
