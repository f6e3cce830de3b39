-- What is missing of a numbering that begins with 1: a finding for each hole in the numbers present, and for the end up to
-- p_last, as `key=4` or `key=4..7`. However far a damaged number lies off, the work is that of the numbers present.
create or replace function patchdiff_store.missing_rows (
  p_table text,
  p_key text,
  p_present bigint[],
  p_last bigint
)
  returns setof patchdiff_store.finding
  language sql
  immutable
as $$
  select
    p_table,
    p_key || '=' || h.first_missing || case when h.last_missing > h.first_missing then '..' || h.last_missing else '' end,
    null,
    case when h.last_missing > h.first_missing then 'the rows are missing' else 'the row is missing' end
  from (
    select
      greatest(lag(s.place, 1, 0::bigint) over (order by s.place), 0) + 1 as first_missing,
      s.place - 1 as last_missing
    from (
      select p.place
      from unnest(p_present) as p (place)
      union all
      select least(p_last, 9223372036854775806) + 1
    ) as s
    where s.place < 9223372036854775807
  ) as h
  where h.first_missing <= h.last_missing
$$;

comment on function patchdiff_store.missing_rows(text, text, bigint[], bigint) is
  'A finding for each hole in a numbering that begins with 1.';
