-- The first 256 code points of a target's stored content; reads no more of it than that.
create or replace function patchdiff_store.head_of_content (
  p_target uuid
)
  returns text
  language sql
  stable
as $$
  select substr(t.current_content, 1, 256)
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.head_of_content(uuid) is 'The first 256 code points of a target''s stored content.';
