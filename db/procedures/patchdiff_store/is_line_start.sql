-- Whether a line begins, or would begin, at a byte offset of a text: at its beginning and behind an LF.
create or replace function patchdiff_store.is_line_start (
  p_text bytea,
  p_at integer
)
  returns boolean
  language sql
  immutable
as $$
  select case when p_at = 0 then true else get_byte(p_text, p_at - 1) = 10 end
$$;

comment on function patchdiff_store.is_line_start(bytea, integer) is 'Whether a line begins at a byte offset of a text.';
