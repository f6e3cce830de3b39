-- Refuses malformed arguments of a creation: name, content, workspace facts (PD100), and content over 16777216 bytes
-- of UTF-8 after LF canonicalisation (PD107). A workspace path is relative to the root and stays below it by syntax alone;
-- what links on the disk make of it is for whoever opens the file. A NUL never gets here: jsonb refuses it (22P05).
create or replace function patchdiff_store.check_creation (
  p_display_name text,
  p_content text,
  p_workspace jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_bytes integer;
  v_fault text;
begin
  v_fault := case
    when p_display_name is null or octet_length(p_display_name) not between 1 and 1024
      then 'p_display_name: 1 to 1024 bytes of text are required'
    when p_content is null then 'p_content: a text is required'
    when p_workspace is null then null
    when jsonb_typeof(p_workspace) <> 'object' then 'p_workspace: an object is required'
    when exists (
      select
      from unnest(array['root', 'path', 'root_device', 'root_inode']) as k (name)
      where coalesce(jsonb_typeof(p_workspace -> k.name), '') <> 'string' or p_workspace ->> k.name = ''
    ) then 'p_workspace: root, path, root_device and root_inode are required strings'
    when octet_length(p_workspace ->> 'root') > 4096 or octet_length(p_workspace ->> 'path') > 4096
      then 'p_workspace: root and path have at most 4096 bytes each'
    when octet_length(p_workspace ->> 'root_device') > 64 or octet_length(p_workspace ->> 'root_inode') > 64
      then 'p_workspace: root_device and root_inode have at most 64 bytes each'
    when p_workspace ->> 'path' ~ '(\A|/)(\.{0,2})(/|\Z)'
      then 'p_workspace: path is relative to the root, without empty, "." and ".." parts'
  end;
  if v_fault is not null then
    raise exception '%', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', split_part(v_fault, ':', 1), 'rule', v_fault)::text,
            hint = 'correct the argument and call again';
  end if;

  perform patchdiff_store.check_digest('p_workspace.disk_sha256', p_workspace ->> 'disk_sha256', false);

  -- A pair CR LF becomes one byte, a lone CR stays one.
  v_bytes := octet_length(replace(p_content, e'\r\n', e'\n'));
  if v_bytes > 16777216 then
    raise exception 'the content has % bytes, the limit is 16777216', v_bytes
      using errcode = 'PD107',
            detail = json_build_object('bytes', v_bytes, 'limit', 16777216)::text,
            hint = 'split the document';
  end if;
end;
$$;

comment on function patchdiff_store.check_creation(text, text, jsonb) is
  'Refuses malformed or oversized arguments of a creation.';
