-- How a payload that is no plain record is stored (docs/spec/decoding.md, "What the procedure wraps"): an envelope for
-- text that PostgreSQL cannot hold, in the payload or in p_raw_metadata, and one for a payload that is too large, too
-- deep or too long. All null for a plain record. Raises PD101 for what is no JSON object and PD102 for a number
-- outside numeric, because no row could hold them as evidence of a submission.
create or replace function patchdiff_store.envelope_of (
  p_payload text,
  p_record jsonb,
  p_parent text,
  p_raw_metadata jsonb
)
  returns patchdiff_store.envelope
  language plpgsql
  immutable
as $$
declare
  v_envelope patchdiff_store.envelope;
  v_inputs text;
  v_hash text;
  v_items jsonb;
begin
  if coalesce(jsonb_typeof(p_record) = 'object', patchdiff_store.is_json_object(p_payload)) is false then
    raise exception 'the payload is not a JSON object'
      using errcode = 'PD101',
            detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
            hint = 'send one JSON object as p_payload';
  end if;

  if (p_record is null and patchdiff_store.holds_unencodable(p_payload)) or exists (
    select from jsonb_each_text(p_raw_metadata) as m(name, value)
    where patchdiff_store.holds_unencodable(m.value)
  ) then
    v_envelope.record := coalesce(
      p_record,
      patchdiff_store.payload_json(patchdiff_store.mark_unencodable(p_payload))
    );
    v_inputs := '{"parent_pdcp_log_id":'
      || coalesce(p_raw_metadata ->> 'parent_pdcp_log_id', patchdiff_store.ascii_json(to_json(p_parent)::text), 'null')
      || ',"record":' || patchdiff_store.ascii_json(p_payload) || '}';
    v_envelope.evidence_format := 'patchdiff-invalid-input/1';
    v_envelope.evidence_sha256 := patchdiff_store.sha256_hex(convert_to(v_inputs, 'UTF8'));
    v_envelope.failure_code := 'text_not_encodable';
    v_envelope.stored := '{"evidence_format":"patchdiff-invalid-input/1","inputs":' || to_json(v_inputs)::text
      || ',"protocol_version":' || to_json(patchdiff_store.protocol_of(v_envelope.record))::text
      || ',"runtime_version":' || to_json(patchdiff_store.runtime_version_of(v_envelope.record))::text || '}';
    return v_envelope;
  end if;

  v_items := p_record -> case patchdiff_store.protocol_of(p_record)
    when 'patchdiff-tx/1' then 'edits'
    when 'patchdiff-observed-batch/1' then 'groups'
    else 'operations'
  end;
  v_envelope.failure_code := case
    when octet_length(p_payload) > 4194304 then 'payload_too_large'
    when patchdiff_store.nests_beyond(p_payload, 64) then 'payload_too_deep'
    when p_record is null then null
    when jsonb_typeof(v_items) = 'array' then case
      when jsonb_array_length(v_items) > 2000 then 'too_many_operations'
      when p_record -> 'format' = '"patchdiff-observed-batch/1"' and (
        select sum(jsonb_array_length(g.item -> 'operations'))
        from jsonb_array_elements(v_items) as g(item)
        where jsonb_typeof(g.item -> 'operations') = 'array'
      ) > 2000 then 'too_many_operations'
    end
  end;

  if v_envelope.failure_code is null then
    if p_record is null then
      raise exception 'the payload holds a number that cannot be represented'
        using errcode = 'PD102',
              detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
              hint = 'send numbers within the range of numeric; the formats themselves use integers only';
    end if;

    return null;
  end if;

  v_hash := patchdiff_store.sha256_hex(convert_to(p_payload, 'UTF8'));
  v_envelope.record := p_record;
  v_envelope.evidence_format := 'patchdiff-oversized-input/1';
  v_envelope.evidence_sha256 := v_hash;
  v_envelope.stored := '{"bytes":' || octet_length(p_payload) || ',"evidence_format":"patchdiff-oversized-input/1","prefix":'
    || to_json(left(p_payload, 256))::text || ',"sha256":"' || v_hash || '"}';
  return v_envelope;
end;
$$;

comment on function patchdiff_store.envelope_of(text, jsonb, text, jsonb) is
  'The envelope under which a payload that is no plain record is stored; all null for a plain record.';
