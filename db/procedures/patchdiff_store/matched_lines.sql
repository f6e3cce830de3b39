-- Which lines of one list stand in another: for each line of p_old the place in p_new that it keeps, 0 for none;
-- ascending. The longest common subsequence, as the longest ascending run through all pairs of equal lines (Hunt and
-- Szymanski). Each pair costs work, and repeated lines make many: at most 16 pairs for each line of both lists, at
-- least 4,096 and at most 2^19 in all, are looked at, those of the lines with the fewest pairs first. Lines left out by that
-- bound are kept only where, in p_new, they stand beside a kept line or an end. Of lists beyond 2^20 lines nothing is kept.
-- Deterministic, and linear but for sorting.
create or replace function patchdiff_store.matched_lines (
  p_old text[],
  p_new text[]
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_old text[] := p_old;
  v_new text[] := p_new;
  v_old_count integer := cardinality(p_old);
  v_new_count integer := cardinality(p_new);
  v_budget bigint := least(greatest(16::bigint * (v_old_count + v_new_count), 4096), 524288);
  v_line record;
  v_place integer;
  v_length integer := 0;
  v_low integer;
  v_high integer;
  v_middle integer;
  -- Of the best run of each length: the place it ends at, and its last pair.
  v_end integer[] := '{}';
  v_last integer[] := '{}';
  -- Pairs: both places and the pair before in the run.
  v_pairs integer := 0;
  v_pair_old integer[] := '{}';
  v_pair_new integer[] := '{}';
  v_pair_before integer[] := '{}';
  v_kept integer[] := array_fill(0, array[v_old_count]);
  v_taken boolean[] := array_fill(false, array[v_new_count]);
begin
  if greatest(v_old_count, v_new_count) > 1048576 then
    return v_kept;
  end if;

  for v_line in
    select o.place, k.new_places
    from (
      select c.old_places, c.new_places, c.pairs, sum(c.pairs) over (order by c.pairs, c.line) as total
      from (
        select
          i.line,
          array_agg(i.place order by i.place) filter (where i.side = 0) as old_places,
          array_agg(i.place order by i.place desc) filter (where i.side = 1) as new_places,
          count(*) filter (where i.side = 0) * count(*) filter (where i.side = 1) as pairs
        from (
          select 0 as side, u.place::integer as place, u.line collate "C" as line
          from unnest(v_old) with ordinality as u(line, place)
          union all
          select 1, u.place::integer, u.line collate "C"
          from unnest(v_new) with ordinality as u(line, place)
        ) as i
        group by i.line
      ) as c
      where c.pairs > 0
    ) as k
    cross join lateral unnest(k.old_places) as o(place)
    where k.total <= v_budget
    order by o.place
  loop
    foreach v_place in array v_line.new_places loop
      -- The shortest run that ends at this place or behind it.
      v_low := 1;
      v_high := v_length + 1;
      while v_low < v_high loop
        v_middle := (v_low + v_high) / 2;
        if v_end[v_middle] < v_place then
          v_low := v_middle + 1;
        else
          v_high := v_middle;
        end if;
      end loop;

      if v_low > v_length then
        v_length := v_low;
      elsif v_end[v_low] = v_place then
        continue;
      end if;

      v_middle := case when v_low > 1 then v_last[v_low - 1] else 0 end;
      v_pairs := v_pairs + 1;
      v_pair_old[v_pairs] := v_line.place;
      v_pair_new[v_pairs] := v_place;
      v_pair_before[v_pairs] := v_middle;
      v_end[v_low] := v_place;
      v_last[v_low] := v_pairs;
    end loop;
  end loop;

  v_low := case when v_length > 0 then v_last[v_length] else 0 end;
  while v_low > 0 loop
    v_middle := v_pair_old[v_low];
    v_place := v_pair_new[v_low];
    v_kept[v_middle] := v_place;
    v_taken[v_place] := true;
    v_low := v_pair_before[v_low];
  end loop;

  -- What the bound left out: backwards from each kept line, then forwards.
  v_high := v_new_count + 1;
  for v_i in reverse v_old_count..1 loop
    v_place := v_kept[v_i];
    if v_place > 0 then
      v_high := v_place;
    elsif v_high > 1 and not v_taken[v_high - 1] and v_old[v_i] = v_new[v_high - 1] then
      v_high := v_high - 1;
      v_kept[v_i] := v_high;
      v_taken[v_high] := true;
    end if;
  end loop;

  v_low := 0;
  for v_i in 1..v_old_count loop
    v_place := v_kept[v_i];
    if v_place > 0 then
      v_low := v_place;
    elsif v_low < v_new_count and not v_taken[v_low + 1] and v_old[v_i] = v_new[v_low + 1] then
      v_low := v_low + 1;
      v_kept[v_i] := v_low;
      v_taken[v_low] := true;
    end if;
  end loop;

  return v_kept;
end;
$$;

comment on function patchdiff_store.matched_lines(text[], text[]) is
  'For each line of one list the place in another that it keeps, ascending; 0 for none.';
