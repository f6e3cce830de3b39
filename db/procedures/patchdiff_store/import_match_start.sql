-- Where a recorded match applied in a buffer under its profile: start is its byte offset, else code says why there is none.
-- overlapping: every occurrence counts, else they are counted left to right without overlap. Where selectors do not
-- bind a single match, a text that occurs once is the place whatever they say.
create or replace function patchdiff_store.import_match_start (
  p_buffer bytea,
  p_needle bytea,
  p_index bigint,
  p_anchor_before text,
  p_anchor_after text,
  p_overlapping boolean,
  p_selectors_on_single boolean,
  out start integer,
  out code text
)
  language plpgsql
  immutable
as $$
declare
  v_bytes integer := octet_length(p_buffer);
  v_length integer := octet_length(p_needle);
  v_at integer := patchdiff_store.next_occurrence(p_buffer, p_needle, 0, v_bytes);
  v_number bigint := 0;
  v_anchor bytea;
  v_low integer := 0;
  v_last integer := v_bytes - v_length;
begin
  if v_at is null then
    code := 'match_absent';
    return;
  end if;

  if not p_selectors_on_single
    and patchdiff_store.next_occurrence(
      p_buffer, p_needle, v_at + case when p_overlapping then 1 else v_length end, v_bytes) is null
  then
    start := v_at;
    return;
  end if;

  if p_overlapping then
    select r.start, r.code
    into start, code
    from patchdiff_store.resolve_match(p_buffer, p_needle, p_index, p_anchor_before, p_anchor_after) as r;
    return;
  end if;

  if p_anchor_before is not null then
    v_anchor := convert_to(p_anchor_before, 'UTF8');
    v_low := patchdiff_store.next_occurrence(p_buffer, v_anchor, 0, v_bytes) + octet_length(v_anchor);
  end if;

  if p_anchor_after is not null then
    v_last := patchdiff_store.last_occurrence(p_buffer, convert_to(p_anchor_after, 'UTF8')) - v_length;
  end if;

  while v_at <= v_last and (p_index is null or v_number < p_index) and code is null loop
    v_number := v_number + 1;
    if v_at >= v_low and (p_index is null or v_number = p_index) then
      code := case when start is not null then 'match_ambiguous' end;
      start := v_at;
    end if;

    v_at := patchdiff_store.next_occurrence(p_buffer, p_needle, v_at + v_length, v_bytes);
  end loop;

  if code is not null then
    start := null;
  elsif start is null then
    code := 'selector_excludes_all';
  end if;
end;
$$;

comment on function patchdiff_store.import_match_start(bytea, bytea, bigint, text, text, boolean, boolean) is
  'The byte offset at which a recorded match applied under its profile, or why it does not.';
