-- Everything beside the commit call: guards, creation, saving, publication, reading, audit.
set local role patchdiff_owner;

--! include patchdiff_store/lock_target.sql
--! include patchdiff_store/forbid_change.sql

-- Per table, so that no table is forgotten by a loop that a later migration would have to repeat.
create trigger _100_append_only before update or delete or truncate on patchdiff_store.append_only_pdcp_logs
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.append_only_manifest_ledger
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.target_snapshots
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.editing_cycles
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.workspace_publications
  for each statement execute function patchdiff_store.forbid_change();
create trigger _100_append_only before update or delete or truncate on patchdiff_store.request_keys
  for each statement execute function patchdiff_store.forbid_change();
alter table patchdiff_store.append_only_pdcp_logs enable always trigger _100_append_only;
alter table patchdiff_store.append_only_manifest_ledger enable always trigger _100_append_only;
alter table patchdiff_store.target_snapshots enable always trigger _100_append_only;
alter table patchdiff_store.editing_cycles enable always trigger _100_append_only;
alter table patchdiff_store.workspace_publications enable always trigger _100_append_only;
alter table patchdiff_store.request_keys enable always trigger _100_append_only;

reset role;
