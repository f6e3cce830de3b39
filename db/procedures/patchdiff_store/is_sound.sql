-- Whether a payload is, byte for byte, the canonical record of a submission that decodes, without explicit null members:
-- the hot path, in which decode_record has nothing to find. False whenever anything is unusual; never null. Types come
-- first: a number such as 1e131071 is short in JSON and long as text.
create or replace function patchdiff_store.is_sound (
  p_payload text,
  p_record jsonb,
  p_target uuid,
  p_items text,
  p_well_formed boolean,
  p_count integer,
  p_replacement text
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return coalesce(
    octet_length(p_payload) <= 4194304
    and jsonb_typeof(p_record -> 'target_file_id') = 'string'
    and p_record ->> 'target_file_id' ~ '\A[0-9a-fA-F-]{36}\Z'
    and lower(p_record ->> 'target_file_id') = p_target::text
    and (
      patchdiff_store.guard_version(p_record) is not null
      or (
        patchdiff_store.guard_hash(p_record) is not null
        and coalesce(p_record -> 'expected_target_version', 'null') = 'null'
      )
    )
    and (
      coalesce(p_record -> 'expected_current_hash', 'null') = 'null'
      or patchdiff_store.guard_hash(p_record) is not null
    )
    and jsonb_typeof(p_record -> 'intent') = 'string'
    and not patchdiff_store.is_blank(p_record ->> 'intent')
    and char_length(p_record ->> 'intent') <= 4096
    and case
      when p_replacement is null then coalesce(p_well_formed, false) and p_count <= 2000
      -- No text has more code points than bytes, and counting those of a large one is slow.
      else octet_length(p_replacement) <= 1000000
        or (octet_length(p_replacement) <= 1048576 and char_length(p_replacement) <= 1000000)
    end
    and patchdiff_store.canonical_record(p_record, p_items, p_replacement) = p_payload,
    false
  );
end;
$$;

comment on function patchdiff_store.is_sound(text, jsonb, uuid, text, boolean, integer, text) is
  'Whether a payload is the canonical record of a submission that decodes; false when in doubt.';
