-- Whether the items of a record may be read as text: an array of at most 2,000 objects in a payload of at most 4 MiB,
-- whose members are strings, booleans, nulls and integers of the protocol. Anything else is a fault (decode_record
-- names it), and could be text of any length: 1e131071 is eight bytes of JSON and 131,072 digits.
create or replace function patchdiff_store.are_readable_items (
  p_payload text,
  p_items jsonb
)
  returns boolean
  language sql
  immutable
as $$
  select coalesce(
    octet_length(p_payload) <= 4194304
    and jsonb_typeof(p_items) = 'array'
    and jsonb_array_length(p_items) <= 2000
    and not jsonb_path_exists(
      p_items,
      'strict $[*].* ? (@.type() == "object" || @.type() == "array"
        || @.type() == "number" && (@ < 0 || @ > 9007199254740991 || @.floor() != @))',
      silent => true
    ),
    false
  )
$$;

comment on function patchdiff_store.are_readable_items(text, jsonb) is
  'Whether the items of a record are few, flat and hold no number that is longer as text.';
