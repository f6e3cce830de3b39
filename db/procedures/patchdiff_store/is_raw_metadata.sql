-- Whether p_raw_metadata holds only what it is for: ASCII JSON text of the four invocation values where they do not fit
-- their typed parameters, none that is given twice, and of a correlation id that holds unencodable text. Null when it is
-- null.
create or replace function patchdiff_store.is_raw_metadata (
  p_raw_metadata jsonb,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_raw_metadata is null then
    return null;
  end if;

  if jsonb_typeof(p_raw_metadata) <> 'object'
    or (p_raw_metadata ? 'client_request_id' and p_client_request_id is not null)
    or (p_raw_metadata ? 'parent_pdcp_log_id' and p_parent is not null)
    or (p_raw_metadata ? 'attempt' and p_attempt is not null)
    or (p_raw_metadata ? 'source' and p_source is not null)
  then
    return false;
  end if;

  return (
    select coalesce(bool_and(
      m.name in ('client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id')
      and jsonb_typeof(m.value) = 'string'
      and octet_length(m.value #>> '{}') = char_length(m.value #>> '{}')
      and patchdiff_store.is_json(m.value #>> '{}') is not false
      and not patchdiff_store.fits_parameter(m.name, patchdiff_store.payload_json(m.value #>> '{}'))
    ), true)
    from jsonb_each(p_raw_metadata) as m(name, value)
  );
end;
$$;

comment on function patchdiff_store.is_raw_metadata(jsonb, text, text, integer, text) is
  'Whether the raw metadata of a call holds only values that do not fit their typed parameters.';
