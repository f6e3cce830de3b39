-- The identity of a request (docs/spec/decoding.md): SHA-256 of the canonical JSON of what its key stands for. Guards
-- that are malformed count as null; the payload's hash tells them apart. For a wrapped payload, the envelope's.
create or replace function patchdiff_store.request_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_parent text,
  p_evidence_format text,
  p_evidence_sha256 text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_evidence_format is null then
    return patchdiff_store.record_fingerprint(p_attempt, to_json(p_parent)::text);
  end if;

  return patchdiff_store.sha256_hex(convert_to(concat(
    '{"evidence_domain":"', p_evidence_format,
    '","evidence_sha256":"', p_evidence_sha256,
    '","target_file_id":"', p_attempt.target_file_id, '"}'
  ), 'UTF8'));
end;
$$;

comment on function patchdiff_store.request_fingerprint(patchdiff_store.append_only_pdcp_logs, text, text, text) is
  'SHA-256 of what a request key stands for.';
