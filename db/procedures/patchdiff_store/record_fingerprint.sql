-- What a request key stands for when the record is stored as it is: SHA-256 of the canonical JSON of the six parts of
-- identity. Guards that are malformed are null in it; the payload's hash tells them apart. p_parent is JSON text.
create or replace function patchdiff_store.record_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_parent text
)
  returns text
  language sql
  immutable
as $$
  select patchdiff_store.sha256_hex(convert_to(concat(
    '{"expected_current_hash":', coalesce(to_json(p_attempt.expected_current_hash)::text, 'null'),
    ',"expected_target_version":', coalesce(p_attempt.expected_target_version::text, 'null'),
    ',"parent_pdcp_log_id":', coalesce(p_parent, 'null'),
    ',"pdcp_content_hash":"', p_attempt.pdcp_content_hash,
    '","protocol_version":"', p_attempt.protocol_version,
    '","target_file_id":"', p_attempt.target_file_id, '"}'
  ), 'UTF8'))
$$;

comment on function patchdiff_store.record_fingerprint(patchdiff_store.append_only_pdcp_logs, text) is
  'SHA-256 of what a request key stands for when the record is stored as it is.';
