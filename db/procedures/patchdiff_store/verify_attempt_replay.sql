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
