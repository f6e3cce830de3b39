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
  select case
    when (
      select bool_or(s.derived_json ? 'scope_id')
      from patchdiff_store.append_only_manifest_ledger as s
      where s.target_file_id = p_target and s.log_sequence = p_log_sequence
    ) then (
      select json_agg(b order by b.apply_ordinal)
      from (
        select
          l.ordinal, l.change_id, l.operation,
          l.derived_json -> 'span_start' as span_start, l.derived_json -> 'span_end' as span_end,
          l.derived_json -> 'matched_chars' as matched_chars, l.derived_json -> 'replacement_chars' as replacement_chars,
          l.derived_json -> 'matched_sha256' as matched_sha256, l.derived_json -> 'replacement_sha256' as replacement_sha256,
          l.apply_ordinal, l.derived_json -> 'scope_id' as scope_id,
          l.derived_json -> 'scope_span_start' as scope_span_start, l.derived_json -> 'scope_span_end' as scope_span_end
        from patchdiff_store.append_only_manifest_ledger as l
        where l.target_file_id = p_target
        and l.log_sequence = p_log_sequence
      ) as b
    )
    else json_agg(f)
  end
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
