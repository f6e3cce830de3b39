-- The canonical JSON of a record in the one shape an acceptance can have: the known top-level fields, both guard keys,
-- no null members below. p_items is the items' canonical JSON (read_operations), null for tx/3, whose one replacement
-- is p_replacement. A payload that equals it byte for byte has exactly these keys, these types, no duplicates, no 1e2.
-- Numbers are cut to 20 digits, so that nothing nested can slip through in their place.
create or replace function patchdiff_store.canonical_record (
  p_record jsonb,
  p_items text,
  p_replacement text
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{',
    case when p_record ->> 'format' = 'patchdiff-tx/1' then '"edits":' || p_items || ',' end,
    '"expected_current_hash":', coalesce(to_json(p_record ->> 'expected_current_hash')::text, 'null'),
    ',"expected_target_version":', coalesce(left(p_record ->> 'expected_target_version', 20), 'null'),
    ',"format":', to_json(p_record ->> 'format'),
    ',"intent":', to_json(p_record ->> 'intent'),
    case p_record ->> 'format'
      when 'patchdiff-tx/2' then ',"operations":' || p_items
      when 'patchdiff-tx/3' then ',"operations":[{"op":"replace_all","replace":'
    end,
    -- In pieces of its own: joined to something else it would be copied once more, and it may be the whole document.
    to_json(p_replacement),
    case p_record ->> 'format' when 'patchdiff-tx/3' then '}]' end,
    ',"target_file_id":', to_json(p_record ->> 'target_file_id'),
    '}'
  )
$$;

comment on function patchdiff_store.canonical_record(jsonb, text, text) is
  'Canonical JSON of a record in the one shape an acceptance can have, explicit null members excepted.';
