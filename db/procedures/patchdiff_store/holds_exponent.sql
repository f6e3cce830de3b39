-- Whether JSON text writes a number with an exponent. jsonb reads 1e0 as 1, and no record writes an integer so.
create or replace function patchdiff_store.holds_exponent (
  p_json text
)
  returns boolean
  language sql
  immutable
as $$
  -- Strings are taken out only where the cheap look finds something.
  select p_json ~ '[0-9][eE]' and regexp_replace(p_json, '"([^"\\]|\\.)*"', '', 'g') ~ '[0-9][eE]'
$$;

comment on function patchdiff_store.holds_exponent(text) is
  'Whether JSON text writes a number with an exponent.';
