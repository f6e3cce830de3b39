-- Counts the occurrences of a needle (overlapping ones too) whose start lies in p_from … p_to, and stops at p_limit.
-- hits is the count, last the byte offset of the last one counted. Where equal distances repeat, the text is
-- periodic and the whole run is counted at once, so 'aaaa…' costs no more than other text.
create or replace function patchdiff_store.scan_occurrences (
  p_hay bytea,
  p_needle bytea,
  p_from integer,
  p_to integer,
  p_limit bigint,
  out hits bigint,
  out last integer
)
  language plpgsql
  immutable
as $$
declare
  v_length integer := octet_length(p_needle);
  v_to integer := least(p_to, octet_length(p_hay) - v_length);
  v_from integer;
  v_near integer;
  v_next integer;
  v_distance integer;
  v_before integer;
  v_more bigint;
begin
  hits := 0;
  while hits < p_limit loop
    -- The next one is mostly near: a small piece is looked at before a search in windows is called.
    v_from := greatest(coalesce(last + 1, p_from), 0);
    exit when v_from > v_to;
    v_near := least(256, v_to - v_from + 1);
    v_next := v_from - 1
      + nullif(position(p_needle in substring(p_hay from v_from + 1 for v_near - 1 + v_length)), 0);
    v_next := coalesce(v_next, patchdiff_store.next_occurrence(p_hay, p_needle, v_from + v_near, v_to));
    exit when v_next is null;
    v_before := v_distance;
    v_distance := v_next - last;
    hits := hits + 1;
    last := v_next;

    -- The run is measured from the occurrence before: only then can none hide between two steps.
    if v_distance = v_before then
      v_more := least(
        (patchdiff_store.common_run(p_hay, last - v_distance, v_distance) - v_length) / v_distance,
        (v_to - last) / v_distance,
        p_limit - hits
      );
      if v_more > 0 then
        hits := hits + v_more;
        last := last + (v_more * v_distance)::integer;
      end if;
    end if;
  end loop;
end;
$$;

comment on function patchdiff_store.scan_occurrences(bytea, bytea, integer, integer, bigint) is
  'Counts overlapping occurrences between two offsets up to a limit, and tells where the last one counted starts.';
