-- Takes the text that now stands in a target's own file over as the target's text, after the file was changed by others: a guarded
-- patchdiff-tx/3 attempt of source `disk`, and a row of the chain that records digest, line endings and byte order mark of the
-- file as the synced ones. The same text in other bytes (line endings, mark) is the row alone.
-- Outcomes: `adopted`; `unchanged`, when the file still is what was synced last, whatever was asked, so that the call can be
-- repeated; `rejected`, by a guard that does not hold or by diverged content (an attempt records it), or because a guard is
-- required: the target has versions that never reached its file (guard_missing, no attempt). Open intents are closed as superseded.
-- The text may have 16777216 bytes here and nowhere else. Refuses malformed arguments, among them a digest of other bytes than
-- the text, its endings and its mark make (PD100), more text (PD107), an unknown target (PD104), a file that is not the
-- target's (PD109).
-- Race-safe: decided under the target's lock. What the database cannot see is the disk: as at an import, the caller says.
create or replace function patchdiff.adopt_disk (
  p_target uuid,
  p_content text,
  p_source jsonb,
  p_workspace jsonb,
  p_expected_version bigint default null,
  p_expected_hash text default null,
  p_actor json default null
)
  returns table (
    outcome text,
    failure_reason text,
    failure_code text,
    failure_detail text,
    adoption_id uuid,
    pdcp_log_id uuid,
    before_version bigint,
    version bigint,
    current_hash text,
    previous_disk_sha256 text,
    disk_sha256 text,
    superseded uuid[]
  )
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_content text := patchdiff_store.lf(p_content);
  v_facts jsonb;
  v_runs jsonb;
  v_before patchdiff_store.locked_target;
  v_locked patchdiff_store.locked_target;
  v_fault patchdiff_store.fault;
  v_commit patchdiff.commit_receipt;
  v_superseded uuid[];
  v_row patchdiff_store.workspace_publications;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, null);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_creation('file', p_content, p_workspace);
  v_facts := patchdiff_store.source_facts(p_source, p_content, v_content);
  v_runs := patchdiff_store.source_runs(p_source, p_content, v_facts);
  perform patchdiff_store.check_adoption(p_workspace, v_facts, v_runs);

  -- lock
  v_before := patchdiff_store.lock_target(p_target);
  if v_before.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  perform patchdiff_store.check_bound(v_before, p_workspace ->> 'root', p_workspace ->> 'path');
  if v_before.last_synced_disk_sha256 = p_workspace ->> 'disk_sha256' then
    return query select
      'unchanged', null::text, null::text, null::text, null::uuid, null::uuid, v_before.version, v_before.version,
      v_before.current_hash, v_before.last_synced_disk_sha256, v_before.last_synced_disk_sha256, '{}'::uuid[];
    return;
  end if;

  if p_expected_version is null and p_expected_hash is null and v_before.last_synced_version is distinct from v_before.version then
    v_fault := patchdiff_store.fault_of('guard_missing');
  elsif v_before.current_hash <> patchdiff_store.sha256_hex(convert_to(v_content, 'UTF8'))
    or (patchdiff_store.save_fault(v_before, p_expected_version, p_expected_hash)).failure_reason is not null
  then
    v_commit := patchdiff_store.commit_submission(
      p_target,
      patchdiff_store.direct_record(
        'patchdiff-tx/3', p_target, 'Take over the text that stands in the file.',
        case when p_expected_version is null and p_expected_hash is null then v_before.version else p_expected_version end,
        p_expected_hash, null, '[{"op":"replace_all","replace":' || to_json(v_content)::text || '}]'),
      null, null, null, 'disk', p_actor, null, 'derive', null, null, null, null, null, true);
    if v_commit.outcome <> 'accepted' then
      v_fault.failure_reason := v_commit.failure_reason;
      v_fault.failure_code := v_commit.failure_code;
      v_fault.failure_detail := v_commit.failure_detail;
    end if;
  end if;
  if v_fault.failure_reason is not null then
    return query select
      'rejected', v_fault.failure_reason, v_fault.failure_code, v_fault.failure_detail, null::uuid, v_commit.pdcp_log_id,
      v_before.version, v_before.version, v_before.current_hash, v_before.last_synced_disk_sha256, p_workspace ->> 'disk_sha256',
      '{}'::uuid[];
    return;
  end if;

  -- write
  v_superseded := patchdiff_store.supersede_publications(p_target, p_actor, 'disk_adopted');
  v_locked := patchdiff_store.lock_target(p_target);
  v_row.kind := 'adopted';
  v_row.written_sha256 := p_workspace ->> 'disk_sha256';
  v_row.written_bytes := (v_facts ->> 'source_utf8_bytes')::bigint;
  v_row.actor := p_actor;
  v_row.detail := json_build_object(
    'before_version', v_before.version,
    'pdcp_log_id', v_commit.pdcp_log_id,
    'source_bom', coalesce((p_source -> 'bom')::boolean, false),
    'source_line_endings', v_facts,
    'eol_runs', v_runs
  );
  v_row := patchdiff_store.record_adoption(v_locked, v_row);

  return query select
    'adopted', null::text, null::text, null::text, v_row.publication_id, v_commit.pdcp_log_id, v_before.version, v_locked.version,
    v_locked.current_hash, v_before.last_synced_disk_sha256, v_row.written_sha256, v_superseded;
end;
$$;

comment on function patchdiff.adopt_disk(uuid, text, jsonb, jsonb, bigint, text, json) is
  'Takes the text that now stands in a target''s own file over as the target''s text.';
