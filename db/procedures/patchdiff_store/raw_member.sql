-- A member of a JSON object as the ASCII JSON text in which it was written, cut to 1,024 characters; null when the
-- object does not have it or nests too deeply to be read. For members that do not fit their column.
create or replace function patchdiff_store.raw_member (
  p_json text,
  p_name text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_value text;
begin
  -- Cut first: every two characters of marked text give at least one of the answer.
  v_value := left((patchdiff_store.mark_unencodable(p_json)::json -> p_name)::text, 2048);
  v_value := replace(replace(v_value, U&'\E000u', '\u'), U&'\E000e', U&'\E000');
  return left(patchdiff_store.ascii_json(v_value), 1024);
exception
  when statement_too_complex then
    return null;
end;
$$;

comment on function patchdiff_store.raw_member(text, text) is
  'A member of a JSON object as ASCII JSON text of at most 1024 characters.';
