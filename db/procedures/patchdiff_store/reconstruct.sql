-- A target's content at a version, from the nearest snapshot at or before it and the accepted attempts after that.
-- The result is compared with the hash that the history records for the version, and never answered when it differs
-- (PD106). Refuses an unknown target (PD104) and a version outside 0 … current (PD105). Null: the current version.
create or replace function patchdiff_store.reconstruct (
  p_target uuid,
  p_version bigint
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_wanted bigint := patchdiff_store.check_version(p_target, p_version);
  v_content bytea := patchdiff_store.carry_content(p_target, -1, null, v_wanted);
begin
  if v_content is null then
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
  end if;
  return convert_from(v_content, 'UTF8');
exception
  when character_not_in_repertoire then
    -- Splices that cut a character in two, under a hash that was made to fit.
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
end;
$$;

comment on function patchdiff_store.reconstruct(uuid, bigint) is
  'A target''s content at a version, checked against the recorded hash.';
