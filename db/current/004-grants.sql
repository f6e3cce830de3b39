-- Nothing to PUBLIC; the writer executes the API and reads the audit views; the auditor reads everything.
set local role patchdiff_owner;

revoke all on schema patchdiff, patchdiff_audit, patchdiff_store from public;
revoke all on all tables in schema patchdiff, patchdiff_audit, patchdiff_store from public;
revoke all on all routines in schema patchdiff, patchdiff_audit, patchdiff_store from public;

grant usage on schema patchdiff, patchdiff_audit to patchdiff_writer;
grant execute on all routines in schema patchdiff to patchdiff_writer;
grant execute on all routines in schema patchdiff_audit to patchdiff_writer;
grant select on all tables in schema patchdiff_audit to patchdiff_writer;

grant usage on schema patchdiff_audit, patchdiff_store to patchdiff_auditor;
grant execute on all routines in schema patchdiff_audit to patchdiff_auditor;
grant select on all tables in schema patchdiff_audit, patchdiff_store to patchdiff_auditor;

reset role;
