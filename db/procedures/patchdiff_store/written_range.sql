-- Which whole lines one splice writes: the bytes [p_start, p_start + p_deleted) of the buffer give way to p_inserted, which differs
-- from them.
-- What counts is the lines that the matched text and its replacement are part of, without the whole lines common to
-- their beginnings, then to their ends. {from, to, growth}: in the buffer after it, the lines that intersect [from, to)
-- are written, and what stands behind them began growth bytes further back. Looks only as far around as the splice is long,
-- which decides whether two lines are equal: a longer line equals none that lies within the splice.
create or replace function patchdiff_store.written_range (
  p_buffer bytea,
  p_start integer,
  p_deleted integer,
  p_inserted bytea
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_end integer := p_start + p_deleted;
  v_reach integer := greatest(p_deleted, octet_length(p_inserted)) + 1;
  v_from integer := greatest(0, p_start - v_reach);
  v_before bytea;
  v_after bytea := '';
  v_middle integer[];
begin
  v_before := substring(p_buffer from v_from + 1 for p_start - v_from);
  v_before := substring(v_before from patchdiff_store.line_start(v_before, octet_length(v_before)) + 1);
  v_from := p_start - octet_length(v_before);

  -- Where both texts end with a line, the one behind them is neither's.
  if not (
    patchdiff_store.is_line_start(p_buffer, v_end)
    and patchdiff_store.is_line_start(v_before || p_inserted, octet_length(v_before) + octet_length(p_inserted))
  ) then
    v_after := substring(p_buffer from v_end + 1 for v_reach);
    v_after := substring(v_after for coalesce(nullif(position('\x0a'::bytea in v_after), 0), v_reach));
  end if;

  v_middle := patchdiff_store.differing_lines(
    v_before || substring(p_buffer from p_start + 1 for p_deleted) || v_after,
    v_before || p_inserted || v_after
  );
  return array[v_from + v_middle[1], v_from + v_middle[3], v_middle[3] - v_middle[2]];
end;
$$;

comment on function patchdiff_store.written_range(bytea, integer, integer, bytea) is
  'Which whole lines one splice writes, and by how much it moves what stands behind them.';
