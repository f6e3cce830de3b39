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
