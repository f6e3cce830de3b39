-- The bytes that the row_hash of an initial snapshot covers after snapshot_encoding: what the creation fixed (chain
-- format 2). Nothing for any other snapshot (format 1), so that the two cannot be exchanged.
create or replace function patchdiff_store.creation_encoding (
  p_row patchdiff_store.target_snapshots
)
  returns bytea
  language sql
  stable
as $$
  select case p_row.hash_version
    when 2 then pg_catalog.record_send(row(pg_catalog.convert_to(p_row.creation::pg_catalog.text, 'UTF8')))
    else ''::pg_catalog.bytea
  end
$$;

comment on function patchdiff_store.creation_encoding(patchdiff_store.target_snapshots) is
  'The further bytes that the row_hash of an initial snapshot covers.';
