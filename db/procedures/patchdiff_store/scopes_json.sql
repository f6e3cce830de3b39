-- The scopes of an observation in their order, with their texts.
create or replace function patchdiff_store.scopes_json (
  p_target uuid,
  p_observation_sequence bigint
)
  returns json
  language sql
  stable
as $$
  select json_agg(
    json_build_object(
      'scope_id', s.scope_id, 'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path,
      'start', s.start_char, 'end', s.end_char, 'first_line', s.first_line, 'last_line', s.last_line,
      'sha256', s.scope_sha256, 'text', s.scope_text
    )
    order by s.ordinal
  )
  from patchdiff_store.observed_scopes as s
  where s.target_file_id = p_target and s.observation_sequence = p_observation_sequence
$$;

comment on function patchdiff_store.scopes_json(uuid, bigint) is 'The scopes of an observation in their order, with their texts.';
