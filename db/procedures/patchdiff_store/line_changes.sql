-- Which lines of two texts differ, ascending: bytes [old_from, old_to) and old_lines lines from the 0-based line old_line
-- of the one stand where new_… of the other do; at least one equal line stands between two. Only LF ends a line, and a last line without one
-- differs from the same line with it. Whole lines common to both beginnings, then to both ends, never differ; in between
-- matched_lines decides, within its bound.
create or replace function patchdiff_store.line_changes (
  p_old bytea,
  p_new bytea
)
  returns table (
    old_from integer,
    old_to integer,
    new_from integer,
    new_to integer,
    old_line integer,
    old_lines integer,
    new_line integer,
    new_lines integer
  )
  language plpgsql
  immutable
as $$
declare
  v_middle integer[] := patchdiff_store.differing_lines(p_old, p_new);
  v_old text[];
  v_new text[];
  v_kept integer[];
  v_old_count integer;
  v_new_count integer;
  v_first integer;
  v_old_at integer := 1;
  v_new_at integer := 1;
  v_next integer;
begin
  if v_middle[2] = v_middle[1] and v_middle[3] = v_middle[1] then
    return;
  end if;

  v_old := patchdiff_store.lines_of(convert_from(substring(p_old from v_middle[1] + 1 for v_middle[2] - v_middle[1]), 'UTF8'));
  v_new := patchdiff_store.lines_of(convert_from(substring(p_new from v_middle[1] + 1 for v_middle[3] - v_middle[1]), 'UTF8'));
  v_old_count := cardinality(v_old);
  v_new_count := cardinality(v_new);
  v_kept := patchdiff_store.matched_lines(v_old, v_new);
  v_first := cardinality(patchdiff_store.lines_of(convert_from(substring(p_old for v_middle[1]), 'UTF8')));
  old_to := v_middle[1];
  new_to := v_middle[1];

  while v_old_at <= v_old_count or v_new_at <= v_new_count loop
    v_next := case when v_old_at > v_old_count then v_new_count + 1 else v_kept[v_old_at] end;
    if v_next = v_new_at then
      old_to := old_to + octet_length(v_old[v_old_at]) + 1;
      new_to := new_to + octet_length(v_new[v_new_at]) + 1;
      v_old_at := v_old_at + 1;
      v_new_at := v_new_at + 1;
      continue;
    end if;

    old_from := old_to;
    new_from := new_to;
    old_line := v_first + v_old_at - 1;
    new_line := v_first + v_new_at - 1;
    while v_next = 0 loop
      old_to := old_to + octet_length(v_old[v_old_at]) + 1;
      v_old_at := v_old_at + 1;
      v_next := case when v_old_at > v_old_count then v_new_count + 1 else v_kept[v_old_at] end;
    end loop;

    while v_new_at < v_next loop
      new_to := new_to + octet_length(v_new[v_new_at]) + 1;
      v_new_at := v_new_at + 1;
    end loop;

    -- The mark of a last line without LF counts as one byte, and its LF as another.
    old_to := least(old_to, v_middle[2]);
    new_to := least(new_to, v_middle[3]);
    old_lines := v_first + v_old_at - 1 - old_line;
    new_lines := v_first + v_new_at - 1 - new_line;
    return next;
  end loop;
end;
$$;

comment on function patchdiff_store.line_changes(bytea, bytea) is
  'Which lines of two texts differ, ascending, with their bytes and line numbers.';
