-- Raises that a version cannot be rebuilt because rows of the history contradict each other (PD106): one wording for
-- every routine that replays splices.
create or replace function patchdiff_store.raise_history_diverged (
  p_target uuid,
  p_version bigint
)
  returns void
  language plpgsql
  stable
as $$
begin
  raise exception 'version % of target % cannot be reconstructed', p_version, p_target
    using errcode = 'PD106',
          detail = json_build_object('target_file_id', p_target, 'version', p_version)::text,
          hint = 'select * from patchdiff_audit.verify_target(target) names the rows that contradict each other';
end;
$$;

comment on function patchdiff_store.raise_history_diverged(uuid, bigint) is
  'Raises PD106 for a version that cannot be reconstructed.';
