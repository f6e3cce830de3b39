-- What is stored of a bundle: its record with the observation among its members, in canonical order. A payload whose own members do
-- not stand in canonical order, or that has a member observation already, is stored as it was sent: it is never accepted.
create or replace function patchdiff_store.bundle_payload (
  p_payload text,
  p_observation jsonb
)
  returns text
  language sql
  stable
as $$
  select case
    when m.sent = p_payload and not m.is_taken then m.stored
    else p_payload
  end
  from (
    select
      '{' || string_agg(e.text, ',' order by e.key collate "C") filter (where e.is_sent) || '}' as sent,
      '{' || string_agg(e.text, ',' order by e.key collate "C") || '}' as stored,
      bool_or(e.is_sent and e.key = 'observation') as is_taken
    from (
      select j.key, to_json(j.key)::text || ':' || j.value::text as text, true as is_sent
      from json_each(p_payload::json) as j(key, value)
      union all
      select 'observation', '"observation":' || patchdiff_store.observation_json(p_observation), false
    ) as e
  ) as m
$$;

comment on function patchdiff_store.bundle_payload(text, jsonb) is 'What is stored of a bundle: its record with its observation.';
