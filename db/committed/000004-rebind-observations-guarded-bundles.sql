--! Previous: sha1:76fd05d407b0c539a62b7f15570716b2a8ed550a
--! Hash: sha1:7959fb94b3c33455601df1036e0916b10fbffc10
--! Message: Rebind, observations, guarded bundles

--! split: 001-current.sql
-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- A binding that was moved is a row among the publications that closes no intent and writes nothing. Rows of before hold the checks
-- by their nature, so nothing is scanned.
-- Nobody but the routines of this schema reads or writes the table: no client can break.
-- squawk-ignore ban-drop-not-null
alter table patchdiff_store.workspace_publications alter column written_sha256 drop not null;
-- squawk-ignore ban-drop-not-null
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


-- Observations: what was looked at before a bundle edits it, in the chain like everything that is appended.
create table if not exists patchdiff_store.scope_observations (
  target_file_id uuid not null references patchdiff_store.cloud_target_files,
  observation_sequence bigint not null,
  bundle_id uuid not null,
  created_at timestamptz not null,
  chain_sequence bigint not null,
  hash_version integer not null,
  version bigint not null,
  content_hash text collate "C" not null check (content_hash ~ '\A[0-9a-f]{64}\Z'),
  editing_cycle integer not null,
  scope_count integer not null,
  has_errors boolean not null,
  language text,
  grammar_name text not null,
  grammar_version text not null,
  grammar_sha256 text collate "C" check (grammar_sha256 ~ '\A[0-9a-f]{64}\Z'),
  db_session_user text not null,
  db_application_name text not null,
  db_client_addr text,
  db_transaction_id bigint not null,
  prev_hash bytea not null,
  row_hash bytea not null,
  actor json,
  primary key (target_file_id, observation_sequence),
  unique (target_file_id, bundle_id)
);
comment on table patchdiff_store.scope_observations is
  'One row an observation: some scopes of one version of a target''s text, to be edited together.';
comment on column patchdiff_store.scope_observations.target_file_id is 'The target whose text was observed.';
comment on column patchdiff_store.scope_observations.observation_sequence is 'Place among the observations of the target, from 1 without gaps.';
comment on column patchdiff_store.scope_observations.bundle_id is 'Random id under which the scopes can be edited together.';
comment on column patchdiff_store.scope_observations.created_at is 'When the row was written, by the database''s clock.';
comment on column patchdiff_store.scope_observations.chain_sequence is 'Place in the target''s hash chain.';
comment on column patchdiff_store.scope_observations.hash_version is 'Format of the bytes that row_hash covers.';
comment on column patchdiff_store.scope_observations.version is 'Version of the text that was observed.';
comment on column patchdiff_store.scope_observations.content_hash is 'SHA-256 of that text.';
comment on column patchdiff_store.scope_observations.editing_cycle is 'The cycle that was open.';
comment on column patchdiff_store.scope_observations.scope_count is 'Number of rows in observed_scopes.';
comment on column patchdiff_store.scope_observations.has_errors is 'Whether the caller''s parser met syntax errors in the text.';
comment on column patchdiff_store.scope_observations.language is 'Language that the caller read the text as; null for none.';
comment on column patchdiff_store.scope_observations.grammar_name is 'The caller''s grammar; part of every scope id.';
comment on column patchdiff_store.scope_observations.grammar_version is 'Its version; part of every scope id.';
comment on column patchdiff_store.scope_observations.grammar_sha256 is 'Digest of the grammar, as the caller says; null when it has none.';
comment on column patchdiff_store.scope_observations.db_session_user is 'The login that wrote the row.';
comment on column patchdiff_store.scope_observations.db_application_name is 'application_name of its session.';
comment on column patchdiff_store.scope_observations.db_client_addr is 'Its network address; null for a local socket.';
comment on column patchdiff_store.scope_observations.db_transaction_id is 'The transaction that wrote the row.';
comment on column patchdiff_store.scope_observations.prev_hash is 'row_hash of the row before it in the chain.';
comment on column patchdiff_store.scope_observations.row_hash is 'SHA-256 of prev_hash, this row and its scopes.';
comment on column patchdiff_store.scope_observations.actor is 'Who the caller says it is.';

create table if not exists patchdiff_store.observed_scopes (
  target_file_id uuid not null,
  scope_sequence bigint not null,
  observation_sequence bigint not null,
  ordinal integer not null,
  start_char integer not null,
  end_char integer not null,
  start_byte integer not null,
  end_byte integer not null,
  first_line integer not null,
  last_line integer not null,
  scope_id text collate "C" not null check (scope_id ~ '\A[0-9a-f]{32}\Z'),
  kind text not null,
  name text not null,
  qualified_path text not null,
  scope_sha256 text collate "C" not null check (scope_sha256 ~ '\A[0-9a-f]{64}\Z'),
  scope_text text not null,
  primary key (target_file_id, scope_sequence),
  unique (target_file_id, observation_sequence, ordinal),
  unique (target_file_id, observation_sequence, scope_id),
  foreign key (target_file_id, observation_sequence) references patchdiff_store.scope_observations,
  check (start_char < end_char)
);
comment on table patchdiff_store.observed_scopes is 'One row a scope of an observation, cut by the database from its own text; covered by the row_hash of the observation.';
comment on column patchdiff_store.observed_scopes.target_file_id is 'The target whose text was observed.';
comment on column patchdiff_store.observed_scopes.scope_sequence is 'Place among the observed scopes of the target, from 1 without gaps.';
comment on column patchdiff_store.observed_scopes.observation_sequence is 'The observation.';
comment on column patchdiff_store.observed_scopes.ordinal is 'Place among its scopes, from 1, as the caller asked.';
comment on column patchdiff_store.observed_scopes.start_char is 'First code point in the text, from 0.';
comment on column patchdiff_store.observed_scopes.end_char is 'One past the last code point.';
comment on column patchdiff_store.observed_scopes.start_byte is 'First byte in the UTF-8 of the text, from 0.';
comment on column patchdiff_store.observed_scopes.end_byte is 'One past the last byte.';
comment on column patchdiff_store.observed_scopes.first_line is 'Line of the first code point, from 1.';
comment on column patchdiff_store.observed_scopes.last_line is 'Line of the last code point.';
comment on column patchdiff_store.observed_scopes.scope_id is 'Digest of target, text, grammar, kind and range: the same in every listing of this text.';
comment on column patchdiff_store.observed_scopes.kind is 'What the caller''s parser calls it: function, class, section.';
comment on column patchdiff_store.observed_scopes.name is 'Its name, as the caller says.';
comment on column patchdiff_store.observed_scopes.qualified_path is 'The scopes around it and itself, as the caller says.';
comment on column patchdiff_store.observed_scopes.scope_sha256 is 'SHA-256 of scope_text.';
comment on column patchdiff_store.observed_scopes.scope_text is 'The text that was observed.';

create or replace trigger _100_append_only before update or delete or truncate on patchdiff_store.scope_observations
  for each statement execute function patchdiff_store.forbid_change();
create or replace trigger _100_append_only before update or delete or truncate on patchdiff_store.observed_scopes
  for each statement execute function patchdiff_store.forbid_change();
alter table patchdiff_store.scope_observations enable always trigger _100_append_only;
alter table patchdiff_store.observed_scopes enable always trigger _100_append_only;
grant select on patchdiff_store.scope_observations, patchdiff_store.observed_scopes to patchdiff_auditor;

alter table patchdiff_store.target_heads add column if not exists observation_sequence bigint not null default 0;
alter table patchdiff_store.target_heads add column if not exists scope_sequence bigint not null default 0;
comment on column patchdiff_store.target_heads.scope_sequence is 'Sequence of the last observed scope; 0 when there is none.';
comment on column patchdiff_store.target_heads.observation_sequence is 'Sequence of the last observation; 0 when there is none.';

-- What a walk of a bundle knows beside: null in every other walk.
do $$
begin
  if not exists (
    select
    from pg_catalog.pg_attribute as a
    where a.attrelid = 'patchdiff_store.walk'::pg_catalog.regclass and a.attname = 'ordinal'
  ) then
    alter type patchdiff_store.walk add attribute ordinal integer[];
    alter type patchdiff_store.walk add attribute scope_id text[];
    alter type patchdiff_store.walk add attribute scope_span_start integer[];
    alter type patchdiff_store.walk add attribute scope_span_end integer[];
    alter type patchdiff_store.walk add attribute resolved_starts integer[];
  end if;
end;
$$;

--! Included patchdiff_store/protocol_of.sql
-- The protocol version a record is recorded under: its format when that is a public one, else unknown.
create or replace function patchdiff_store.protocol_of (
  p_record jsonb
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_record -> 'format' in (
      '"patchdiff-tx/1"', '"patchdiff-tx/2"', '"patchdiff-tx/3"', '"patchdiff-observed-batch/1"'
    ) then p_record ->> 'format'
    else 'unknown'
  end
$$;

comment on function patchdiff_store.protocol_of(jsonb) is 'The public format a record names, else unknown.';
--! EndIncluded patchdiff_store/protocol_of.sql
--! Included patchdiff_store/runtime_version_of.sql
-- The frozen profile under which a record is judged and recorded (docs/spec/decoding.md). Total: it answers for any value.
create or replace function patchdiff_store.runtime_version_of (
  p_record jsonb
)
  returns text
  language plpgsql
  immutable
as $$
begin
  case patchdiff_store.protocol_of(p_record)
    when 'patchdiff-tx/2' then
      if jsonb_typeof(p_record -> 'operations') = 'array' and exists (
        select from jsonb_array_elements(p_record -> 'operations') as e(item)
        where jsonb_typeof(e.item) = 'object'
          and e.item -> 'op' = '"span"'
          and (
            coalesce(jsonb_typeof(e.item -> 'expected_before'), 'null') <> 'null'
            or coalesce(jsonb_typeof(e.item -> 'expected_after'), 'null') <> 'null'
          )
      ) then
        return 'patchdiff-mvp-0.5.0';
      end if;

      return 'patchdiff-mvp-0.3.0';
    when 'patchdiff-tx/3' then
      return 'patchdiff-mvp-0.4.0';
    when 'patchdiff-observed-batch/1' then
      return 'patchdiff-observed-batch-r1';
    else
      return 'patchdiff-mvp-0.2.2';
  end case;
end;
$$;

comment on function patchdiff_store.runtime_version_of(jsonb) is 'The runtime profile under which a record is recorded.';
--! EndIncluded patchdiff_store/runtime_version_of.sql
--! Included patchdiff_store/failure_words.sql
-- The table of codes: stage, reason and sentence template of each. docs/spec/decoding.md is its contract.
create or replace function patchdiff_store.failure_words (
  p_code text
)
  returns table (
    stage text,
    reason text,
    words text
  )
  language sql
  immutable
as $$
  select w.stage, w.reason, w.words
  from (values
    ('request_key_conflict', 'precondition_guard', 'context_invalid',
      'this client_request_id already stands for another request; send a new key'),
    ('invalid_client_request_id', 'precondition_guard', 'context_invalid',
      'client_request_id: 1 to 128 visible ASCII characters without spaces'),
    ('parent_invalid', 'precondition_guard', 'context_invalid',
      'parent_pdcp_log_id names no rejected attempt of this target'),
    ('bundle_invalid', 'precondition_guard', 'context_invalid',
      'bundle_id names no observation of this target; observe its scopes again'),
    ('scope_not_observed', 'protocol_validation', 'context_invalid', '{path}: no scope of this bundle; observe it too'),
    ('scopes_overlap', 'protocol_validation', 'manifest_invalid',
      '{path}: the scope overlaps that of groups[{other}]; edit one of them'),
    ('scope_hash_mismatch', 'transaction_applicability', 'target_hash_mismatch',
      '{path}: the scope no longer has the text that was observed; observe it again'),
    ('target_version_mismatch', 'precondition_guard', 'target_version_mismatch',
      'the target is at version {actual}, not {expected}; read it again'),
    ('target_hash_mismatch', 'precondition_guard', 'target_hash_mismatch',
      'the content''s hash is not the expected one; read it again'),
    ('text_not_encodable', 'protocol_validation', 'target_encoding_invalid',
      'the submission holds text that is not valid Unicode (a lone surrogate) or a NUL; send it without'),
    ('payload_too_large', 'protocol_validation', 'manifest_invalid', 'the submission is larger than 4194304 bytes'),
    ('payload_too_deep', 'protocol_validation', 'manifest_invalid', 'the submission is nested deeper than 64 levels'),
    ('too_many_operations', 'protocol_validation', 'manifest_invalid', 'the submission has more than 2000 operations'),
    ('guard_missing', 'protocol_validation', 'context_missing',
      'send expected_target_version or expected_current_hash, as the last read returned them'),
    ('guard_malformed', 'protocol_validation', 'context_invalid', '{path}: {rule}'),
    ('attempt_malformed', 'protocol_validation', 'context_invalid', 'attempt: an integer from 1 to 2147483647'),
    ('parent_malformed', 'protocol_validation', 'context_invalid',
      'parent_pdcp_log_id: the id of a rejected attempt, as a string'),
    ('source_malformed', 'protocol_validation', 'context_invalid',
      'source: a string that is not blank, of at most 256 code points'),
    ('unknown_format', 'protocol_validation', 'manifest_invalid',
      'format: one of patchdiff-tx/1, patchdiff-tx/2, patchdiff-tx/3'),
    ('target_mismatch', 'protocol_validation', 'manifest_invalid',
      'target_file_id: the submission names another target'),
    ('manifest_missing', 'protocol_validation', 'manifest_missing', '{path}: {rule} is required'),
    ('unknown_field', 'protocol_validation', 'manifest_invalid', '{path}: unknown field'),
    ('intent_invalid', 'protocol_validation', 'manifest_invalid', 'intent: a string that is not blank is required'),
    ('intent_too_long', 'protocol_validation', 'manifest_invalid', 'intent: at most 4096 code points'),
    ('not_an_object', 'protocol_validation', 'block_malformed', '{path}: an object is required'),
    ('field_missing', 'protocol_validation', 'block_malformed', '{path}: required'),
    ('field_type', 'protocol_validation', 'block_malformed', '{path}: {type} is required'),
    ('integer_invalid', 'protocol_validation', 'block_malformed',
      '{path}: an integer from 0 to 9007199254740991 is required'),
    ('match_empty', 'protocol_validation', 'block_malformed',
      '{path}: must not be empty; to insert, use a span with start = end'),
    ('expected_context_empty', 'protocol_validation', 'block_malformed', '{path}: must not be empty; leave it out'),
    ('selector_malformed', 'protocol_validation', 'disambiguation_invalid', '{path}: {rule}'),
    ('change_id_invalid', 'protocol_validation', 'manifest_invalid', '{path}: 1 to 64 of A-Z a-z 0-9 _ . : -'),
    ('change_id_duplicate', 'protocol_validation', 'manifest_invalid',
      '{path}: the change id is already used in this submission'),
    ('rationale_invalid', 'protocol_validation', 'manifest_invalid', '{path}: a string that is not blank'),
    ('rationale_too_long', 'protocol_validation', 'manifest_invalid', '{path}: at most 4096 code points'),
    ('risk_invalid', 'protocol_validation', 'manifest_invalid', '{path}: one of low, medium, high'),
    ('replace_all_refused', 'protocol_validation', 'manifest_invalid',
      '{path}: replace_all is only for patchdiff_submit_replacement'),
    ('op_unknown', 'protocol_validation', 'manifest_invalid', '{path}: {rule}'),
    ('match_too_long', 'protocol_validation', 'manifest_invalid',
      '{path}: at most 65536 code points; use a span for longer text'),
    ('replacement_too_large', 'protocol_validation', 'manifest_invalid',
      'replacement: at most 1000000 code points and 1048576 bytes'),
    ('result_too_large', 'transaction_applicability', 'manifest_invalid',
      'the result would be larger than 16777216 bytes'),
    ('match_absent', 'transaction_applicability', 'match_absent', '{path}: the text does not occur'),
    ('match_ambiguous', 'transaction_applicability', 'match_ambiguous',
      '{path}: the text occurs {count} times; choose one with occurrence_index or anchors'),
    ('selector_excludes_all', 'transaction_applicability', 'disambiguation_invalid',
      '{path}: the text occurs {count} times, but no occurrence satisfies the selectors'),
    ('sequential_match_invalid', 'transaction_applicability', 'sequential_match_invalid',
      '{path}: the text was consumed by change {change_id} of this submission'),
    ('span_out_of_bounds', 'transaction_applicability', 'span_out_of_bounds',
      '{path}: the span {start}..{end} is not inside the buffer of {total} code points'),
    ('span_expected_text_mismatch', 'transaction_applicability', 'span_expected_text_mismatch',
      '{path}: the buffer holds other text there'),
    ('content_diverged', 'commit_guard', 'target_diverged',
      'the stored content does not match its recorded hash; nothing was applied'),
    ('claim_mismatch', 'commit_guard', 'context_invalid',
      'the caller''s claim contradicts the database''s own reading; nothing was applied')
  ) as w(code, stage, reason, words)
  where w.code = p_code
$$;

comment on function patchdiff_store.failure_words(text) is
  'Stage, reason and sentence template of one failure code.';
--! EndIncluded patchdiff_store/failure_words.sql
--! Included patchdiff_store/scope_id_of.sql
-- The id of a scope: the first 32 hex digits of the SHA-256 of what it is and where, in which text, found by which grammar. A
-- listing computes it without writing anything, and it is the same after a restart.
create or replace function patchdiff_store.scope_id_of (
  p_target uuid,
  p_content_hash text,
  p_grammar_name text,
  p_grammar_version text,
  p_kind text,
  p_start integer,
  p_end integer
)
  returns text
  language sql
  immutable
as $$
  select left(patchdiff_store.sha256_hex(convert_to(concat(
    '{"content_hash":"', p_content_hash,
    '","end":', p_end,
    ',"grammar":', to_json(p_grammar_name || '@' || p_grammar_version),
    ',"kind":', to_json(p_kind),
    ',"start":', p_start,
    ',"target_file_id":"', p_target, '"}'
  ), 'UTF8')), 32)
$$;

comment on function patchdiff_store.scope_id_of(uuid, text, text, text, text, integer, integer) is
  'The id of a scope, a digest of what it is and where.';
--! EndIncluded patchdiff_store/scope_id_of.sql
--! Included patchdiff_store/observation_encoding.sql
-- The bytes of an observation that its row_hash covers, in chain format 1: record_send of the columns in this order, text as UTF-8
-- bytes, then its scopes in their order (scope_encoding).
create or replace function patchdiff_store.observation_encoding (
  p_row patchdiff_store.scope_observations
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.observation_sequence,
    p_row.bundle_id,
    p_row.created_at,
    p_row.version,
    p_row.editing_cycle,
    p_row.scope_count,
    p_row.has_errors,
    pg_catalog.convert_to(p_row.content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.language, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_name, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_version, 'UTF8'),
    pg_catalog.convert_to(p_row.grammar_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.observation_encoding(patchdiff_store.scope_observations) is
  'The bytes of an observation that its row_hash covers, before those of its scopes, in chain format 1.';
--! EndIncluded patchdiff_store/observation_encoding.sql
--! Included patchdiff_store/scope_encoding.sql
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
--! EndIncluded patchdiff_store/scope_encoding.sql
--! Included patchdiff_store/check_observation.sql
-- Refuses arguments of observe_scopes that no observation can be made of (PD100): what a parser says of a text has a shape and bounds.
create or replace function patchdiff_store.check_observation (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar jsonb,
  p_has_errors boolean,
  p_scopes jsonb,
  p_actor json
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, 'p_target', 'the id of a target', p_target is null),
    (2, 'p_expected_version', 'the version whose text was looked at', p_expected_version is null or p_expected_version < 0),
    (3, 'p_expected_hash', 'the hash of the text that was looked at', coalesce(p_expected_hash !~ '\A[0-9a-f]{64}\Z', true)),
    (4, 'p_language', 'null, or 1 to 64 code points', coalesce(char_length(p_language) not between 1 and 64, false)),
    (5, 'p_grammar', 'an object of name and version (1 to 128 code points each) and sha256 (64 lowercase hexadecimal digits, or null)',
      coalesce(
        jsonb_typeof(p_grammar) <> 'object'
        or p_grammar - array['name', 'version', 'sha256'] <> '{}'
        or jsonb_typeof(p_grammar -> 'name') <> 'string'
        or jsonb_typeof(p_grammar -> 'version') <> 'string'
        or char_length(p_grammar ->> 'name') not between 1 and 128
        or char_length(p_grammar ->> 'version') not between 1 and 128
        or coalesce(p_grammar ->> 'sha256' !~ '\A[0-9a-f]{64}\Z', false)
        or jsonb_typeof(p_grammar -> 'sha256') not in ('string', 'null'),
        true
      )),
    (6, 'p_has_errors', 'true or false', p_has_errors is null),
    (7, 'p_scopes', 'an array of 1 to 200 objects', coalesce(
      jsonb_typeof(p_scopes) <> 'array' or jsonb_array_length(case jsonb_typeof(p_scopes) when 'array' then p_scopes else '[]' end) not between 1 and 200,
      true
    )),
    (8, 'p_actor', 'a JSON value of at most 8192 bytes without text that cannot be stored', coalesce(
      octet_length(p_actor::text) > 8192 or not pg_input_is_valid(p_actor::text, 'jsonb'), false
    ))
  ) as c(position, argument, rule, broken)
  where c.broken
  order by c.position
  limit 1;

  if v_argument is null then
    select 'p_scopes', 'each of kind (1 to 64 code points), name (at most 512), qualified_path (at most 4096), and start and end, integers with start < end'
    into v_argument, v_rule
    from jsonb_array_elements(p_scopes) as s(scope)
    where coalesce(
      jsonb_typeof(s.scope) <> 'object'
      or s.scope - array['kind', 'name', 'qualified_path', 'start', 'end'] <> '{}'
      or jsonb_typeof(s.scope -> 'kind') <> 'string'
      or jsonb_typeof(s.scope -> 'name') <> 'string'
      or jsonb_typeof(s.scope -> 'qualified_path') <> 'string'
      or char_length(s.scope ->> 'kind') not between 1 and 64
      or char_length(s.scope ->> 'name') > 512
      or char_length(s.scope ->> 'qualified_path') > 4096
      or patchdiff_store.integer_of(s.scope -> 'start', 0) >= patchdiff_store.integer_of(s.scope -> 'end', 0),
      true
    )
    limit 1;
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'send what the text that was looked at gave';
  end if;
end;
$$;

comment on function patchdiff_store.check_observation(uuid, bigint, text, text, jsonb, boolean, jsonb, json) is
  'Refuses arguments that no observation can be made of.';
--! EndIncluded patchdiff_store/check_observation.sql
--! Included patchdiff_store/cut_scopes.sql
-- The scopes of an observation, cut from the bytes of its content: text, digest, byte offsets, lines and id are computed here, kind,
-- name, path and range are the caller's. p_before: observed scopes of the target before these. Positions are code points, lines count from 1.
create or replace function patchdiff_store.cut_scopes (
  p_observation patchdiff_store.scope_observations,
  p_content bytea,
  p_chars integer,
  p_scopes jsonb,
  p_before bigint
)
  returns setof patchdiff_store.observed_scopes
  language plpgsql
  stable
as $$
declare
  v_bytes integer := octet_length(p_content);
  v_scope record;
  v_row patchdiff_store.observed_scopes;
begin
  for v_scope in
    select
      s.position::integer as ordinal,
      s.scope ->> 'kind' as kind,
      s.scope ->> 'name' as name,
      s.scope ->> 'qualified_path' as qualified_path,
      (s.scope ->> 'start')::integer as start_char,
      (s.scope ->> 'end')::integer as end_char
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by s.position
  loop
    v_row.target_file_id := p_observation.target_file_id;
    v_row.observation_sequence := p_observation.observation_sequence;
    v_row.scope_sequence := p_before + v_scope.ordinal;
    v_row.ordinal := v_scope.ordinal;
    v_row.start_char := v_scope.start_char;
    v_row.end_char := v_scope.end_char;
    v_row.start_byte := patchdiff_store.prefix_bytes(p_content, v_scope.start_char, 0, 0, v_bytes, p_chars);
    v_row.end_byte := patchdiff_store.prefix_bytes(p_content, v_scope.end_char, v_row.start_byte, v_scope.start_char, v_bytes, p_chars);
    v_row.kind := v_scope.kind;
    v_row.name := v_scope.name;
    v_row.qualified_path := v_scope.qualified_path;
    v_row.scope_text := convert_from(substring(p_content from v_row.start_byte + 1 for v_row.end_byte - v_row.start_byte), 'UTF8');
    v_row.scope_sha256 := patchdiff_store.sha256_hex(convert_to(v_row.scope_text, 'UTF8'));
    v_row.first_line := 1 + v_row.start_byte
      - octet_length(replace(convert_from(substring(p_content from 1 for v_row.start_byte), 'UTF8'), e'\n', ''));
    -- The line of the last code point: a line end belongs to the line it ends.
    v_row.last_line := v_row.first_line + octet_length(v_row.scope_text)
      - octet_length(replace(v_row.scope_text, e'\n', '')) - (right(v_row.scope_text, 1) = e'\n')::integer;
    v_row.scope_id := patchdiff_store.scope_id_of(
      p_observation.target_file_id, p_observation.content_hash, p_observation.grammar_name, p_observation.grammar_version,
      v_row.kind, v_row.start_char, v_row.end_char);
    return next v_row;
  end loop;
end;
$$;

comment on function patchdiff_store.cut_scopes(patchdiff_store.scope_observations, bytea, integer, jsonb, bigint) is
  'The scopes of an observation, cut from the bytes of its content.';
--! EndIncluded patchdiff_store/cut_scopes.sql
--! Included patchdiff_store/append_observation.sql
-- Appends an observation of the locked target with its scopes, and advances head and chain. The only writer of both tables. What the
-- database knows itself is filled in here. Refuses two scopes with one id and a range outside the text (PD100).
create or replace function patchdiff_store.append_observation (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.scope_observations,
  p_content bytea,
  p_scopes jsonb
)
  returns patchdiff_store.scope_observations
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.scope_observations := p_row;
  v_scopes patchdiff_store.observed_scopes[];
  v_rule text;
  v_before bigint;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.bundle_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.scope_count := jsonb_array_length(p_scopes);
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  select h.observation_sequence + 1, h.scope_sequence
  into strict v_row.observation_sequence, v_before
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_locked.target_file_id;

  v_rule := case
    when exists (
      select from jsonb_array_elements(p_scopes) as s(scope) where (s.scope ->> 'end')::bigint > p_locked.content_chars
    ) then 'no range beyond the end of the text'
    when (
      select sum((s.scope ->> 'end')::bigint - (s.scope ->> 'start')::bigint) from jsonb_array_elements(p_scopes) as s(scope)
    ) > 1048576 then 'at most 1048576 code points of text in all'
  end;
  if v_rule is null then
    v_scopes := array(select c from patchdiff_store.cut_scopes(v_row, p_content, p_locked.content_chars, p_scopes, v_before) as c);
    if v_row.scope_count > (select count(distinct s.scope_id) from unnest(v_scopes) as s) then
      v_rule := 'each scope once';
    end if;
  end if;

  if v_rule is not null then
    raise exception 'p_scopes: %', v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_scopes', 'rule', v_rule)::text,
            hint = 'send what the text that was looked at gave';
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.observation_encoding(v_row) || (
    select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal) from unnest(v_scopes) as s
  ));

  insert into patchdiff_store.scope_observations values (v_row.*);
  insert into patchdiff_store.observed_scopes select s.* from unnest(v_scopes) as s;

  update patchdiff_store.target_heads as h
  set observation_sequence = v_row.observation_sequence,
      scope_sequence = v_before + v_row.scope_count,
      chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_observation(
  patchdiff_store.locked_target, patchdiff_store.scope_observations, bytea, jsonb
) is 'Appends an observation of the locked target with its scopes, and advances head and chain.';
--! EndIncluded patchdiff_store/append_observation.sql
--! Included patchdiff_store/scopes_json.sql
-- The scopes of an observation in their order, with their texts.
create or replace function patchdiff_store.scopes_json (
  p_target uuid,
  p_observation_sequence bigint
)
  returns json
  language sql
  stable
as $$
  select json_agg(
    json_build_object(
      'scope_id', s.scope_id, 'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path,
      'start', s.start_char, 'end', s.end_char, 'first_line', s.first_line, 'last_line', s.last_line,
      'sha256', s.scope_sha256, 'text', s.scope_text
    )
    order by s.ordinal
  )
  from patchdiff_store.observed_scopes as s
  where s.target_file_id = p_target and s.observation_sequence = p_observation_sequence
$$;

comment on function patchdiff_store.scopes_json(uuid, bigint) is 'The scopes of an observation in their order, with their texts.';
--! EndIncluded patchdiff_store/scopes_json.sql
--! Included patchdiff/observe_scopes.sql
-- Records that scopes of a text were observed, and answers their texts and the id under which they can be edited together. Texts,
-- digests, byte offsets, lines and scope ids are the database's own, cut from its own content under the target's lock; language, grammar,
-- kinds, names and paths are what the caller's parser says, and ranges where it says they are. outcome: observed; stale (the target
-- is no longer at that version and hash; no row); diverged (the stored content is damaged; no row); not_found. Refuses misuse (PD100).
create or replace function patchdiff.observe_scopes (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar json,
  p_has_errors boolean,
  p_scopes json,
  p_actor json default null,
  out outcome text,
  out bundle_id uuid,
  out version bigint,
  out current_hash text,
  out editing_cycle integer,
  out created_at timestamptz,
  out chain_sequence bigint,
  out scopes json
)
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_grammar jsonb := case when pg_input_is_valid(p_grammar::text, 'jsonb') then p_grammar::jsonb end;
  v_scopes jsonb := case when pg_input_is_valid(p_scopes::text, 'jsonb') then p_scopes::jsonb end;
  v_locked patchdiff_store.locked_target;
  v_row patchdiff_store.scope_observations;
  v_content bytea;
begin
  perform patchdiff_store.check_observation(
    p_target, p_expected_version, p_expected_hash, p_language, v_grammar, p_has_errors, v_scopes, p_actor);

  v_locked := patchdiff_store.lock_target(p_target);
  version := v_locked.version;
  current_hash := v_locked.current_hash;
  outcome := case
    when v_locked.target_file_id is null then 'not_found'
    when v_locked.version <> p_expected_version or v_locked.current_hash <> p_expected_hash then 'stale'
  end;
  if outcome is not null then
    return;
  end if;

  select convert_to(t.current_content, 'UTF8')
  into strict v_content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not patchdiff_store.is_intact(v_locked, v_content) then
    outcome := 'diverged';
    return;
  end if;

  v_row.language := p_language;
  v_row.grammar_name := v_grammar ->> 'name';
  v_row.grammar_version := v_grammar ->> 'version';
  v_row.grammar_sha256 := v_grammar ->> 'sha256';
  v_row.has_errors := p_has_errors;
  v_row.actor := p_actor;
  v_row := patchdiff_store.append_observation(v_locked, v_row, v_content, v_scopes);

  outcome := 'observed';
  bundle_id := v_row.bundle_id;
  editing_cycle := v_row.editing_cycle;
  created_at := v_row.created_at;
  chain_sequence := v_row.chain_sequence;
  scopes := patchdiff_store.scopes_json(p_target, v_row.observation_sequence);
end;
$$;

comment on function patchdiff.observe_scopes(uuid, bigint, text, text, json, boolean, json, json) is
  'Records that scopes of a text were observed, and answers their texts and the id of the bundle.';
--! EndIncluded patchdiff/observe_scopes.sql
--! Included patchdiff/read_observation.sql
-- One observation of a target with its scopes; no row when the target has none of this id. An observation never changes, so the
-- answer may be kept.
create or replace function patchdiff.read_observation (
  p_target uuid,
  p_bundle uuid
)
  returns table (
    bundle_id uuid,
    version bigint,
    content_hash text,
    editing_cycle integer,
    language text,
    grammar json,
    has_errors boolean,
    scopes json
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    o.bundle_id,
    o.version,
    o.content_hash,
    o.editing_cycle,
    o.language,
    json_build_object('name', o.grammar_name, 'version', o.grammar_version, 'sha256', o.grammar_sha256),
    o.has_errors,
    patchdiff_store.scopes_json(p_target, o.observation_sequence)
  from patchdiff_store.scope_observations as o
  where o.target_file_id = p_target and o.bundle_id = p_bundle
$$;

comment on function patchdiff.read_observation(uuid, uuid) is 'One observation of a target with its scopes.';
--! EndIncluded patchdiff/read_observation.sql
grant execute on function patchdiff.observe_scopes(uuid, bigint, text, text, json, boolean, json, json) to patchdiff_writer;
grant execute on function patchdiff.read_observation(uuid, uuid) to patchdiff_writer;

--! Included patchdiff_store/observation_of.sql
-- What the record of a bundle keeps of the observation it names: the evidence of every group's scope in submitted order, null for a
-- group whose scope is none of it. Null when bundle_id names no observation of the target.
create or replace function patchdiff_store.observation_of (
  p_target uuid,
  p_record jsonb
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'bundle_id', o.bundle_id,
    'content_hash', o.content_hash,
    'editing_cycle', o.editing_cycle,
    'grammar', jsonb_build_object('name', o.grammar_name, 'sha256', o.grammar_sha256, 'version', o.grammar_version),
    'language', o.language,
    'scopes', coalesce((
      select jsonb_agg(
        case when s.scope_id is not null then jsonb_build_object(
          'end', s.end_char, 'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path, 'scope_id', s.scope_id,
          'sha256', s.scope_sha256, 'start', s.start_char
        ) end
        order by g.position
      )
      from jsonb_array_elements(case jsonb_typeof(p_record -> 'groups') when 'array' then p_record -> 'groups' end)
        with ordinality as g(item, position)
      left join patchdiff_store.observed_scopes as s
        on s.target_file_id = p_target
        and s.observation_sequence = o.observation_sequence
        and jsonb_typeof(g.item -> 'scope_id') = 'string'
        and s.scope_id = g.item ->> 'scope_id'
    ), '[]'),
    'version', o.version
  )
  from patchdiff_store.scope_observations as o
  where o.target_file_id = p_target
  and o.bundle_id = case
    when jsonb_typeof(p_record -> 'bundle_id') = 'string'
      and p_record ->> 'bundle_id' ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z'
      then (p_record ->> 'bundle_id')::uuid
  end
$$;

comment on function patchdiff_store.observation_of(uuid, jsonb) is
  'What the record of a bundle keeps of the observation it names; null when it names none of the target.';
--! EndIncluded patchdiff_store/observation_of.sql
--! Included patchdiff_store/observation_json.sql
-- Canonical JSON of what observation_of answers.
create or replace function patchdiff_store.observation_json (
  p_observation jsonb
)
  returns text
  language sql
  stable
as $$
  select case when p_observation is null then 'null' else patchdiff_store.canonical_object(
    p_observation,
    jsonb_build_object(
      'grammar', patchdiff_store.canonical_object(p_observation -> 'grammar'),
      'scopes', '[' || coalesce((
        select string_agg(
          case jsonb_typeof(s.scope) when 'object' then patchdiff_store.canonical_object(s.scope) else 'null' end,
          ',' order by s.position
        )
        from jsonb_array_elements(p_observation -> 'scopes') with ordinality as s(scope, position)
      ), '') || ']'
    )
  ) end
$$;

comment on function patchdiff_store.observation_json(jsonb) is 'Canonical JSON of what a bundle''s record keeps of its observation.';
--! EndIncluded patchdiff_store/observation_json.sql
--! Included patchdiff_store/bundle_payload.sql
-- What is stored of a bundle: its record with the observation among its members, in canonical order. A payload whose own members do
-- not stand in canonical order, or that has a member observation already, is stored as it was sent: it is never accepted.
create or replace function patchdiff_store.bundle_payload (
  p_payload text,
  p_observation jsonb
)
  returns text
  language sql
  stable
as $$
  select case
    when m.sent = p_payload and not m.is_taken then m.stored
    else p_payload
  end
  from (
    select
      '{' || string_agg(e.text, ',' order by e.key collate "C") filter (where e.is_sent) || '}' as sent,
      '{' || string_agg(e.text, ',' order by e.key collate "C") || '}' as stored,
      bool_or(e.is_sent and e.key = 'observation') as is_taken
    from (
      select j.key, to_json(j.key)::text || ':' || j.value::text as text, true as is_sent
      from json_each(p_payload::json) as j(key, value)
      union all
      select 'observation', '"observation":' || patchdiff_store.observation_json(p_observation), false
    ) as e
  ) as m
$$;

comment on function patchdiff_store.bundle_payload(text, jsonb) is 'What is stored of a bundle: its record with its observation.';
--! EndIncluded patchdiff_store/bundle_payload.sql
--! Included patchdiff_store/envelope_of.sql
-- How a payload that is no plain record is stored (docs/spec/decoding.md, "What the procedure wraps"): an envelope for
-- text that PostgreSQL cannot hold, in the payload or in p_raw_metadata, and one for a payload that is too large, too
-- deep or too long. All null for a plain record. Raises PD101 for what is no JSON object and PD102 for a number
-- outside numeric, because no row could hold them as evidence of a submission.
create or replace function patchdiff_store.envelope_of (
  p_payload text,
  p_record jsonb,
  p_parent text,
  p_raw_metadata jsonb
)
  returns patchdiff_store.envelope
  language plpgsql
  immutable
as $$
declare
  v_envelope patchdiff_store.envelope;
  v_inputs text;
  v_hash text;
  v_items jsonb;
begin
  if coalesce(jsonb_typeof(p_record) = 'object', patchdiff_store.is_json_object(p_payload)) is false then
    raise exception 'the payload is not a JSON object'
      using errcode = 'PD101',
            detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
            hint = 'send one JSON object as p_payload';
  end if;

  if (p_record is null and patchdiff_store.holds_unencodable(p_payload)) or exists (
    select from jsonb_each_text(p_raw_metadata) as m(name, value)
    where patchdiff_store.holds_unencodable(m.value)
  ) then
    v_envelope.record := coalesce(
      p_record,
      patchdiff_store.payload_json(patchdiff_store.mark_unencodable(p_payload))
    );
    v_inputs := '{"parent_pdcp_log_id":'
      || coalesce(p_raw_metadata ->> 'parent_pdcp_log_id', patchdiff_store.ascii_json(to_json(p_parent)::text), 'null')
      || ',"record":' || patchdiff_store.ascii_json(p_payload) || '}';
    v_envelope.evidence_format := 'patchdiff-invalid-input/1';
    v_envelope.evidence_sha256 := patchdiff_store.sha256_hex(convert_to(v_inputs, 'UTF8'));
    v_envelope.failure_code := 'text_not_encodable';
    v_envelope.stored := '{"evidence_format":"patchdiff-invalid-input/1","inputs":' || to_json(v_inputs)::text
      || ',"protocol_version":' || to_json(patchdiff_store.protocol_of(v_envelope.record))::text
      || ',"runtime_version":' || to_json(patchdiff_store.runtime_version_of(v_envelope.record))::text || '}';
    return v_envelope;
  end if;

  v_items := p_record -> case patchdiff_store.protocol_of(p_record)
    when 'patchdiff-tx/1' then 'edits'
    when 'patchdiff-observed-batch/1' then 'groups'
    else 'operations'
  end;
  v_envelope.failure_code := case
    when octet_length(p_payload) > 4194304 then 'payload_too_large'
    when patchdiff_store.nests_beyond(p_payload, 64) then 'payload_too_deep'
    when p_record is null then null
    when jsonb_typeof(v_items) = 'array' then case
      when jsonb_array_length(v_items) > 2000 then 'too_many_operations'
      when p_record -> 'format' = '"patchdiff-observed-batch/1"' and (
        select sum(jsonb_array_length(g.item -> 'operations'))
        from jsonb_array_elements(v_items) as g(item)
        where jsonb_typeof(g.item -> 'operations') = 'array'
      ) > 2000 then 'too_many_operations'
    end
  end;

  if v_envelope.failure_code is null then
    if p_record is null then
      raise exception 'the payload holds a number that cannot be represented'
        using errcode = 'PD102',
              detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
              hint = 'send numbers within the range of numeric; the formats themselves use integers only';
    end if;

    return null;
  end if;

  v_hash := patchdiff_store.sha256_hex(convert_to(p_payload, 'UTF8'));
  v_envelope.record := p_record;
  v_envelope.evidence_format := 'patchdiff-oversized-input/1';
  v_envelope.evidence_sha256 := v_hash;
  v_envelope.stored := '{"bytes":' || octet_length(p_payload) || ',"evidence_format":"patchdiff-oversized-input/1","prefix":'
    || to_json(left(p_payload, 256))::text || ',"sha256":"' || v_hash || '"}';
  return v_envelope;
end;
$$;

comment on function patchdiff_store.envelope_of(text, jsonb, text, jsonb) is
  'The envelope under which a payload that is no plain record is stored; all null for a plain record.';
--! EndIncluded patchdiff_store/envelope_of.sql
--! Included patchdiff_store/is_canonical.sql
-- Whether a payload that decodes is its own canonical JSON, explicit null members included: what canonical_record
-- does not cover. Both guard keys must be there.
create or replace function patchdiff_store.is_canonical (
  p_payload text,
  p_record jsonb
)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_container text := case p_record ->> 'format'
    when 'patchdiff-tx/1' then 'edits' when 'patchdiff-observed-batch/1' then 'groups' else 'operations'
  end;
  v_items text;
begin
  if not p_record ?& array['expected_current_hash', 'expected_target_version'] then
    return false;
  end if;

  select '[' || string_agg(
    case v_container
      when 'groups' then patchdiff_store.canonical_object(i.item, jsonb_build_object('operations', (
        select '[' || string_agg(patchdiff_store.canonical_object(o.item), ',' order by o.position) || ']'
        from jsonb_array_elements(i.item -> 'operations') with ordinality as o(item, position)
      )))
      else patchdiff_store.canonical_object(i.item)
    end,
    ',' order by i.position
  ) || ']'
  into v_items
  from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position);

  return coalesce(
    patchdiff_store.canonical_object(p_record, jsonb_build_object(v_container, v_items)) = p_payload,
    false
  );
end;
$$;

comment on function patchdiff_store.is_canonical(text, jsonb) is
  'Whether the payload of a record that decodes equals its canonical JSON byte for byte.';
--! EndIncluded patchdiff_store/is_canonical.sql
--! Included patchdiff_store/in_group.sql
-- A fault of an operation, or of a group itself (p_operation null), with where in the bundle it is: path and words of an operation name its group,
-- ordinals count over the bundle, candidates stand in document coordinates beside those of the scope. Positions are 0-based.
create or replace function patchdiff_store.in_group (
  p_fault patchdiff_store.fault,
  p_group integer,
  p_operation integer,
  p_before integer,
  p_scope jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault := p_fault;
  v_item text := 'operations[' || p_operation || ']';
  v_place text := 'groups[' || p_group || '].' || v_item;
  v_candidate constant text := '\{"occurrence_index":(\d+),"start":(\d+),"end":(\d+),';
  v_start integer := (p_scope ->> 'start')::integer;
  v_pieces text[];
  v_found text[];
  v_count integer := 1;
  v_consumed text[];
begin
  if p_operation is not null then
    if left(v_fault.path, length(v_item)) = v_item then
      v_fault.path := v_place || substr(v_fault.path, length(v_item) + 1);
    end if;
    if left(v_fault.failure_detail, length(v_item)) = v_item then
      v_fault.failure_detail := v_place || substr(v_fault.failure_detail, length(v_item) + 1);
    end if;

    v_consumed := regexp_match(v_fault.evidence, '\A(,"consumed_match":\{"change_id":"[A-Za-z0-9_.:-]*","ordinal":)(\d+)(.*)\Z');
    if v_consumed is not null then
      v_fault.evidence := v_consumed[1] || (v_consumed[2]::integer + p_before) || v_consumed[3];
    end if;

    -- Inside a JSON string a quote is escaped, so what the pattern finds is a candidate.
    if strpos(v_fault.evidence, ',"exact_candidates":[') = 1 then
      v_pieces := regexp_split_to_array(v_fault.evidence, v_candidate);
      v_fault.evidence := v_pieces[1];
      for v_found in select m from regexp_matches(p_fault.evidence, v_candidate, 'g') as m loop
        v_count := v_count + 1;
        v_fault.evidence := concat(
          v_fault.evidence,
          '{"occurrence_index":', v_found[1],
          ',"start":', v_found[2]::integer + v_start, ',"end":', v_found[3]::integer + v_start,
          ',"scope_start":', v_found[2], ',"scope_end":', v_found[3], ',', v_pieces[v_count]
        );
      end loop;
    end if;
  end if;

  v_fault.evidence := concat(
    v_fault.evidence, ',"group_index":', p_group, ',"operation_index":' || p_operation,
    ',"scope":{"scope_id":' || to_json(p_scope ->> 'scope_id') || ',"qualified_path":' || to_json(p_scope ->> 'qualified_path')
      || ',"start":' || (p_scope ->> 'start') || ',"end":' || (p_scope ->> 'end') || '}'
  );
  return v_fault;
end;
$$;

comment on function patchdiff_store.in_group(patchdiff_store.fault, integer, integer, integer, jsonb) is
  'A fault with where in a bundle it is.';
--! EndIncluded patchdiff_store/in_group.sql
--! Included patchdiff_store/renumbered.sql
-- A path, or words that begin with one, whose first position counts from p_before: operations[7] becomes operations[2] behind five.
create or replace function patchdiff_store.renumbered (
  p_text text,
  p_before integer
)
  returns text
  language sql
  immutable
as $$
  select coalesce(m.part[1] || (m.part[2]::integer - p_before) || m.part[3], p_text)
  from (select regexp_match(p_text, '\A(operations\[)(\d+)(\].*)\Z') as part) as m
$$;

comment on function patchdiff_store.renumbered(text, integer) is 'A path whose first position counts from a later one.';
--! EndIncluded patchdiff_store/renumbered.sql
--! Included patchdiff_store/decode_groups.sql
-- P8 of a bundle: the first fault of its groups in submitted order, or all null when they decode. p_scopes: the evidence of each
-- group's scope, JSON null where the bundle has none of this id (observation_of).
create or replace function patchdiff_store.decode_groups (
  p_groups jsonb,
  p_scopes jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_group record;
  v_base text;
  v_name text;
  v_type text;
  v_scope jsonb;
  v_other record;
  v_item record;
  v_before integer := 0;
  v_used text[] := '{}';
  v_fault patchdiff_store.fault;
begin
  for v_group in
    select g.item, g.position::integer - 1 as index from jsonb_array_elements(p_groups) with ordinality as g(item, position)
  loop
    v_base := 'groups[' || v_group.index || ']';
    if jsonb_typeof(v_group.item) <> 'object' then
      return patchdiff_store.in_group(patchdiff_store.fault_of('not_an_object', v_base), v_group.index, null, null, null);
    end if;

    select min(k.name collate "C")
    into v_name
    from jsonb_object_keys(v_group.item) as k(name)
    where k.name not in ('operations', 'scope_id');
    if v_name is not null then
      return patchdiff_store.in_group(
        patchdiff_store.fault_of('unknown_field', v_base || '.' || left(v_name, 64)), v_group.index, null, null, null);
    end if;

    v_type := coalesce(jsonb_typeof(v_group.item -> 'scope_id'), 'null');
    v_scope := p_scopes -> v_group.index;
    if v_type <> 'string' or coalesce(jsonb_typeof(v_scope), 'null') <> 'object' then
      return patchdiff_store.in_group(
        case
          when v_type = 'null' then patchdiff_store.fault_of('field_missing', v_base || '.scope_id')
          when v_type <> 'string' then
            patchdiff_store.fault_of('field_type', v_base || '.scope_id', p_words => '{"type": "a string"}')
          else patchdiff_store.fault_of('scope_not_observed', v_base || '.scope_id')
        end,
        v_group.index, null, null, null);
    end if;

    select s.scope, s.position::integer - 1 as index
    into v_other
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    where s.position <= v_group.index
    and (s.scope ->> 'start')::integer < (v_scope ->> 'end')::integer
    and (v_scope ->> 'start')::integer < (s.scope ->> 'end')::integer
    order by s.position
    limit 1;
    if found then
      v_fault := patchdiff_store.fault_of('scopes_overlap', v_base || '.scope_id', p_words => jsonb_build_object('other', v_other.index));
      v_fault.evidence := concat(
        ',"overlapping_scopes":[{"group_index":', v_other.index,
        ',"scope_id":', to_json(v_other.scope ->> 'scope_id'), ',"qualified_path":', to_json(v_other.scope ->> 'qualified_path'),
        '},{"group_index":', v_group.index,
        ',"scope_id":', to_json(v_scope ->> 'scope_id'), ',"qualified_path":', to_json(v_scope ->> 'qualified_path'), '}]'
      );
      return patchdiff_store.in_group(v_fault, v_group.index, null, null, v_scope);
    end if;

    if jsonb_typeof(v_group.item -> 'operations') is distinct from 'array' or v_group.item -> 'operations' = '[]' then
      v_fault := patchdiff_store.fault_of(
        'manifest_missing', v_base || '.operations', p_words => '{"rule": "a non-empty array"}');
      return patchdiff_store.in_group(v_fault, v_group.index, null, null, v_scope);
    end if;

    for v_item in
      select i.item, i.position::integer as position
      from jsonb_array_elements(v_group.item -> 'operations') with ordinality as i(item, position)
    loop
      v_fault := patchdiff_store.decode_item(v_item.item, v_before + v_item.position, 1, 'patchdiff-tx/2', v_used);
      if v_fault.failure_reason is not null then
        -- The decoder of items counts them over the whole submission.
        v_fault.path := patchdiff_store.renumbered(v_fault.path, v_before);
        v_fault.failure_detail := patchdiff_store.renumbered(v_fault.failure_detail, v_before);
        return patchdiff_store.in_group(v_fault, v_group.index, v_item.position - 1, v_before, v_scope);
      end if;

      v_used := v_used || patchdiff_store.change_id_of(v_item.item, v_before + v_item.position);
    end loop;

    v_before := v_before + jsonb_array_length(v_group.item -> 'operations');
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.decode_groups(jsonb, jsonb) is
  'The first protocol fault of the groups of a bundle, or all null when they decode.';
--! EndIncluded patchdiff_store/decode_groups.sql
--! Included patchdiff_store/decode_record.sql
-- Decodes a record that parses: P1 to P8 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- p_malformed names the code of the first of attempt, parent and source that is malformed, which P2 has between the
-- guards and the format; those three travel beside the record.
create or replace function patchdiff_store.decode_record (
  p_record jsonb,
  p_target uuid,
  p_malformed text
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_format text := patchdiff_store.protocol_of(p_record);
  v_container text := case v_format
    when 'patchdiff-tx/1' then 'edits' when 'patchdiff-observed-batch/1' then 'groups' else 'operations'
  end;
  v_has_version boolean := coalesce(p_record -> 'expected_target_version', 'null') <> 'null';
  v_has_hash boolean := coalesce(p_record -> 'expected_current_hash', 'null') <> 'null';
  v_unknown text;
  v_fault patchdiff_store.fault;
  v_used text[] := '{}';
  v_item record;
begin
  if not v_has_version and not v_has_hash then
    return patchdiff_store.fault_of('guard_missing');
  end if;

  if v_has_version and patchdiff_store.guard_version(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_target_version',
      p_words => '{"rule": "an integer from 0 to 9007199254740991"}');
  end if;

  if v_has_hash and patchdiff_store.guard_hash(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_current_hash',
      p_words => '{"rule": "64 lowercase hexadecimal digits"}');
  end if;

  if p_malformed is not null then
    return patchdiff_store.fault_of(p_malformed, case p_malformed
      when 'attempt_malformed' then 'attempt'
      when 'parent_malformed' then 'parent_pdcp_log_id'
      else 'source'
    end);
  end if;

  if v_format = 'unknown' then
    return patchdiff_store.fault_of('unknown_format', 'format');
  end if;

  if jsonb_typeof(p_record -> 'target_file_id') is distinct from 'string'
    or lower(p_record ->> 'target_file_id') <> p_target::text
  then
    return patchdiff_store.fault_of('target_mismatch', 'target_file_id');
  end if;

  if jsonb_typeof(p_record -> v_container) is distinct from 'array' or p_record -> v_container = '[]' then
    if v_format = 'patchdiff-tx/3' then
      return patchdiff_store.fault_of('manifest_missing', 'replacement', p_words => '{"rule": "a string"}');
    end if;

    return patchdiff_store.fault_of('manifest_missing', v_container, p_words => '{"rule": "a non-empty array"}');
  end if;

  select min(k.name collate "C")
  into v_unknown
  from jsonb_object_keys(p_record) as k(name)
  where k.name not in (
    'expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id', v_container
  )
  and not (v_format = 'patchdiff-observed-batch/1' and k.name in ('bundle_id', 'observation'));
  if v_unknown is not null then
    return patchdiff_store.fault_of('unknown_field', left(v_unknown, 64));
  end if;

  if jsonb_typeof(p_record -> 'intent') is distinct from 'string' or patchdiff_store.is_blank(p_record ->> 'intent') then
    return patchdiff_store.fault_of('intent_invalid', 'intent');
  end if;

  if char_length(p_record ->> 'intent') > 4096 then
    return patchdiff_store.fault_of('intent_too_long', 'intent');
  end if;

  if v_format = 'patchdiff-observed-batch/1' then
    return patchdiff_store.decode_groups(p_record -> 'groups', p_record #> '{observation,scopes}');
  end if;

  for v_item in
    select i.item, i.position, jsonb_array_length(p_record -> v_container) as count
    from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position)
  loop
    v_fault := patchdiff_store.decode_item(v_item.item, v_item.position::integer, v_item.count, v_format, v_used);
    if v_fault.failure_reason is not null then
      return v_fault;
    end if;

    v_used := v_used || patchdiff_store.change_id_of(v_item.item, v_item.position::integer);
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.decode_record(jsonb, uuid, text) is
  'The first protocol fault of a record, or all null when it decodes.';
--! EndIncluded patchdiff_store/decode_record.sql
--! Included patchdiff_store/walk_bundle.sql
-- Applies a bundle that decodes: every scope must have the text that was observed, every group is applied to its own slice as
-- walk_found does, and the slices are put back from the last to the first, so that earlier places stay. The first scope, then the
-- first operation, in submitted order that does not hold is the fault. The walk's arrays are in the order of application;
-- resolved_starts are byte offsets in the slices, in submitted order.
create or replace function patchdiff_store.walk_bundle (
  p_content bytea,
  p_chars integer,
  p_groups jsonb,
  p_scopes jsonb
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_bytes integer := octet_length(p_content);
  v_count integer := jsonb_array_length(p_groups);
  v_scope jsonb;
  v_start integer;
  v_end integer;
  v_from integer[];
  v_to integer[];
  v_hash text;
  v_before integer[] := '{0}';
  v_operations patchdiff_store.operations;
  v_part patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_parts patchdiff_store.walk[];
  v_length integer;
  v_i integer;
begin
  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_start := (v_scope ->> 'start')::integer;
    v_end := (v_scope ->> 'end')::integer;
    v_hash := null;
    if v_end <= p_chars then
      v_from[v_i] := patchdiff_store.prefix_bytes(p_content, v_start, 0, 0, v_bytes, p_chars);
      v_to[v_i] := patchdiff_store.prefix_bytes(p_content, v_end, v_from[v_i], v_start, v_bytes, p_chars);
      v_hash := patchdiff_store.sha256_hex(substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]));
    end if;

    if v_hash is distinct from v_scope ->> 'sha256' then
      v_walk.fault := patchdiff_store.cut_context(
        patchdiff_store.fault_of('scope_hash_mismatch', 'groups[' || (v_i - 1) || '].scope_id'), p_content, p_chars, 0, v_start);
      v_walk.fault.evidence := concat(
        ',"observed_sha256":"', v_scope ->> 'sha256', '","actual_sha256":', coalesce('"' || v_hash || '"', 'null'));
      v_walk.fault := patchdiff_store.in_group(v_walk.fault, v_i - 1, null, null, v_scope);
      return v_walk;
    end if;
  end loop;

  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_operations := patchdiff_store.read_operations(p_groups -> (v_i - 1) -> 'operations', 'patchdiff-tx/2');
    v_length := cardinality(v_operations.operation);
    v_before[v_i + 1] := v_before[v_i] + v_length;
    -- Ids are counted over the whole bundle.
    v_operations.change_id := array(
      select patchdiff_store.change_id_of(o.item, v_before[v_i] + o.position::integer)
      from jsonb_array_elements(p_groups -> (v_i - 1) -> 'operations') with ordinality as o(item, position)
      order by o.position
    );
    v_part := patchdiff_store.walk_found(
      substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]),
      (v_scope ->> 'end')::integer - (v_scope ->> 'start')::integer,
      v_operations,
      'operations'
    );
    if v_part.after_content is null then
      v_fault := v_part.fault;
      if v_fault.failure_code <> 'result_too_large' then
        v_fault := patchdiff_store.in_group(v_fault, v_i - 1, v_fault.ordinal - 1, v_before[v_i], v_scope);
        v_fault.ordinal := v_fault.ordinal + v_before[v_i];
      end if;
      v_walk.fault := v_fault;
      return v_walk;
    end if;

    v_walk.resolved_starts := v_walk.resolved_starts || v_part.start_byte;
    v_parts[v_i] := v_part;
  end loop;

  v_walk.after_content := p_content;
  v_walk.after_chars := p_chars;
  for v_i in
    select s.position::integer
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by (s.scope ->> 'start')::integer desc
  loop
    v_scope := p_scopes -> (v_i - 1);
    v_start := (v_scope ->> 'start')::integer;
    v_part := v_parts[v_i];
    v_length := cardinality(v_part.change_id);
    v_walk.after_content := overlay(
      v_walk.after_content placing v_part.after_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]);
    v_walk.after_chars := v_walk.after_chars + v_part.after_chars - ((v_scope ->> 'end')::integer - v_start);
    v_walk.change_id := v_walk.change_id || v_part.change_id;
    v_walk.operation := v_walk.operation || v_part.operation;
    v_walk.rationale := v_walk.rationale || v_part.rationale;
    v_walk.risk := v_walk.risk || v_part.risk;
    v_walk.matched_chars := v_walk.matched_chars || v_part.matched_chars;
    v_walk.replacement_chars := v_walk.replacement_chars || v_part.replacement_chars;
    v_walk.matched_sha256 := v_walk.matched_sha256 || v_part.matched_sha256;
    v_walk.replacement_sha256 := v_walk.replacement_sha256 || v_part.replacement_sha256;
    v_walk.deleted_bytes := v_walk.deleted_bytes || v_part.deleted_bytes;
    v_walk.inserted_bytes := v_walk.inserted_bytes || v_part.inserted_bytes;
    v_walk.scope_id := v_walk.scope_id || array_fill(v_scope ->> 'scope_id', array[v_length]);
    v_walk.scope_span_start := v_walk.scope_span_start || v_part.span_start;
    v_walk.scope_span_end := v_walk.scope_span_end || v_part.span_end;
    for v_j in 1..v_length loop
      v_walk.ordinal := v_walk.ordinal || (v_before[v_i] + v_j);
      v_walk.span_start := v_walk.span_start || (v_start + v_part.span_start[v_j]);
      v_walk.span_end := v_walk.span_end || (v_start + v_part.span_end[v_j]);
      v_walk.start_byte := v_walk.start_byte || (v_from[v_i] + v_part.start_byte[v_j]);
    end loop;
  end loop;

  if octet_length(v_walk.after_content) > 16777216 then
    v_walk.fault := patchdiff_store.cut_context(
      patchdiff_store.fault_of('result_too_large'), v_walk.after_content, v_walk.after_chars, v_before[v_count + 1], null);
    v_walk.after_content := null;
    return v_walk;
  end if;

  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_bundle(bytea, integer, jsonb, jsonb) is
  'Applies a bundle that decodes to the slices of its scopes; the first fault with its evidence, or the result.';
--! EndIncluded patchdiff_store/walk_bundle.sql
--! Included patchdiff_store/bundle_ledger.sql
-- The ledger rows of an accepted bundle, in the order of application: facts in document coordinates, and beside them scope and place in it.
create or replace function patchdiff_store.bundle_ledger (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_ledger_sequence bigint,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns setof patchdiff_store.append_only_manifest_ledger
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_manifest_ledger;
begin
  for v_i in 1..cardinality(p_walk.change_id) loop
    v_row := patchdiff_store.ledger_row(
      p_attempt, p_ledger_sequence + v_i, v_i, p_intent, p_walk.change_id[v_i], p_walk.operation[v_i], p_walk.rationale[v_i],
      p_walk.risk[v_i], p_walk.span_start[v_i], p_walk.span_end[v_i], p_walk.matched_chars[v_i], p_walk.replacement_chars[v_i],
      p_walk.matched_sha256[v_i], p_walk.replacement_sha256[v_i], p_walk.start_byte[v_i], p_walk.deleted_bytes[v_i],
      p_walk.inserted_bytes[v_i]);
    v_row.ordinal := p_walk.ordinal[v_i];
    v_row.derived_json := v_row.derived_json || jsonb_build_object(
      'apply_ordinal', v_i, 'scope_id', p_walk.scope_id[v_i],
      'scope_span_start', p_walk.scope_span_start[v_i], 'scope_span_end', p_walk.scope_span_end[v_i]);
    return next v_row;
  end loop;
end;
$$;

comment on function patchdiff_store.bundle_ledger(patchdiff_store.append_only_pdcp_logs, bigint, text, patchdiff_store.walk) is
  'The ledger rows of an accepted bundle, in the order of application.';
--! EndIncluded patchdiff_store/bundle_ledger.sql
--! Included patchdiff_store/changes_json.sql
-- The changes of an accepted walk as they stand in its receipt: JSON, in order of application.
create or replace function patchdiff_store.changes_json (
  p_walk patchdiff_store.walk
)
  returns json
  language plpgsql
  stable
as $$
begin
  if p_walk.ordinal is not null then
    return (
      select json_agg(f order by f.apply_ordinal)
      from (
        select
          c.ordinal, c.change_id, c.operation, c.span_start, c.span_end, c.matched_chars, c.replacement_chars,
          c.matched_sha256, c.replacement_sha256, c.apply_ordinal, c.scope_id, c.scope_span_start, c.scope_span_end
        from unnest(
          p_walk.ordinal, p_walk.change_id, p_walk.operation, p_walk.span_start, p_walk.span_end, p_walk.matched_chars,
          p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256, p_walk.scope_id,
          p_walk.scope_span_start, p_walk.scope_span_end
        ) with ordinality as c(
          ordinal, change_id, operation, span_start, span_end, matched_chars, replacement_chars, matched_sha256,
          replacement_sha256, scope_id, scope_span_start, scope_span_end, apply_ordinal
        )
      ) as f
    );
  end if;

  if cardinality(p_walk.change_id) = 1 then
    return json_build_array(json_build_object(
      'ordinal', 1, 'change_id', p_walk.change_id[1], 'operation', p_walk.operation[1], 'span_start', p_walk.span_start[1],
      'span_end', p_walk.span_end[1], 'matched_chars', p_walk.matched_chars[1],
      'replacement_chars', p_walk.replacement_chars[1], 'matched_sha256', p_walk.matched_sha256[1],
      'replacement_sha256', p_walk.replacement_sha256[1]
    ));
  end if;

  return (
    select json_agg(f)
    from (
      select
        c.ordinal, c.change_id, c.operation, c.span_start, c.span_end, c.matched_chars, c.replacement_chars,
        c.matched_sha256, c.replacement_sha256
      from unnest(
        p_walk.change_id, p_walk.operation, p_walk.span_start, p_walk.span_end, p_walk.matched_chars,
        p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256
      ) with ordinality as c(
        change_id, operation, span_start, span_end, matched_chars, replacement_chars, matched_sha256,
        replacement_sha256, ordinal
      )
      order by c.ordinal
    ) as f
  );
end;
$$;

comment on function patchdiff_store.changes_json(patchdiff_store.walk) is
  'The changes of an accepted walk with their facts, as JSON.';
--! EndIncluded patchdiff_store/changes_json.sql
--! Included patchdiff_store/changes_of.sql
-- The changes of an accepted attempt as JSON, from its ledger rows, in order of application: what changes_json said
-- when it was accepted.
create or replace function patchdiff_store.changes_of (
  p_target uuid,
  p_log_sequence bigint
)
  returns json
  language sql
  stable
as $$
  select case
    when (
      select bool_or(s.derived_json ? 'scope_id')
      from patchdiff_store.append_only_manifest_ledger as s
      where s.target_file_id = p_target and s.log_sequence = p_log_sequence
    ) then (
      select json_agg(b order by b.apply_ordinal)
      from (
        select
          l.ordinal, l.change_id, l.operation,
          l.derived_json -> 'span_start' as span_start, l.derived_json -> 'span_end' as span_end,
          l.derived_json -> 'matched_chars' as matched_chars, l.derived_json -> 'replacement_chars' as replacement_chars,
          l.derived_json -> 'matched_sha256' as matched_sha256, l.derived_json -> 'replacement_sha256' as replacement_sha256,
          l.apply_ordinal, l.derived_json -> 'scope_id' as scope_id,
          l.derived_json -> 'scope_span_start' as scope_span_start, l.derived_json -> 'scope_span_end' as scope_span_end
        from patchdiff_store.append_only_manifest_ledger as l
        where l.target_file_id = p_target
        and l.log_sequence = p_log_sequence
      ) as b
    )
    else json_agg(f)
  end
  from (
    select
      l.apply_ordinal as ordinal, l.change_id, l.operation,
      l.derived_json -> 'span_start' as span_start, l.derived_json -> 'span_end' as span_end,
      l.derived_json -> 'matched_chars' as matched_chars, l.derived_json -> 'replacement_chars' as replacement_chars,
      l.derived_json -> 'matched_sha256' as matched_sha256, l.derived_json -> 'replacement_sha256' as replacement_sha256
    from patchdiff_store.append_only_manifest_ledger as l
    where l.target_file_id = p_target
    and l.log_sequence = p_log_sequence
    order by l.apply_ordinal
  ) as f
$$;

comment on function patchdiff_store.changes_of(uuid, bigint) is
  'The changes of an accepted attempt with their facts, as JSON.';
--! EndIncluded patchdiff_store/changes_of.sql
--! Included patchdiff_store/append_attempt.sql
-- Appends one attempt, with its ledger rows when it was accepted and its request key when it has one, and advances head
-- and chain. The only writer of attempts, ledger rows, submission keys and the head's attempt columns. The caller
-- holds the target's lock and passes what lock_target answered. p_attempt carries the verdict and the identity; what
-- the database knows itself is filled in here. Answers the row as stored, its payload left null. Whoever has subscribed is
-- notified of an acceptance when it is committed.
create or replace function patchdiff_store.append_attempt (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_pdcp_logs
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs := p_attempt;
  v_ledger patchdiff_store.append_only_manifest_ledger[];
  v_bytes bytea;
begin
  v_row.log_sequence := p_locked.log_sequence + 1;
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.pdcp_log_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;

  if v_row.status = 'accepted' then
    v_row.change_count := cardinality(p_walk.change_id);
    if p_walk.ordinal is not null then
      v_ledger := array(select b from patchdiff_store.bundle_ledger(v_row, p_locked.ledger_sequence, p_intent, p_walk) as b);
      v_bytes := (
        select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
      );
    elsif v_row.change_count = 1 then
      -- The commonest case, without a query.
      v_ledger := array[patchdiff_store.ledger_row(
        v_row, p_locked.ledger_sequence + 1, 1, p_intent, p_walk.change_id[1], p_walk.operation[1], p_walk.rationale[1],
        p_walk.risk[1], p_walk.span_start[1], p_walk.span_end[1], p_walk.matched_chars[1], p_walk.replacement_chars[1],
        p_walk.matched_sha256[1], p_walk.replacement_sha256[1], p_walk.start_byte[1], p_walk.deleted_bytes[1],
        p_walk.inserted_bytes[1])];
      v_bytes := patchdiff_store.ledger_encoding(v_ledger[1]);
    else
      v_ledger := array(
        select patchdiff_store.ledger_row(
          v_row, p_locked.ledger_sequence + c.ordinal, c.ordinal::integer, p_intent, c.change_id, c.operation, c.rationale,
          c.risk, c.span_start, c.span_end, c.matched_chars, c.replacement_chars, c.matched_sha256, c.replacement_sha256,
          c.start_byte, c.deleted_bytes, c.inserted_bytes)
        from unnest(
          p_walk.change_id, p_walk.operation, p_walk.rationale, p_walk.risk, p_walk.span_start, p_walk.span_end,
          p_walk.matched_chars, p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256,
          p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes
        ) with ordinality as c(
          change_id, operation, rationale, risk, span_start, span_end, matched_chars, replacement_chars,
          matched_sha256, replacement_sha256, start_byte, deleted_bytes, inserted_bytes, ordinal
        )
        order by c.ordinal
      );
      v_bytes := (
        select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
      );
    end if;
  else
    v_row.change_count := 0;
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || coalesce(v_bytes, ''));

  -- One statement for all that is appended: five would cost as much again. Foreign keys are checked at its end.
  with attempt as (
    insert into patchdiff_store.append_only_pdcp_logs (
      target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version,
      after_version, expected_target_version, editing_cycle, regeneration_attempt, change_count, parent_pdcp_log_id,
      status, decided_by, failure_reason, failure_code, failed_change_id, failure_detail, validation_stage,
      before_hash, after_hash, expected_current_hash, pdcp_content_hash, protocol_version, runtime_version,
      submission_source, regeneration_source, client_request_id, request_fingerprint, db_session_user,
      db_application_name, db_client_addr, db_transaction_id, prev_hash, row_hash, actor, diagnostic_json, warnings,
      pdcp_content
    )
    values (
      v_row.target_file_id, v_row.log_sequence, v_row.pdcp_log_id, v_row.created_at, v_row.chain_sequence,
      v_row.hash_version, v_row.before_version, v_row.after_version, v_row.expected_target_version,
      v_row.editing_cycle, v_row.regeneration_attempt, v_row.change_count, v_row.parent_pdcp_log_id, v_row.status,
      v_row.decided_by, v_row.failure_reason, v_row.failure_code, v_row.failed_change_id, v_row.failure_detail,
      v_row.validation_stage, v_row.before_hash, v_row.after_hash, v_row.expected_current_hash,
      v_row.pdcp_content_hash, v_row.protocol_version, v_row.runtime_version, v_row.submission_source,
      v_row.regeneration_source, v_row.client_request_id, v_row.request_fingerprint, v_row.db_session_user,
      v_row.db_application_name, v_row.db_client_addr, v_row.db_transaction_id, v_row.prev_hash, v_row.row_hash,
      v_row.actor, v_row.diagnostic_json, v_row.warnings, p_payload
    )
  ),
  ledger as (
    insert into patchdiff_store.append_only_manifest_ledger
    select l.* from unnest(v_ledger) as l
  ),
  remembered as (
    insert into patchdiff_store.request_keys (
      target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
    )
    select
      v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
      v_row.created_at
    where v_row.client_request_id is not null
  )
  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  -- Sent when the caller's transaction commits, ids only. A notification makes commits wait for one another, so none is
  -- sent while nobody has asked for it.
  if v_row.status = 'accepted' and exists (
    select from patchdiff_store.commit_subscriptions as s where s.expires_at > v_row.created_at
  ) then
    perform pg_notify('patchdiff_commits', concat(
      '{"target_file_id":"', v_row.target_file_id,
      '","pdcp_log_id":"', v_row.pdcp_log_id,
      '","version":', v_row.after_version, '}'
    ));
  end if;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_attempt(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt with its ledger rows and request key, and advances head and chain.';
--! EndIncluded patchdiff_store/append_attempt.sql
--! Included patchdiff_store/commit_submission.sql
-- Judges one submission to one target under the target's lock and records the outcome: the whole of commit_attempt but
-- its argument checks, for every entry point. p_verdict is the caller's claim: accepted, rejected, none, or derive when
-- there is no runtime and the database finds every place itself (no base is compared then). p_is_disk: the record was built by
-- adopt_disk, which holds the limit of a file instead of those of a submission.
-- Promises: an accepted attempt is exactly what the payload says, applied to exactly the stored content; a rejection
-- changes nothing but the log; a key returns its first outcome for ever. A claim that differs from what is derived here
-- is recorded as claim_mismatch. Raises only for what no row can hold (PD101, PD102).
-- Race-safe: the target row is locked before anything is read that the answer depends on, and each later statement
-- sees what was committed during the wait. Lock order: target, head.
create or replace function patchdiff_store.commit_submission (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_base_hash text,
  p_verdict text,
  p_resolved_starts integer[],
  p_after_hash text,
  p_claimed_reason text,
  p_warnings json,
  p_raw_metadata jsonb,
  p_is_disk boolean default false
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
as $$
declare
  v_locked patchdiff_store.locked_target;
  v_record jsonb;
  v_format text;
  v_container text;
  v_operations patchdiff_store.operations;
  v_replacement text;
  v_observation jsonb;
  v_stored text := p_payload;
  v_is_sound boolean;
  v_envelope patchdiff_store.envelope;
  v_row patchdiff_store.append_only_pdcp_logs;
  v_parent text := p_parent;
  v_malformed text;
  v_key patchdiff_store.request_keys;
  v_content bytea;
  v_is_stale boolean;
  v_is_intact boolean;
  v_is_judged boolean := false;
  v_is_verified boolean := false;
  v_walk patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_members text;
  v_head text;
  v_receipt patchdiff.commit_receipt;
begin
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    v_receipt.outcome := 'not_found';
    v_receipt.deduplicated := false;
    return v_receipt;
  end if;

  -- Read.
  v_record := patchdiff_store.payload_json(p_payload);
  v_format := patchdiff_store.protocol_of(v_record);
  v_container := case v_format when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  if v_format = 'patchdiff-tx/3' then
    v_replacement := case jsonb_typeof(v_record #> '{operations,0,replace}')
      when 'string' then v_record #>> '{operations,0,replace}'
    end;
  elsif v_format = 'patchdiff-observed-batch/1' then
    v_observation := patchdiff_store.observation_of(p_target, v_record);
  elsif v_format <> 'unknown' and patchdiff_store.are_readable_items(p_payload, v_record -> v_container) then
    v_operations := patchdiff_store.read_operations(v_record -> v_container, v_format);
  end if;

  v_is_sound := p_is_disk or patchdiff_store.is_sound(
    p_payload, v_record, p_target, v_operations.canonical, v_operations.well_formed,
    cardinality(v_operations.operation), v_replacement);
  if not v_is_sound or p_raw_metadata is not null then
    v_envelope := patchdiff_store.envelope_of(p_payload, v_record, p_parent, p_raw_metadata);
    v_is_sound := v_is_sound and v_envelope.stored is null;
    v_record := case when v_envelope.stored is null then v_record else v_envelope.record end;
    if v_format = 'patchdiff-observed-batch/1' and v_envelope.stored is null then
      v_stored := patchdiff_store.bundle_payload(p_payload, v_observation);
    end if;
  end if;

  v_stored := coalesce(v_envelope.stored, v_stored);

  -- Identity.
  if p_parent ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z' then
    select a.pdcp_log_id, a.submission_source
    into v_row.parent_pdcp_log_id, v_row.regeneration_source
    from patchdiff_store.append_only_pdcp_logs as a
    where a.target_file_id = p_target
    and a.pdcp_log_id = p_parent::uuid
    and a.status = 'rejected';
  end if;

  v_parent := coalesce(v_row.parent_pdcp_log_id::text, p_parent);

  v_malformed := case
    when p_raw_metadata ? 'attempt' or p_attempt < 1 then 'attempt_malformed'
    when p_raw_metadata ? 'parent_pdcp_log_id' or patchdiff_store.is_blank(p_parent) then 'parent_malformed'
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then 'source_malformed'
  end;

  v_row.target_file_id := p_target;
  v_row.before_version := v_locked.version;
  v_row.before_hash := v_locked.current_hash;
  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);
  v_row.regeneration_attempt := case when p_attempt >= 1 then p_attempt end;
  v_row.submission_source := case
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then null
    else coalesce(p_source, 'model_response')
  end;
  v_row.actor := p_actor;
  v_row.protocol_version := patchdiff_store.protocol_of(v_record);
  v_row.runtime_version := patchdiff_store.runtime_version_of(v_record);
  v_row.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(v_stored, 'UTF8'));
  v_row.request_fingerprint := patchdiff_store.request_fingerprint(
    v_row, v_parent, v_envelope.evidence_format, v_envelope.evidence_sha256);
  v_row.decided_by := 'database';

  -- Guards.
  if p_client_request_id is not null then
    select k.*
    into v_key
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target
    and k.client_request_id = p_client_request_id;
    if v_key.kind = 'submission' and v_key.request_fingerprint is null then
      v_key.request_fingerprint := patchdiff_store.stored_fingerprint(p_target, v_key.log_sequence);
    end if;

    if v_key.kind = 'submission' and (
      v_key.request_fingerprint = v_row.request_fingerprint
      or (
        v_envelope.stored is not null
        and v_key.request_fingerprint = patchdiff_store.earlier_fingerprint(v_row, p_payload, v_parent, p_raw_metadata)
      )
    ) then
      return patchdiff_store.recall_attempt(v_locked, v_key.log_sequence);
    end if;
  end if;

  if v_key.kind is null and p_client_request_id ~ '\A[\x21-\x7E]{1,128}\Z' then
    v_row.client_request_id := p_client_request_id;
  end if;

  if v_key.kind is not null then
    v_fault := patchdiff_store.key_conflict(v_key, p_client_request_id);
  elsif p_client_request_id is not null and v_row.client_request_id is null
    or p_raw_metadata ? 'client_request_id'
      and not patchdiff_store.holds_unencodable(p_raw_metadata ->> 'client_request_id')
  then
    v_fault := patchdiff_store.fault_of('invalid_client_request_id');
  elsif v_envelope.failure_code = 'text_not_encodable' then
    v_fault := patchdiff_store.fault_of('text_not_encodable');
  elsif not patchdiff_store.is_blank(p_parent) and v_row.parent_pdcp_log_id is null then
    v_fault := patchdiff_store.fault_of('parent_invalid');
  elsif v_format = 'patchdiff-observed-batch/1' and v_observation is null then
    v_fault := patchdiff_store.fault_of('bundle_invalid');
  elsif v_row.expected_target_version <> v_locked.version or v_row.expected_current_hash <> v_locked.current_hash then
    v_fault := patchdiff_store.guard_fault(v_row);
  else
    -- Protocol: no base can change it.
    if v_envelope.failure_code is not null then
      v_fault := patchdiff_store.fault_of(v_envelope.failure_code);
    elsif v_observation is not null and v_record ? 'observation' then
      v_fault := patchdiff_store.fault_of('unknown_field', 'observation');
    elsif v_observation is not null then
      v_fault := patchdiff_store.decode_record(
        v_record || jsonb_build_object('observation', v_observation), p_target, v_malformed);
    elsif not v_is_sound or v_malformed is not null then
      v_fault := patchdiff_store.decode_record(v_record, p_target, v_malformed);
    end if;

    v_is_judged := true;
    if v_fault.failure_reason is null then
      -- Applicability: the verdict depends on the content alone.
      v_is_stale := p_verdict = 'none' or (p_verdict <> 'derive' and p_base_hash is distinct from v_locked.current_hash);
      -- Replacing everything needs no content but its hash.
      select patchdiff_store.is_intact(v_locked, c.content), case when v_is_stale or v_replacement is null then c.content end
      into strict v_is_intact, v_content
      from (
        select convert_to(t.current_content, 'UTF8') as content
        from patchdiff_store.cloud_target_files as t
        where t.target_file_id = p_target
        offset 0
      ) as c;

      if not v_is_intact then
        v_fault := patchdiff_store.fault_of('content_diverged');
        v_is_judged := false;
        v_locked.content_chars := (
          select char_length(t.current_content)
          from patchdiff_store.cloud_target_files as t
          where t.target_file_id = p_target
        );
      elsif v_is_stale then
        return patchdiff_store.stale_receipt(v_locked, v_row.request_fingerprint, v_content);
      elsif v_observation is not null then
        v_walk := patchdiff_store.walk_bundle(
          v_content, v_locked.content_chars, v_record -> 'groups', v_observation -> 'scopes');
        v_fault := v_walk.fault;
        v_is_verified := p_verdict = 'accepted'
          and v_fault.failure_reason is null
          and v_walk.resolved_starts = p_resolved_starts
          and v_walk.after_hash = p_after_hash
          and patchdiff_store.is_canonical(p_payload, v_record);
      else
        if p_verdict = 'accepted' and (v_is_sound or patchdiff_store.is_canonical(p_payload, v_record)) then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_claimed(v_content, v_locked.content_chars, v_operations, p_resolved_starts)
            when p_resolved_starts = '{0}' then
              patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_is_verified := coalesce(v_walk.after_hash = p_after_hash, false);
        end if;

        if not v_is_verified then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_found(v_content, v_locked.content_chars, v_operations, v_container)
            else patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_fault := v_walk.fault;
        end if;
      end if;
    end if;
  end if;

  -- Claim.
  if v_is_judged and p_verdict = 'rejected' and v_fault.failure_reason is distinct from p_claimed_reason then
    v_fault := patchdiff_store.non_finite_fault(v_fault, v_stored, p_target, v_malformed, p_claimed_reason);
  end if;

  if v_is_judged and p_verdict in ('accepted', 'rejected') then
    if (case p_verdict when 'accepted' then v_is_verified else v_fault.failure_reason = p_claimed_reason end) is true then
      v_row.decided_by := 'runtime';
    else
      v_members := concat(
        ',"claimed":', patchdiff_store.claim_json(p_verdict, p_claimed_reason, p_after_hash),
        ',"derived":', patchdiff_store.claim_json(
          case when v_fault.failure_reason is null then 'accepted' else 'rejected' end,
          v_fault.failure_reason, v_walk.after_hash)
      );
      v_fault := patchdiff_store.fault_of('claim_mismatch');
      v_row.client_request_id := null;
    end if;
  end if;

  -- Write.
  if v_fault.failure_reason is null then
    v_row.status := 'accepted';
    v_row.validation_stage := 'accepted';
    v_row.after_version := v_locked.version + 1;
    v_row.after_hash := v_walk.after_hash;
    v_row.warnings := patchdiff_store.warnings_of(v_walk, v_locked.current_hash, case p_verdict
      when 'derive' then patchdiff_store.shifted_bases(v_content, v_operations, v_walk)
      else p_warnings
    end)::json;
    v_locked.version := v_row.after_version;
    v_locked.current_hash := v_row.after_hash;
    update patchdiff_store.cloud_target_files as t
    set current_content = convert_from(v_walk.after_content, 'UTF8'),
        current_hash = v_walk.after_hash,
        version = v_row.after_version,
        content_bytes = octet_length(v_walk.after_content),
        content_chars = v_walk.after_chars,
        updated_at = clock_timestamp()
    where t.target_file_id = p_target;
    -- Taken out, so that the walk can be handed on without copying it.
    v_walk.after_content := null;
  else
    v_head := patchdiff_store.head_of_content(p_target);
    if v_fault.context_kind is null then
      v_fault.context_kind := 'prefix';
      v_fault.context_start := 0;
      v_fault.context_total := v_locked.content_chars;
      v_fault.context_text := v_head;
    end if;

    v_row.status := 'rejected';
    v_row.after_version := v_locked.version;
    v_row.after_hash := v_locked.current_hash;
    v_row.failure_reason := v_fault.failure_reason;
    v_row.failure_code := v_fault.failure_code;
    v_row.failure_detail := v_fault.failure_detail;
    v_row.failed_change_id := v_fault.failed_change_id;
    v_row.validation_stage := v_fault.validation_stage;
    v_row.diagnostic_json := patchdiff_store.diagnostic_of(v_row, v_fault, concat(
      patchdiff_store.raw_values(
        v_row, p_payload, v_record, p_client_request_id, p_parent, p_attempt, p_source, p_raw_metadata),
      v_members
    ))::json;
  end if;

  v_row := patchdiff_store.append_attempt(
    v_locked, v_row, v_stored,
    case v_row.status when 'accepted' then v_record ->> 'intent' end, v_walk);
  return patchdiff_store.receipt_of(
    v_locked,
    v_row,
    case v_row.status when 'accepted' then patchdiff_store.changes_json(v_walk) end,
    v_head
  );
end;
$$;

comment on function patchdiff_store.commit_submission(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb, boolean
) is 'Judges one submission under the target''s lock and records the outcome.';
--! EndIncluded patchdiff_store/commit_submission.sql

--! Included patchdiff_store/items_of.sql
-- The items of a payload in submitted order: edits, operations, or the operations of a bundle's groups. An operation of a bundle has
-- the evidence of its scope beside it (member scope), and the start of a span counts from the document's first code point.
create or replace function patchdiff_store.items_of (
  p_payload jsonb
)
  returns jsonb
  language sql
  immutable
as $$
  select case
    when p_payload ->> 'format' is distinct from 'patchdiff-observed-batch/1'
      then coalesce(p_payload -> 'edits', p_payload -> 'operations')
    when jsonb_typeof(p_payload -> 'groups') = 'array' then (
      select jsonb_agg(
        o.item || jsonb_build_object('scope', p_payload #> array['observation', 'scopes', (g.position - 1)::text])
          || case
            when jsonb_typeof(o.item -> 'start') = 'number' then jsonb_build_object(
              'start',
              (o.item -> 'start')::numeric + (p_payload #>> array['observation', 'scopes', (g.position - 1)::text, 'start'])::numeric
            )
            else '{}'
          end
        order by g.position, o.position
      )
      from jsonb_array_elements(p_payload -> 'groups') with ordinality as g(item, position)
      cross join lateral jsonb_array_elements(
        case jsonb_typeof(g.item -> 'operations') when 'array' then g.item -> 'operations' end
      ) with ordinality as o(item, position)
    )
  end
$$;

comment on function patchdiff_store.items_of(jsonb) is 'The items of a payload in submitted order.';
--! EndIncluded patchdiff_store/items_of.sql
--! Included patchdiff_store/apply_attempt.sql
-- Applies an accepted attempt's recorded splices to the bytes of the buffer before it: positions from its ledger rows, replacement
-- texts (LF-canonical) from its payload by ordinal, so nothing is matched again. Null when the rows and the payload do
-- not fit the buffer or each other. Bytes, because overlay on text costs a hundred times as much on a large document.
create or replace function patchdiff_store.apply_attempt (
  p_buffer bytea,
  p_target uuid,
  p_log_sequence bigint
)
  returns bytea
  language plpgsql
  stable
as $$
declare
  v_buffer bytea := p_buffer;
  v_payload jsonb;
  v_items jsonb;
  v_change record;
begin
  select patchdiff_store.payload_json(l.pdcp_content)
  into v_payload
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target and l.log_sequence = p_log_sequence;
  v_items := patchdiff_store.items_of(v_payload);

  for v_change in
    select g.ordinal, g.start_byte, g.deleted_bytes
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target and g.log_sequence = p_log_sequence
    order by g.apply_ordinal
  loop
    -- overlay clamps silently beyond the end.
    if v_change.start_byte < 0
      or v_change.deleted_bytes < 0
      or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(v_buffer)
    then
      return null;
    end if;
    v_buffer := overlay(
      v_buffer
      placing convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8')
      from v_change.start_byte + 1
      for v_change.deleted_bytes
    );
  end loop;
  return v_buffer;
end;
$$;

comment on function patchdiff_store.apply_attempt(bytea, uuid, bigint) is
  'The bytes after an accepted attempt''s recorded splices, or null when they do not fit.';
--! EndIncluded patchdiff_store/apply_attempt.sql
--! Included patchdiff_store/written_ranges.sql
-- Every stretch of whole lines that the history wrote on the way to a version, in the order of writing, as parallel
-- arrays: the ledger row that wrote it, [range_from, range_to) in bytes of the buffer right after it, and by how many bytes it moved what stands
-- behind. A splice has one range (written_range); a replacement of the whole has one for each differing stretch of its
-- line diff, from the last to the first. Walks from the initial snapshot; content is the text of that version.
-- The caller has checked the version. Refuses a history that contradicts itself (PD106).
create or replace function patchdiff_store.written_ranges (
  p_target uuid,
  p_version bigint,
  out content bytea,
  out ledger_sequence bigint[],
  out range_from integer[],
  out range_to integer[],
  out growth integer[]
)
  returns record
  language plpgsql
  stable
as $$
declare
  v_version bigint;
  v_hash text;
  v_attempt record;
  v_items jsonb;
  v_change record;
  v_inserted bytea;
  v_range integer[];
  v_line record;
  v_count integer := 0;
begin
  ledger_sequence := '{}';
  range_from := '{}';
  range_to := '{}';
  growth := '{}';
  select s.version, convert_to(s.content, 'UTF8'), s.content_hash
  into v_version, content, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.snapshot_sequence = 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash, patchdiff_store.payload_json(l.pdcp_content) as payload
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target and l.status = 'accepted' and l.after_version <= p_version
    order by l.after_version
  loop
    v_items := patchdiff_store.items_of(v_attempt.payload);
    for v_change in
      select g.ledger_sequence, g.ordinal, g.start_byte, g.deleted_bytes, g.operation
      from patchdiff_store.append_only_manifest_ledger as g
      where g.target_file_id = p_target and g.log_sequence = v_attempt.log_sequence
      order by g.apply_ordinal
    loop
      v_inserted := convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8');
      if v_inserted is null
        or v_change.start_byte < 0
        or v_change.deleted_bytes < 0
        or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(content)
      then
        perform patchdiff_store.raise_history_diverged(p_target, p_version);
      end if;

      if v_change.operation = 'replace_all' then
        -- From the last to the first, so that each one's own old and new bytes are all that has moved.
        for v_line in
          select c.old_from + c.new_to - c.new_from as range_to, c.old_from, c.new_to - c.new_from - c.old_to + c.old_from as growth
          from patchdiff_store.line_changes(content, v_inserted) as c
          order by c.old_from desc, c.new_from desc
        loop
          v_count := v_count + 1;
          ledger_sequence[v_count] := v_change.ledger_sequence;
          range_from[v_count] := v_line.old_from;
          range_to[v_count] := v_line.range_to;
          growth[v_count] := v_line.growth;
        end loop;

        content := v_inserted;
        continue;
      end if;

      continue when v_inserted = substring(content from v_change.start_byte + 1 for v_change.deleted_bytes);
      v_range := patchdiff_store.written_range(content, v_change.start_byte, v_change.deleted_bytes, v_inserted);
      v_count := v_count + 1;
      ledger_sequence[v_count] := v_change.ledger_sequence;
      range_from[v_count] := v_range[1];
      range_to[v_count] := v_range[2];
      growth[v_count] := v_range[3];
      content := overlay(content placing v_inserted from v_change.start_byte + 1 for v_change.deleted_bytes);
    end loop;

    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version is distinct from p_version or patchdiff_store.sha256_hex(content) is distinct from v_hash then
    perform patchdiff_store.raise_history_diverged(p_target, p_version);
  end if;
end;
$$;

comment on function patchdiff_store.written_ranges(uuid, bigint) is
  'Every stretch of whole lines that the history wrote on the way to a version.';
--! EndIncluded patchdiff_store/written_ranges.sql
--! Included patchdiff_store/verify_attempt_replay.sql
-- The ledger rows of one accepted attempt, each against the buffer it was applied to. Stops at a splice that does not
-- fit; positions that cut a character in two are one such.
create or replace function patchdiff_store.verify_attempt_replay (
  p_buffer bytea,
  p_target uuid,
  p_log_sequence bigint
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_buffer bytea := p_buffer;
  v_items jsonb;
  v_change patchdiff_store.append_only_manifest_ledger;
begin
  select patchdiff_store.items_of(p.payload)
  into v_items
  from patchdiff_store.append_only_pdcp_logs as l
  cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
  where l.target_file_id = p_target and l.log_sequence = p_log_sequence;

  for v_change in
    select g.*
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target and g.log_sequence = p_log_sequence
    order by g.apply_ordinal
  loop
    if v_change.start_byte < 0
      or v_change.deleted_bytes < 0
      or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(v_buffer)
      or v_items -> (v_change.ordinal - 1) ->> 'replace' is null
    then
      return next row('append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, 'start_byte',
        'the splice does not fit the content')::patchdiff_store.finding;
      return;
    end if;

    return query
    select 'append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, f.column_name, f.problem
    from patchdiff_store.verify_splice(v_buffer, v_change, v_items -> (v_change.ordinal - 1)) as f;

    v_buffer := overlay(
      v_buffer
      placing convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8')
      from v_change.start_byte + 1
      for v_change.deleted_bytes
    );
  end loop;
exception
  when data_exception then
    return next row('append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, 'start_byte',
      'the splice cuts a character in two')::patchdiff_store.finding;
end;
$$;

comment on function patchdiff_store.verify_attempt_replay(bytea, uuid, bigint) is
  'What is wrong with the ledger rows of one accepted attempt, given the content before it.';
--! EndIncluded patchdiff_store/verify_attempt_replay.sql
--! Included patchdiff_store/verify_ledger.sql
-- The ledger of a target against its attempts' payloads: sequence without gap, rows only of accepted attempts, ordinals
-- complete, and what each item of the payload states (change id, operation, intent, rationale, risk). The facts are
-- checked where the content is at hand, in verify_replay.
create or replace function patchdiff_store.verify_ledger (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with attempts as materialized (
    select
      l.log_sequence,
      l.editing_cycle,
      l.protocol_version,
      p.payload ->> 'intent' as intent,
      patchdiff_store.items_of(p.payload) as items
    from patchdiff_store.append_only_pdcp_logs as l
    cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
    where l.target_file_id = p_target and l.status = 'accepted'
  ),
  ordered as (
    select
      g.*,
      a.log_sequence as attempt,
      a.editing_cycle as cycle,
      a.intent as attempt_intent,
      a.protocol_version,
      a.items -> (g.ordinal - 1) as item,
      jsonb_array_length(case when jsonb_typeof(a.items) = 'array' then a.items else '[]' end) as items,
      lag(g.ledger_sequence, 1, 0::bigint) over ledger as sequence_before,
      lag(g.log_sequence, 1, 0::bigint) over ledger as attempt_before,
      row_number() over ledger as rank,
      row_number() over (order by g.log_sequence, g.apply_ordinal) as rank_of_application,
      row_number() over (partition by g.log_sequence order by g.ledger_sequence) as place,
      count(*) over (partition by g.log_sequence, g.ordinal) as sharing
    from patchdiff_store.append_only_manifest_ledger as g
    left join attempts as a on a.log_sequence = g.log_sequence
    where g.target_file_id = p_target
    window ledger as (order by g.ledger_sequence)
  )
  select 'append_only_manifest_ledger', 'ledger_sequence=' || o.ledger_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('ledger_sequence', 'ledger rows are missing before this one', o.ledger_sequence <> o.sequence_before + 1),
      ('ledger_sequence', 'not its place among the changes as they were applied', o.rank <> o.rank_of_application),
      ('log_sequence', 'the row belongs to no accepted attempt', o.attempt is null),
      ('log_sequence', 'the row stands behind rows of a later attempt', o.log_sequence < o.attempt_before),
      ('apply_ordinal', 'not its place in the attempt', o.apply_ordinal <> o.place),
      ('ordinal', 'names no item of the payload, or one that has a row already',
        o.attempt is not null and (o.ordinal not between 1 and o.items or o.sharing > 1)),
      ('editing_cycle', 'not the cycle of the attempt', o.editing_cycle <> o.cycle),
      ('change_id', 'not the change id of the payload',
        o.change_id <> coalesce(o.item ->> 'change_id', 'chg_' || lpad(o.ordinal::text, greatest(3, length(o.ordinal::text)), '0'))),
      ('operation', 'not the operation of the payload', o.operation <> coalesce(o.item ->> 'op', 'match')),
      ('rationale', 'not the rationale of the payload', o.item is not null and o.rationale is distinct from o.item ->> 'rationale'),
      ('intent', 'not the intent of the payload', o.intent <> coalesce(o.item ->> 'rationale', o.attempt_intent)),
      ('risk', 'not the risk of the payload', o.item is not null and o.risk is distinct from coalesce(
        o.item ->> 'risk', case when o.protocol_version = 'patchdiff-tx/3' then 'low' end)),
      ('derived_json', 'not the six facts', case jsonb_typeof(o.derived_json) when 'object' then o.derived_json - array[
        'span_start', 'span_end', 'matched_chars', 'replacement_chars', 'matched_sha256', 'replacement_sha256'
      ] - case o.protocol_version
        when 'patchdiff-observed-batch/1' then array['apply_ordinal', 'scope_id', 'scope_span_start', 'scope_span_end']
        else '{}'
      end <> '{}' else true end),
      ('derived_json', 'not the place in its scope', o.protocol_version = 'patchdiff-observed-batch/1' and (
        o.derived_json ->> 'apply_ordinal' is distinct from o.apply_ordinal::text
        or o.derived_json ->> 'scope_id' is distinct from o.item #>> '{scope,scope_id}'
        or (o.derived_json ->> 'scope_span_start')::numeric + (o.item #>> '{scope,start}')::numeric
          is distinct from (o.derived_json ->> 'span_start')::numeric
        or (o.derived_json ->> 'scope_span_end')::numeric + (o.item #>> '{scope,start}')::numeric
          is distinct from (o.derived_json ->> 'span_end')::numeric
      )),
      ('origin', 'no routine writes this', o.origin <> 'typed'),
      ('input_state', 'no routine writes this', o.input_state is not null),
      ('output_state', 'no routine writes this', o.output_state is not null),
      ('affected_region', 'no routine writes this', o.affected_region is not null),
      ('user_visible_change', 'no routine writes this', o.user_visible_change is not null)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'ledger_sequence', 'not the sequence of the last ledger row'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.ledger_sequence <> coalesce((select max(o.ledger_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_ledger(uuid) is
  'What is wrong with the ledger of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_ledger.sql
--! Included patchdiff_store/verify_chain.sql
-- The chain of a target: sequence without gap, every row hashing to its row_hash, every prev_hash the hash before,
-- the last one the head, and a noted head (if given) still where it was. Hashes of attempts cover their ledger rows. Format 2
-- covers more: of an attempt that its owner brought in, when that was; of an initial snapshot, what the creation fixed.
create or replace function patchdiff_store.verify_chain (
  p_target uuid,
  p_noted_sequence bigint,
  p_noted_hash text
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with links as materialized (
    select
      'append_only_pdcp_logs' as table_name,
      'log_sequence=' || l.log_sequence as row_key,
      l.chain_sequence,
      l.hash_version,
      'imported_at' as extension,
      l.imported_at is not null as is_extended,
      l.prev_hash,
      l.row_hash,
      sha256(l.prev_hash || patchdiff_store.attempt_encoding(l) || patchdiff_store.import_encoding(l) || coalesce((
        select string_agg(patchdiff_store.ledger_encoding(g), ''::bytea order by g.ledger_sequence)
        from patchdiff_store.append_only_manifest_ledger as g
        where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
      ), ''::bytea)) as computed
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select
      'target_snapshots',
      'snapshot_sequence=' || s.snapshot_sequence,
      s.chain_sequence,
      s.hash_version,
      'creation',
      s.creation is not null,
      s.prev_hash,
      s.row_hash,
      sha256(s.prev_hash || patchdiff_store.snapshot_encoding(s) || patchdiff_store.creation_encoding(s))
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.chain_sequence,
      p.hash_version,
      null,
      false,
      p.prev_hash,
      p.row_hash,
      sha256(p.prev_hash || patchdiff_store.publication_encoding(p))
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
    union all
    select
      'scope_observations',
      'observation_sequence=' || o.observation_sequence,
      o.chain_sequence,
      o.hash_version,
      null,
      false,
      o.prev_hash,
      o.row_hash,
      sha256(o.prev_hash || patchdiff_store.observation_encoding(o) || coalesce((
        select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal)
        from patchdiff_store.observed_scopes as s
        where s.target_file_id = o.target_file_id and s.observation_sequence = o.observation_sequence
      ), ''::bytea))
    from patchdiff_store.scope_observations as o
    where o.target_file_id = p_target
    union all
    select
      'request_keys',
      'client_request_id=' || k.client_request_id,
      k.chain_sequence,
      k.hash_version,
      null,
      false,
      k.prev_hash,
      k.row_hash,
      sha256(k.prev_hash || patchdiff_store.key_encoding(k))
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target and k.chain_sequence is not null
  ),
  ordered as (
    select
      k.*,
      lag(k.chain_sequence, 1, 0::bigint) over chain as sequence_before,
      lag(k.row_hash, 1, patchdiff_store.genesis_hash(p_target)) over chain as hash_before
    from links as k
    window chain as (order by k.chain_sequence, k.table_name, k.row_key)
  )
  select o.table_name, o.row_key, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('hash_version', 'the row is of an unknown chain format', o.hash_version is distinct from 1 and (o.hash_version is distinct from 2 or o.extension is null)),
      (o.extension, 'stands in a row of chain format 1, or is missing in one of format 2', (o.hash_version = 2) <> o.is_extended),
      ('row_hash', 'the row, or a ledger row of it, is not what was hashed', o.hash_version in (1, 2) and o.row_hash is distinct from o.computed),
      ('chain_sequence', 'the chain has a gap or a repetition before this row', o.chain_sequence <> o.sequence_before + 1),
      ('prev_hash', 'the row does not link to the row before it', o.prev_hash is distinct from o.hash_before)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
  from patchdiff_store.target_heads as h
  left join (
    select k.chain_sequence, k.row_hash
    from links as k
    order by k.chain_sequence desc
    limit 1
  ) as z on true
  cross join lateral (
    values
      ('chain_sequence', 'not the sequence of the last row of the chain', h.chain_sequence is distinct from z.chain_sequence),
      ('chain_head', 'not the hash of the last row of the chain', h.chain_head is distinct from z.row_hash)
  ) as f (column_name, problem, broken)
  where h.target_file_id = p_target and f.broken
  union all
  select 'target_heads', 'target_file_id=' || p_target, 'chain_head',
    format('the chain does not hold the noted head at sequence %s: it was cut off or rewritten', p_noted_sequence)
  where p_noted_sequence is not null
  and not exists (
    select from links as k where k.chain_sequence = p_noted_sequence and encode(k.row_hash, 'hex') = p_noted_hash
  )
$$;

comment on function patchdiff_store.verify_chain(uuid, bigint, text) is
  'What is wrong with the hash chain of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_chain.sql
--! Included patchdiff_store/verify_missing.sql
-- Rows that something else names and that are not there: holes in a numbering, an end before the one that the head names,
-- ledger rows of an accepted attempt, and request keys of rows that were recorded under one.
create or replace function patchdiff_store.verify_missing (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with holes as (
    select f.*
    from (
      select h.* from patchdiff_store.target_heads as h where h.target_file_id = p_target
    ) as h
    full join (values (1)) as always (one) on true
    cross join lateral (
      values
        ('append_only_pdcp_logs', 'log_sequence', h.log_sequence, array(
          select t.log_sequence from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target
        )),
        ('append_only_manifest_ledger', 'ledger_sequence', h.ledger_sequence, array(
          select t.ledger_sequence from patchdiff_store.append_only_manifest_ledger as t where t.target_file_id = p_target
        )),
        ('target_snapshots', 'snapshot_sequence', h.snapshot_sequence, array(
          select t.snapshot_sequence from patchdiff_store.target_snapshots as t where t.target_file_id = p_target
        )),
        ('editing_cycles', 'editing_cycle', h.open_cycle::bigint, array(
          select t.editing_cycle::bigint from patchdiff_store.editing_cycles as t where t.target_file_id = p_target
        )),
        ('workspace_publications', 'publication_sequence', h.publication_sequence, array(
          select t.publication_sequence from patchdiff_store.workspace_publications as t where t.target_file_id = p_target
        )),
        ('scope_observations', 'observation_sequence', h.observation_sequence, array(
          select t.observation_sequence from patchdiff_store.scope_observations as t where t.target_file_id = p_target
        )),
        ('observed_scopes', 'scope_sequence', h.scope_sequence, array(
          select t.scope_sequence from patchdiff_store.observed_scopes as t where t.target_file_id = p_target
        ))
    ) as n (table_name, key_name, last_place, present)
    cross join lateral patchdiff_store.missing_rows(n.table_name, n.key_name, n.present, n.last_place) as f
  )
  select o.* from holes as o
  union all
  -- The key of a SAVE that appended nothing else is known by its place in the chain alone.
  select f.*
  from patchdiff_store.target_heads as h
  cross join lateral patchdiff_store.missing_rows('request_keys', 'chain_sequence', array(
    select t.chain_sequence from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.target_snapshots as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.workspace_publications as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.scope_observations as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.request_keys as t where t.target_file_id = p_target and t.chain_sequence is not null
  ), h.chain_sequence) as f
  where h.target_file_id = p_target
  and not exists (
    select
    from holes as o
    where o.table_name in ('append_only_pdcp_logs', 'target_snapshots', 'workspace_publications', 'scope_observations')
  )
  union all
  select
    'request_keys',
    'client_request_id=' || k.client_request_id,
    null,
    format('the row is missing that %s recorded', string_agg(k.recorded_by, ', ' order by k.recorded_by))
  from (
    select l.client_request_id, 'log_sequence=' || l.log_sequence as recorded_by
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select s.client_request_id, 'snapshot_sequence=' || s.snapshot_sequence
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select p.client_request_id, 'publication_sequence=' || p.publication_sequence
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target and p.kind <> 'intent'
  ) as k
  where k.client_request_id is not null
  and not exists (
    select
    from patchdiff_store.request_keys as r
    where r.target_file_id = p_target and r.client_request_id = k.client_request_id
  )
  group by k.client_request_id
$$;

comment on function patchdiff_store.verify_missing(uuid) is
  'The rows of a target that something else names and that are not there.';
--! EndIncluded patchdiff_store/verify_missing.sql
--! Included patchdiff_store/verify_observations.sql
-- What is wrong with the observations of a target and with the bundles that name them: each scope is cut anew from the text of the
-- version that was observed, and an accepted bundle keeps of its observation what stands in it.
create or replace function patchdiff_store.verify_observations (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.scope_observations;
  v_version bigint;
  v_content text;
  v_bytes bytea;
  v_cut patchdiff_store.observed_scopes[];
begin
  for v_row in
    select o.* from patchdiff_store.scope_observations as o where o.target_file_id = p_target order by o.version, o.observation_sequence
  loop
    if v_version is distinct from v_row.version then
      v_version := v_row.version;
      begin
        v_content := patchdiff_store.reconstruct(p_target, v_version);
      exception
        when others then
          -- A history that contradicts itself is another check's finding.
          v_content := null;
      end;
      v_bytes := convert_to(v_content, 'UTF8');
    end if;

    return query
    select 'scope_observations', 'observation_sequence=' || v_row.observation_sequence, f.column_name, f.problem
    from (values
      ('version', 'there is no such version', v_content is null),
      ('content_hash', 'not the hash of the version that was observed', v_row.content_hash <> patchdiff_store.sha256_hex(v_bytes)),
      ('scope_count', 'not the number of its scopes', v_row.scope_count <> (
        select count(*)
        from patchdiff_store.observed_scopes as s
        where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence
      )),
      ('editing_cycle', 'not the cycle that was open', v_row.editing_cycle is distinct from (
        select max(s.editing_cycle)
        from patchdiff_store.target_snapshots as s
        where s.target_file_id = p_target and s.chain_sequence < v_row.chain_sequence
      ))
    ) as f(column_name, problem, broken)
    where f.broken;
    -- What the caller said of a scope nothing else can contradict.
    return query
    select 'observed_scopes', 'scope_sequence=' || s.scope_sequence, 'name', 'the row, a scope beside it or its observation is not what was hashed'
    from patchdiff_store.observed_scopes as s
    where s.target_file_id = p_target
    and s.observation_sequence = v_row.observation_sequence
    and v_row.row_hash is distinct from sha256(v_row.prev_hash || patchdiff_store.observation_encoding(v_row) || coalesce((
      select string_agg(patchdiff_store.scope_encoding(e), ''::bytea order by e.ordinal)
      from patchdiff_store.observed_scopes as e
      where e.target_file_id = p_target and e.observation_sequence = v_row.observation_sequence
    ), ''));
    continue when v_content is null;

    begin
      v_cut := array(
        select c
        from patchdiff_store.cut_scopes(v_row, v_bytes, char_length(v_content), (
          select jsonb_agg(
            jsonb_build_object(
              'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path, 'start', s.start_char, 'end', s.end_char
            )
            order by s.ordinal
          )
          from patchdiff_store.observed_scopes as s
          where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence
        ), 0) as c
      );
    exception
      when data_exception then
        v_cut := '{}';
    end;

    return query
    select
      'observed_scopes',
      'scope_sequence=' || s.scope_sequence,
      f.column_name,
      'not what the text of the version gives'
    from patchdiff_store.observed_scopes as s
    left join unnest(v_cut) as c on c.ordinal = s.ordinal
    cross join lateral (values
      ('scope_id', s.scope_id is distinct from c.scope_id),
      ('scope_text', s.scope_text is distinct from c.scope_text),
      ('scope_sha256', s.scope_sha256 is distinct from c.scope_sha256),
      ('start_byte', s.start_byte is distinct from c.start_byte),
      ('end_byte', s.end_byte is distinct from c.end_byte),
      ('first_line', s.first_line is distinct from c.first_line),
      ('last_line', s.last_line is distinct from c.last_line)
    ) as f(column_name, broken)
    where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence and f.broken;
  end loop;

  return query
  select 'append_only_pdcp_logs', 'log_sequence=' || l.log_sequence, 'pdcp_content', 'keeps another observation than the one that it names'
  from patchdiff_store.append_only_pdcp_logs as l
  cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
  where l.target_file_id = p_target
  and l.protocol_version = 'patchdiff-observed-batch/1'
  and l.status = 'accepted'
  and p.payload -> 'observation' is distinct from patchdiff_store.observation_of(p_target, p.payload)
  union all
  select 'observed_scopes', 'scope_sequence=' || s.scope_sequence, f.column_name, f.problem
  from (
    select
      s.*,
      row_number() over (order by s.observation_sequence, s.ordinal) as place,
      row_number() over (partition by s.observation_sequence order by s.scope_sequence) as rank,
      o.target_file_id is not null as is_observed
    from patchdiff_store.observed_scopes as s
    left join patchdiff_store.scope_observations as o
      on o.target_file_id = s.target_file_id and o.observation_sequence = s.observation_sequence
    where s.target_file_id = p_target
  ) as s
  cross join lateral (values
    ('scope_sequence', 'not its place among the observed scopes', s.scope_sequence <> s.place),
    ('ordinal', 'not its place in its observation', s.ordinal <> s.rank),
    ('observation_sequence', 'the row belongs to no observation', not s.is_observed)
  ) as f(column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'scope_sequence', 'not the sequence of the last observed scope'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.scope_sequence <> coalesce((
    select max(s.scope_sequence) from patchdiff_store.observed_scopes as s where s.target_file_id = p_target
  ), 0)
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'observation_sequence', 'not the sequence of the last observation'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.observation_sequence <> coalesce((
    select max(o.observation_sequence) from patchdiff_store.scope_observations as o where o.target_file_id = p_target
  ), 0);
end;
$$;

comment on function patchdiff_store.verify_observations(uuid) is
  'What is wrong with the observations of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_observations.sql
--! Included patchdiff_store/is_mentioned.sql
-- Whether any table of the store holds a row of this target.
create or replace function patchdiff_store.is_mentioned (
  p_target uuid
)
  returns boolean
  language sql
  stable
as $$
  select exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_heads as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_manifest_ledger as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_snapshots as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.editing_cycles as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_publications as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.scope_observations as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.observed_scopes as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.request_keys as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_bindings as t where t.target_file_id = p_target)
$$;

comment on function patchdiff_store.is_mentioned(uuid) is 'Whether any table of the store holds a row of this target.';
--! EndIncluded patchdiff_store/is_mentioned.sql
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
  return query select f.* from patchdiff_store.verify_observations(p_target) as f;
  return query select f.* from patchdiff_store.verify_replay(p_target) as f;
end;
$$;

comment on function patchdiff_store.verify_target(uuid, bigint, text) is
  'Every finding about one target; no rows when nothing is wrong.';
--! EndIncluded patchdiff_store/verify_target.sql
--! Included patchdiff_audit/verify_all.sql
-- verify_target for every target that any table of the store mentions, so that a target whose row was removed is found
-- too. Linear in all history: meant for a nightly run. The findings name tables in patchdiff_store.
create or replace function patchdiff_audit.verify_all ()
  returns table (target_file_id uuid, table_name text, row_key text, column_name text, problem text)
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select m.target_file_id, f.table_name, f.row_key, f.column_name, f.problem
  from (
    select t.target_file_id from patchdiff_store.cloud_target_files as t
    union
    select t.target_file_id from patchdiff_store.target_heads as t
    union
    select t.target_file_id from patchdiff_store.append_only_pdcp_logs as t
    union
    select t.target_file_id from patchdiff_store.append_only_manifest_ledger as t
    union
    select t.target_file_id from patchdiff_store.target_snapshots as t
    union
    select t.target_file_id from patchdiff_store.editing_cycles as t
    union
    select t.target_file_id from patchdiff_store.workspace_publications as t
    union
    select t.target_file_id from patchdiff_store.scope_observations as t
    union
    select t.target_file_id from patchdiff_store.observed_scopes as t
    union
    select t.target_file_id from patchdiff_store.request_keys as t
    union
    select t.target_file_id from patchdiff_store.workspace_bindings as t
  ) as m
  cross join lateral patchdiff_store.verify_target(m.target_file_id, null, null) as f
$$;

comment on function patchdiff_audit.verify_all() is 'Findings about the history of every target; none when all is whole.';
--! EndIncluded patchdiff_audit/verify_all.sql
--! Included patchdiff_audit/observations.sql
-- Every scope that was observed, in the order asked: where it stood, what its text was, and which parser said so. The text, its digest,
-- places and ids are the database's own; kind, name, path, language and grammar are the caller's words.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.observations as
select
  o.target_file_id,
  o.observation_sequence,
  o.bundle_id,
  o.created_at as observed_at,
  o.version,
  o.content_hash,
  o.editing_cycle,
  o.language,
  o.grammar_name,
  o.grammar_version,
  o.grammar_sha256,
  o.has_errors,
  s.ordinal,
  s.scope_id,
  s.kind,
  s.name,
  s.qualified_path,
  s.start_char,
  s.end_char,
  s.first_line,
  s.last_line,
  s.scope_sha256,
  s.scope_text,
  o.actor,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  o.db_session_user,
  o.db_application_name,
  o.db_client_addr,
  o.db_transaction_id
from patchdiff_store.scope_observations as o
join patchdiff_store.observed_scopes as s
  on s.target_file_id = o.target_file_id and s.observation_sequence = o.observation_sequence
cross join lateral (
  select case when pg_input_is_valid(o.actor::text, 'jsonb') then o.actor end as actor
) as r;

comment on view patchdiff_audit.observations is 'Every scope that was observed, with its text.';
--! EndIncluded patchdiff_audit/observations.sql
grant select on patchdiff_audit.observations to patchdiff_writer, patchdiff_auditor;

reset role;
select patchdiff_guard.guard_ddl(true);
