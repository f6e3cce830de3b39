-- The version a caller asks for, null meaning the current one. Refuses an unknown target (PD104) and a version outside
-- 0 … current (PD105).
create or replace function patchdiff_store.check_version (
  p_target uuid,
  p_version bigint
)
  returns bigint
  language plpgsql
  stable
as $$
declare
  v_current bigint;
begin
  select t.version
  into v_current
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not found then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;
  if coalesce(p_version, v_current) not between 0 and v_current then
    raise exception 'version % lies outside 0 … %', p_version, v_current
      using errcode = 'PD105',
            detail = json_build_object('target_file_id', p_target, 'version', p_version, 'current_version', v_current)::text,
            hint = 'ask for a version the target has had';
  end if;
  return coalesce(p_version, v_current);
end;
$$;

comment on function patchdiff_store.check_version(uuid, bigint) is
  'The version asked for, or the current one; refuses one the target never had.';
