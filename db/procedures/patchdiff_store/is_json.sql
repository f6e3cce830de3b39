-- Whether a text is JSON by syntax alone (escapes of text that cannot be stored are allowed).
-- Null when it nests too deeply to tell.
create or replace function patchdiff_store.is_json (
  p_text text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  return p_text is json;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_text, 64) then
      return null;
    end if;

    -- Raises again: the caller has used the stack up.
    return p_text is json;
end;
$$;

comment on function patchdiff_store.is_json(text) is
  'Whether the text is JSON by syntax; null when it nests too deeply to tell.';
