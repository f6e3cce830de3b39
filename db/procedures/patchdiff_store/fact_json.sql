-- One accepted change as it stands in a receipt: compact JSON, members in the contract's order. Inlines.
create or replace function patchdiff_store.fact_json (
  p_ordinal integer,
  p_change_id text,
  p_operation text,
  p_span_start integer,
  p_span_end integer,
  p_matched_chars integer,
  p_replacement_chars integer,
  p_matched_sha256 text,
  p_replacement_sha256 text
)
  returns text
  language sql
  immutable
as $$
  select concat(
    '{"ordinal":', p_ordinal,
    ',"change_id":', to_json(p_change_id),
    ',"operation":"', p_operation,
    '","span_start":', p_span_start,
    ',"span_end":', p_span_end,
    ',"matched_chars":', p_matched_chars,
    ',"replacement_chars":', p_replacement_chars,
    ',"matched_sha256":"', p_matched_sha256,
    '","replacement_sha256":"', p_replacement_sha256,
    '"}'
  )
$$;

comment on function patchdiff_store.fact_json(integer, text, text, integer, integer, integer, integer, text, text) is
  'One accepted change with its facts, as JSON text.';
