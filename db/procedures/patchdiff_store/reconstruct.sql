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
  v_version bigint;
  v_buffer bytea;
  v_hash text;
  v_attempt record;
begin
  select s.version, convert_to(s.content, 'UTF8'), s.content_hash
  into v_version, v_buffer, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.version <= v_wanted
  order by s.version desc, s.snapshot_sequence desc
  limit 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    and l.status = 'accepted'
    and l.after_version > v_version
    and l.after_version <= v_wanted
    order by l.after_version
  loop
    exit when v_attempt.after_version <> v_version + 1;
    v_buffer := patchdiff_store.apply_attempt(v_buffer, p_target, v_attempt.log_sequence);
    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version is distinct from v_wanted or patchdiff_store.sha256_hex(v_buffer) is distinct from v_hash then
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
  end if;
  return convert_from(v_buffer, 'UTF8');
end;
$$;

comment on function patchdiff_store.reconstruct(uuid, bigint) is
  'A target''s content at a version, checked against the recorded hash.';
