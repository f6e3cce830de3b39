-- Applies the operations of a decoded record at the starts a caller claims, believing none of them: every start, match,
-- expected text, selector and uniqueness is checked, in order, against the buffer as it stands. Anything that does not
-- hold gives null, and walk_found then derives the truth. p_starts are byte offsets, one an operation.
-- walk_each does it; one plain match goes by walk_single and many edits of a big document by walk_masked, which give the same.
create or replace function patchdiff_store.walk_claimed (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_starts integer[]
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_count integer := cardinality(p_operations.operation);
begin
  if array_lower(p_starts, 1) is distinct from 1
    or array_ndims(p_starts) <> 1
    or cardinality(p_starts) <> v_count
    or array_position(p_starts, null) is not null
  then
    return null;
  end if;

  -- read_operations leaves these arrays null when no item is a span or has a selector.
  if p_operations.span_start is null then
    if v_count = 1 then
      return patchdiff_store.walk_single(p_content, p_chars, p_operations, p_starts[1]);
    elsif v_count > 2 and octet_length(p_content)::bigint * v_count >= 1000000 then
      v_walk := patchdiff_store.walk_masked(p_content, p_chars, p_operations, p_starts);
      if v_walk.after_content is not null then
        return v_walk;
      end if;
    end if;
  end if;

  return patchdiff_store.walk_each(p_content, p_chars, p_operations, p_starts);
end;
$$;

comment on function patchdiff_store.walk_claimed(bytea, integer, patchdiff_store.operations, integer[]) is
  'Applies operations at claimed starts and checks every claim; null when anything does not hold.';
