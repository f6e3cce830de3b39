-- JSON text with every \u0000 and lone surrogate escape replaced by a mark and the four digits, so that jsonb can read
-- the rest. p_marks: three characters that occur in the text neither as they are nor escaped (unused_marks).
-- The first mark stands in the result; in ASCII JSON made from it, replacing its escape by \u gives the original back.
create or replace function patchdiff_store.mark_unencodable (
  p_json text,
  p_marks text[]
)
  returns text
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_text text;
begin
  v_text := replace(p_json, '\\', p_marks[2]);
  v_text := regexp_replace(
    v_text,
    '\\(u[dD][89abAB][0-9a-fA-F]{2})\\(u[dD][c-fC-F][0-9a-fA-F]{2})',
    p_marks[3] || '\1' || p_marks[3] || '\2',
    'g'
  );
  v_text := regexp_replace(v_text, '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})', p_marks[1] || '\1', 'g');
  -- chr(92): the migration tool takes a quote after a backslash for part of the text.
  return replace(replace(v_text, p_marks[3], chr(92)), p_marks[2], '\\');
end;
$$;

comment on function patchdiff_store.mark_unencodable(text, text[]) is
  'JSON text in which escapes that PostgreSQL text cannot hold are replaced by a mark, reversibly.';
