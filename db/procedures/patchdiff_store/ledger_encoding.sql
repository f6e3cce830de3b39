-- The bytes of a ledger row that its attempt's row_hash covers, in chain format 1: record_send of the columns in this
-- order, text as UTF-8 bytes. They follow the attempt's own bytes, in order of ledger_sequence.
create or replace function patchdiff_store.ledger_encoding (
  p_row patchdiff_store.append_only_manifest_ledger
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.ledger_sequence,
    p_row.log_sequence,
    p_row.ordinal,
    p_row.apply_ordinal,
    p_row.editing_cycle,
    p_row.start_byte,
    p_row.deleted_bytes,
    p_row.inserted_bytes,
    pg_catalog.convert_to(p_row.change_id, 'UTF8'),
    pg_catalog.convert_to(p_row.operation, 'UTF8'),
    pg_catalog.convert_to(p_row.origin, 'UTF8'),
    pg_catalog.convert_to(p_row.risk, 'UTF8'),
    pg_catalog.convert_to(p_row.rationale, 'UTF8'),
    pg_catalog.convert_to(p_row.intent, 'UTF8'),
    pg_catalog.convert_to(p_row.derived_json::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.input_state, 'UTF8'),
    pg_catalog.convert_to(p_row.output_state, 'UTF8'),
    pg_catalog.convert_to(p_row.affected_region, 'UTF8'),
    pg_catalog.convert_to(p_row.user_visible_change, 'UTF8')
  ))
$$;

comment on function patchdiff_store.ledger_encoding(patchdiff_store.append_only_manifest_ledger) is
  'The bytes of a ledger row that its attempt''s row_hash covers, in chain format 1.';
