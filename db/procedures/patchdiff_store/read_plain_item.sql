-- read_operations for the commonest record: one plain match, without selectors. Null for any other item. A
-- query with aggregates costs more than all the work on one item; plain expressions do not.
create or replace function patchdiff_store.read_plain_item (
  p_item jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  stable
as $$
declare
  v_operations patchdiff_store.operations;
  v_canonical text := patchdiff_store.canonical_item(p_item);
begin
  -- A CR shows as an escape in JSON.
  if p_item ?| '{op,occurrence_index,anchor_before,anchor_after,start,end,expected_text,expected_before,expected_after}'
    or strpos(v_canonical, '\r') > 0
  then
    return null;
  end if;

  v_operations.canonical := '[' || v_canonical || ']';
  v_operations.well_formed := patchdiff_store.is_well_formed(p_item, p_format);
  v_operations.operation := array['match'];
  v_operations.change_id := array[coalesce(p_item ->> 'change_id', 'chg_001')];
  v_operations.rationale := array[p_item ->> 'rationale'];
  v_operations.risk := array[p_item ->> 'risk'];
  v_operations.matched := array[p_item ->> 'match'];
  v_operations.replacement := array[p_item ->> 'replace'];
  return v_operations;
end;
$$;

comment on function patchdiff_store.read_plain_item(jsonb, text) is
  'The one item of a record as operations, when it is a plain match without selectors; else null.';
