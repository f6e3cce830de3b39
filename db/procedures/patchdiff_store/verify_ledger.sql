-- The ledger of a target against its attempts' payloads: sequence without gap, rows only of accepted attempts, ordinals
-- complete, and what each item of the payload states (change id, operation, intent, rationale, risk). The facts are
-- checked where the content is at hand, in verify_replay.
create or replace function patchdiff_store.verify_ledger (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with attempts as materialized (
    select
      l.log_sequence,
      l.editing_cycle,
      l.protocol_version,
      p.payload ->> 'intent' as intent,
      patchdiff_store.items_of(p.payload) as items
    from patchdiff_store.append_only_pdcp_logs as l
    cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
    where l.target_file_id = p_target and l.status = 'accepted'
  ),
  ordered as (
    select
      g.*,
      a.log_sequence as attempt,
      a.editing_cycle as cycle,
      a.intent as attempt_intent,
      a.protocol_version,
      a.items -> (g.ordinal - 1) as item,
      jsonb_array_length(case when jsonb_typeof(a.items) = 'array' then a.items else '[]' end) as items,
      lag(g.ledger_sequence, 1, 0::bigint) over ledger as sequence_before,
      lag(g.log_sequence, 1, 0::bigint) over ledger as attempt_before,
      row_number() over ledger as rank,
      row_number() over (order by g.log_sequence, g.apply_ordinal) as rank_of_application,
      row_number() over (partition by g.log_sequence order by g.ledger_sequence) as place,
      count(*) over (partition by g.log_sequence, g.ordinal) as sharing
    from patchdiff_store.append_only_manifest_ledger as g
    left join attempts as a on a.log_sequence = g.log_sequence
    where g.target_file_id = p_target
    window ledger as (order by g.ledger_sequence)
  )
  select 'append_only_manifest_ledger', 'ledger_sequence=' || o.ledger_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('ledger_sequence', 'ledger rows are missing before this one', o.ledger_sequence <> o.sequence_before + 1),
      ('ledger_sequence', 'not its place among the changes as they were applied', o.rank <> o.rank_of_application),
      ('log_sequence', 'the row belongs to no accepted attempt', o.attempt is null),
      ('log_sequence', 'the row stands behind rows of a later attempt', o.log_sequence < o.attempt_before),
      ('apply_ordinal', 'not its place in the attempt', o.apply_ordinal <> o.place),
      ('ordinal', 'names no item of the payload, or one that has a row already',
        o.attempt is not null and (o.ordinal not between 1 and o.items or o.sharing > 1)),
      ('editing_cycle', 'not the cycle of the attempt', o.editing_cycle <> o.cycle),
      ('change_id', 'not the change id of the payload',
        o.change_id <> coalesce(o.item ->> 'change_id', 'chg_' || lpad(o.ordinal::text, greatest(3, length(o.ordinal::text)), '0'))),
      ('operation', 'not the operation of the payload', o.operation <> coalesce(o.item ->> 'op', 'match')),
      ('rationale', 'not the rationale of the payload', o.item is not null and o.rationale is distinct from o.item ->> 'rationale'),
      ('intent', 'not the intent of the payload', o.intent <> coalesce(o.item ->> 'rationale', o.attempt_intent)),
      ('risk', 'not the risk of the payload', o.item is not null and o.risk is distinct from coalesce(
        o.item ->> 'risk', case when o.protocol_version = 'patchdiff-tx/3' then 'low' end)),
      ('derived_json', 'not the six facts', case jsonb_typeof(o.derived_json) when 'object' then o.derived_json - array[
        'span_start', 'span_end', 'matched_chars', 'replacement_chars', 'matched_sha256', 'replacement_sha256'
      ] - case o.protocol_version
        when 'patchdiff-observed-batch/1' then array['apply_ordinal', 'scope_id', 'scope_span_start', 'scope_span_end']
        else '{}'
      end <> '{}' else true end),
      ('derived_json', 'not the place in its scope', o.protocol_version = 'patchdiff-observed-batch/1' and (
        o.derived_json ->> 'apply_ordinal' is distinct from o.apply_ordinal::text
        or o.derived_json ->> 'scope_id' is distinct from o.item #>> '{scope,scope_id}'
        or (o.derived_json ->> 'scope_span_start')::numeric + (o.item #>> '{scope,start}')::numeric
          is distinct from (o.derived_json ->> 'span_start')::numeric
        or (o.derived_json ->> 'scope_span_end')::numeric + (o.item #>> '{scope,start}')::numeric
          is distinct from (o.derived_json ->> 'span_end')::numeric
      )),
      ('origin', 'no routine writes this', o.origin <> 'typed'),
      ('input_state', 'no routine writes this', o.input_state is not null),
      ('output_state', 'no routine writes this', o.output_state is not null),
      ('affected_region', 'no routine writes this', o.affected_region is not null),
      ('user_visible_change', 'no routine writes this', o.user_visible_change is not null)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'ledger_sequence', 'not the sequence of the last ledger row'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.ledger_sequence <> coalesce((select max(o.ledger_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_ledger(uuid) is
  'What is wrong with the ledger of a target; no rows when nothing is.';
