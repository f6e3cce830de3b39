-- The byte offset of the last occurrence of a needle (overlapping ones count), or null. Windows grow from the end;
-- inside the first that holds one, halving finds the last.
create or replace function patchdiff_store.last_occurrence (
  p_hay bytea,
  p_needle bytea
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_to integer := octet_length(p_hay) - octet_length(p_needle);
  v_window integer := 4096;
  v_found integer;
  v_middle integer;
  v_later integer;
begin
  while v_to >= 0 loop
    v_found := patchdiff_store.next_occurrence(p_hay, p_needle, v_to - v_window + 1, v_to);
    exit when v_found is not null;
    v_to := v_to - v_window;
    v_window := least(v_window * 4, 1048576);
  end loop;

  while v_found < v_to loop
    v_middle := v_found + (v_to - v_found + 1) / 2;
    v_later := patchdiff_store.next_occurrence(p_hay, p_needle, v_middle, v_to);
    if v_later is null then
      v_to := v_middle - 1;
    else
      v_found := v_later;
    end if;
  end loop;

  return v_found;
end;
$$;

comment on function patchdiff_store.last_occurrence(bytea, bytea) is
  'Byte offset of the last occurrence, overlapping ones included, or null.';
