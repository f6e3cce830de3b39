-- The unified diff that makes version p_to of version p_from, in either direction (null: the current one); empty when
-- they are equal. `patch` and `git apply` read it. Refuses an unknown target (PD104), a version outside 0 … current
-- (PD105) and a history that contradicts itself (PD106). changes_between lists what was changed on the way.
create or replace function patchdiff_audit.diff (
  p_target uuid,
  p_from bigint,
  p_to bigint default null
)
  returns text
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select patchdiff_store.unified_diff(
    patchdiff_store.reconstruct(p_target, v.old_version),
    patchdiff_store.reconstruct(p_target, v.new_version),
    patchdiff_store.diff_name('a', p_target, v.old_version),
    patchdiff_store.diff_name('b', p_target, v.new_version)
  )
  from (
    select patchdiff_store.check_version(p_target, p_from) as old_version, patchdiff_store.check_version(p_target, p_to) as new_version
  ) as v
$$;

comment on function patchdiff_audit.diff(uuid, bigint, bigint) is
  'The unified diff between two versions of a target, in either direction.';
