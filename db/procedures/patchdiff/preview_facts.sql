-- What a submission would find beside its own payload, for a preview: the row that its guards are judged against, whether
-- the stored content is what row and head say, the head of that content, whether the parent is a rejected attempt of the
-- target, and what the request key stands for. One row, or none when there is no such target.
-- Takes no lock and writes nothing: one committed state, which may have moved on before anything is submitted.
-- content_chars is what the locked row would say and counted_chars the truth; they differ only in a damaged row.
-- key_fingerprint is null where a rule older than fingerprints stored the key and its payload gives none.
-- key_kind: submission, save, or null for a key that is new or absent. key_pdcp_log_id is null for a SAVE.
create or replace function patchdiff.preview_facts (
  p_target uuid,
  p_parent uuid default null,
  p_client_request_id text default null
)
  returns table (
    version bigint,
    current_hash text,
    content_chars integer,
    counted_chars integer,
    content_head text,
    is_intact boolean,
    is_parent boolean,
    key_kind text,
    key_fingerprint text,
    key_pdcp_log_id uuid
  )
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_observed patchdiff_store.locked_target := patchdiff_store.observe_target(p_target);
begin
  return query
  select
    t.version,
    t.current_hash::text,
    v_observed.content_chars,
    char_length(t.current_content),
    patchdiff_store.head_of_content(p_target),
    patchdiff_store.is_intact(v_observed, convert_to(t.current_content, 'UTF8')),
    exists (
      select
      from patchdiff_store.append_only_pdcp_logs as a
      where a.target_file_id = p_target
      and a.pdcp_log_id = p_parent
      and a.status = 'rejected'
    ),
    k.kind,
    coalesce(
      k.request_fingerprint::text,
      case k.kind when 'submission' then patchdiff_store.stored_fingerprint(p_target, k.log_sequence) end
    ),
    l.pdcp_log_id
  from patchdiff_store.cloud_target_files as t
  left join patchdiff_store.request_keys as k
    on k.target_file_id = t.target_file_id and k.client_request_id = p_client_request_id
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = k.target_file_id and l.log_sequence = k.log_sequence
  where t.target_file_id = p_target;
end;
$$;

comment on function patchdiff.preview_facts(uuid, uuid, text) is
  'What a submission would find beside its own payload, without a lock.';
