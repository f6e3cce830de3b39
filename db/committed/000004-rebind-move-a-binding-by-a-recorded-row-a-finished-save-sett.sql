--! Previous: sha1:76fd05d407b0c539a62b7f15570716b2a8ed550a
--! Hash: sha1:ead875cf0d48915eeffc1bf0b932a74b23913dd0
--! Message: Rebind: move a binding by a recorded row; a finished save settles its key

--! split: 001-current.sql
-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- A binding that was moved is a row among the publications that closes no intent and writes nothing. Rows of before hold the checks
-- by their nature, so nothing is scanned.
alter table patchdiff_store.workspace_publications alter column written_sha256 drop not null;
alter table patchdiff_store.workspace_publications alter column written_bytes drop not null;
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_kind_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_kind_check
  check (kind in ('intent', 'published', 'rejected', 'superseded', 'adopted', 'rebound')) not valid;
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_check
  check ((kind in ('intent', 'adopted', 'rebound')) = (intent_publication_id is null)) not valid;
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_written_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_written_check
  check (
    (kind = 'rebound') = (written_sha256 is null) and (kind = 'rebound') = (written_bytes is null)
  ) not valid;
comment on column patchdiff_store.workspace_publications.kind is
  'intent, or its outcome: published, rejected, superseded; or what closes none: adopted, rebound.';
comment on column patchdiff_store.workspace_publications.version is
  'The version to be written; of an adoption the one that the file made, of a rebinding the target''s.';
comment on column patchdiff_store.workspace_publications.written_sha256 is
  'Digest of the bytes to be written, or of those that stood in the file; null in a rebinding, which writes nothing.';
comment on column patchdiff_store.workspace_publications.written_bytes is
  'Number of bytes to be written, or of those that stood in the file; null in a rebinding, which writes nothing.';
comment on column patchdiff_store.workspace_publications.expected_disk_sha256 is
  'Digest the file must have before; null: it must not exist. Of a rebinding that of the file by which the target is known.';
comment on column patchdiff_store.workspace_publications.detail is
  'The guards of an intent; what an outcome has to say; the facts of an adoption or a rebinding. JSON text as received.';
drop function if exists patchdiff_store.supersede_publications(uuid, json);
--! Included patchdiff_store/supersede_publications.sql
-- Closes every open publication intent of a target as superseded, for the reason named, oldest first, and answers their ids: what
-- they were to write, or where, is not what the file is held against from now on. The caller holds the target's lock and reads the head anew afterwards.
create or replace function patchdiff_store.supersede_publications (
  p_target uuid,
  p_actor json,
  p_failure_code text
)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_intent patchdiff_store.workspace_publications;
  v_row patchdiff_store.workspace_publications;
  v_closed uuid[] := '{}';
begin
  for v_intent in
    select i.*
    from patchdiff_store.workspace_publications as i
    where i.target_file_id = p_target
    and i.kind = 'intent'
    and not exists (
      select
      from patchdiff_store.workspace_publications as o
      where o.target_file_id = p_target and o.intent_publication_id = i.publication_id
    )
    order by i.publication_sequence
  loop
    v_row := v_intent;
    v_row.kind := 'superseded';
    v_row.intent_publication_id := v_intent.publication_id;
    v_row.observed_disk_sha256 := null;
    v_row.client_request_id := null;
    v_row.request_fingerprint := null;
    v_row.actor := p_actor;
    v_row.detail := json_build_object('failure_code', p_failure_code);
    perform patchdiff_store.append_publication(patchdiff_store.lock_target(p_target), v_row);
    v_closed := v_closed || v_intent.publication_id;
  end loop;
  return v_closed;
end;
$$;

comment on function patchdiff_store.supersede_publications(uuid, json, text) is
  'Closes every open publication intent of a target as superseded.';
--! EndIncluded patchdiff_store/supersede_publications.sql
--! Included patchdiff/adopt_disk.sql
-- Takes the text that now stands in a target's own file over as the target's text, after the file was changed by others: a guarded
-- patchdiff-tx/3 attempt of source `disk`, and a row of the chain that records digest, line endings and byte order mark of the
-- file as the synced ones. The same text in other bytes (line endings, mark) is the row alone.
-- Outcomes: `adopted`; `unchanged`, when the file still is what was synced last, whatever was asked, so that the call can be
-- repeated; `rejected`, by a guard that does not hold or by diverged content (an attempt records it), or because a guard is
-- required: the target has versions that never reached its file (guard_missing, no attempt). Open intents are closed as superseded.
-- The text may have 16777216 bytes here and nowhere else. Refuses malformed arguments, among them a digest of other bytes than
-- the text, its endings and its mark make (PD100), more text (PD107), an unknown target (PD104), a file that is not the
-- target's (PD109).
-- Race-safe: decided under the target's lock. What the database cannot see is the disk: as at an import, the caller says.
create or replace function patchdiff.adopt_disk (
  p_target uuid,
  p_content text,
  p_source jsonb,
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
    adoption_id uuid,
    pdcp_log_id uuid,
    before_version bigint,
    version bigint,
    current_hash text,
    previous_disk_sha256 text,
    disk_sha256 text,
    superseded uuid[]
  )
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_content text := patchdiff_store.lf(p_content);
  v_facts jsonb;
  v_runs jsonb;
  v_before patchdiff_store.locked_target;
  v_locked patchdiff_store.locked_target;
  v_fault patchdiff_store.fault;
  v_commit patchdiff.commit_receipt;
  v_superseded uuid[];
  v_row patchdiff_store.workspace_publications;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, null);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_creation('file', p_content, p_workspace);
  v_facts := patchdiff_store.source_facts(p_source, p_content, v_content);
  v_runs := patchdiff_store.source_runs(p_source, p_content, v_facts);
  perform patchdiff_store.check_adoption(p_workspace, v_facts, v_runs);

  -- lock
  v_before := patchdiff_store.lock_target(p_target);
  if v_before.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  perform patchdiff_store.check_bound(v_before, p_workspace ->> 'root', p_workspace ->> 'path');
  if v_before.last_synced_disk_sha256 = p_workspace ->> 'disk_sha256' then
    return query select
      'unchanged', null::text, null::text, null::text, null::uuid, null::uuid, v_before.version, v_before.version,
      v_before.current_hash, v_before.last_synced_disk_sha256, v_before.last_synced_disk_sha256, '{}'::uuid[];
    return;
  end if;

  if p_expected_version is null and p_expected_hash is null and v_before.last_synced_version is distinct from v_before.version then
    v_fault := patchdiff_store.fault_of('guard_missing');
  elsif v_before.current_hash <> patchdiff_store.sha256_hex(convert_to(v_content, 'UTF8'))
    or (patchdiff_store.save_fault(v_before, p_expected_version, p_expected_hash)).failure_reason is not null
  then
    v_commit := patchdiff_store.commit_submission(
      p_target,
      patchdiff_store.direct_record(
        'patchdiff-tx/3', p_target, 'Take over the text that stands in the file.',
        case when p_expected_version is null and p_expected_hash is null then v_before.version else p_expected_version end,
        p_expected_hash, null, '[{"op":"replace_all","replace":' || to_json(v_content)::text || '}]'),
      null, null, null, 'disk', p_actor, null, 'derive', null, null, null, null, null, true);
    if v_commit.outcome <> 'accepted' then
      v_fault.failure_reason := v_commit.failure_reason;
      v_fault.failure_code := v_commit.failure_code;
      v_fault.failure_detail := v_commit.failure_detail;
    end if;
  end if;
  if v_fault.failure_reason is not null then
    return query select
      'rejected', v_fault.failure_reason, v_fault.failure_code, v_fault.failure_detail, null::uuid, v_commit.pdcp_log_id,
      v_before.version, v_before.version, v_before.current_hash, v_before.last_synced_disk_sha256, p_workspace ->> 'disk_sha256',
      '{}'::uuid[];
    return;
  end if;

  -- write
  v_superseded := patchdiff_store.supersede_publications(p_target, p_actor, 'disk_adopted');
  v_locked := patchdiff_store.lock_target(p_target);
  v_row.kind := 'adopted';
  v_row.written_sha256 := p_workspace ->> 'disk_sha256';
  v_row.written_bytes := (v_facts ->> 'source_utf8_bytes')::bigint;
  v_row.actor := p_actor;
  v_row.detail := json_build_object(
    'before_version', v_before.version,
    'pdcp_log_id', v_commit.pdcp_log_id,
    'source_bom', coalesce((p_source -> 'bom')::boolean, false),
    'source_line_endings', v_facts,
    'eol_runs', v_runs
  );
  v_row := patchdiff_store.record_adoption(v_locked, v_row);

  return query select
    'adopted', null::text, null::text, null::text, v_row.publication_id, v_commit.pdcp_log_id, v_before.version, v_locked.version,
    v_locked.current_hash, v_before.last_synced_disk_sha256, v_row.written_sha256, v_superseded;
end;
$$;

comment on function patchdiff.adopt_disk(uuid, text, jsonb, jsonb, bigint, text, json) is
  'Takes the text that now stands in a target''s own file over as the target''s text.';
--! EndIncluded patchdiff/adopt_disk.sql
--! Included patchdiff_store/check_publication_open.sql
-- Refuses to close an intent twice, or to call it published when a later one was published, the disk was adopted or the target
-- was bound to another file since: then the bytes on the disk are not this intent's (PD110). The caller holds the target's lock.
create or replace function patchdiff_store.check_publication_open (
  p_intent patchdiff_store.workspace_publications,
  p_outcome text
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_outcome text;
begin
  select p.kind
  into v_outcome
  from patchdiff_store.workspace_publications as p
  where p.target_file_id = p_intent.target_file_id
  and p.publication_sequence > p_intent.publication_sequence
  and (
    p.intent_publication_id = p_intent.publication_id
    or (p_outcome = 'published' and p.kind = 'adopted')
    or (p_outcome = 'published' and p.kind = 'rebound' and (
      p.workspace_root_identity <> p_intent.workspace_root_identity or p.workspace_path <> p_intent.workspace_path
    ))
    or (p_outcome = 'published' and p.kind = 'published' and exists (
      select
      from patchdiff_store.workspace_publications as i
      where i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.publication_sequence > p_intent.publication_sequence
    ))
  )
  limit 1;
  if found then
    raise exception 'publication % is closed', p_intent.publication_id
      using errcode = 'PD110',
            detail = json_build_object('publication_id', p_intent.publication_id, 'outcome', v_outcome)::text,
            hint = 'record it as superseded if it is still open; otherwise there is nothing to do';
  end if;
end;
$$;

comment on function patchdiff_store.check_publication_open(patchdiff_store.workspace_publications, text) is
  'Refuses to close a publication intent twice or behind a later publication.';
--! EndIncluded patchdiff_store/check_publication_open.sql
--! Included patchdiff_store/binding_facts.sql
-- Where a target's file is and what it was last synced with: the names of columns of cloud_target_files and workspace_bindings,
-- as in creation_facts, and their values. What a rebinding keeps of before and after, under the hash of its row.
create or replace function patchdiff_store.binding_facts (
  p_target uuid
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_object_agg(f.key, f.value)
  from jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as f
  where f.key in (
    'workspace_root_identity', 'workspace_path', 'root_device', 'root_inode', 'bound_at', 'last_synced_disk_sha256',
    'last_synced_version'
  )
$$;

comment on function patchdiff_store.binding_facts(uuid) is 'Where a target''s file is and what it was last synced with, by column.';
--! EndIncluded patchdiff_store/binding_facts.sql
--! Included patchdiff_store/check_rebinding.sql
-- Refuses a malformed place for a binding (PD100): no object, root and path as a creation takes them, a root that is no absolute
-- path, and no word about the disk: disk_sha256 is to be there, null where no file stands.
create or replace function patchdiff_store.check_rebinding (
  p_workspace jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  perform patchdiff_store.check_creation('file', '', p_workspace);
  if p_workspace is null then
    v_argument := 'p_workspace';
    v_rule := 'an object with root, path, root_device, root_inode and disk_sha256';
  elsif p_workspace ->> 'root' not like '/%' then
    v_argument := 'p_workspace.root';
    v_rule := 'the canonical absolute path of the workspace root';
  elsif coalesce(jsonb_typeof(p_workspace -> 'disk_sha256'), '') not in ('string', 'null') then
    v_argument := 'p_workspace.disk_sha256';
    v_rule := 'the digest of the file that stands at the new place, or null when none does';
  else
    return;
  end if;

  raise exception '%: %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = 'look at the disk again and say what stands there';
end;
$$;

comment on function patchdiff_store.check_rebinding(jsonb) is 'Refuses a malformed place for a binding.';
--! EndIncluded patchdiff_store/check_rebinding.sql
--! Included patchdiff_store/known_file.sql
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
--! EndIncluded patchdiff_store/known_file.sql
--! Included patchdiff_store/rebind_fault.sql
-- What stands against binding a locked target to a place: it is bound to no file, a guard, damaged content, or other bytes at the new
-- place than those by which the target knows its file. Where only the root's device or inode changed the disk is not
-- asked: a file that changed there is drift for SAVE as before. Every field null: nothing. Refuses a place of another target (PD109).
create or replace function patchdiff_store.rebind_fault (
  p_locked patchdiff_store.locked_target,
  p_workspace jsonb,
  p_expected_version bigint,
  p_expected_hash text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_found text := p_workspace ->> 'disk_sha256';
  v_known record;
  v_bound uuid;
  v_fault patchdiff_store.fault;
begin
  if not p_locked.workspace_tracked then
    v_fault.failure_reason := 'not_workspace_bound';
    v_fault.failure_code := 'not_workspace_bound';
    v_fault.failure_detail := 'the target is bound to no workspace file; a binding is made by creation alone';
    return v_fault;
  end if;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_workspace ->> 'root', p_workspace ->> 'path');
  if v_bound <> p_locked.target_file_id then
    raise exception 'the file belongs to target %', v_bound
      using errcode = 'PD109',
            detail = json_build_object('target_file_id', p_locked.target_file_id, 'bound_target_file_id', v_bound)::text,
            hint = 'use the target that the file is bound to, or bind that one to another file first';
  end if;

  v_fault := patchdiff_store.save_fault(p_locked, p_expected_version, p_expected_hash);
  if v_fault.failure_reason is not null
    or (p_workspace ->> 'root' = p_locked.workspace_root_identity and p_workspace ->> 'path' = p_locked.workspace_path)
  then
    return v_fault;
  end if;

  v_known := patchdiff_store.known_file(p_locked);
  if v_found is not null and v_found is distinct from v_known.disk_sha256 then
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'drift';
    v_fault.failure_detail := format(
      'another file stands at the new place: %s expected, %s found; nothing was changed', coalesce(v_known.disk_sha256, 'no file'), v_found);
    return v_fault;
  end if;
  return null;
end;
$$;

comment on function patchdiff_store.rebind_fault(patchdiff_store.locked_target, jsonb, bigint, text) is
  'What stands against binding a locked target to a place, or null.';
--! EndIncluded patchdiff_store/rebind_fault.sql
--! Included patchdiff_store/record_rebinding.sql
-- Moves the binding of a target to a place and appends the row that says so, with the facts of before and after in its detail. At another
-- place the target is synced with what stands there: the file by which it is known, or nothing, so that the next SAVE
-- creates the file. Two that bind one place at once are decided by the primary key: the second is refused (PD109). The caller
-- holds the target's lock, passes what lock_target answered, and has found nothing against it (rebind_fault).
create or replace function patchdiff_store.record_rebinding (
  p_locked patchdiff_store.locked_target,
  p_workspace jsonb,
  p_actor json
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_target uuid := p_locked.target_file_id;
  v_found text := p_workspace ->> 'disk_sha256';
  v_moves boolean := p_workspace ->> 'root' <> p_locked.workspace_root_identity or p_workspace ->> 'path' <> p_locked.workspace_path;
  v_known record;
  v_from jsonb := patchdiff_store.binding_facts(p_locked.target_file_id);
  v_row patchdiff_store.workspace_publications;
begin
  v_known := patchdiff_store.known_file(p_locked);
  update patchdiff_store.cloud_target_files as t
  set workspace_root_identity = p_workspace ->> 'root',
      workspace_path = p_workspace ->> 'path',
      last_synced_disk_sha256 = case when v_moves then v_found else t.last_synced_disk_sha256 end,
      last_synced_version = case when not v_moves then t.last_synced_version when v_found is not null then v_known.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = v_target;
  delete from patchdiff_store.workspace_bindings as b
  where b.target_file_id = v_target;
  perform patchdiff_store.bind_target(v_target, p_workspace);

  v_row.kind := 'rebound';
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.expected_disk_sha256 := v_known.disk_sha256;
  v_row.observed_disk_sha256 := v_found;
  v_row.workspace_root_identity := p_workspace ->> 'root';
  v_row.workspace_path := p_workspace ->> 'path';
  v_row.actor := p_actor;
  v_row.detail := json_build_object(
    'from', v_from,
    'to', patchdiff_store.binding_facts(v_target),
    'expected_disk_version', v_known.version
  );
  return patchdiff_store.append_publication(p_locked, v_row);
end;
$$;

comment on function patchdiff_store.record_rebinding(patchdiff_store.locked_target, jsonb, json) is
  'Moves the binding of a target to a place and appends the row that says so.';
--! EndIncluded patchdiff_store/record_rebinding.sql
--! Included patchdiff/rebind_target.sql
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
--! EndIncluded patchdiff/rebind_target.sql
grant execute on function patchdiff.rebind_target(uuid, jsonb, bigint, text, json) to patchdiff_writer;
--! Included patchdiff_store/verify_creation.sql
-- What the creation of a target fixed (name, source, file) against its initial snapshot, which keeps it under its hash, and what
-- an adoption of the disk or a move of the binding recorded since against its row; the row of its file against the target; and
-- what it was last synced with against publications, adoptions and moves. A target of before format 2 has no record of its creation:
-- of it only what the tables say of each other is held.
create or replace function patchdiff_store.verify_creation (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with initial as (
    select s.created_at, s.source_sha256, s.content, r.creation
    from patchdiff_store.target_snapshots as s
    cross join lateral (
      select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
    ) as r
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ),
  recorded as (
    -- Later rows of the chain say other things than the creation did.
    select
      i.created_at,
      coalesce(i.creation || l.facts, i.creation, l.facts) as facts,
      i.creation is not null as is_whole,
      coalesce(l.facts #>> '{source_line_endings,source_sha256}', i.source_sha256) as source_sha256
    from initial as i
    cross join lateral (
      select jsonb_object_agg(d.key, d.value order by d.publication_sequence) as facts
      from (
        select distinct on (f.key) f.key, f.value, w.publication_sequence
        from patchdiff_store.workspace_publications as w
        cross join lateral (
          select case w.kind when 'rebound' then d.detail -> 'to' else d.detail end as detail
          from (select case when pg_input_is_valid(w.detail::text, 'jsonb') then w.detail::jsonb end as detail) as d
        ) as r
        cross join lateral jsonb_each(case jsonb_typeof(r.detail) when 'object' then r.detail end) as f
        where w.target_file_id = p_target
        and (
          (w.kind = 'adopted' and f.key in ('source_bom', 'source_line_endings'))
          or (w.kind = 'rebound' and f.key in ('workspace_root_identity', 'workspace_path', 'root_device', 'root_inode', 'bound_at'))
        )
        order by f.key, w.publication_sequence desc
      ) as d
    ) as l
  ),
  compared as (
    -- Moments are the same in any time zone; everything else is compared as JSON.
    select
      n.key as column_name,
      case when n.key in ('created_at', 'bound_at') then (n.value #>> '{}')::timestamptz = case
        when pg_input_is_valid(r.facts ->> n.key, 'timestamptz') then (r.facts ->> n.key)::timestamptz
      end
      or (jsonb_typeof(n.value) = 'null' and jsonb_typeof(r.facts -> n.key) = 'null')
      else n.value = r.facts -> n.key end as same
    from recorded as r
    cross join lateral jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as n
    where (r.is_whole or r.facts ? n.key)
    and n.key not like 'last\_synced\_%'
    and n.key not like 'eol\_%'
  ),
  synced as (
    select y.facts ->> 'last_synced_disk_sha256' as disk_sha256, y.facts ->> 'last_synced_version' as version, true as is_recorded
    from (
      select coalesce(
        (
          select case w.kind
            when 'rebound' then case when pg_input_is_valid(w.detail::text, 'jsonb') then w.detail::jsonb -> 'to' end
            else jsonb_build_object('last_synced_disk_sha256', w.written_sha256, 'last_synced_version', w.version)
          end
          from patchdiff_store.workspace_publications as w
          where w.target_file_id = p_target and w.kind in ('published', 'adopted', 'rebound')
          order by w.publication_sequence desc
          limit 1
        ),
        i.creation
      ) as facts
      from initial as i
    ) as y
    where y.facts is not null
  )
  select
    case when c.column_name in ('root_device', 'root_inode', 'bound_at') then 'workspace_bindings' else 'cloud_target_files' end,
    'target_file_id=' || p_target,
    c.column_name,
    'not what the creation, or a later row of its file, recorded'
  from compared as c
  where c.same is not true
  union all
  select 'cloud_target_files', 'target_file_id=' || p_target, f.column_name, f.problem
  from patchdiff_store.cloud_target_files as t
  left join initial as i on true
  left join recorded as r on true
  left join synced as y on true
  cross join lateral (
    values
      ('status', 'no routine writes this', t.status <> 'active'),
      ('created_at', 'later than the initial snapshot', t.created_at > i.created_at),
      ('updated_at', 'earlier than the creation', t.updated_at < t.created_at),
      ('workspace_tracked', 'not whether a file is named', t.workspace_tracked <> (t.workspace_path is not null)),
      ('source_line_endings', 'not what the initial snapshot, or a later adoption, says of the source',
        r.source_sha256 is distinct from t.source_line_endings ->> 'source_sha256'),
      ('last_synced_disk_sha256', 'not what was published, adopted or found last',
        y.is_recorded and t.last_synced_disk_sha256 is distinct from y.disk_sha256),
      ('last_synced_version', 'not the version that was published, adopted or found last',
        y.is_recorded and t.last_synced_version::text is distinct from y.version)
  ) as f (column_name, problem, broken)
  where t.target_file_id = p_target and f.broken
  union all
  select 'workspace_bindings', 'target_file_id=' || p_target, f.column_name, f.problem
  from (
    select t.* from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target
  ) as t
  full join (
    select b.* from patchdiff_store.workspace_bindings as b where b.target_file_id = p_target
  ) as b on true
  cross join lateral (
    values
      (null, 'the row is missing', t.workspace_path is not null and b.file_key is null),
      ('target_file_id', 'the target is bound to no file', b.file_key is not null and t.workspace_path is null),
      ('workspace_root', 'not the target''s', b.workspace_root <> t.workspace_root_identity),
      ('workspace_path', 'not the target''s', b.workspace_path <> t.workspace_path),
      ('file_key', 'not the key of its root and path',
        b.file_key <> patchdiff_store.file_key(b.workspace_root, b.workspace_path))
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_creation(uuid) is
  'What is wrong with what a target''s creation fixed and with what it was last synced with; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_creation.sql
--! Included patchdiff_store/verify_publications.sql
-- The publications of a target: sequence without gap, every outcome closing an earlier intent with the same bytes and
-- file, and the published hash that which the history records for the version. An adoption stands in the
-- same sequence and closes nothing; it was observed as it is recorded, and names the attempt that made its version. A rebinding
-- closes nothing either, and writes nothing; verify_rebindings says what else it has to be.
create or replace function patchdiff_store.verify_publications (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with cycles as (
    -- One pass over the chain: the cycle that was open is that of the last snapshot before.
    select m.publication_sequence, max(m.editing_cycle) over (order by m.chain_sequence) as cycle
    from (
      select s.chain_sequence, null::bigint as publication_sequence, s.editing_cycle
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target
      union all
      select p.chain_sequence, p.publication_sequence, null
      from patchdiff_store.workspace_publications as p
      where p.target_file_id = p_target
    ) as m
  ),
  ordered as (
    select
      p.publication_sequence,
      p.kind,
      p.intent_publication_id,
      p.content_hash,
      p.kind in ('intent', 'adopted', 'rebound') as is_first,
      p.kind = 'adopted' and (
        p.observed_disk_sha256 is distinct from p.written_sha256
        or p.written_sha256 is distinct from d.detail #>> '{source_line_endings,source_sha256}'
      ) as other_digest,
      p.kind = 'adopted' and p.version::text is distinct from coalesce(
        (
          select l.after_version::text
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target
          and l.pdcp_log_id::text = d.detail ->> 'pdcp_log_id'
          and l.status = 'accepted'
          and l.submission_source = 'disk'
          and l.chain_sequence < p.chain_sequence
        ),
        case when d.detail ->> 'pdcp_log_id' is null then d.detail ->> 'before_version' end
      ) as other_attempt,
      (p.kind = 'rebound') <> (p.written_sha256 is null) as other_writing,
      (p.kind = 'rebound') <> (p.written_bytes is null) as other_writing_size,
      lag(p.publication_sequence, 1, 0::bigint) over publications as sequence_before,
      i.publication_id as intent,
      p.editing_cycle,
      c.cycle,
      p.version is distinct from i.version as other_version,
      p.content_hash is distinct from i.content_hash as other_content,
      p.written_sha256 is distinct from i.written_sha256 as other_bytes,
      p.written_bytes is distinct from i.written_bytes as other_size,
      p.expected_disk_sha256 is distinct from i.expected_disk_sha256 as other_disk,
      p.workspace_root_identity is distinct from i.workspace_root_identity as other_root,
      p.workspace_path is distinct from i.workspace_path as other_path,
      coalesce(
        (
          select l.after_hash
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target and l.status = 'accepted' and l.after_version = p.version
          limit 1
        ),
        (
          select s.content_hash
          from patchdiff_store.target_snapshots as s
          where s.target_file_id = p_target and s.snapshot_sequence = 1 and s.version = p.version
        )
      ) as hash_of_version
    from patchdiff_store.workspace_publications as p
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.kind = 'intent'
      and i.publication_sequence < p.publication_sequence
    left join cycles as c on c.publication_sequence = p.publication_sequence
    cross join lateral (
      select case when p.kind = 'adopted' and pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
    ) as d
    where p.target_file_id = p_target
    window publications as (order by p.publication_sequence)
  )
  select 'workspace_publications', 'publication_sequence=' || o.publication_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('publication_sequence', 'publications are missing before this one', o.publication_sequence <> o.sequence_before + 1),
      ('intent_publication_id', 'closes no earlier intent', not o.is_first and o.intent is null),
      ('kind', 'an intent that closes one, or no known kind',
        o.kind not in ('intent', 'published', 'rejected', 'superseded', 'adopted', 'rebound')
        or o.is_first <> (o.intent_publication_id is null)),
      ('editing_cycle', 'not the cycle that was open', o.editing_cycle is distinct from o.cycle),
      ('version', 'not what the intent announced', o.intent is not null and o.other_version),
      ('content_hash', 'not what the intent announced', o.intent is not null and o.other_content),
      ('written_sha256', 'not what the intent announced', o.intent is not null and o.other_bytes),
      ('written_bytes', 'not what the intent announced', o.intent is not null and o.other_size),
      ('expected_disk_sha256', 'not what the intent announced', o.intent is not null and o.other_disk),
      ('workspace_root_identity', 'not what the intent announced', o.intent is not null and o.other_root),
      ('workspace_path', 'not what the intent announced', o.intent is not null and o.other_path),
      ('written_sha256', 'missing, or of a row that writes nothing', o.other_writing),
      ('written_bytes', 'missing, or of a row that writes nothing', o.other_writing_size),
      ('observed_disk_sha256', 'not the digest that was adopted', o.other_digest),
      ('detail', 'names no attempt that made the version', o.other_attempt),
      ('content_hash', 'not the hash that the history records for the version', o.content_hash is distinct from o.hash_of_version)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'publication_sequence', 'not the sequence of the last publication'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.publication_sequence <> coalesce((select max(o.publication_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_publications(uuid) is
  'What is wrong with the publications of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_publications.sql
--! Included patchdiff_store/verify_rebindings.sql
-- The rows that moved a target's binding: each says of before what the row before it, or the creation, said of after; of
-- after what its own columns say; and what was seen at a new place was the known file or none. What the binding is now is held
-- against the last of them by verify_creation.
create or replace function patchdiff_store.verify_rebindings (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with moves as (
    select
      p.publication_sequence,
      p.workspace_root_identity,
      p.workspace_path,
      p.expected_disk_sha256,
      p.observed_disk_sha256,
      d.detail,
      coalesce(lag(d.detail -> 'to') over (order by p.publication_sequence), i.creation) as before
    from patchdiff_store.workspace_publications as p
    cross join lateral (
      select case when pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
    ) as d
    left join lateral (
      select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target and s.snapshot_sequence = 1
    ) as i on true
    where p.target_file_id = p_target and p.kind = 'rebound'
  ),
  compared as (
    select
      m.*,
      m.detail #>> '{from,workspace_root_identity}' = m.workspace_root_identity
      and m.detail #>> '{from,workspace_path}' = m.workspace_path as stays,
      exists (
        select
        from unnest(array['workspace_root_identity', 'workspace_path', 'root_device', 'root_inode']) as k (name)
        where m.detail -> 'from' ->> k.name is distinct from m.before ->> k.name
      ) as other_before
    from moves as m
  )
  select 'workspace_publications', 'publication_sequence=' || c.publication_sequence, f.column_name, f.problem
  from compared as c
  cross join lateral (
    values
      ('detail', 'not where the file was before', c.before is not null and c.other_before),
      ('workspace_root_identity', 'not the root that the binding was moved to',
        c.workspace_root_identity is distinct from c.detail #>> '{to,workspace_root_identity}'),
      ('workspace_path', 'not the path that the binding was moved to', c.workspace_path is distinct from c.detail #>> '{to,workspace_path}'),
      ('observed_disk_sha256', 'neither the known file nor none',
        c.stays is not true and c.observed_disk_sha256 is not null
        and c.observed_disk_sha256 is distinct from c.expected_disk_sha256)
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_rebindings(uuid) is
  'What is wrong with the rows that moved a target''s binding; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_rebindings.sql
--! Included patchdiff_store/verify_target.sql
-- Everything that can be checked about one target, one row a finding. Reads one snapshot (stable), locks nothing, and
-- is linear in the history. Refuses an id that nothing in the store mentions (PD104) and half a noted head, which would
-- prove nothing and look as if it had (PD100); its hash is read in either case.
create or replace function patchdiff_store.verify_target (
  p_target uuid,
  p_noted_sequence bigint,
  p_noted_hash text
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_row boolean := exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target);
  v_head boolean := exists (select from patchdiff_store.target_heads as h where h.target_file_id = p_target);
begin
  if (p_noted_sequence is null) <> (p_noted_hash is null) then
    raise exception 'p_noted_sequence and p_noted_hash belong together'
      using errcode = 'PD100',
            detail = json_build_object(
              'argument', case when p_noted_hash is null then 'p_noted_hash' else 'p_noted_sequence' end,
              'rule', 'both, or neither'
            )::text,
            hint = 'send the sequence and the hash as chain_head or a receipt answered them';
  end if;
  perform patchdiff_store.check_digest('p_noted_hash', lower(p_noted_hash), false);

  if not patchdiff_store.is_mentioned(p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if not v_row then
    return next row('cloud_target_files', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  if not v_head then
    return next row('target_heads', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  return query select f.* from patchdiff_store.verify_chain(p_target, p_noted_sequence, lower(p_noted_hash)) as f;
  return query select f.* from patchdiff_store.verify_missing(p_target) as f;
  return query select f.* from patchdiff_store.verify_creation(p_target) as f;
  return query select f.* from patchdiff_store.verify_line_endings(p_target) as f;
  return query select f.* from patchdiff_store.verify_attempts(p_target) as f;
  return query select f.* from patchdiff_store.verify_ledger(p_target) as f;
  return query select f.* from patchdiff_store.verify_snapshots(p_target) as f;
  return query select f.* from patchdiff_store.verify_publications(p_target) as f;
  return query select f.* from patchdiff_store.verify_rebindings(p_target) as f;
  return query select f.* from patchdiff_store.verify_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_save_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_replay(p_target) as f;
end;
$$;

comment on function patchdiff_store.verify_target(uuid, bigint, text) is
  'Every finding about one target; no rows when nothing is wrong.';
--! EndIncluded patchdiff_store/verify_target.sql
--! Included patchdiff_audit/open_publications.sql
-- Publication intents that have no outcome yet, with what tells what became of them: the digest the file had before, the one that
-- was to be written, what the target was last synced with, and whether a later row says that the file has moved on (is_overtaken:
-- it can no longer be recorded as published). An intent is open while a SAVE runs, and after a crash until the next SAVE of the
-- target or `patchdiff reconcile --finish`. is_current: the version to be written still is the target's.
-- actor_… and actor are what the opener claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.open_publications as
select
  p.target_file_id,
  t.display_name,
  p.publication_sequence,
  p.publication_id,
  p.opened_at,
  p.version,
  t.version as current_version,
  p.version = t.version and p.content_hash = t.current_hash as is_current,
  p.content_hash,
  p.workspace_root,
  p.workspace_path,
  p.expected_disk_sha256,
  p.written_sha256,
  p.written_bytes,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  exists (
    select
    from patchdiff_store.workspace_publications as o
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = o.target_file_id and i.publication_id = o.intent_publication_id
    where o.target_file_id = p.target_file_id
    and o.publication_sequence > p.publication_sequence
    and (
      o.kind = 'adopted'
      or (o.kind = 'rebound' and (o.workspace_root_identity <> p.workspace_root or o.workspace_path <> p.workspace_path))
      or (o.kind = 'published' and i.publication_sequence > p.publication_sequence)
    )
  ) as is_overtaken,
  p.editing_cycle,
  p.actor,
  p.actor_host,
  p.actor_host_version,
  p.actor_agent,
  p.actor_session,
  p.db_session_user,
  p.db_application_name,
  p.db_client_addr,
  p.db_transaction_id
from patchdiff_audit.publications as p
join patchdiff_store.cloud_target_files as t on t.target_file_id = p.target_file_id
where p.outcome is null;

comment on view patchdiff_audit.open_publications is
  'Publication intents without an outcome, with what tells what became of them.';
--! EndIncluded patchdiff_audit/open_publications.sql
--! Included patchdiff_audit/bindings.sql
-- Where each document's file has been: one row for the place that the creation bound it to, and one for each time that the binding
-- was moved, or its root got another device or inode. bound_until is null for the place it has now. disk_sha256: what stood
-- there, null for no file. actor_… and actor are what whoever bound it claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.bindings as
with places as (
  select
    p.target_file_id,
    p.publication_sequence,
    p.publication_id as rebinding_id,
    p.created_at as recorded_at,
    d.detail -> 'to' as place,
    p.observed_disk_sha256 as disk_sha256,
    p.version,
    p.actor,
    p.db_session_user,
    p.db_application_name,
    p.db_client_addr,
    p.db_transaction_id
  from patchdiff_store.workspace_publications as p
  cross join lateral (
    select case when pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
  ) as d
  where p.kind = 'rebound'
  union all
  -- A creation of before chain format 2 kept no place: then the first move says where the file was, or else the binding itself.
  select
    s.target_file_id,
    0,
    null,
    s.created_at,
    coalesce(c.creation, m.place, jsonb_build_object(
      'workspace_root_identity', b.workspace_root,
      'workspace_path', b.workspace_path,
      'root_device', b.root_device,
      'root_inode', b.root_inode
    )),
    case when c.creation is null then s.source_sha256 else c.creation ->> 'last_synced_disk_sha256' end,
    s.version,
    s.actor,
    s.db_session_user,
    s.db_application_name,
    s.db_client_addr,
    s.db_transaction_id
  from patchdiff_store.target_snapshots as s
  cross join lateral (
    select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
  ) as c
  left join lateral (
    select p.detail::jsonb -> 'from' as place
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = s.target_file_id and p.kind = 'rebound' and pg_input_is_valid(p.detail::text, 'jsonb')
    order by p.publication_sequence
    limit 1
  ) as m on true
  left join patchdiff_store.workspace_bindings as b on b.target_file_id = s.target_file_id
  where s.snapshot_sequence = 1
)
select
  b.target_file_id,
  b.publication_sequence,
  b.rebinding_id,
  case when b.rebinding_id is null then 'created' else 'rebound' end as bound_by,
  b.recorded_at as bound_from,
  lead(b.recorded_at) over places_of_target as bound_until,
  b.place ->> 'workspace_root_identity' as workspace_root,
  b.place ->> 'workspace_path' as workspace_path,
  b.place ->> 'root_device' as root_device,
  b.place ->> 'root_inode' as root_inode,
  b.disk_sha256,
  b.version,
  b.actor,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  b.db_session_user,
  b.db_application_name,
  b.db_client_addr,
  b.db_transaction_id
from places as b
cross join lateral (
  select case when pg_input_is_valid(b.actor::text, 'jsonb') then b.actor end as actor
) as r
where b.place ->> 'workspace_path' is not null
window places_of_target as (partition by b.target_file_id order by b.publication_sequence);

comment on view patchdiff_audit.bindings is 'Where each document''s file has been, one row a place.';
--! EndIncluded patchdiff_audit/bindings.sql
grant select on patchdiff_audit.bindings to patchdiff_writer, patchdiff_auditor;

--! Included patchdiff/record_publication.sql
-- Closes a publication intent with its outcome, once. `published`: the file now holds the intent's bytes; the synced
-- digest and version follow, and a checkpoint snapshot with a new cycle is appended when the target still is at the
-- intent's version and the newest snapshot is not (after a crash the target may have moved on: then snapshot_id is
-- null). While the stored content is not what its hash says it answers `rejected` and writes nothing, so that the intent
-- stays open. `rejected` and `superseded`: nothing was installed; the failure is what the database itself finds against
-- the intent now, and p_detail is kept in the row as the caller's claim; a published receipt repeats it in installation.
-- Recorded under the request key: `published` (under the intent's own key when none is given and it stands for nothing yet), and `rejected` when the SAVE's own guards, kept with the intent, fail now.
-- A key that stands for another publication by now is answered with a rejection that writes nothing.
-- Refuses malformed arguments (PD100), an unknown target (PD104) or intent (PD108), an intent that is closed or older
-- than a later publication (PD110).
create or replace function patchdiff.record_publication (
  p_target uuid,
  p_publication_id uuid,
  p_outcome text,
  p_observed_disk_sha256 text default null,
  p_detail json default null,
  p_client_request_id text default null,
  p_actor json default null
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_locked patchdiff_store.locked_target;
  v_intent patchdiff_store.workspace_publications;
  v_key text := p_client_request_id;
  v_fingerprint text;
  v_fault patchdiff_store.fault;
  v_settled boolean;
  v_snapshot_id uuid;
  v_row patchdiff_store.workspace_publications;
  v_receipt patchdiff.save_receipt;
begin
  -- check
  perform patchdiff_store.check_save(p_target, null, null, p_client_request_id);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_claim('p_detail', p_detail);
  perform patchdiff_store.check_digest('p_observed_disk_sha256', p_observed_disk_sha256, false);

  -- lock
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_intent := patchdiff_store.publication_intent(p_target, p_publication_id);
  perform patchdiff_store.check_outcome(v_intent, p_outcome, p_observed_disk_sha256, p_detail, p_client_request_id);
  v_fingerprint := patchdiff_store.save_fingerprint(
    p_target,
    (v_intent.detail ->> 'expected_target_version')::bigint,
    v_intent.detail ->> 'expected_current_hash',
    true
  );
  -- Whoever finishes a SAVE that was cut off settles its key too, unless the key stands for something else by now.
  if v_key is null and p_outcome = 'published' and not exists (
    select
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target and k.client_request_id = v_intent.client_request_id
  ) then
    v_key := v_intent.client_request_id;
  end if;
  v_receipt := patchdiff_store.recall_save(v_locked, v_key, v_fingerprint, p_publication_id);
  if v_receipt.outcome is not null then
    return v_receipt;
  end if;
  perform patchdiff_store.check_publication_open(v_intent, p_outcome);
  if p_outcome = 'published' then
    v_fault := patchdiff_store.divergence(v_locked);
    if v_fault.failure_reason is not null then
      return patchdiff_store.save_answer(v_locked, 'rejected', v_fault);
    end if;
  else
    v_fault := patchdiff_store.save_fault(
      v_locked,
      (v_intent.detail ->> 'expected_target_version')::bigint,
      v_intent.detail ->> 'expected_current_hash'
    );
  end if;
  v_settled := v_key is not null
    and (p_outcome = 'published' or (p_outcome = 'rejected' and v_fault.failure_reason is not null));
  if p_outcome <> 'published' and v_fault.failure_reason is null then
    v_fault := patchdiff_store.intent_moved(v_locked, v_intent);
  end if;
  if p_outcome = 'rejected' and v_fault.failure_reason is null then
    v_fault.failure_reason := 'workspace_refused';
    v_fault.failure_code := 'publication_rejected';
    v_fault.failure_detail := 'nothing was installed; the caller''s reason is kept with the publication';
  end if;

  -- write
  v_intent.client_request_id := case when v_settled then v_key end;
  v_intent.request_fingerprint := case when v_settled then v_fingerprint end;
  if p_outcome = 'published' then
    v_snapshot_id := patchdiff_store.checkpoint_publication(v_locked, v_intent, p_actor);
    v_locked := patchdiff_store.lock_target(p_target);
  end if;

  v_row := v_intent;
  v_row.kind := p_outcome;
  v_row.intent_publication_id := p_publication_id;
  v_row.observed_disk_sha256 := p_observed_disk_sha256;
  v_row.actor := p_actor;
  v_row.detail := p_detail;
  v_row := patchdiff_store.append_publication(v_locked, v_row);

  v_receipt := patchdiff_store.save_answer(patchdiff_store.lock_target(p_target), p_outcome, v_fault);
  v_receipt.publication_id := p_publication_id;
  v_receipt.snapshot_id := v_snapshot_id;
  if p_outcome = 'published' then
    v_receipt.installation := json_build_object(
      'workspace_path', v_row.workspace_path,
      'disk_sha256', v_row.written_sha256,
      'written_bytes', v_row.written_bytes,
      'detail', v_row.detail
    );
  end if;
  if v_settled then
    perform patchdiff_store.remember_save(p_target, v_key, v_fingerprint, v_receipt);
  end if;
  return v_receipt;
end;
$$;

comment on function patchdiff.record_publication(uuid, uuid, text, text, json, text, json) is
  'Closes a publication intent with its outcome; a published one also checkpoints the target.';
--! EndIncluded patchdiff/record_publication.sql

reset role;
select patchdiff_guard.guard_ddl(true);
