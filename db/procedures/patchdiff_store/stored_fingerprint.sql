-- The fingerprint of a recorded attempt whose rule stored none: that of its payload as the plain record it is, with the
-- parent that its row names. For comparison with a stored key only; null for an envelope and for what is no record.
create or replace function patchdiff_store.stored_fingerprint (
  p_target uuid,
  p_log_sequence bigint
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_record jsonb;
begin
  select a.*
  into strict v_row
  from patchdiff_store.append_only_pdcp_logs as a
  where a.target_file_id = p_target
  and a.log_sequence = p_log_sequence;

  v_record := patchdiff_store.payload_json(patchdiff_store.mark_unencodable(v_row.pdcp_content));
  if not coalesce(v_record ? 'format', false) then
    return null;
  end if;

  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);
  return patchdiff_store.record_fingerprint(v_row, to_json(v_row.parent_pdcp_log_id)::text);
end;
$$;

comment on function patchdiff_store.stored_fingerprint(uuid, bigint) is
  'The fingerprint of a recorded attempt whose rule stored none, from its payload.';
