-- The items of a tx/1 or tx/2 record as parallel arrays, with their canonical JSON and the verdict whether the decoder
-- would pass them all (docs/spec/decoding.md, I1 to I12; ids default by position). Null when an item is no object.
-- One pass of C code over the items: this is the hot path, and decode_record names the fault when well_formed is false.
-- canonical leaves null members out; equality of the payload with it proves types, key order and the absence of other keys.
create or replace function patchdiff_store.read_operations (
  p_items jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_operations patchdiff_store.operations;
begin
  select
    json_strip_nulls(json_agg(t order by r.ordinal))::text,
    bool_and(coalesce(
      t.replace is not null
      and (t.change_id is null or t.change_id ~ '\A[A-Za-z0-9_.:-]{1,64}\Z')
      and (t.rationale is null or not patchdiff_store.is_blank(t.rationale))
      and (t.risk is null or t.risk in ('low', 'medium', 'high'))
      and case d.operation
        when 'match' then
          t.match <> '' and char_length(t.match) <= 65536
          and (t.occurrence_index is null or d.occurrence_index is not null)
          and t.anchor_before is distinct from '' and t.anchor_after is distinct from ''
          and t.start is null and t."end" is null
          and t.expected_text is null and t.expected_before is null and t.expected_after is null
        when 'span' then
          t.expected_text is not null and d.span_start is not null and d.span_end is not null
          and t.expected_before is distinct from '' and t.expected_after is distinct from ''
          and t.match is null and t.occurrence_index is null and t.anchor_before is null and t.anchor_after is null
      end,
      false
    )),
    array_agg(d.operation order by r.ordinal),
    array_agg(d.change_id order by r.ordinal),
    array_agg(t.rationale order by r.ordinal),
    array_agg(t.risk order by r.ordinal),
    array_agg(patchdiff_store.lf(case d.operation when 'match' then t.match else t.expected_text end) order by r.ordinal),
    array_agg(patchdiff_store.lf(t.replace) order by r.ordinal),
    array_agg(d.occurrence_index order by r.ordinal),
    array_agg(patchdiff_store.lf(t.anchor_before) order by r.ordinal),
    array_agg(patchdiff_store.lf(t.anchor_after) order by r.ordinal),
    array_agg(d.span_start order by r.ordinal),
    array_agg(d.span_end order by r.ordinal),
    array_agg(patchdiff_store.lf(t.expected_before) order by r.ordinal),
    array_agg(patchdiff_store.lf(t.expected_after) order by r.ordinal)
  into v_operations
  from rows from (
    jsonb_to_recordset(p_items) as (
      anchor_after text,
      anchor_before text,
      change_id text,
      "end" jsonb,
      expected_after text,
      expected_before text,
      expected_text text,
      match text,
      occurrence_index jsonb,
      op text,
      rationale text,
      replace text,
      risk text,
      start jsonb
    )
  ) with ordinality as r (
    anchor_after, anchor_before, change_id, "end", expected_after, expected_before, expected_text, match,
    occurrence_index, op, rationale, replace, risk, start, ordinal
  )
  cross join lateral (
    select
      r.anchor_after, r.anchor_before, r.change_id, r."end", r.expected_after, r.expected_before, r.expected_text,
      r.match, r.occurrence_index, r.op, r.rationale, r.replace, r.risk, r.start
  ) as t
  cross join lateral (
    select
      case
        when p_format = 'patchdiff-tx/1' then case when r.op is null then 'match' end
        when r.op in ('match', 'span') then r.op
      end as operation,
      coalesce(
        r.change_id,
        'chg_' || lpad(r.ordinal::text, greatest(3, length(r.ordinal::text)), '0')
      ) collate "C" as change_id,
      patchdiff_store.integer_of(r.occurrence_index, 1) as occurrence_index,
      patchdiff_store.integer_of(r.start, 0) as span_start,
      patchdiff_store.integer_of(r."end", 0) as span_end
  ) as d;

  v_operations.well_formed := v_operations.well_formed and cardinality(v_operations.change_id) = (
    select count(distinct c.id) from unnest(v_operations.change_id) as c(id)
  );
  return v_operations;
exception
  when invalid_parameter_value then
    return null;
end;
$$;

comment on function patchdiff_store.read_operations(jsonb, text) is
  'The edits or operations of a record as parallel arrays, with their canonical JSON; null when an item is no object.';
