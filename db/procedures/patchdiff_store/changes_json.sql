-- The changes of an accepted walk as they stand in its receipt: JSON text, in order of application.
create or replace function patchdiff_store.changes_json (
  p_walk patchdiff_store.walk
)
  returns text
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_change_id text[] := p_walk.change_id;
  v_operation text[] := p_walk.operation;
  v_span_start integer[] := p_walk.span_start;
  v_span_end integer[] := p_walk.span_end;
  v_matched_chars integer[] := p_walk.matched_chars;
  v_replacement_chars integer[] := p_walk.replacement_chars;
  v_matched_sha256 text[] := p_walk.matched_sha256;
  v_replacement_sha256 text[] := p_walk.replacement_sha256;
  v_facts text[];
begin
  for v_i in 1..cardinality(v_change_id) loop
    v_facts[v_i] := patchdiff_store.fact_json(
      v_i, v_change_id[v_i], v_operation[v_i], v_span_start[v_i], v_span_end[v_i], v_matched_chars[v_i],
      v_replacement_chars[v_i], v_matched_sha256[v_i], v_replacement_sha256[v_i]);
  end loop;

  return '[' || array_to_string(v_facts, ',') || ']';
end;
$$;

comment on function patchdiff_store.changes_json(patchdiff_store.walk) is
  'The changes of an accepted walk with their facts, as JSON text.';
