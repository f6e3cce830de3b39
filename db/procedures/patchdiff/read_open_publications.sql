-- The publication intents without an outcome, of one target or (null) of all, oldest first, at most 1000: after a
-- crash they say what may have been written to the disk.
create or replace function patchdiff.read_open_publications (
  p_target uuid default null
)
  returns table (
    target_file_id uuid,
    publication_id uuid,
    created_at timestamptz,
    version bigint,
    content_hash text,
    expected_disk_sha256 text,
    written_sha256 text,
    written_bytes bigint,
    workspace_root text,
    workspace_path text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    i.target_file_id,
    i.publication_id,
    i.created_at,
    i.version,
    i.content_hash,
    i.expected_disk_sha256,
    i.written_sha256,
    i.written_bytes,
    i.workspace_root_identity,
    i.workspace_path
  from patchdiff_store.workspace_publications as i
  where i.kind = 'intent'
  and (p_target is null or i.target_file_id = p_target)
  and not exists (
    select
    from patchdiff_store.workspace_publications as o
    where o.target_file_id = i.target_file_id and o.intent_publication_id = i.publication_id
  )
  order by i.target_file_id, i.publication_sequence
  limit 1000
$$;

comment on function patchdiff.read_open_publications(uuid) is 'The publication intents that have no outcome yet.';
