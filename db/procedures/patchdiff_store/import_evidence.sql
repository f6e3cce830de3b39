-- The identity of a recorded payload that was wrapped (docs/spec/decoding.md): the format of its envelope and the hash
-- that its fingerprint is made of. All null for a plain record; an empty format for a payload that names an envelope
-- and is not, byte for byte, what the wrapping makes.
create or replace function patchdiff_store.import_evidence (
  p_payload text,
  p_record jsonb,
  out evidence_format text,
  out evidence_sha256 text
)
  language plpgsql
  immutable
as $$
declare
  v_whole text;
begin
  -- Every record of a submission has a format.
  if p_record ? 'format' or p_record ->> 'evidence_format' is null then
    return;
  end if;

  evidence_format := p_record ->> 'evidence_format';
  if evidence_format = 'patchdiff-invalid-input/1' and patchdiff_store.is_json_object(p_record ->> 'inputs') then
    evidence_sha256 := patchdiff_store.sha256_hex(convert_to(p_record ->> 'inputs', 'UTF8'));
    v_whole := '{"evidence_format":"patchdiff-invalid-input/1","inputs":' || to_json(p_record ->> 'inputs')::text
      || ',"protocol_version":' || to_json(p_record ->> 'protocol_version')::text
      || ',"runtime_version":' || to_json(p_record ->> 'runtime_version')::text || '}';
  elsif evidence_format = 'patchdiff-oversized-input/1' and p_record ->> 'sha256' ~ '\A[0-9a-f]{64}\Z' then
    evidence_sha256 := p_record ->> 'sha256';
    v_whole := '{"bytes":' || left(p_record ->> 'bytes', 20) || ',"evidence_format":"patchdiff-oversized-input/1","prefix":'
      || to_json(p_record ->> 'prefix')::text || ',"sha256":"' || evidence_sha256 || '"}';
  end if;

  if v_whole is distinct from p_payload then
    evidence_format := '';
    evidence_sha256 := '';
  end if;
end;
$$;

comment on function patchdiff_store.import_evidence(text, jsonb) is
  'Format and hash of the evidence in a recorded payload that was wrapped; null for a plain record.';
