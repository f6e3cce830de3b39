-- What the record of a bundle keeps of the observation it names: the evidence of every group's scope in submitted order, null for a
-- group whose scope is none of it. Null when bundle_id names no observation of the target. Groups behind the first scope_count + 1 are
-- left out: one of those repeats a scope or names none, and no group behind it is judged, so that a record cannot outgrow its payload.
create or replace function patchdiff_store.observation_of (
  p_target uuid,
  p_record jsonb
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'bundle_id', o.bundle_id,
    'content_hash', o.content_hash,
    'editing_cycle', o.editing_cycle,
    'grammar', jsonb_build_object('name', o.grammar_name, 'sha256', o.grammar_sha256, 'version', o.grammar_version),
    'language', o.language,
    'scopes', coalesce((
      select jsonb_agg(
        case when s.scope_id is not null then jsonb_build_object(
          'end', s.end_char, 'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path, 'scope_id', s.scope_id,
          'sha256', s.scope_sha256, 'start', s.start_char
        ) end
        order by g.position
      )
      from jsonb_array_elements(case jsonb_typeof(p_record -> 'groups') when 'array' then p_record -> 'groups' end)
        with ordinality as g(item, position)
      left join patchdiff_store.observed_scopes as s
        on s.target_file_id = p_target
        and s.observation_sequence = o.observation_sequence
        and jsonb_typeof(g.item -> 'scope_id') = 'string'
        and s.scope_id = g.item ->> 'scope_id'
      where g.position <= o.scope_count + 1
    ), '[]'),
    'version', o.version
  )
  from patchdiff_store.scope_observations as o
  where o.target_file_id = p_target
  and o.bundle_id = case
    when jsonb_typeof(p_record -> 'bundle_id') = 'string'
      and p_record ->> 'bundle_id' ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z'
      then (p_record ->> 'bundle_id')::uuid
  end
$$;

comment on function patchdiff_store.observation_of(uuid, jsonb) is
  'What the record of a bundle keeps of the observation it names; null when it names none of the target.';
