-- A document's name for the header of a diff, one line whatever it is called: characters that end a name there, or
-- quote in one, become _.
create or replace function patchdiff_store.diff_name (
  p_side text,
  p_target uuid,
  p_version bigint
)
  returns text
  language sql
  stable
as $$
  select concat(p_side, '/', regexp_replace(t.display_name, '[[:cntrl:]"' || chr(92) || chr(92) || ']', '_', 'g'), chr(9), 'version ', p_version)
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.diff_name(text, uuid, bigint) is 'A document''s name and version for the header of a diff.';
