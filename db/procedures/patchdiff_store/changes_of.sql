-- The changes of an accepted attempt as JSON, from its ledger rows, in order of application: what changes_json said
-- when it was accepted.
create or replace function patchdiff_store.changes_of (
  p_target uuid,
  p_log_sequence bigint
)
  returns json
  language sql
  stable
as $$
  select json_agg(f)
  from (
    select
      l.apply_ordinal as ordinal, l.change_id, l.operation,
      l.derived_json -> 'span_start' as span_start, l.derived_json -> 'span_end' as span_end,
      l.derived_json -> 'matched_chars' as matched_chars, l.derived_json -> 'replacement_chars' as replacement_chars,
      l.derived_json -> 'matched_sha256' as matched_sha256, l.derived_json -> 'replacement_sha256' as replacement_sha256
    from patchdiff_store.append_only_manifest_ledger as l
    where l.target_file_id = p_target
    and l.log_sequence = p_log_sequence
    order by l.apply_ordinal
  ) as f
$$;

comment on function patchdiff_store.changes_of(uuid, bigint) is
  'The changes of an accepted attempt with their facts, as JSON.';
