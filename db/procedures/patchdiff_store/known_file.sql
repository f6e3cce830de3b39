-- The bytes by which a target knows its file, as digest and version: those last synced; and while it was moved to a place where no
-- file stands, those of before the move, so that a move in error can be taken back. Both null: it never had a file.
create or replace function patchdiff_store.known_file (
  p_locked patchdiff_store.locked_target,
  out disk_sha256 text,
  out version bigint
)
  language plpgsql
  stable
as $$
begin
  disk_sha256 := p_locked.last_synced_disk_sha256;
  version := p_locked.last_synced_version;
  if disk_sha256 is null then
    select p.expected_disk_sha256, (p.detail ->> 'expected_disk_version')::bigint
    into disk_sha256, version
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_locked.target_file_id and p.kind = 'rebound'
    order by p.publication_sequence desc
    limit 1;
  end if;
end;
$$;

comment on function patchdiff_store.known_file(patchdiff_store.locked_target) is
  'The digest and version of the bytes by which a target knows its file.';
