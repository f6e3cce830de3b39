-- Replays one recorded acceptance on a locked target: legal pair, decoding, guards, application and result, each as
-- recorded, or refused (PD112). The stored content must be what row and head say (PD106). No limit on fresh submissions
-- applies. Answers the walk with the new content and the facts.
create or replace function patchdiff_store.import_walk (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_record jsonb
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_profile record;
  v_fault record;
  v_container text := case p_attempt.protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_content bytea;
  v_walk patchdiff_store.walk;
begin
  select p.*
  into v_profile
  from patchdiff_store.import_profile(p_attempt.protocol_version, p_attempt.runtime_version) as p;
  if v_profile.overlapping_matches is null then
    perform patchdiff_store.refuse_import(p_attempt, 'protocol', 'no legal pair of protocol and runtime', jsonb_build_object(
      'protocol_version', p_attempt.protocol_version, 'runtime_version', p_attempt.runtime_version));
  end if;

  if p_attempt.after_version <> p_attempt.before_version + 1 then
    perform patchdiff_store.refuse_import(p_attempt, 'after_version', 'an acceptance raises the version by one');
  end if;

  v_fault := patchdiff_store.import_record_fault(
    p_record, p_attempt.target_file_id, p_attempt.protocol_version, v_profile.historical_change_ids,
    v_profile.span_adjacency);
  if v_fault.code is not null then
    perform patchdiff_store.refuse_import(p_attempt, 'decode', 'the payload does not decode under its profile',
      jsonb_build_object('failure_code', v_fault.code, 'path', v_fault.path));
  end if;

  if p_attempt.expected_target_version <> p_attempt.before_version
    or p_attempt.expected_current_hash <> p_attempt.before_hash
  then
    perform patchdiff_store.refuse_import(p_attempt, 'guards', 'its own guards do not hold');
  end if;

  select convert_to(t.current_content, 'UTF8')
  into strict v_content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_attempt.target_file_id;
  if not patchdiff_store.is_intact(p_locked, v_content) then
    raise exception 'the stored content of target % is not what its history says', p_attempt.target_file_id
      using errcode = 'PD106',
            detail = json_build_object('target_file_id', p_attempt.target_file_id, 'version', p_locked.version)::text,
            hint = 'select * from patchdiff_audit.verify_target(target) names the rows that contradict each other';
  end if;

  v_walk := case p_attempt.protocol_version
    when 'patchdiff-tx/3' then patchdiff_store.walk_replacement(p_locked, p_record #>> '{operations,0,replace}')
    else patchdiff_store.walk_profile(
      v_content, p_locked.content_chars,
      patchdiff_store.read_operations(p_record -> v_container, p_attempt.protocol_version),
      v_container, v_profile.overlapping_matches, v_profile.selectors_on_single_match
    )
  end;
  if v_walk.after_content is null then
    perform patchdiff_store.refuse_import(p_attempt, 'apply', 'the payload does not apply to the content',
      jsonb_build_object('failure_code', (v_walk.fault).failure_code, 'path', (v_walk.fault).path));
  end if;

  if v_walk.after_hash <> p_attempt.after_hash then
    perform patchdiff_store.refuse_import(p_attempt, 'after_hash', 'the result has another hash', jsonb_build_object(
      'recorded', p_attempt.after_hash, 'derived', v_walk.after_hash));
  end if;

  if exists (
    select
    from json_array_elements(p_attempt.warnings) as w(warning)
    where coalesce(not w.warning ->> 'code' in (
        'no_op_change', 'no_op_transaction', 'occurrence_index_basis_shift', 'grapheme_boundary_split'), true)
      or not coalesce(w.warning ->> 'change_id' = any (v_walk.change_id), true)
  ) then
    perform patchdiff_store.refuse_import(p_attempt, 'warnings', 'a warning of no known code, or of no change of the attempt');
  end if;

  return v_walk;
end;
$$;

comment on function patchdiff_store.import_walk(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, jsonb
) is 'Replays one recorded acceptance on a locked target, or refuses it.';
