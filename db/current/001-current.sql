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
--! include patchdiff_store/supersede_publications.sql
--! include patchdiff/adopt_disk.sql
--! include patchdiff_store/check_publication_open.sql
--! include patchdiff_store/binding_facts.sql
--! include patchdiff_store/check_rebinding.sql
--! include patchdiff_store/known_file.sql
--! include patchdiff_store/rebind_fault.sql
--! include patchdiff_store/record_rebinding.sql
--! include patchdiff/rebind_target.sql
grant execute on function patchdiff.rebind_target(uuid, jsonb, bigint, text, json) to patchdiff_writer;
--! include patchdiff_store/verify_creation.sql
--! include patchdiff_store/verify_publications.sql
--! include patchdiff_store/verify_rebindings.sql
--! include patchdiff_store/verify_target.sql
--! include patchdiff_audit/open_publications.sql
--! include patchdiff_audit/bindings.sql
grant select on patchdiff_audit.bindings to patchdiff_writer, patchdiff_auditor;

--! include patchdiff/record_publication.sql

reset role;
select patchdiff_guard.guard_ddl(true);
