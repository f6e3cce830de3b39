-- A page of a target's attempts, newest first, below an exclusive cursor; filters are conjunctive and exact. Answers
-- one row more than the limit (default 50, at most 200) when there are more. The payload is read only when asked for.
-- Refuses an unknown target (PD104) and a limit below 1 (PD100).
-- One narrow query for each index that can serve the page finds the sequences; the rows are fetched once, by key, in
-- the order of the key.
create or replace function patchdiff.read_attempts (
  p_target uuid,
  p_limit integer default null,
  p_before_sequence bigint default null,
  p_status text default null,
  p_content_hash text default null,
  p_client_request_id text default null,
  p_include_content boolean default false
)
  returns setof patchdiff.attempt_entry
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_rows integer := patchdiff_store.page_limit(p_limit) + 1;
  v_before bigint := coalesce(p_before_sequence, 9223372036854775807);
  v_sequences bigint[];
begin
  if not exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if p_client_request_id is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.client_request_id = p_client_request_id
      and l.log_sequence < v_before
      and l.status = coalesce(p_status, l.status)
      and l.pdcp_content_hash = coalesce(p_content_hash, l.pdcp_content_hash)
    );
  elsif p_content_hash is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.pdcp_content_hash = p_content_hash
      and l.log_sequence < v_before
      and l.status = coalesce(p_status, l.status)
      order by l.log_sequence desc
      limit v_rows
    );
  elsif p_status is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.status = p_status
      and l.log_sequence < v_before
      order by l.log_sequence desc
      limit v_rows
    );
  else
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.log_sequence < v_before
      order by l.log_sequence desc
      limit v_rows
    );
  end if;

  return query
  select
    e.pdcp_log_id,
    e.target_file_id,
    e.log_sequence,
    e.status,
    e.decided_by,
    e.failure_reason,
    e.failure_code,
    e.failure_detail,
    e.failed_change_id,
    e.validation_stage,
    e.before_hash,
    e.after_hash,
    e.before_version,
    e.after_version,
    e.expected_target_version,
    e.expected_current_hash,
    e.change_count,
    e.pdcp_content_hash,
    e.protocol_version,
    e.runtime_version,
    e.submission_source,
    e.parent_pdcp_log_id,
    e.regeneration_attempt,
    e.regeneration_source,
    e.client_request_id,
    e.request_fingerprint,
    e.editing_cycle,
    e.actor,
    e.diagnostic,
    e.warnings,
    e.created_at,
    e.chain_sequence,
    e.row_hash,
    case when p_include_content then e.pdcp_content end
  from patchdiff_store.attempt_entry as e
  where e.target_file_id = p_target
  and e.log_sequence = any(v_sequences)
  order by e.log_sequence desc;
end;
$$;

comment on function patchdiff.read_attempts(uuid, integer, bigint, text, text, text, boolean) is
  'A page of a target''s attempts, newest first.';
