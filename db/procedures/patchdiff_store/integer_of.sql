-- The integer that a JSON value is, or null when it is none of p_least … 2^53-1. Booleans, strings and 5.0 are none.
create or replace function patchdiff_store.integer_of (
  p_value jsonb,
  p_least bigint
)
  returns bigint
  language sql
  immutable
as $$
  select case
    when jsonb_typeof(p_value) = 'number' and p_value::text ~ '\A(0|[1-9][0-9]{0,15})\Z'
      then case when p_value::text::bigint between p_least and 9007199254740991 then p_value::text::bigint end
  end
$$;

comment on function patchdiff_store.integer_of(jsonb, bigint) is
  'The integer a JSON value is, between the given least value and 9007199254740991; else null.';
