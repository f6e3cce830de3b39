-- Canonical JSON of one flat object: keys by code point, no spaces; nested values must be given in p_nested, by key,
-- as canonical JSON. Null when a nested value is not given.
create or replace function patchdiff_store.canonical_object (
  p_object jsonb,
  p_nested jsonb default '{}'
)
  returns text
  language sql
  stable
as $$
  select case
    when bool_and(v.member is not null) then '{' || string_agg(v.member, ',' order by e.key collate "C") || '}'
  end
  from jsonb_each(p_object) as e(key, value)
  cross join lateral (
    select to_json(e.key)::text || ':' || case jsonb_typeof(e.value)
      when 'string' then to_json(e.value #>> '{}')::text
      when 'object' then p_nested ->> e.key
      when 'array' then p_nested ->> e.key
      else e.value::text
    end as member
  ) as v
$$;

comment on function patchdiff_store.canonical_object(jsonb, jsonb) is
  'Canonical JSON of a flat object; nested values are given as canonical JSON by key.';
