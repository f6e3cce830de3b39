-- A page of targets, newest first, without content. p_filter: part of a name or workspace path, compared without case.
-- The cursor is the created_at and target_file_id of the last row seen, both or none; targets created meanwhile never enter a
-- running traversal. Answers one row more than the limit (default 50, at most 200) when there are more.
create or replace function patchdiff.list_targets (
  p_filter text default null,
  p_limit integer default null,
  p_after_created_at timestamptz default null,
  p_after_target uuid default null
)
  returns setof patchdiff.target_state
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select t.*
  from patchdiff_store.target_head as t
  where (t.created_at, t.target_file_id) < (
    coalesce(p_after_created_at, 'infinity'::timestamptz),
    coalesce(p_after_target, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  )
  and (
    p_filter is null
    or strpos(lower(t.display_name), lower(p_filter)) > 0
    or strpos(lower(t.workspace_path), lower(p_filter)) > 0
  )
  order by t.created_at desc, t.target_file_id desc
  limit patchdiff_store.page_limit(p_limit) + 1
$$;

comment on function patchdiff.list_targets(text, integer, timestamptz, uuid) is
  'A page of targets, newest first, filtered by part of a name or path.';
