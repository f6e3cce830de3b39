-- Whether a text that stands at byte p_start of a buffer occurs nowhere else between bytes p_low and p_high: not before
-- its last character and not after its first. strpos on text, because position() on bytea takes five times as long;
-- is_absent says why not for long texts, and is only called for those, because a call costs more than a short search.
create or replace function patchdiff_store.is_only_at (
  p_buffer bytea,
  p_text text,
  p_start integer,
  p_low integer,
  p_high integer
)
  returns boolean
  language sql
  stable
as $$
  select case
    when octet_length(p_text) <= 64 then
      strpos(convert_from(substring(
        p_buffer from p_low + 1 for p_start + octet_length(p_text) - octet_length(right(p_text, 1)) - p_low
      ), 'UTF8'), p_text) = 0
      and strpos(convert_from(substring(
        p_buffer from p_start + octet_length(left(p_text, 1)) + 1 for p_high - p_start - octet_length(left(p_text, 1))
      ), 'UTF8'), p_text) = 0
    else
      patchdiff_store.is_absent(convert_from(substring(
        p_buffer from p_low + 1 for p_start + octet_length(p_text) - octet_length(right(p_text, 1)) - p_low
      ), 'UTF8'), p_text)
      and patchdiff_store.is_absent(convert_from(substring(
        p_buffer from p_start + octet_length(left(p_text, 1)) + 1 for p_high - p_start - octet_length(left(p_text, 1))
      ), 'UTF8'), p_text)
  end
$$;

comment on function patchdiff_store.is_only_at(bytea, text, integer, integer, integer) is
  'Whether a text at a byte offset of a buffer occurs nowhere else between two others.';
