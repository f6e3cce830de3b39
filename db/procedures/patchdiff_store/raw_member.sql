-- A member of a JSON object as the ASCII JSON text in which it was written, cut to 1,024 characters; null when the
-- object does not have it or nests too deeply to be read. For members that do not fit their column.
create or replace function patchdiff_store.raw_member (
  p_json text,
  p_name text
)
  returns text
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_marks text[] := patchdiff_store.unused_marks(p_json);
  v_value text;
begin
  v_value := patchdiff_store.mark_unencodable(p_json, v_marks)::json -> p_name;
  return left(replace(patchdiff_store.ascii_json(v_value), patchdiff_store.ascii_json(v_marks[1]), '\u'), 1024);
exception
  when statement_too_complex then
    return null;
end;
$$;

comment on function patchdiff_store.raw_member(text, text) is
  'A member of a JSON object as ASCII JSON text of at most 1024 characters.';
