-- The bytes that the row_hash of an attempt brought in by its owner covers after attempt_encoding: when it was brought in
-- (chain format 2). Nothing for an attempt that was recorded as it happened (format 1), so that the two cannot be
-- exchanged. No search_path setting, so that it inlines.
create or replace function patchdiff_store.import_encoding (
  p_row patchdiff_store.append_only_pdcp_logs
)
  returns bytea
  language sql
  stable
as $$
  select case p_row.hash_version
    when 2 then pg_catalog.record_send(row(p_row.imported_at))
    else ''::pg_catalog.bytea
  end
$$;

comment on function patchdiff_store.import_encoding(patchdiff_store.append_only_pdcp_logs) is
  'The further bytes that the row_hash of an attempt brought in by its owner covers.';
