-- Refuses to close an intent twice, or to call it published when a later one was published, the disk was adopted or the target
-- was bound to another file since: then the bytes on the disk are not this intent's (PD110). The caller holds the target's lock.
create or replace function patchdiff_store.check_publication_open (
  p_intent patchdiff_store.workspace_publications,
  p_outcome text
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_outcome text;
begin
  select p.kind
  into v_outcome
  from patchdiff_store.workspace_publications as p
  where p.target_file_id = p_intent.target_file_id
  and p.publication_sequence > p_intent.publication_sequence
  and (
    p.intent_publication_id = p_intent.publication_id
    or (p_outcome = 'published' and p.kind = 'adopted')
    or (p_outcome = 'published' and p.kind = 'rebound' and (
      p.workspace_root_identity <> p_intent.workspace_root_identity or p.workspace_path <> p_intent.workspace_path
    ))
    or (p_outcome = 'published' and p.kind = 'published' and exists (
      select
      from patchdiff_store.workspace_publications as i
      where i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.publication_sequence > p_intent.publication_sequence
    ))
  )
  limit 1;
  if found then
    raise exception 'publication % is closed', p_intent.publication_id
      using errcode = 'PD110',
            detail = json_build_object('publication_id', p_intent.publication_id, 'outcome', v_outcome)::text,
            hint = 'record it as superseded if it is still open; otherwise there is nothing to do';
  end if;
end;
$$;

comment on function patchdiff_store.check_publication_open(patchdiff_store.workspace_publications, text) is
  'Refuses to close a publication intent twice or behind a later publication.';
