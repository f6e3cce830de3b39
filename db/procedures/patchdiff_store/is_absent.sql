-- Whether a text does not occur in another. strpos on text is several times faster than position() on bytea, but
-- quadratic on periodic text and not to be interrupted, so it never gets more than 64 bytes: a longer needle is probed
-- by its last 24 code points and only then searched for in windows.
create or replace function patchdiff_store.is_absent (
  p_hay text,
  p_needle text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if octet_length(p_needle) <= 64 then
    return strpos(p_hay, p_needle) = 0;
  end if;

  return strpos(p_hay, right(p_needle, 24)) = 0
    or patchdiff_store.next_occurrence(convert_to(p_hay, 'UTF8'), convert_to(p_needle, 'UTF8'), 0, 2147483647) is null;
end;
$$;

comment on function patchdiff_store.is_absent(text, text) is 'Whether a text does not occur in another.';
