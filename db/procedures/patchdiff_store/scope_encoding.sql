-- The bytes of an observed scope that its observation's row_hash covers, in chain format 1: record_send of the columns in this order,
-- text as UTF-8 bytes.
create or replace function patchdiff_store.scope_encoding (
  p_row patchdiff_store.observed_scopes
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.scope_sequence,
    p_row.observation_sequence,
    p_row.ordinal,
    p_row.start_char,
    p_row.end_char,
    p_row.start_byte,
    p_row.end_byte,
    p_row.first_line,
    p_row.last_line,
    pg_catalog.convert_to(p_row.scope_id, 'UTF8'),
    pg_catalog.convert_to(p_row.kind, 'UTF8'),
    pg_catalog.convert_to(p_row.name, 'UTF8'),
    pg_catalog.convert_to(p_row.qualified_path, 'UTF8'),
    pg_catalog.convert_to(p_row.scope_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.scope_text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.scope_encoding(patchdiff_store.observed_scopes) is
  'The bytes of an observed scope that its observation''s row_hash covers, in chain format 1.';
