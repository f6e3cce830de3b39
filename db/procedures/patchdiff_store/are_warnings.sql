-- Whether a caller's warnings have the shape of docs/spec/decoding.md. Null when none are given; codes of another kind
-- than the caller's two are of the right shape and simply do not count.
create or replace function patchdiff_store.are_warnings (
  p_warnings json
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_warnings is null then
    return null;
  end if;

  if json_typeof(p_warnings) <> 'array' or json_array_length(p_warnings) > 6000 or octet_length(p_warnings::text) > 1048576 then
    return false;
  end if;

  return (
    select coalesce(bool_and(
      json_typeof(w.warning) = 'object'
      and case json_typeof(w.warning) when 'object' then
        json_typeof(w.warning -> 'code') is not distinct from 'string'
        and coalesce(json_typeof(w.warning -> 'change_id'), 'null') in ('string', 'null')
      end
    ), true)
    from json_array_elements(p_warnings) as w(warning)
  );
exception
  -- Escapes of text that cannot be stored raise as soon as a member is read.
  when data_exception then
    return false;
end;
$$;

comment on function patchdiff_store.are_warnings(json) is 'Whether a caller''s warnings have the right shape.';
