-- Which of the given writes, in order of writing, each line of a text comes from: its 1-based number, 0 for a line that
-- was there before them. Goes from the last write to the first and follows only lines not yet found: each keeps its bytes, so
-- that its place at any time is the sum of such lines and of the gaps between them. A Fenwick tree holds those sums:
-- (lines + writes) × log(lines). p_from, p_to and p_growth are what written_ranges answers.
create or replace function patchdiff_store.line_writers (
  p_text text,
  p_from integer[],
  p_to integer[],
  p_growth integer[]
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_length integer[];
  v_open integer;
  v_size integer;
  v_writer integer[];
  v_gap integer[];
  v_tree integer[];
  v_top integer := 1;
  v_slot integer;
  v_step integer;
  v_sum integer;
  v_value integer;
  v_at integer;
  v_bound integer;
  v_base integer;
  v_end integer;
  v_position integer;
  v_change integer;
begin
  v_length := array(
    select octet_length(u.line) + case when strpos(u.line, chr(10)) > 0 then -1 else 1 end
    from unnest(patchdiff_store.lines_of(p_text)) with ordinality as u(line, place)
    order by u.place
  );
  v_open := cardinality(v_length);
  v_size := v_open + 1;
  v_writer := array_fill(0, array[v_size]);
  -- Bytes before each line that are of no line looked for; of line and gap together the tree keeps the sums.
  v_gap := v_writer;
  v_tree := v_writer;
  -- Behind every text, so that there always is a line that follows.
  v_length[v_size] := 1000000000;
  while v_top * 2 <= v_size loop
    v_top := v_top * 2;
  end loop;

  for v_i in 1..v_size loop
    v_sum := v_tree[v_i] + v_length[v_i];
    v_tree[v_i] := v_sum;
    v_at := v_i + (v_i & -v_i);
    if v_at <= v_size then
      v_value := v_tree[v_at] + v_sum;
      v_tree[v_at] := v_value;
    end if;
  end loop;

  for v_i in reverse cardinality(p_from)..1 loop
    exit when v_open = 0;
    v_bound := p_from[v_i];
    v_base := null;
    loop
      -- The first line looked for that ends behind v_bound, and what lies before it and its gap.
      v_slot := 0;
      v_sum := 0;
      v_step := v_top;
      while v_step > 0 loop
        v_at := v_slot + v_step;
        if v_at <= v_size then
          v_value := v_sum + v_tree[v_at];
          if v_value <= v_bound then
            v_slot := v_at;
            v_sum := v_value;
          end if;
        end if;
        v_step := v_step / 2;
      end loop;

      v_slot := v_slot + 1;
      if v_base is null then
        v_base := v_sum;
        v_end := v_sum;
      end if;

      v_position := v_end + v_gap[v_slot];
      exit when v_slot = v_size or v_position >= p_to[v_i];
      v_writer[v_slot] := v_i;
      v_open := v_open - 1;
      v_end := v_position + v_length[v_slot];
      v_change := -v_gap[v_slot] - v_length[v_slot];
      v_at := v_slot;
      while v_at <= v_size loop
        v_value := v_tree[v_at] + v_change;
        v_tree[v_at] := v_value;
        v_at := v_at + (v_at & -v_at);
      end loop;

      -- Lines found weigh nothing any more, so the next one ends behind what lies before the first.
      v_bound := v_base;
    end loop;

    -- The first line behind the range: everything between it and the line before the range is now a gap.
    v_value := v_position - p_growth[v_i] - v_base;
    v_change := v_value - v_gap[v_slot];
    v_gap[v_slot] := v_value;
    v_at := v_slot;
    while v_at <= v_size loop
      v_value := v_tree[v_at] + v_change;
      v_tree[v_at] := v_value;
      v_at := v_at + (v_at & -v_at);
    end loop;
  end loop;

  return v_writer[1:v_size - 1];
end;
$$;

comment on function patchdiff_store.line_writers(text, integer[], integer[], integer[]) is
  'Which of the given writes each line of a text comes from; 0 for none of them.';
