-- The warnings occurrence_index_basis_shift of a walk whose places were found here, as JSON text, or null: the database's own
-- reading of docs/spec/decoding.md. The place a change chose is carried back through the changes before it; where text
-- that one of them wrote or cut takes part, or where the starting text has its k-th occurrence elsewhere, the basis
-- has shifted. A change that replaced a text by itself replaced nothing.
create or replace function patchdiff_store.shifted_bases (
  p_content bytea,
  p_operations patchdiff_store.operations,
  p_walk patchdiff_store.walk
)
  returns json
  language plpgsql
  immutable
as $$
declare
  v_start integer;
  v_ids text[] := '{}';
begin
  if p_operations.occurrence_index is null then
    return null;
  end if;

  for v_i in 2..cardinality(p_walk.change_id) loop
    continue when p_operations.occurrence_index[v_i] is null;
    v_start := p_walk.start_byte[v_i];
    for v_before in reverse v_i - 1..1 loop
      continue when p_walk.matched_sha256[v_before] = p_walk.replacement_sha256[v_before]
        or v_start + p_walk.deleted_bytes[v_i] <= p_walk.start_byte[v_before];
      v_start := case when v_start >= p_walk.start_byte[v_before] + p_walk.inserted_bytes[v_before]
        then v_start + p_walk.deleted_bytes[v_before] - p_walk.inserted_bytes[v_before] end;
      exit when v_start is null;
    end loop;

    if v_start is distinct from patchdiff_store.nth_occurrence(
      p_content, convert_to(p_operations.matched[v_i], 'UTF8'), p_operations.occurrence_index[v_i])
      or v_start is null
    then
      v_ids := v_ids || p_walk.change_id[v_i];
    end if;
  end loop;

  return (
    select json_agg(json_build_object('code', 'occurrence_index_basis_shift', 'change_id', w.id))
    from unnest(v_ids) as w(id)
  );
end;
$$;

comment on function patchdiff_store.shifted_bases(bytea, patchdiff_store.operations, patchdiff_store.walk) is
  'The shifted bases of occurrence indices in a walk, as warnings.';
