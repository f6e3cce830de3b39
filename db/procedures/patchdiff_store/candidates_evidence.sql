-- The occurrences of a text whose start lies in p_from … p_to, as evidence: the first five, and their count up to 1,000.
-- JSON members with a comma in front, in the contract's order; numbers are code points, the index counts all occurrences.
create or replace function patchdiff_store.candidates_evidence (
  p_buffer bytea,
  p_needle bytea,
  p_from integer,
  p_to integer,
  out evidence text,
  out count bigint,
  out first_chars integer
)
  language plpgsql
  immutable
as $$
declare
  v_index bigint;
  v_at integer := p_from - 1;
  v_length integer := octet_length(p_needle);
  v_start integer;
  v_before text;
  v_shown text[] := '{}';
begin
  v_index := (patchdiff_store.scan_occurrences(p_buffer, p_needle, 0, p_from - 1, 2147483647)).hits;
  count := (patchdiff_store.scan_occurrences(p_buffer, p_needle, p_from, p_to, 1000)).hits;

  for v_position in 1..least(count, 5) loop
    v_at := patchdiff_store.next_occurrence(p_buffer, p_needle, v_at + 1, p_to);
    v_before := convert_from(substring(p_buffer from 1 for v_at), 'UTF8');
    v_start := char_length(v_before);
    first_chars := coalesce(first_chars, v_start);
    v_shown := v_shown || concat(
      '{"occurrence_index":', v_index + v_position,
      ',"start":', v_start,
      ',"end":', v_start + length(p_needle, 'UTF8'),
      ',"line":', 1 + octet_length(v_before) - octet_length(replace(v_before, E'\n', '')),
      ',"before":', to_json(right(v_before, 40)),
      ',"after":', to_json(left(convert_from(substring(p_buffer from v_at + v_length + 1), 'UTF8'), 40)),
      '}'
    );
  end loop;

  evidence := concat(
    ',"exact_candidates":[', array_to_string(v_shown, ','), '],"candidate_count":', count,
    case when count >= 1000 then ',"candidate_count_capped":true' end
  );
end;
$$;

comment on function patchdiff_store.candidates_evidence(bytea, bytea, integer, integer) is
  'The first five occurrences in a range and their count, as members of the diagnostic.';
