-- The identity of what a SAVE's request key stands for: SHA-256 of canonical JSON in a domain of its own, so that a
-- submission and a SAVE never share one.
create or replace function patchdiff_store.save_fingerprint (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_sync_workspace boolean
)
  returns text
  language sql
  stable
as $$
  select encode(sha256(convert_to(format(
    '{"expected_current_hash":%s,"expected_target_version":%s,"request_domain":"patchdiff-save/1","sync_workspace":%s,"target_file_id":"%s"}',
    coalesce(to_json(p_expected_hash)::text, 'null'),
    coalesce(p_expected_version::text, 'null'),
    p_sync_workspace::text,
    p_target
  ), 'UTF8')), 'hex')
$$;

comment on function patchdiff_store.save_fingerprint(uuid, bigint, text, boolean) is
  'The identity of what a SAVE''s request key stands for.';
