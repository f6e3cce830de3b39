-- The record of a direct call as canonical JSON: byte for byte what prepareSubmission builds from the same arguments. What is null
-- is left out, as a tool's caller leaves it out; the two guard keys are always there. p_edits and p_operations are the
-- canonical JSON of the format's container; the other is null.
create or replace function patchdiff_store.direct_record (
  p_format text,
  p_target uuid,
  p_intent text,
  p_expected_target_version bigint,
  p_expected_current_hash text,
  p_edits text,
  p_operations text
)
  returns text
  language sql
  immutable
as $$
  select concat(
    '{',
    '"edits":' || p_edits || ',',
    '"expected_current_hash":', coalesce(to_json(p_expected_current_hash)::text, 'null'),
    ',"expected_target_version":', coalesce(
      patchdiff_store.number_json('p_expected_target_version', p_expected_target_version::text), 'null'),
    ',"format":"', p_format, '"',
    ',"intent":' || to_json(p_intent)::text,
    ',"operations":' || p_operations,
    ',"target_file_id":"', p_target, '"}'
  )
$$;

comment on function patchdiff_store.direct_record(text, uuid, text, bigint, text, text, text) is
  'The record of a direct call as canonical JSON.';
