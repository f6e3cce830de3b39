-- One observation of a target with its scopes; no row when the target has none of this id. An observation never changes, so the
-- answer may be kept.
create or replace function patchdiff.read_observation (
  p_target uuid,
  p_bundle uuid
)
  returns table (
    bundle_id uuid,
    version bigint,
    content_hash text,
    editing_cycle integer,
    language text,
    grammar json,
    has_errors boolean,
    scopes json
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    o.bundle_id,
    o.version,
    o.content_hash,
    o.editing_cycle,
    o.language,
    json_build_object('name', o.grammar_name, 'version', o.grammar_version, 'sha256', o.grammar_sha256),
    o.has_errors,
    patchdiff_store.scopes_json(p_target, o.observation_sequence)
  from patchdiff_store.scope_observations as o
  where o.target_file_id = p_target and o.bundle_id = p_bundle
$$;

comment on function patchdiff.read_observation(uuid, uuid) is 'One observation of a target with its scopes.';
