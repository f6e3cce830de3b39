-- The items of a tx/1 or tx/2 record as parallel arrays, with their canonical JSON and the verdict whether the decoder
-- would pass them all (docs/spec/decoding.md, I1 to I12; ids default by position). Nothing here raises, whatever
-- the items are; decode_record names the fault when well_formed is false.
-- canonical leaves null members out (canonical_item).
-- This is the hot path: one query for what every item has, one more for what only spans and selectors have.
create or replace function patchdiff_store.read_operations (
  p_items jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  stable
as $$
declare
  v_operations patchdiff_store.operations;
  v_has_more boolean;
  v_is_well_formed boolean;
begin
  if jsonb_array_length(p_items) = 1 then
    v_operations := patchdiff_store.read_plain_item(p_items -> 0, p_format);
    if v_operations.canonical is not null then
      return v_operations;
    end if;
  end if;

  select
    string_agg(patchdiff_store.canonical_item(i.item), ','),
    bool_and(patchdiff_store.is_well_formed(i.item, p_format)),
    bool_or(i.item ?| '{op,occurrence_index,anchor_before,anchor_after,start,end,expected_text,expected_before,expected_after}'),
    array_agg(coalesce(i.item ->> 'op', 'match')),
    array_agg(coalesce(
      i.item ->> 'change_id',
      'chg_' || lpad(i.position::text, greatest(3, length(i.position::text)), '0')
    )),
    array_agg(i.item ->> 'rationale'),
    array_agg(i.item ->> 'risk'),
    array_agg(case i.item ->> 'op' when 'span' then i.item ->> 'expected_text' else i.item ->> 'match' end),
    array_agg(i.item ->> 'replace')
  into
    v_operations.canonical, v_operations.well_formed, v_has_more, v_operations.operation, v_operations.change_id,
    v_operations.rationale, v_operations.risk, v_operations.matched, v_operations.replacement
  from (
    select e.item, e.position
    from jsonb_array_elements(p_items) with ordinality as e(item, position)
    order by e.position
  ) as i;

  if v_has_more then
    select
      bool_and(case i.item ->> 'op'
        when 'span' then
          not i.item ?| '{match,occurrence_index,anchor_before,anchor_after}'
          and patchdiff_store.integer_of(i.item -> 'start', 0) is not null
          and patchdiff_store.integer_of(i.item -> 'end', 0) is not null
          and i.item ->> 'expected_before' is distinct from ''
          and i.item ->> 'expected_after' is distinct from ''
        else
          not i.item ?| '{start,end,expected_text,expected_before,expected_after}'
          and (
            i.item ->> 'occurrence_index' is null
            or patchdiff_store.integer_of(i.item -> 'occurrence_index', 1) is not null
          )
          and i.item ->> 'anchor_before' is distinct from ''
          and i.item ->> 'anchor_after' is distinct from ''
      end),
      array_agg(patchdiff_store.integer_of(i.item -> 'occurrence_index', 1)),
      array_agg(patchdiff_store.lf(i.item ->> 'anchor_before')),
      array_agg(patchdiff_store.lf(i.item ->> 'anchor_after')),
      array_agg(patchdiff_store.integer_of(i.item -> 'start', 0)),
      array_agg(patchdiff_store.integer_of(i.item -> 'end', 0)),
      array_agg(patchdiff_store.lf(i.item ->> 'expected_before')),
      array_agg(patchdiff_store.lf(i.item ->> 'expected_after'))
    into
      v_is_well_formed, v_operations.occurrence_index, v_operations.anchor_before, v_operations.anchor_after,
      v_operations.span_start, v_operations.span_end, v_operations.expected_before, v_operations.expected_after
    from (
      select e.item
      from jsonb_array_elements(p_items) with ordinality as e(item, position)
      order by e.position
    ) as i;
    v_operations.well_formed := v_operations.well_formed and v_is_well_formed;
  end if;

  if v_operations.well_formed and cardinality(v_operations.operation) > 1 then
    v_operations.well_formed := cardinality(v_operations.operation) = (
      select count(distinct c.id) from unnest(v_operations.change_id) as c(id)
    );
  end if;

  -- A CR shows as an escape in JSON.
  if strpos(v_operations.canonical, '\r') > 0 then
    v_operations.matched := array(
      select patchdiff_store.lf(t.text) from unnest(v_operations.matched) with ordinality as t(text, position)
      order by t.position
    );
    v_operations.replacement := array(
      select patchdiff_store.lf(t.text) from unnest(v_operations.replacement) with ordinality as t(text, position)
      order by t.position
    );
  end if;

  v_operations.canonical := '[' || v_operations.canonical || ']';
  return v_operations;
end;
$$;

comment on function patchdiff_store.read_operations(jsonb, text) is
  'The edits or operations of a record as parallel arrays, with their canonical JSON.';
