-- Whether JSON text nests deeper than a number of levels (an outermost object is level 1). Iterative: strings are cut
-- out, then one level of brackets at a time, innermost first.
create or replace function patchdiff_store.nests_beyond (
  p_json text,
  p_levels integer
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_brackets text;
begin
  v_brackets := replace(replace(p_json, '\\', ''), '\"', '');
  v_brackets := regexp_replace(v_brackets, '"[^"]*"', '', 'g');
  v_brackets := translate(regexp_replace(v_brackets, '[^][{}]+', '', 'g'), '{}', '[]');

  for v_level in 1..p_levels loop
    exit when v_brackets = '';
    v_brackets := replace(v_brackets, '[]', '');
  end loop;

  return v_brackets <> '';
end;
$$;

comment on function patchdiff_store.nests_beyond(text, integer) is
  'Whether JSON text nests deeper than the given number of levels.';
