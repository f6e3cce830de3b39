-- Proves or disproves that a target's history is whole: one row for each finding, naming table, row and column; no rows
-- when nothing is wrong. With a head noted elsewhere (chain_head, a SAVE receipt) it also proves that nothing before
-- that head was rewritten or cut off, which an unkeyed chain alone cannot. Refuses an unknown target
-- (PD104) and half a noted head (PD100).
create or replace function patchdiff_audit.verify_target (
  p_target uuid,
  p_noted_sequence bigint default null,
  p_noted_hash text default null
)
  returns table (table_name text, row_key text, column_name text, problem text)
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select f.table_name, f.row_key, f.column_name, f.problem
  from patchdiff_store.verify_target(p_target, p_noted_sequence, p_noted_hash) as f
$$;

comment on function patchdiff_audit.verify_target(uuid, bigint, text) is
  'Findings about the history of a target, one row each; none when it is whole.';
