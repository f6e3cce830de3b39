-- The key under which a workspace file is bound: SHA-256 over root, a NUL (which neither holds) and path. Both may have
-- 4096 bytes, more than an index takes.
create or replace function patchdiff_store.file_key (
  p_root text,
  p_path text
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.sha256(
    pg_catalog.convert_to(p_root, 'UTF8') || pg_catalog.decode('00', 'hex') || pg_catalog.convert_to(p_path, 'UTF8')
  )
$$;

comment on function patchdiff_store.file_key(text, text) is 'The key under which a workspace file is bound.';
