-- Canonical JSON of what observation_of answers.
create or replace function patchdiff_store.observation_json (
  p_observation jsonb
)
  returns text
  language sql
  stable
as $$
  select case when p_observation is null then 'null' else patchdiff_store.canonical_object(
    p_observation,
    jsonb_build_object(
      'grammar', patchdiff_store.canonical_object(p_observation -> 'grammar'),
      'scopes', '[' || coalesce((
        select string_agg(
          case jsonb_typeof(s.scope) when 'object' then patchdiff_store.canonical_object(s.scope) else 'null' end,
          ',' order by s.position
        )
        from jsonb_array_elements(p_observation -> 'scopes') with ordinality as s(scope, position)
      ), '') || ']'
    )
  ) end
$$;

comment on function patchdiff_store.observation_json(jsonb) is 'Canonical JSON of what a bundle''s record keeps of its observation.';
