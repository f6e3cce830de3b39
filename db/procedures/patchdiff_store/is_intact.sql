-- Whether a target's content is what its row and its head say: it hashes to the stored hash, and version and hash are
-- those of the latest accepted attempt. Asked in every acceptance and before any stale_base, never skipped for speed.
create or replace function patchdiff_store.is_intact (
  p_locked patchdiff_store.locked_target,
  p_content bytea
)
  returns boolean
  language sql
  stable
as $$
  select patchdiff_store.sha256_hex(p_content) = p_locked.current_hash
    and p_locked.version = p_locked.accepted_version
    and p_locked.current_hash = p_locked.accepted_hash
    and length(p_content, 'UTF8') = p_locked.content_chars
    and octet_length(p_content) = p_locked.content_bytes
$$;

comment on function patchdiff_store.is_intact(patchdiff_store.locked_target, bytea) is
  'Whether a target''s content is what its row and its head say.';
