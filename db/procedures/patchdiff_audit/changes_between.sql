-- The accepted changes that lie between two versions of a target (null: the current one), oldest first, in the columns
-- of the view changes. The order of the two does not matter. Refuses an unknown target (PD104) and a version outside
-- 0 … current (PD105).
create or replace function patchdiff_audit.changes_between (
  p_target uuid,
  p_from bigint,
  p_to bigint default null
)
  returns setof patchdiff_audit.changes
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_one bigint := patchdiff_store.check_version(p_target, p_from);
  v_other bigint := patchdiff_store.check_version(p_target, p_to);
begin
  return query
  select c.*
  from patchdiff_audit.changes as c
  where c.target_file_id = p_target
  and c.after_version > least(v_one, v_other)
  and c.after_version <= greatest(v_one, v_other)
  order by c.ledger_sequence;
end;
$$;

comment on function patchdiff_audit.changes_between(uuid, bigint, bigint) is
  'The accepted changes between two versions of a target, oldest first.';
