-- What a rule older than the envelopes identified a wrapped submission by: the fingerprint of its record as plain
-- canonical JSON, in which \u0000 is an ordinary escape. For comparison with a stored key only (docs/spec/decoding.md,
-- "Keys stored by older rules"). Null when record or parent holds a lone surrogate: nothing older could store that.
-- p_attempt is the row of the wrapped submission, p_parent the parent as it takes part in identity.
create or replace function patchdiff_store.earlier_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_parent text,
  p_raw_metadata jsonb
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_attempt patchdiff_store.append_only_pdcp_logs := p_attempt;
  v_record text := patchdiff_store.representable_json(p_payload);
  v_raw text := p_raw_metadata ->> 'parent_pdcp_log_id';
  v_parent text := to_json(p_parent)::text;
begin
  -- A string with NUL is a parent as supplied; any other raw value is no string, or too long to be one.
  if left(v_raw, 1) = '"' and patchdiff_store.holds_unencodable(v_raw) then
    v_parent := patchdiff_store.representable_json(v_raw);
    if v_parent is null then
      return null;
    end if;
  end if;

  v_attempt.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(v_record, 'UTF8'));
  return case when v_record is not null then patchdiff_store.record_fingerprint(v_attempt, v_parent) end;
end;
$$;

comment on function patchdiff_store.earlier_fingerprint(
  patchdiff_store.append_only_pdcp_logs, text, text, jsonb
) is 'What an older rule identified a wrapped submission by, or null.';
