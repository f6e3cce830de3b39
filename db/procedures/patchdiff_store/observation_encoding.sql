-- The bytes of an observation that its row_hash covers, in chain format 1: record_send of the columns in this order, text as UTF-8
-- bytes, then its scopes in their order (scope_encoding).
create or replace function patchdiff_store.observation_encoding (
  p_row patchdiff_store.scope_observations
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.observation_sequence,
    p_row.bundle_id,
    p_row.created_at,
    p_row.version,
    p_row.editing_cycle,
    p_row.scope_count,
    p_row.has_errors,
    pg_catalog.convert_to(p_row.content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.language, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_name, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_version, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.observation_encoding(patchdiff_store.scope_observations) is
  'The bytes of an observation that its row_hash covers, before those of its scopes, in chain format 1.';
