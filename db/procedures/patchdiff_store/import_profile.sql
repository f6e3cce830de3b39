-- The frozen table of runtime profiles, as far as replay of a recorded attempt depends on it, by (protocol, runtime):
-- the same as src/transaction/profiles.ts. All null for a pair that is not legal. patchdiff-observed-batch/1 is not in
-- it: its record rests on an observation, and there is none of a foreign history.
create or replace function patchdiff_store.import_profile (
  p_protocol_version text,
  p_runtime_version text,
  out overlapping_matches boolean,
  out selectors_on_single_match boolean,
  out historical_change_ids boolean,
  out span_adjacency boolean
)
  language sql
  immutable
as $$
  select p.overlapping_matches, p.selectors_on_single_match, p.historical_change_ids, p.span_adjacency
  from (values
    ('patchdiff-tx/1', 'patchdiff-mvp-0.1.0', false, false, true, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.0', true, false, true, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.1', true, false, false, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.2', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.3.0', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.4.0', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.5.0', true, true, false, true),
    ('patchdiff-tx/3', 'patchdiff-mvp-0.4.0', true, true, false, false)
  ) as p(protocol, runtime, overlapping_matches, selectors_on_single_match, historical_change_ids, span_adjacency)
  where p.protocol = p_protocol_version
  and p.runtime = p_runtime_version
$$;

comment on function patchdiff_store.import_profile(text, text) is
  'Semantics of a recorded (protocol, runtime) pair; all null when the pair is not legal.';
