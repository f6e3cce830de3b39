-- Appends the row of a file whose text was taken over, and records what it says with the target: the synced digest and version,
-- byte order mark, line endings and the ending of each line. The only place where these are written but for creation and publication. The caller holds
-- the target's lock, passes what lock_target answered, and has left kind, digest, size, actor and detail in the row.
create or replace function patchdiff_store.record_adoption (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.workspace_publications
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.workspace_publications := p_row;
  v_runs jsonb := nullif((p_row.detail -> 'eol_runs')::jsonb, 'null');
begin
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.expected_disk_sha256 := p_locked.last_synced_disk_sha256;
  v_row.observed_disk_sha256 := p_row.written_sha256;
  v_row.workspace_root_identity := p_locked.workspace_root_identity;
  v_row.workspace_path := p_locked.workspace_path;
  v_row := patchdiff_store.append_publication(p_locked, v_row);

  update patchdiff_store.cloud_target_files as t
  set last_synced_disk_sha256 = v_row.written_sha256,
      last_synced_version = v_row.version,
      source_bom = (v_row.detail ->> 'source_bom')::boolean,
      source_line_endings = (v_row.detail -> 'source_line_endings')::jsonb,
      eol_runs = v_runs,
      eol_version = case when v_runs is not null then v_row.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = v_row.target_file_id;
  return v_row;
end;
$$;

comment on function patchdiff_store.record_adoption(patchdiff_store.locked_target, patchdiff_store.workspace_publications) is
  'Appends the row of a file whose text was taken over, and records what it says with the target.';
