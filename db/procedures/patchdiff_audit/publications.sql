-- Every publication: its intent, and its outcome, null while it is open (which after a crash asks for reconciliation).
create or replace view patchdiff_audit.publications as
select
  i.target_file_id,
  i.publication_sequence,
  i.publication_id,
  i.created_at as opened_at,
  i.version,
  i.content_hash,
  i.workspace_root_identity as workspace_root,
  i.workspace_path,
  i.expected_disk_sha256,
  i.written_sha256,
  i.written_bytes,
  i.editing_cycle,
  i.actor,
  o.kind as outcome,
  o.created_at as closed_at,
  o.observed_disk_sha256,
  o.detail
from patchdiff_store.workspace_publications as i
left join patchdiff_store.workspace_publications as o
  on o.target_file_id = i.target_file_id and o.intent_publication_id = i.publication_id
where i.kind = 'intent';

comment on view patchdiff_audit.publications is 'Every publication with its outcome, null while it is open.';
