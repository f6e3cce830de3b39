-- The canonical JSON of one flat item of a record, null members left out: its known members by name. Equality with the
-- payload's own text proves types, key order and the absence of other keys. Numbers are cut to 20 digits, so that nothing
-- nested slips through in their place.
create or replace function patchdiff_store.canonical_item (
  p_item jsonb
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{',
    '"anchor_after":' || to_json(p_item ->> 'anchor_after')::text || ',',
    '"anchor_before":' || to_json(p_item ->> 'anchor_before')::text || ',',
    '"change_id":' || to_json(p_item ->> 'change_id')::text || ',',
    '"end":' || left(p_item ->> 'end', 20) || ',',
    '"expected_after":' || to_json(p_item ->> 'expected_after')::text || ',',
    '"expected_before":' || to_json(p_item ->> 'expected_before')::text || ',',
    '"expected_text":' || to_json(p_item ->> 'expected_text')::text || ',',
    '"match":' || to_json(p_item ->> 'match')::text || ',',
    '"occurrence_index":' || left(p_item ->> 'occurrence_index', 20) || ',',
    '"op":' || to_json(p_item ->> 'op')::text || ',',
    '"rationale":' || to_json(p_item ->> 'rationale')::text || ',',
    '"replace":' || to_json(p_item ->> 'replace')::text,
    ',"risk":' || to_json(p_item ->> 'risk')::text,
    ',"start":' || left(p_item ->> 'start', 20),
    '}'
  )
$$;

comment on function patchdiff_store.canonical_item(jsonb) is
  'The canonical JSON of one flat item of a record, null members left out.';
