-- Records that scopes of a text were observed, and answers their texts and the id under which they can be edited together. Texts,
-- digests, byte offsets, lines and scope ids are the database's own, cut from its own content under the target's lock; language, grammar,
-- kinds, names and paths are what the caller's parser says, and ranges where it says they are. outcome: observed; stale (the target
-- is no longer at that version and hash; no row); diverged (the stored content is damaged; no row); not_found. Refuses misuse (PD100).
create or replace function patchdiff.observe_scopes (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar json,
  p_has_errors boolean,
  p_scopes json,
  p_actor json default null,
  out outcome text,
  out bundle_id uuid,
  out version bigint,
  out current_hash text,
  out editing_cycle integer,
  out created_at timestamptz,
  out chain_sequence bigint,
  out scopes json
)
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_grammar jsonb := patchdiff_store.payload_json(p_grammar::text);
  v_scopes jsonb := patchdiff_store.payload_json(p_scopes::text);
  v_locked patchdiff_store.locked_target;
  v_row patchdiff_store.scope_observations;
  v_content bytea;
begin
  perform patchdiff_store.check_observation(
    p_target, p_expected_version, p_expected_hash, p_language, v_grammar, p_has_errors, v_scopes, p_actor);

  v_locked := patchdiff_store.lock_target(p_target);
  version := v_locked.version;
  current_hash := v_locked.current_hash;
  outcome := case
    when v_locked.target_file_id is null then 'not_found'
    when v_locked.version <> p_expected_version or v_locked.current_hash <> p_expected_hash then 'stale'
  end;
  if outcome is not null then
    return;
  end if;

  select convert_to(t.current_content, 'UTF8')
  into strict v_content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not patchdiff_store.is_intact(v_locked, v_content) then
    outcome := 'diverged';
    return;
  end if;

  v_row.language := p_language;
  v_row.grammar_name := v_grammar ->> 'name';
  v_row.grammar_version := v_grammar ->> 'version';
  v_row.grammar_sha256 := v_grammar ->> 'sha256';
  v_row.has_errors := p_has_errors;
  v_row.actor := p_actor;
  v_row := patchdiff_store.append_observation(v_locked, v_row, v_content, v_scopes);

  outcome := 'observed';
  bundle_id := v_row.bundle_id;
  editing_cycle := v_row.editing_cycle;
  created_at := v_row.created_at;
  chain_sequence := v_row.chain_sequence;
  scopes := patchdiff_store.scopes_json(p_target, v_row.observation_sequence);
end;
$$;

comment on function patchdiff.observe_scopes(uuid, bigint, text, text, json, boolean, json, json) is
  'Records that scopes of a text were observed, and answers their texts and the id of the bundle.';
