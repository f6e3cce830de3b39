-- A page of a target's accepted changes: the newest entries below an exclusive cursor, shown oldest first; of the open
-- editing cycle only, unless previous cycles are included. When there are more, one row more than the limit (default 50,
-- at most 200) is answered, and it is the first one. A traversal of the open cycle restarts when SAVE rotates it.
-- Refuses an unknown target (PD104) and a limit below 1 (PD100).
-- The open cycle's first entry is found by two index probes, so that a short cycle never scans the older ones.
create or replace function patchdiff.read_ledger (
  p_target uuid,
  p_include_previous_cycles boolean default false,
  p_limit integer default null,
  p_before_sequence bigint default null
)
  returns setof patchdiff.ledger_entry
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_rows integer := patchdiff_store.page_limit(p_limit) + 1;
  v_before bigint := coalesce(p_before_sequence, 9223372036854775807);
  v_first bigint := 1;
  v_sequences bigint[];
begin
  if not exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if not coalesce(p_include_previous_cycles, false) then
    select g.ledger_sequence
    into v_first
    from patchdiff_store.target_heads as h
    join patchdiff_store.editing_cycles as c
      on c.target_file_id = h.target_file_id and c.editing_cycle = h.open_cycle
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = h.target_file_id and l.status = 'accepted' and l.after_version = c.opened_at_version + 1
    join patchdiff_store.append_only_manifest_ledger as g
      on g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence and g.apply_ordinal = 1
    where h.target_file_id = p_target;
    if not found then
      return;
    end if;
  end if;

  v_sequences := array(
    select g.ledger_sequence
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target
    and g.ledger_sequence >= v_first
    and g.ledger_sequence < v_before
    order by g.ledger_sequence desc
    limit v_rows
  );

  return query
  select
    g.ledger_sequence,
    l.pdcp_log_id,
    g.log_sequence,
    g.ordinal,
    g.apply_ordinal,
    g.change_id,
    g.operation,
    g.intent,
    g.rationale,
    g.risk,
    g.origin,
    g.derived_json,
    l.before_version,
    l.after_version,
    g.editing_cycle,
    l.created_at,
    g.input_state,
    g.output_state,
    g.affected_region,
    g.user_visible_change
  from patchdiff_store.append_only_manifest_ledger as g
  join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = g.target_file_id and l.log_sequence = g.log_sequence
  where g.target_file_id = p_target
  and g.ledger_sequence = any(v_sequences)
  order by g.ledger_sequence;
end;
$$;

comment on function patchdiff.read_ledger(uuid, boolean, integer, bigint) is
  'A page of a target''s accepted changes: the newest ones, shown oldest first.';
