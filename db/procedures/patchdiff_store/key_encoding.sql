-- The bytes of a SAVE's request key that its row_hash covers: record_send of the columns in this order, text as UTF-8
-- bytes and JSON as the text received, so nothing of TimeZone, DateStyle or client_encoding shows.
create or replace function patchdiff_store.key_encoding (
  p_row patchdiff_store.request_keys
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.log_sequence,
    p_row.created_at,
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.kind, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.save_receipt::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.key_encoding(patchdiff_store.request_keys) is
  'The bytes of a SAVE''s request key that its row_hash covers, in chain format 1.';
