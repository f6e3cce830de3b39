-- The line endings of a text that is not canonical yet, as runs [ending, lines] in order, each as long as can be. Null when
-- there are more than 1000000: then they count as unknown.
create or replace function patchdiff_store.eol_runs_of (
  p_text text
)
  returns jsonb
  language sql
  immutable
as $$
  with ends as (
    select m.place, m.found[1] as ending, lag(m.found[1]) over (order by m.place) as ending_before
    from regexp_matches(p_text, e'\r\n|\n|\r', 'g') with ordinality as m (found, place)
  ),
  runs as (
    select e.place, e.ending, lead(e.place, 1, (select count(*) + 1 from ends)) over (order by e.place) - e.place as lines
    from ends as e
    where e.ending is distinct from e.ending_before
  )
  select case when count(*) <= 1000000 then coalesce(
    jsonb_agg(
      jsonb_build_array(case r.ending when e'\n' then 'lf' when e'\r\n' then 'crlf' else 'cr' end, r.lines)
      order by r.place
    ), '[]') end
  from runs as r
$$;

comment on function patchdiff_store.eol_runs_of(text) is
  'The line endings of a text as runs, or null when there are too many to keep.';
