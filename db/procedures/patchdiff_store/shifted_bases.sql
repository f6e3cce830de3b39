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
  -- Of the changes so far that replaced anything. Arrays of their own: one inside a record is copied at every look.
  v_at integer[] := '{}';
  v_end integer[] := '{}';
  v_grown integer[] := '{}';
  v_start integer;
  v_length integer;
  v_ids text[] := '{}';
  v_change record;
begin
  if p_operations.occurrence_index is null then
    return null;
  end if;

  for v_change in
    select c.*
    from unnest(
      p_walk.change_id, p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes,
      p_walk.matched_sha256, p_walk.replacement_sha256, p_operations.matched, p_operations.occurrence_index
    ) with ordinality as c(id, start, deleted, inserted, matched, replaced, needle, nth, position)
    order by c.position
  loop
    v_start := v_change.start;
    v_length := v_change.deleted;
    if v_change.nth is not null and cardinality(v_at) > 0 then
      for v_before in reverse cardinality(v_at)..1 loop
        continue when v_start + v_length <= v_at[v_before];
        v_start := case when v_start >= v_end[v_before] then v_start - v_grown[v_before] end;
        exit when v_start is null;
      end loop;

      if v_start is null
        or v_start is distinct from patchdiff_store.nth_occurrence(p_content, convert_to(v_change.needle, 'UTF8'), v_change.nth)
      then
        v_ids := v_ids || v_change.id;
      end if;
    end if;

    if v_change.matched <> v_change.replaced then
      v_at := v_at || v_change.start;
      v_end := v_end || v_change.start + v_change.inserted;
      v_grown := v_grown || v_change.inserted - v_change.deleted;
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
