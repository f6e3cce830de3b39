-- The start of a walk: what operations say by themselves, wherever they apply. Positions, content and hash are the walk's own.
create or replace function patchdiff_store.walk_of (
  p_operations patchdiff_store.operations
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
begin
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  select
    array_agg(length(t.old, 'UTF8')),
    array_agg(length(t.new, 'UTF8')),
    array_agg(octet_length(t.old)),
    array_agg(octet_length(t.new)),
    array_agg(patchdiff_store.sha256_hex(t.old)),
    array_agg(patchdiff_store.sha256_hex(t.new))
  into
    v_walk.matched_chars, v_walk.replacement_chars, v_walk.deleted_bytes, v_walk.inserted_bytes, v_walk.matched_sha256,
    v_walk.replacement_sha256
  from (
    select convert_to(o.matched, 'UTF8') as old, convert_to(o.replacement, 'UTF8') as new
    from unnest(p_operations.matched, p_operations.replacement) with ordinality as o(matched, replacement, position)
    order by o.position
    offset 0
  ) as t;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_of(patchdiff_store.operations) is
  'The start of a walk: what operations say by themselves, wherever they apply.';
