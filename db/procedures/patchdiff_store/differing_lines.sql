-- What is left of two texts between the whole lines that they have in common, first at their beginnings, then at their
-- ends: {head, old_tail, new_tail} in bytes; [head, old_tail) of the one stands where [head, new_tail) of the
-- other does. Equal texts leave nothing. A line ends with its LF; a last line without one differs from the same line with it.
create or replace function patchdiff_store.differing_lines (
  p_old bytea,
  p_new bytea
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_old_tail integer := octet_length(p_old);
  v_new_tail integer := octet_length(p_new);
  v_head integer;
  v_same integer;
begin
  if p_old = p_new then
    return array[v_old_tail, v_old_tail, v_old_tail];
  end if;

  v_head := patchdiff_store.line_start(p_old, patchdiff_store.common_prefix(p_old, p_new));
  v_same := patchdiff_store.common_suffix(p_old, p_new, least(v_old_tail, v_new_tail) - v_head);
  v_old_tail := v_old_tail - v_same;
  v_new_tail := v_new_tail - v_same;
  if patchdiff_store.is_line_start(p_old, v_old_tail) and patchdiff_store.is_line_start(p_new, v_new_tail) then
    return array[v_head, v_old_tail, v_new_tail];
  end if;

  -- The first line of the common end is cut: without an LF that is all of it.
  v_same := coalesce(nullif(position('\x0a'::bytea in substring(p_old from v_old_tail + 1)), 0), v_same);
  return array[v_head, v_old_tail + v_same, v_new_tail + v_same];
end;
$$;

comment on function patchdiff_store.differing_lines(bytea, bytea) is
  'What is left of two texts between the whole lines they have in common at both ends.';
