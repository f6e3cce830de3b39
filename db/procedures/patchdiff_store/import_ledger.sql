-- The ledger rows of an attempt that is brought in: what its replay derived, in order of application.
create or replace function patchdiff_store.import_ledger (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_ledger_sequence bigint,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_manifest_ledger[]
  language sql
  immutable
as $$
  select array_agg(
    row(
      p_attempt.target_file_id, p_ledger_sequence + c.ordinal, p_attempt.log_sequence, c.ordinal, c.ordinal,
      p_attempt.editing_cycle, c.start_byte, c.deleted_bytes, c.inserted_bytes, c.change_id, c.operation, 'typed',
      c.risk, c.rationale, coalesce(c.rationale, p_intent),
      jsonb_build_object(
        'span_start', c.span_start, 'span_end', c.span_end,
        'matched_chars', c.matched_chars, 'replacement_chars', c.replacement_chars,
        'matched_sha256', c.matched_sha256, 'replacement_sha256', c.replacement_sha256
      ),
      null, null, null, null
    )::patchdiff_store.append_only_manifest_ledger
    order by c.ordinal
  )
  from unnest(
    p_walk.change_id, p_walk.operation, p_walk.rationale, p_walk.risk, p_walk.span_start, p_walk.span_end,
    p_walk.matched_chars, p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256,
    p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes
  ) with ordinality as c(
    change_id, operation, rationale, risk, span_start, span_end, matched_chars, replacement_chars,
    matched_sha256, replacement_sha256, start_byte, deleted_bytes, inserted_bytes, ordinal
  )
$$;

comment on function patchdiff_store.import_ledger(
  patchdiff_store.append_only_pdcp_logs, bigint, text, patchdiff_store.walk
) is 'The ledger rows of an attempt that is brought in.';
