-- Commits a record that a direct call built: judged as commit_attempt judges a payload, with every place found here
-- (docs/spec/direct-calls.md). A key, parent or source beyond 8,192 bytes goes as raw metadata, as our own service
-- sends it, so that both leave the same row. Refuses an actor that cannot be stored (PD100).
create or replace function patchdiff_store.commit_direct (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
as $$
declare
  v_is_encodable boolean;
  v_raw jsonb;
begin
  perform patchdiff_store.check_claim('p_actor', p_actor);

  if greatest(octet_length(p_client_request_id), octet_length(p_parent), octet_length(p_source)) > 8192 then
    v_is_encodable := not patchdiff_store.holds_unencodable(p_payload);
    select jsonb_object_agg(m.name, patchdiff_store.ascii_json(
      to_json(case when v_is_encodable then left(m.value, 8193) else m.value end)::text))
    into v_raw
    from (values
      ('client_request_id', p_client_request_id), ('parent_pdcp_log_id', p_parent), ('source', p_source)
    ) as m(name, value)
    where octet_length(m.value) > 8192;
  end if;

  return patchdiff_store.commit_submission(
    p_target,
    p_payload,
    case when octet_length(p_client_request_id) <= 8192 then p_client_request_id end,
    case when octet_length(p_parent) <= 8192 then p_parent end,
    p_attempt,
    case when octet_length(p_source) <= 8192 then p_source end,
    p_actor,
    null,
    'derive',
    null,
    null,
    null,
    null,
    v_raw);
end;
$$;

comment on function patchdiff_store.commit_direct(uuid, text, text, text, integer, text, json) is
  'Commits a record that a direct call built, every place found by the database.';
