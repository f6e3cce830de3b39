-- The part of a walk that the operations alone determine: ids, names, rationales, risks and the two hashes of each.
create or replace function patchdiff_store.walk_of (
  p_operations patchdiff_store.operations
)
  returns patchdiff_store.walk
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_walk patchdiff_store.walk;
begin
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  select
    array_agg(patchdiff_store.sha256_hex(convert_to(t.matched, 'UTF8')) order by t.position),
    array_agg(patchdiff_store.sha256_hex(convert_to(t.replacement, 'UTF8')) order by t.position)
  into v_walk.matched_sha256, v_walk.replacement_sha256
  from unnest(p_operations.matched, p_operations.replacement) with ordinality as t(matched, replacement, position);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_of(patchdiff_store.operations) is
  'A walk with what the operations alone determine: ids, rationales, risks and hashes.';
