-- Moves the binding of a target to another file of this or another workspace: path and root decide, and what stands there must be the
-- file that the target was last synced with, or nothing; then the next SAVE creates it. Nothing on the disk is touched, and a
-- file that still stands at the old place belongs to no target any more. A row of the chain records it.
-- Outcomes: `rebound`; `refreshed`, at the same place whose root has another device or inode; `unchanged` at just the same place,
-- whatever was asked, so that the call can be repeated; `rejected` by a guard that does not hold, damaged content, another file at the
-- new place (drift), or because the target has no file. A move closes the open intents of the target as superseded.
-- Refuses malformed arguments (PD100), an unknown target (PD104), a place that belongs to another target (PD109).
-- Race-safe: decided under the target's lock, and by the primary key where two want one place. What the database cannot see is the disk:
-- as at an import, the caller says what stands there (disk_sha256, null: no file).
create or replace function patchdiff.rebind_target (
  p_target uuid,
  p_workspace jsonb,
  p_expected_version bigint default null,
  p_expected_hash text default null,
  p_actor json default null
)
  returns table (
    outcome text,
    failure_reason text,
    failure_code text,
    failure_detail text,
    rebinding_id uuid,
    version bigint,
    current_hash text,
    from_root text,
    from_path text,
    workspace_root text,
    workspace_path text,
    expected_disk_sha256 text,
    disk_sha256 text,
    last_synced_disk_sha256 text,
    last_synced_version bigint,
    superseded uuid[],
    chain_sequence bigint,
    chain_head text
  )
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_before patchdiff_store.locked_target;
  v_after patchdiff_store.locked_target;
  v_fault patchdiff_store.fault;
  v_known record;
  v_outcome text;
  v_superseded uuid[] := '{}';
  v_row patchdiff_store.workspace_publications;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, null);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_rebinding(p_workspace);

  -- lock
  v_before := patchdiff_store.lock_target(p_target);
  if v_before.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_known := patchdiff_store.known_file(v_before);
  select case when b.root_device = p_workspace ->> 'root_device' and b.root_inode = p_workspace ->> 'root_inode' then 'unchanged' else 'refreshed' end
  into v_outcome
  from patchdiff_store.workspace_bindings as b
  where b.target_file_id = p_target
  and v_before.workspace_root_identity = p_workspace ->> 'root'
  and v_before.workspace_path = p_workspace ->> 'path';
  v_outcome := coalesce(v_outcome, 'rebound');
  if v_outcome <> 'unchanged' then
    v_fault := patchdiff_store.rebind_fault(v_before, p_workspace, p_expected_version, p_expected_hash);
    if v_fault.failure_reason is not null then
      v_outcome := 'rejected';
    end if;
  end if;

  -- write
  v_after := v_before;
  if v_outcome in ('rebound', 'refreshed') then
    if v_outcome = 'rebound' then
      v_superseded := patchdiff_store.supersede_publications(p_target, p_actor, 'target_rebound');
      v_after := patchdiff_store.lock_target(p_target);
    end if;
    v_row := patchdiff_store.record_rebinding(v_after, p_workspace, p_actor);
    v_after := patchdiff_store.lock_target(p_target);
  end if;

  return query select
    v_outcome, v_fault.failure_reason, v_fault.failure_code, v_fault.failure_detail, v_row.publication_id, v_after.version,
    v_after.current_hash, v_before.workspace_root_identity, v_before.workspace_path, v_after.workspace_root_identity,
    v_after.workspace_path, v_known.disk_sha256, p_workspace ->> 'disk_sha256', v_after.last_synced_disk_sha256,
    v_after.last_synced_version, v_superseded, v_after.chain_sequence, encode(v_after.chain_head, 'hex');
end;
$$;

comment on function patchdiff.rebind_target(uuid, jsonb, bigint, text, json) is
  'Moves the binding of a target to another workspace file and records it.';
