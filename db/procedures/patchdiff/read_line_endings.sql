-- The recorded endings of each line of a target: runs [ending, lines], the version whose lines they are, and the content
-- of that version when it is older than p_version (of the same one the caller holds it). One row, or none for an unknown
-- target; runs and version are null when the style of source_line_endings holds for every line, or, where that is mixed or
-- null, when the endings are not known. Refuses a history that contradicts itself (PD106). No lock.
create or replace function patchdiff.read_line_endings (
  p_target uuid,
  p_version bigint
)
  returns table (
    eol_runs jsonb,
    eol_version bigint,
    content text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    t.eol_runs,
    t.eol_version,
    case when t.eol_version < p_version then patchdiff_store.reconstruct(p_target, t.eol_version) end
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_line_endings(uuid, bigint) is
  'The recorded endings of each line of a target, and the version whose lines they are.';
