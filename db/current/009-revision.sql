-- The server compares the applied migrations with those it ships before it serves, and it logs in as a writer.
grant usage on schema graphile_migrate to patchdiff_writer, patchdiff_auditor;
grant select on graphile_migrate.migrations to patchdiff_writer, patchdiff_auditor;
