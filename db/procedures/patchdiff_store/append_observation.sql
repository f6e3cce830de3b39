-- Appends an observation of the locked target with its scopes, and advances head and chain. The only writer of both tables. What the
-- database knows itself is filled in here. Refuses two scopes with one id and a range outside the text (PD100).
create or replace function patchdiff_store.append_observation (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.scope_observations,
  p_content bytea,
  p_scopes jsonb
)
  returns patchdiff_store.scope_observations
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.scope_observations := p_row;
  v_scopes patchdiff_store.observed_scopes[];
  v_rule text;
  v_before bigint;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.bundle_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.scope_count := jsonb_array_length(p_scopes);
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  select h.observation_sequence + 1, h.scope_sequence
  into strict v_row.observation_sequence, v_before
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_locked.target_file_id;

  v_rule := case
    when exists (
      select from jsonb_array_elements(p_scopes) as s(scope) where (s.scope ->> 'end')::bigint > p_locked.content_chars
    ) then 'no range beyond the end of the text'
    when (
      select sum((s.scope ->> 'end')::bigint - (s.scope ->> 'start')::bigint) from jsonb_array_elements(p_scopes) as s(scope)
    ) > 1048576 then 'at most 1048576 code points of text in all'
  end;
  if v_rule is null then
    v_scopes := array(select c from patchdiff_store.cut_scopes(v_row, p_content, p_locked.content_chars, p_scopes, v_before) as c);
    if v_row.scope_count > (select count(distinct s.scope_id) from unnest(v_scopes) as s) then
      v_rule := 'each scope once';
    end if;
  end if;

  if v_rule is not null then
    raise exception 'p_scopes: %', v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_scopes', 'rule', v_rule)::text,
            hint = 'send what the text that was looked at gave';
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.observation_encoding(v_row) || (
    select string_agg(patchdiff_store.scope_encoding(s), ''::bytea order by s.ordinal) from unnest(v_scopes) as s
  ));

  insert into patchdiff_store.scope_observations values (v_row.*);
  insert into patchdiff_store.observed_scopes select s.* from unnest(v_scopes) as s;

  update patchdiff_store.target_heads as h
  set observation_sequence = v_row.observation_sequence,
      scope_sequence = v_before + v_row.scope_count,
      chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_observation(
  patchdiff_store.locked_target, patchdiff_store.scope_observations, bytea, jsonb
) is 'Appends an observation of the locked target with its scopes, and advances head and chain.';
