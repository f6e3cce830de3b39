-- Who last wrote each line of a version (null: the current one): the change, why, what its writer claims to be (actor_…) and
-- what the database saw of it (db_…). A line that the initial upload brought and nothing wrote since has
-- written_version 0, no attempt and no change; time, actor_… and db_… are then those of the creation. imported_at as in the view
-- attempts. line_text is without its LF; an empty text has no lines. Refuses an unknown target (PD104), a version outside
-- 0 … current (PD105) and a history that contradicts itself (PD106). Linear in the history up to that version.
create or replace function patchdiff_audit.blame (
  p_target uuid,
  p_version bigint default null
)
  returns table (
    line_number integer,
    line_text text,
    written_version bigint,
    written_at timestamptz,
    pdcp_log_id uuid,
    change_id text,
    ordinal integer,
    operation text,
    intent text,
    rationale text,
    actor_host text,
    actor_host_version text,
    actor_agent text,
    actor_session text,
    actor json,
    db_session_user text,
    db_application_name text,
    db_client_addr text,
    log_sequence bigint,
    ledger_sequence bigint,
    imported_at timestamptz
  )
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_version bigint := patchdiff_store.check_version(p_target, p_version);
begin
  return query
  select
    b.line_number,
    b.line_text,
    coalesce(l.after_version, s.version),
    coalesce(l.created_at, s.created_at),
    l.pdcp_log_id,
    g.change_id,
    g.ordinal,
    g.operation,
    g.intent,
    g.rationale,
    r.actor ->> 'host',
    r.actor ->> 'host_version',
    r.actor ->> 'agent',
    r.actor ->> 'session',
    o.actor,
    case when l.log_sequence is null then s.db_session_user else l.db_session_user end,
    case when l.log_sequence is null then s.db_application_name else l.db_application_name end,
    case when l.log_sequence is null then s.db_client_addr else l.db_client_addr end,
    l.log_sequence,
    g.ledger_sequence,
    l.imported_at
  from patchdiff_store.blame_lines(p_target, v_version) as b
  join patchdiff_store.target_snapshots as s
    on s.target_file_id = p_target and s.snapshot_sequence = 1
  left join patchdiff_store.append_only_manifest_ledger as g
    on g.target_file_id = p_target and g.ledger_sequence = b.ledger_sequence
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = p_target and l.log_sequence = g.log_sequence
  cross join lateral (select case when l.log_sequence is null then s.actor else l.actor end as actor) as o
  cross join lateral (select case when pg_input_is_valid(o.actor::text, 'jsonb') then o.actor end as actor) as r
  order by b.line_number;
end;
$$;

comment on function patchdiff_audit.blame(uuid, bigint) is
  'Who last wrote each line of a version: the change, why, the claimed actor and what the database saw.';
