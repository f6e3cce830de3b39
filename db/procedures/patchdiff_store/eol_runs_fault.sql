-- What is wrong with runs of line endings, or null: an array of at most 1000000 pairs [ending, lines], each ending another
-- one than before, that come to p_line_ends lines in all. Null runs are not wrong.
create or replace function patchdiff_store.eol_runs_fault (
  p_runs jsonb,
  p_line_ends bigint
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_runs is null then null
    when jsonb_typeof(p_runs) <> 'array' then 'an array is required'
    when jsonb_array_length(p_runs) > 1000000 then 'at most 1000000 runs'
    else (
      select case
        when bool_or(r.ending is null or r.lines is null)
          then 'pairs ["lf", "crlf" or "cr", lines] are required, with at least one line each'
        when bool_or(r.ending = r.ending_before) then 'two runs of one ending in a row are one run'
        when coalesce(sum(r.lines), 0) <> p_line_ends then 'not as many lines as end in the content'
      end
      from (
        select p.ending, case when p.lines >= 1 and scale(p.lines) = 0 then p.lines end as lines, lag(p.ending) over (order by p.place) as ending_before
        from (
          select
            e.place,
            case when jsonb_typeof(e.run) = 'array' and jsonb_array_length(e.run) = 2
              and e.run -> 0 in ('"lf"'::jsonb, '"crlf"', '"cr"') then e.run ->> 0 end as ending,
            case when jsonb_typeof(e.run -> 1) = 'number' then (e.run -> 1)::numeric end as lines
          from jsonb_array_elements(p_runs) with ordinality as e (run, place)
        ) as p
      ) as r
    )
  end
$$;

comment on function patchdiff_store.eol_runs_fault(jsonb, bigint) is
  'What is wrong with runs of line endings for so many lines that end, or null.';
