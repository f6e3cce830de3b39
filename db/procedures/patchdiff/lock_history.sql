-- Locks a target for the rest of the caller's transaction and answers a page of its history for replay, oldest first:
-- with p_from_sequence 0 the initial snapshot and then accepted attempts, otherwise the accepted attempts after that
-- log_sequence. Up to p_limit attempts (default 50, at most 200), and one more when there are more; later pages of the
-- same transaction see the same history, and so does patchdiff.read_target. Refuses an unknown target (PD104).
create or replace function patchdiff.lock_history (
  p_target uuid,
  p_from_sequence bigint default 0,
  p_limit integer default null
)
  returns setof patchdiff.history_step
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_rows integer := patchdiff_store.page_limit(p_limit) + 1;
  v_locked patchdiff_store.locked_target;
begin
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if coalesce(p_from_sequence, 0) = 0 then
    return query
    select
      s.target_file_id,
      s.kind,
      0::bigint,
      null::uuid,
      null::text,
      null::text,
      null::bigint,
      s.version,
      null::text,
      s.content_hash,
      s.content_hash,
      s.content::text
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.snapshot_sequence = 1;
  end if;

  return query
  select
    l.target_file_id,
    l.status,
    l.log_sequence,
    l.pdcp_log_id,
    l.protocol_version,
    l.runtime_version,
    l.before_version,
    l.after_version,
    l.before_hash,
    l.after_hash,
    l.pdcp_content_hash,
    l.pdcp_content::text
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target
  and l.status = 'accepted'
  and l.log_sequence > coalesce(p_from_sequence, 0)
  order by l.log_sequence
  limit v_rows;
end;
$$;

comment on function patchdiff.lock_history(uuid, bigint, integer) is
  'Locks a target and answers a page of its history for replay, oldest first.';
