-- Whether a text is a JSON object by syntax alone (escapes of text that cannot be stored are allowed).
-- Null when it nests too deeply to tell.
create or replace function patchdiff_store.is_json_object (
  p_text text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  return p_text is json object;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_text, 64) then
      return null;
    end if;

    -- Raises again: the caller has used the stack up.
    return p_text is json object;
end;
$$;

comment on function patchdiff_store.is_json_object(text) is
  'Whether the text is a JSON object by syntax; null when it nests too deeply to tell.';
