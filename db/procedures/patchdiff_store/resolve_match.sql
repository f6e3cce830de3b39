-- Where a match applies in a buffer, found without any claim: exactly one occurrence that the selectors leave. start is
-- its byte offset; else code says why there is none and evidence, count and point_chars explain it (count and
-- point_chars only for candidates). Selectors are conjunctive; the anchors come to one interval.
create or replace function patchdiff_store.resolve_match (
  p_buffer bytea,
  p_needle bytea,
  p_index bigint,
  p_anchor_before text,
  p_anchor_after text,
  out start integer,
  out code text,
  out evidence text,
  out count bigint,
  out point_chars integer
)
  language plpgsql
  immutable
as $$
declare
  v_bytes integer := octet_length(p_buffer);
  v_length integer := octet_length(p_needle);
  v_first integer;
  v_low integer := 0;
  v_last integer;
  v_anchor bytea;
  v_shown record;
begin
  v_first := patchdiff_store.next_occurrence(p_buffer, p_needle, 0, v_bytes);
  if v_first is null then
    code := 'match_absent';
    return;
  end if;

  v_last := v_bytes - v_length;
  if p_anchor_before is not null then
    v_anchor := convert_to(p_anchor_before, 'UTF8');
    v_low := patchdiff_store.next_occurrence(p_buffer, v_anchor, 0, v_bytes) + octet_length(v_anchor);
  end if;

  if p_anchor_after is not null then
    v_last := patchdiff_store.last_occurrence(p_buffer, convert_to(p_anchor_after, 'UTF8')) - v_length;
  end if;

  if v_low is not null and v_last is not null then
    if p_index is not null then
      start := patchdiff_store.nth_occurrence(p_buffer, p_needle, p_index);
      if start not between v_low and v_last then
        start := null;
      end if;
    else
      start := case when v_low <= v_first and v_first <= v_last then v_first
        else patchdiff_store.next_occurrence(p_buffer, p_needle, v_low, v_last) end;
      if patchdiff_store.next_occurrence(p_buffer, p_needle, start + 1, v_last) is not null then
        code := 'match_ambiguous';
      end if;
    end if;
  end if;

  if start is null then
    code := 'selector_excludes_all';
    v_shown := patchdiff_store.candidates_evidence(p_buffer, p_needle, 0, v_bytes);
  elsif code is not null then
    v_shown := patchdiff_store.candidates_evidence(p_buffer, p_needle, v_low, v_last);
    start := null;
  else
    return;
  end if;

  evidence := v_shown.evidence;
  count := v_shown.count;
  point_chars := v_shown.first_chars;
end;
$$;

comment on function patchdiff_store.resolve_match(bytea, bytea, bigint, text, text) is
  'The byte offset at which a match applies, or why it does not, with evidence.';
