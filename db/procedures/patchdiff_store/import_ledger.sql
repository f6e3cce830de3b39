-- The ledger rows of an attempt that is brought in: what its replay derived, in order of application.
create or replace function patchdiff_store.import_ledger (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_ledger_sequence bigint,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_manifest_ledger[]
  language sql
  stable
as $$
  select array_agg(
    patchdiff_store.ledger_row(
      p_attempt, p_ledger_sequence + c.ordinal, c.ordinal::integer, p_intent, c.change_id, c.operation, c.rationale,
      c.risk, c.span_start, c.span_end, c.matched_chars, c.replacement_chars, c.matched_sha256, c.replacement_sha256,
      c.start_byte, c.deleted_bytes, c.inserted_bytes)
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
