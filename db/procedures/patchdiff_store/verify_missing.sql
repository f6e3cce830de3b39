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
