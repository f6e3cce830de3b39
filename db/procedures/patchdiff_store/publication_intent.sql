-- The intent of a publication, which has one id per target. Refuses PD108 when there is none. The caller holds the
-- target's lock when it decides on the answer.
create or replace function patchdiff_store.publication_intent (
  p_target uuid,
  p_publication_id uuid
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_intent patchdiff_store.workspace_publications;
begin
  select p.*
  into v_intent
  from patchdiff_store.workspace_publications as p
  where p.target_file_id = p_target
  and p.publication_id = p_publication_id
  and p.kind = 'intent';
  if not found then
    raise exception 'no publication intent % of target %', p_publication_id, p_target
      using errcode = 'PD108',
            detail = json_build_object('target_file_id', p_target, 'publication_id', p_publication_id)::text,
            hint = 'open a publication and use the id it answers';
  end if;
  return v_intent;
end;
$$;

comment on function patchdiff_store.publication_intent(uuid, uuid) is
  'The intent of a publication; PD108 when there is none.';
