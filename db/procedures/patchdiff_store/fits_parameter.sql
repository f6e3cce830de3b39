-- Whether a value of the raw metadata would have fitted the typed parameter of its name: null (which is absent), an
-- integer of the type for attempt, text of at most 8,192 bytes for the others. p_value is null when jsonb cannot hold
-- the value: unencodable text, a number beyond numeric, nesting beyond the stack. None of these fits. Nor do the two
-- strings that stand for numbers that are not finite. A correlation id has no parameter: whatever can be held fits.
create or replace function patchdiff_store.fits_parameter (
  p_name text,
  p_value jsonb
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_name = 'correlation_id' then
    return p_value is not null;
  end if;

  return case coalesce(jsonb_typeof(p_value), 'none')
    when 'null' then true
    when 'number' then p_name = 'attempt'
      and p_value::numeric between -2147483648 and 2147483647
      and p_value::numeric = trunc(p_value::numeric)
    when 'string' then p_name <> 'attempt'
      and p_value not in ('"Infinity"', '"-Infinity"')
      and octet_length(p_value #>> '{}') <= 8192
    else false
  end;
end;
$$;

comment on function patchdiff_store.fits_parameter(text, jsonb) is
  'Whether a value of the raw metadata fits the typed parameter of its name.';
