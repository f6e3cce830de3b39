-- The bytes of a publication row that its row_hash covers: record_send of the columns in this order, text as UTF-8
-- bytes and JSON as the text received, so nothing of TimeZone, DateStyle or client_encoding shows.
create or replace function patchdiff_store.publication_encoding (
  p_row patchdiff_store.workspace_publications
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.publication_sequence,
    p_row.publication_id,
    p_row.intent_publication_id,
    p_row.created_at,
    p_row.version,
    p_row.editing_cycle,
    pg_catalog.convert_to(p_row.kind, 'UTF8'),
    pg_catalog.convert_to(p_row.content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.expected_disk_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.observed_disk_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.written_sha256, 'UTF8'),
    p_row.written_bytes,
    pg_catalog.convert_to(p_row.workspace_root_identity, 'UTF8'),
    pg_catalog.convert_to(p_row.workspace_path, 'UTF8'),
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.detail::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.publication_encoding(patchdiff_store.workspace_publications) is
  'The bytes of a publication row that its row_hash covers, in chain format 1.';
