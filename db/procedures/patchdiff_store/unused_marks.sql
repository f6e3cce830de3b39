-- Three private-use characters that a JSON text holds neither as they are nor as escapes, lowest first.
-- There are 6,400 of them in one plane, and a text is searched for one after the other until three are free.
create or replace function patchdiff_store.unused_marks (
  p_json text
)
  returns text[]
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_lower text := lower(p_json);
  v_marks text[] := '{}';
begin
  for v_code in 57344..63743 loop
    if strpos(p_json, chr(v_code)) = 0 and strpos(v_lower, '\u' || to_hex(v_code)) = 0 then
      v_marks := v_marks || chr(v_code);
      exit when cardinality(v_marks) = 3;
    end if;
  end loop;

  return case when cardinality(v_marks) = 3 then v_marks end;
end;
$$;

comment on function patchdiff_store.unused_marks(text) is
  'Three private-use characters that the JSON text holds neither raw nor escaped; null when there are none.';
