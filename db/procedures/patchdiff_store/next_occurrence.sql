-- The byte offset of the first occurrence of a needle whose start lies in p_from … p_to, or null. UTF-8 is
-- self-synchronising, so an occurrence in bytes is one in code points. Windows grow from a kilobyte to a megabyte:
-- position() cannot be interrupted, so no one call may take long. Long needles go by next_long_occurrence.
create or replace function patchdiff_store.next_occurrence (
  p_hay bytea,
  p_needle bytea,
  p_from integer,
  p_to integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_length integer := octet_length(p_needle);
  v_to integer := least(p_to, octet_length(p_hay) - v_length);
  v_from integer := greatest(p_from, 0);
  v_window integer := 1024;
  v_at integer;
begin
  if v_length > 512 then
    return patchdiff_store.next_long_occurrence(p_hay, p_needle, v_from, v_to);
  end if;

  while v_from <= v_to loop
    v_window := least(v_window, v_to - v_from + 1);
    v_at := position(p_needle in substring(p_hay from v_from + 1 for v_window - 1 + v_length));
    if v_at > 0 then
      return v_from + v_at - 1;
    end if;

    v_from := v_from + v_window;
    v_window := least(v_window * 4, 1048576);
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.next_occurrence(bytea, bytea, integer, integer) is
  'Byte offset of the first occurrence whose start lies between two offsets, or null.';
