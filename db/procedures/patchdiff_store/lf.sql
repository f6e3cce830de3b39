-- The canonical form of a text: CRLF and lone CR become LF. Text without CR comes back as it is.
create or replace function patchdiff_store.lf (
  p_text text
)
  returns text
  language sql
  immutable
as $$
  select case
    when strpos(p_text, E'\r') = 0 then p_text
    else replace(replace(p_text, E'\r\n', E'\n'), E'\r', E'\n')
  end
$$;

comment on function patchdiff_store.lf(text) is 'Canonical text: CRLF and lone CR become LF.';
