-- Refuses a malformed place for a binding (PD100): no object, root and path as a creation takes them, a root that is no absolute
-- path, and no word about the disk: disk_sha256 is to be there, null where no file stands.
create or replace function patchdiff_store.check_rebinding (
  p_workspace jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  perform patchdiff_store.check_creation('file', '', p_workspace);
  if p_workspace is null then
    v_argument := 'p_workspace';
    v_rule := 'an object with root, path, root_device, root_inode and disk_sha256';
  elsif p_workspace ->> 'root' not like '/%' then
    v_argument := 'p_workspace.root';
    v_rule := 'the canonical absolute path of the workspace root';
  elsif coalesce(jsonb_typeof(p_workspace -> 'disk_sha256'), '') not in ('string', 'null') then
    v_argument := 'p_workspace.disk_sha256';
    v_rule := 'the digest of the file that stands at the new place, or null when none does';
  else
    return;
  end if;

  raise exception '%: %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = 'look at the disk again and say what stands there';
end;
$$;

comment on function patchdiff_store.check_rebinding(jsonb) is 'Refuses a malformed place for a binding.';
