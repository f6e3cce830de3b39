-- The ledger row of one change of an accepted attempt, applied in the order submitted. p_change_id to p_inserted_bytes are the
-- change's own members of the walk.
create or replace function patchdiff_store.ledger_row (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_sequence bigint,
  p_ordinal integer,
  p_intent text,
  p_change_id text,
  p_operation text,
  p_rationale text,
  p_risk text,
  p_span_start integer,
  p_span_end integer,
  p_matched_chars integer,
  p_replacement_chars integer,
  p_matched_sha256 text,
  p_replacement_sha256 text,
  p_start_byte integer,
  p_deleted_bytes integer,
  p_inserted_bytes integer
)
  returns patchdiff_store.append_only_manifest_ledger
  language sql
  stable
as $$
  select row(
    p_attempt.target_file_id, p_sequence, p_attempt.log_sequence, p_ordinal, p_ordinal, p_attempt.editing_cycle,
    p_start_byte, p_deleted_bytes, p_inserted_bytes, p_change_id, p_operation, 'typed', p_risk, p_rationale,
    coalesce(p_rationale, p_intent),
    jsonb_build_object(
      'span_start', p_span_start, 'span_end', p_span_end,
      'matched_chars', p_matched_chars, 'replacement_chars', p_replacement_chars,
      'matched_sha256', p_matched_sha256, 'replacement_sha256', p_replacement_sha256
    ),
    null, null, null, null
  )::patchdiff_store.append_only_manifest_ledger
$$;

comment on function patchdiff_store.ledger_row(
  patchdiff_store.append_only_pdcp_logs, bigint, integer, text, text, text, text, text, integer, integer, integer, integer, text, text,
  integer, integer, integer
) is 'The ledger row of one change of an accepted attempt.';
