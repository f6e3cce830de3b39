-- The values of a submission that fit no column, as members of the diagnostic: ASCII JSON of each as a string, at most
-- 1,024 characters, a comma in front of each. p_attempt says by its null columns which values did not fit.
create or replace function patchdiff_store.raw_values (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_record jsonb,
  p_client_request_id text,
  p_parent text,
  p_attempt_number integer,
  p_source text,
  p_raw_metadata jsonb
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return (
    select string_agg(',"raw_' || v.name || '":' || to_json(left(v.value, 1024))::text, '' order by v.position)
    from (values
      (1, 'client_request_id', coalesce(
        p_raw_metadata ->> 'client_request_id',
        case when p_client_request_id !~ '\A[\x21-\x7E]{1,128}\Z'
          then patchdiff_store.ascii_json(to_json(p_client_request_id)::text) end
      )),
      (2, 'parent_pdcp_log_id', coalesce(
        p_raw_metadata ->> 'parent_pdcp_log_id',
        case when p_attempt.parent_pdcp_log_id is null then patchdiff_store.ascii_json(to_json(p_parent)::text) end
      )),
      (3, 'attempt', coalesce(p_raw_metadata ->> 'attempt', case when p_attempt_number < 1 then p_attempt_number::text end)),
      (4, 'source', coalesce(
        p_raw_metadata ->> 'source',
        case when p_attempt.submission_source is null then patchdiff_store.ascii_json(to_json(p_source)::text) end
      )),
      (5, 'expected_target_version', case
        when p_attempt.expected_target_version is null and coalesce(p_record -> 'expected_target_version', 'null') <> 'null'
          then patchdiff_store.raw_member(p_payload, 'expected_target_version')
      end),
      (6, 'expected_current_hash', case
        when p_attempt.expected_current_hash is null and coalesce(p_record -> 'expected_current_hash', 'null') <> 'null'
          then patchdiff_store.raw_member(p_payload, 'expected_current_hash')
      end)
    ) as v(position, name, value)
    where v.value is not null
  );
end;
$$;

comment on function patchdiff_store.raw_values(
  patchdiff_store.append_only_pdcp_logs, text, jsonb, text, text, integer, text, jsonb
) is 'The values of a submission that fit no column, as members of the diagnostic.';
