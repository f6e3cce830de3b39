-- Whether JSON text holds an escape that no PostgreSQL text can: \u0000 or half of a surrogate pair.
-- An escaped backslash is neutralised first, so that \\ud800 counts as the seven letters it is.
create or replace function patchdiff_store.holds_unencodable (
  p_json text
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  -- Three searches are far cheaper than one expression.
  if strpos(p_json, '\u0000') = 0 and strpos(p_json, '\ud') = 0 and strpos(p_json, '\uD') = 0 then
    return false;
  end if;

  v_text := replace(p_json, '\\', '..');
  v_text := regexp_replace(v_text, '\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}', '.', 'g');
  return v_text ~ '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})';
end;
$$;

comment on function patchdiff_store.holds_unencodable(text) is
  'Whether JSON text holds \u0000 or a lone surrogate escape.';
