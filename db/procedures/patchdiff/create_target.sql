-- Creates a target from text: version 0, its initial snapshot, its first editing cycle, the genesis of its chain, and
-- its binding to a workspace file when one is given. The text is canonicalised here (CRLF and CR become LF); of mixed line
-- ends the ending of each line is kept.
-- Safe to repeat under a caller-chosen id: the same content and source answer `existing` with the target as it is now.
-- Refuses: malformed arguments (PD100), more than 16777216 bytes (PD107), an id taken by other content (PD103), a file
-- that is bound to another target (PD109).
-- Race-safe: the insert on the primary key decides which of two creations is first; the other waits, then compares.
create or replace function patchdiff.create_target (
  p_target uuid,
  p_display_name text,
  p_content text,
  p_source jsonb default null,
  p_workspace jsonb default null,
  p_actor json default null
)
  returns patchdiff.target_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_target uuid := coalesce(p_target, gen_random_uuid());
  v_content text := replace(replace(p_content, e'\r\n', e'\n'), e'\r', e'\n');
  v_hash text;
  v_facts jsonb;
  v_runs jsonb;
  v_now timestamptz := clock_timestamp();
  v_root text;
  v_path text;
  v_locked patchdiff_store.locked_target;
  v_first record;
  v_created boolean;
  v_receipt patchdiff.target_receipt;
begin
  -- check
  perform patchdiff_store.check_creation(p_display_name, p_content, p_workspace);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  v_hash := encode(sha256(convert_to(v_content, 'UTF8')), 'hex');
  v_facts := patchdiff_store.source_facts(p_source, p_content, v_content);
  v_runs := patchdiff_store.source_runs(p_source, p_content, v_facts);
  v_root := p_workspace ->> 'root';
  v_path := p_workspace ->> 'path';

  -- claim the id
  insert into patchdiff_store.cloud_target_files (
    target_file_id, display_name, current_hash, version, content_bytes, content_chars, workspace_tracked,
    workspace_root_identity, workspace_path, last_synced_disk_sha256, last_synced_version, source_bom,
    source_line_endings, eol_runs, eol_version, created_at, updated_at, current_content
  )
  values (
    v_target, p_display_name, v_hash, 0, octet_length(v_content), length(v_content), v_path is not null,
    v_root, v_path, p_workspace ->> 'disk_sha256', case when p_workspace ->> 'disk_sha256' is not null then 0 end,
    coalesce((p_source -> 'bom')::boolean, false), v_facts, v_runs, case when v_runs is not null then 0 end, v_now, v_now, v_content
  )
  on conflict (target_file_id) do nothing;
  v_created := found;

  if v_created then
    insert into patchdiff_store.target_heads
    values (v_target, 0, 0, 0, 0, 0, 0, 0, v_hash, patchdiff_store.genesis_hash(v_target));
  end if;

  -- lock
  v_locked := patchdiff_store.lock_target(v_target);

  -- guard
  if not v_created then
    select s.content_hash, s.source_sha256
    into strict v_first
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = v_target and s.snapshot_sequence = 1;
    if v_first.content_hash <> v_hash or v_first.source_sha256 is distinct from v_facts ->> 'source_sha256' then
      raise exception 'target % was created from other content', v_target
        using errcode = 'PD103',
              detail = json_build_object('target_file_id', v_target, 'content_hash', v_first.content_hash)::text,
              hint = 'read the existing target, or create another one under a new id';
    end if;
  end if;

  -- write
  if v_path is not null then
    perform patchdiff_store.bind_target(v_target, p_workspace);
  end if;
  if v_created then
    perform patchdiff_store.append_snapshot(v_locked, 'initial_upload', v_facts ->> 'source_sha256', p_actor);
    v_locked := patchdiff_store.lock_target(v_target);
  end if;

  v_receipt.outcome := case when v_created then 'created' else 'existing' end;
  v_receipt.target_file_id := v_target;
  v_receipt.version := v_locked.version;
  v_receipt.current_hash := v_locked.current_hash;
  v_receipt.display_name := v_locked.display_name;
  v_receipt.content_chars := v_locked.content_chars;
  v_receipt.content_bytes := v_locked.content_bytes;
  v_receipt.created_at := v_locked.created_at;
  v_receipt.chain_sequence := v_locked.chain_sequence;
  v_receipt.chain_head := encode(v_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff.create_target(uuid, text, text, jsonb, jsonb, json) is
  'Creates a target from text, or answers the existing one when the same id was created from the same content.';
