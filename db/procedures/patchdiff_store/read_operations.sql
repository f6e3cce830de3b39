-- The items of a tx/1 or tx/2 record as parallel arrays, with their canonical JSON and the verdict whether the decoder
-- would pass them all (docs/spec/decoding.md, I1 to I12; ids default by position). Nothing here raises, whatever
-- the items are; decode_record names the fault when well_formed is false.
-- canonical leaves null members out; equality of the payload with it proves types, key order and the absence of other
-- keys. Numbers are cut to 20 digits, so that nothing nested slips through in their place.
-- This is the hot path: one query for what every item has, one more for what only spans and selectors have.
create or replace function patchdiff_store.read_operations (
  p_items jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  immutable
as $$
declare
  v_operations patchdiff_store.operations;
  v_has_more boolean;
  v_is_well_formed boolean;
begin
  select
    string_agg(concat(
      '{',
      '"anchor_after":' || to_json(i.item ->> 'anchor_after')::text || ',',
      '"anchor_before":' || to_json(i.item ->> 'anchor_before')::text || ',',
      '"change_id":' || to_json(i.item ->> 'change_id')::text || ',',
      '"end":' || left(i.item ->> 'end', 20) || ',',
      '"expected_after":' || to_json(i.item ->> 'expected_after')::text || ',',
      '"expected_before":' || to_json(i.item ->> 'expected_before')::text || ',',
      '"expected_text":' || to_json(i.item ->> 'expected_text')::text || ',',
      '"match":' || to_json(i.item ->> 'match')::text || ',',
      '"occurrence_index":' || left(i.item ->> 'occurrence_index', 20) || ',',
      '"op":' || to_json(i.item ->> 'op')::text || ',',
      '"rationale":' || to_json(i.item ->> 'rationale')::text || ',',
      '"replace":' || to_json(i.item ->> 'replace')::text,
      ',"risk":' || to_json(i.item ->> 'risk')::text,
      ',"start":' || left(i.item ->> 'start', 20),
      '}'
    ), ','),
    bool_and(coalesce(
      i.item ->> 'replace' is not null
      and case p_format when 'patchdiff-tx/1' then not i.item ? 'op' else i.item ->> 'op' in ('match', 'span') end
      and (i.item ->> 'change_id' is null or i.item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z')
      and (i.item ->> 'rationale' is null or not patchdiff_store.is_blank(i.item ->> 'rationale'))
      and coalesce(char_length(i.item ->> 'rationale'), 0) <= 4096
      and (i.item ->> 'risk' is null or i.item ->> 'risk' in ('low', 'medium', 'high'))
      and case i.item ->> 'op' when 'span' then i.item ->> 'expected_text' is not null
        else i.item ->> 'match' <> '' and char_length(i.item ->> 'match') <= 65536 end,
      false
    )),
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
