-- The changes of an accepted attempt as JSON text, from its ledger rows, in order of application.
create or replace function patchdiff_store.changes_of (
  p_target uuid,
  p_log_sequence bigint
)
  returns text
  language sql
  stable
  set search_path = '', pg_temp
as $$
  select '[' || string_agg(
    patchdiff_store.fact_json(
      l.apply_ordinal, l.change_id, l.operation,
      (l.derived_json -> 'span_start')::integer, (l.derived_json -> 'span_end')::integer,
      (l.derived_json -> 'matched_chars')::integer, (l.derived_json -> 'replacement_chars')::integer,
      l.derived_json ->> 'matched_sha256', l.derived_json ->> 'replacement_sha256'
    ),
    ',' order by l.apply_ordinal
  ) || ']'
  from patchdiff_store.append_only_manifest_ledger as l
  where l.target_file_id = p_target
  and l.log_sequence = p_log_sequence
$$;

comment on function patchdiff_store.changes_of(uuid, bigint) is
  'The changes of an accepted attempt with their facts, as JSON text.';
