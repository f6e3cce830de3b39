-- The ledger rows of an accepted bundle, in the order of application: facts in document coordinates, and beside them scope and place in it.
create or replace function patchdiff_store.bundle_ledger (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_ledger_sequence bigint,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns setof patchdiff_store.append_only_manifest_ledger
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_manifest_ledger;
begin
  for v_i in 1..cardinality(p_walk.change_id) loop
    v_row := patchdiff_store.ledger_row(
      p_attempt, p_ledger_sequence + v_i, v_i, p_intent, p_walk.change_id[v_i], p_walk.operation[v_i], p_walk.rationale[v_i],
      p_walk.risk[v_i], p_walk.span_start[v_i], p_walk.span_end[v_i], p_walk.matched_chars[v_i], p_walk.replacement_chars[v_i],
      p_walk.matched_sha256[v_i], p_walk.replacement_sha256[v_i], p_walk.start_byte[v_i], p_walk.deleted_bytes[v_i],
      p_walk.inserted_bytes[v_i]);
    v_row.ordinal := p_walk.ordinal[v_i];
    v_row.derived_json := v_row.derived_json || jsonb_build_object(
      'apply_ordinal', v_i, 'scope_id', p_walk.scope_id[v_i],
      'scope_span_start', p_walk.scope_span_start[v_i], 'scope_span_end', p_walk.scope_span_end[v_i]);
    return next v_row;
  end loop;
end;
$$;

comment on function patchdiff_store.bundle_ledger(patchdiff_store.append_only_pdcp_logs, bigint, text, patchdiff_store.walk) is
  'The ledger rows of an accepted bundle, in the order of application.';
