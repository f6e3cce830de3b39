-- Closes every open publication intent of a target as superseded, for the reason named, oldest first, and answers their ids: what
-- they were to write, or where, is not what the file is held against from now on. The caller holds the target's lock and reads the head anew afterwards.
create or replace function patchdiff_store.supersede_publications (
  p_target uuid,
  p_actor json,
  p_failure_code text
)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_intent patchdiff_store.workspace_publications;
  v_row patchdiff_store.workspace_publications;
  v_closed uuid[] := '{}';
begin
  for v_intent in
    select i.*
    from patchdiff_store.workspace_publications as i
    where i.target_file_id = p_target
    and i.kind = 'intent'
    and not exists (
      select
      from patchdiff_store.workspace_publications as o
      where o.target_file_id = p_target and o.intent_publication_id = i.publication_id
    )
    order by i.publication_sequence
  loop
    v_row := v_intent;
    v_row.kind := 'superseded';
    v_row.intent_publication_id := v_intent.publication_id;
    v_row.observed_disk_sha256 := null;
    v_row.client_request_id := null;
    v_row.request_fingerprint := null;
    v_row.actor := p_actor;
    v_row.detail := json_build_object('failure_code', p_failure_code);
    perform patchdiff_store.append_publication(patchdiff_store.lock_target(p_target), v_row);
    v_closed := v_closed || v_intent.publication_id;
  end loop;
  return v_closed;
end;
$$;

comment on function patchdiff_store.supersede_publications(uuid, json, text) is
  'Closes every open publication intent of a target as superseded.';
