-- The byte offset of the p_nth occurrence of a needle (overlapping ones count, the first is 1), or null.
-- A number beyond every possible occurrence is answered without a search.
create or replace function patchdiff_store.nth_occurrence (
  p_hay bytea,
  p_needle bytea,
  p_nth bigint
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_scan record;
begin
  if p_nth > octet_length(p_hay) - octet_length(p_needle) + 1 then
    return null;
  end if;

  v_scan := patchdiff_store.scan_occurrences(p_hay, p_needle, 0, octet_length(p_hay), p_nth);
  return case when v_scan.hits = p_nth then v_scan.last end;
end;
$$;

comment on function patchdiff_store.nth_occurrence(bytea, bytea, bigint) is
  'Byte offset of the n-th occurrence, overlapping ones included, or null.';
