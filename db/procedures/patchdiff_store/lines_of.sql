-- The lines of a text without their LF. A last line that has none keeps an LF as its mark, which no other line holds, so
-- that it equals no line that ends. An empty text has no lines.
create or replace function patchdiff_store.lines_of (
  p_text text
)
  returns text[]
  language plpgsql
  immutable
as $$
declare
  v_lines text[];
  v_count integer;
begin
  v_lines := string_to_array(p_text, chr(10));
  v_count := cardinality(v_lines);
  if v_count = 0 then
    return v_lines;
  elsif right(p_text, 1) = chr(10) then
    return trim_array(v_lines, 1);
  end if;

  return trim_array(v_lines, 1) || (v_lines[v_count] || chr(10));
end;
$$;

comment on function patchdiff_store.lines_of(text) is
  'The lines of a text without their LF; a last line without one is marked by one.';
