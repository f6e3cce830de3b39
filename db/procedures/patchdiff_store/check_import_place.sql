-- Refuses an attempt that is not the next one of a locked target: one that is there already, or whose key is (PD113); one
-- behind an attempt that the service recorded itself, before the time of the attempt before it, or that starts from
-- another version (PD111). Only the last attempt is looked at: what comes before it passed here as well.
create or replace function patchdiff_store.check_import_place (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs
)
  returns void
  language plpgsql
  stable
as $$
declare
  v_last record;
  v_rule text;
begin
  v_rule := case
    when exists (
      select from patchdiff_store.append_only_pdcp_logs as l where l.pdcp_log_id = p_attempt.pdcp_log_id
    ) then 'pdcp_log_id'
    when exists (
      select
      from patchdiff_store.request_keys as k
      where k.target_file_id = p_attempt.target_file_id
      and k.client_request_id = p_attempt.client_request_id
    ) then 'client_request_id'
  end;
  if v_rule is not null then
    raise exception 'the % of attempt % is taken', v_rule, p_attempt.pdcp_log_id
      using errcode = 'PD113',
            detail = json_build_object(
              'target_file_id', p_attempt.target_file_id, 'pdcp_log_id', p_attempt.pdcp_log_id, 'taken', v_rule)::text,
            hint = 'skip the attempt when it was brought in before; nothing of it can be replaced';
  end if;

  select l.created_at, l.imported_at
  into v_last
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_attempt.target_file_id
  and l.log_sequence = p_locked.log_sequence;

  v_rule := case
    when found and v_last.imported_at is null then 'the target has attempts that were not brought in'
    when found and v_last.created_at > p_attempt.created_at then 'the attempt before it is later'
    when p_attempt.before_version <> p_locked.version then 'it does not start from the current version'
  end;
  if v_rule is not null then
    raise exception 'attempt % is not the next one: %', p_attempt.pdcp_log_id, v_rule
      using errcode = 'PD111',
            detail = json_build_object(
              'target_file_id', p_attempt.target_file_id, 'pdcp_log_id', p_attempt.pdcp_log_id, 'rule', v_rule,
              'log_sequence', p_locked.log_sequence, 'current_version', p_locked.version)::text,
            hint = 'bring in a history from its first attempt in its own order, before anything is submitted to the target';
  end if;
end;
$$;

comment on function patchdiff_store.check_import_place(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs
) is 'Refuses an attempt that is not the next one of a target.';
