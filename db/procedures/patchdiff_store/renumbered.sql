-- A path, or words that begin with one, whose first position counts from p_before: operations[7] becomes operations[2] behind five.
create or replace function patchdiff_store.renumbered (
  p_text text,
  p_before integer
)
  returns text
  language sql
  immutable
as $$
  select coalesce(m.part[1] || (m.part[2]::integer - p_before) || m.part[3], p_text)
  from (select regexp_match(p_text, '\A(operations\[)(\d+)(\].*)\Z') as part) as m
$$;

comment on function patchdiff_store.renumbered(text, integer) is 'A path whose first position counts from a later one.';
