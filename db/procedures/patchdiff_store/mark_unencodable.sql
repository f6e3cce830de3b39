-- JSON text in which every \u0000 and lone surrogate escape is replaced by U+E000, u and its four digits, so that jsonb
-- can read the rest. U+E000 itself becomes U+E000, e: nothing has to be searched for a free mark, so it is linear, and
-- raw_member can turn it back. Two control characters, which JSON never holds as they are, stand in between
-- for an escaped backslash and for the backslashes of a whole pair.
create or replace function patchdiff_store.mark_unencodable (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  v_text := replace(replace(p_json, U&'\E000', U&'\E000e'), '\\', E'\x01');
  v_text := regexp_replace(
    v_text,
    '\\(u[dD][89abAB][0-9a-fA-F]{2})\\(u[dD][c-fC-F][0-9a-fA-F]{2})',
    E'\x02\\1\x02\\2',
    'g'
  );
  v_text := regexp_replace(v_text, '\\(u(0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', U&'\E000\\1', 'g');
  -- chr(92): the migration tool takes a quote after a backslash for part of the text.
  return replace(replace(v_text, E'\x02', chr(92)), E'\x01', '\\');
end;
$$;

comment on function patchdiff_store.mark_unencodable(text) is
  'JSON text in which escapes that PostgreSQL text cannot hold are marked, reversibly.';
