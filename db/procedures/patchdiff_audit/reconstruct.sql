-- A target's content at a version, rebuilt from the history alone and checked against the hash it records; null at no
-- version, which is what version_at answers for a moment before the creation. Refuses an unknown target (PD104), a version
-- outside 0 … current (PD105) and a history that contradicts itself (PD106).
-- Example: select patchdiff_audit.reconstruct('…', 3);
create or replace function patchdiff_audit.reconstruct (
  p_target uuid,
  p_version bigint
)
  returns text
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select case when p_version is not null then patchdiff_store.reconstruct(p_target, p_version) end
$$;

comment on function patchdiff_audit.reconstruct(uuid, bigint) is
  'A target''s content at a version, rebuilt from the history alone.';
