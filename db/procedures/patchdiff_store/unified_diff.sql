-- The unified diff that makes p_new of p_old, three lines of context around each change; empty when they are equal. Both names
-- go into the header as they are. Applies byte for byte, a missing last LF included.
create or replace function patchdiff_store.unified_diff (
  p_old text,
  p_new text,
  p_old_name text,
  p_new_name text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_old text[] := patchdiff_store.lines_of(p_old);
  v_new text[] := patchdiff_store.lines_of(p_new);
  v_old_count integer := cardinality(v_old);
  v_hunk record;
  v_out text[] := '{}';
  v_count integer := 0;
  v_at integer;
  v_to integer;
begin
  for v_hunk in
    select
      greatest(0, min(c.old_line) - 3) as old_first,
      min(c.new_line) - min(c.old_line) as shift,
      least(v_old_count, max(c.old_line + c.old_lines) + 3) as old_end,
      max(c.new_line + c.new_lines) - max(c.old_line + c.old_lines) as end_shift,
      array_agg(c.old_line order by c.old_line) as old_lines,
      array_agg(c.old_line + c.old_lines order by c.old_line) as old_ends,
      array_agg(c.new_line order by c.old_line) as new_lines,
      array_agg(c.new_line + c.new_lines order by c.old_line) as new_ends
    from (
      select g.*, count(*) filter (where g.gap > 6) over (order by g.old_line) as hunk
      from (
        select d.*, d.old_line - lag(d.old_line + d.old_lines) over (order by d.old_line) as gap
        from patchdiff_store.line_changes(convert_to(p_old, 'UTF8'), convert_to(p_new, 'UTF8')) as d
      ) as g
    ) as c
    group by c.hunk
    order by c.hunk
  loop
    v_count := v_count + 1;
    v_out[v_count] := format(
      '@@ -%s,%s +%s,%s @@',
      v_hunk.old_first + (v_hunk.old_end > v_hunk.old_first)::integer,
      v_hunk.old_end - v_hunk.old_first,
      v_hunk.old_first + v_hunk.shift + (v_hunk.old_end + v_hunk.end_shift > v_hunk.old_first + v_hunk.shift)::integer,
      v_hunk.old_end + v_hunk.end_shift - v_hunk.old_first - v_hunk.shift
    ) || chr(10);
    v_at := v_hunk.old_first;
    for v_change in 1..cardinality(v_hunk.old_lines) + 1 loop
      -- Context up to the change, or, behind the last one, to the end of the hunk.
      v_to := coalesce(v_hunk.old_lines[v_change], v_hunk.old_end);
      for v_line in v_at + 1..v_to loop
        v_count := v_count + 1;
        v_out[v_count] := ' ' || v_old[v_line] || chr(10);
      end loop;

      exit when v_change > cardinality(v_hunk.old_lines);

      for v_line in v_to + 1..v_hunk.old_ends[v_change] loop
        v_count := v_count + 1;
        v_out[v_count] := '-' || v_old[v_line] || chr(10);
      end loop;

      for v_line in v_hunk.new_lines[v_change] + 1..v_hunk.new_ends[v_change] loop
        v_count := v_count + 1;
        v_out[v_count] := '+' || v_new[v_line] || chr(10);
      end loop;

      v_at := v_hunk.old_ends[v_change];
    end loop;
  end loop;

  if v_count = 0 then
    return '';
  end if;
  return concat(
    '--- ', p_old_name, chr(10), '+++ ', p_new_name, chr(10),
    -- Only the mark of a last line without LF leaves an empty line.
    replace(array_to_string(v_out, ''), repeat(chr(10), 2), chr(10) || chr(92) || ' No newline at end of file' || chr(10))
  );
end;
$$;

comment on function patchdiff_store.unified_diff(text, text, text, text) is
  'The unified diff that makes one text of another, with three lines of context.';
