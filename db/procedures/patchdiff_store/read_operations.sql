-- The items of a tx/1 or tx/2 record as parallel arrays, with their canonical JSON and the verdict whether the decoder
-- would pass them all (docs/spec/decoding.md, I1 to I12; ids default by position). Null when an item is no object.
-- This is the hot path; decode_record names the fault when well_formed is false. canonical leaves null members out, and
-- equality of the payload with it proves types, key order and the absence of other keys.
-- A loop of plain expressions: one query with an aggregate an array costs more to set up than fifty rounds of it.
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
  v_count integer := jsonb_array_length(p_items);
  v_nulls text[] := array_fill(null::text, array[v_count]);
  v_numbers bigint[] := array_fill(null::bigint, array[v_count]);
  v_item record;
  v_i integer;
  v_well_formed boolean := true;
  v_operation text[] := v_nulls;
  v_change_id text[] := v_nulls;
  v_rationale text[] := v_nulls;
  v_risk text[] := v_nulls;
  v_matched text[] := v_nulls;
  v_replacement text[] := v_nulls;
  v_index bigint[] := v_numbers;
  v_anchor_before text[] := v_nulls;
  v_anchor_after text[] := v_nulls;
  v_from bigint[] := v_numbers;
  v_to bigint[] := v_numbers;
  v_before text[] := v_nulls;
  v_after text[] := v_nulls;
begin
  select json_strip_nulls(json_agg(t order by r.ordinal))::text
  into v_operations.canonical
  from rows from (
    jsonb_to_recordset(p_items) as (
      anchor_after text, anchor_before text, change_id text, "end" jsonb, expected_after text, expected_before text,
      expected_text text, match text, occurrence_index jsonb, op text, rationale text, replace text, risk text, start jsonb
    )
  ) with ordinality as r (
    anchor_after, anchor_before, change_id, "end", expected_after, expected_before, expected_text, match,
    occurrence_index, op, rationale, replace, risk, start, ordinal
  )
  cross join lateral (
    select
      r.anchor_after, r.anchor_before, r.change_id, r."end", r.expected_after, r.expected_before, r.expected_text,
      r.match, r.occurrence_index, r.op, r.rationale, r.replace, r.risk, r.start
  ) as t;

  for v_item in
    select r.*
    from rows from (
      jsonb_to_recordset(p_items) as (
        anchor_after text, anchor_before text, change_id text, "end" jsonb, expected_after text, expected_before text,
        expected_text text, match text, occurrence_index jsonb, op text, rationale text, replace text, risk text, start jsonb
      )
    ) with ordinality as r (
      anchor_after, anchor_before, change_id, "end", expected_after, expected_before, expected_text, match,
      occurrence_index, op, rationale, replace, risk, start, ordinal
    )
    order by r.ordinal
  loop
    v_i := v_item.ordinal;
    v_replacement[v_i] := patchdiff_store.lf(v_item.replace);
    if v_item.change_id is null then
      v_change_id[v_i] := 'chg_' || lpad(v_i::text, greatest(3, length(v_i::text)), '0');
    else
      v_change_id[v_i] := v_item.change_id;
      v_well_formed := v_well_formed and v_item.change_id ~ '\A[A-Za-z0-9_.:-]{1,64}\Z';
    end if;

    if v_item.rationale is not null then
      v_rationale[v_i] := v_item.rationale;
      v_well_formed := v_well_formed and not patchdiff_store.is_blank(v_item.rationale);
    end if;

    if v_item.risk is not null then
      v_risk[v_i] := v_item.risk;
      v_well_formed := v_well_formed and v_item.risk in ('low', 'medium', 'high');
    end if;

    if (case p_format when 'patchdiff-tx/1' then v_item.op is null else v_item.op is not distinct from 'match' end) then
      v_operation[v_i] := 'match';
      v_matched[v_i] := patchdiff_store.lf(v_item.match);
      v_well_formed := v_well_formed and coalesce(
        v_item.match <> '' and char_length(v_item.match) <= 65536 and v_item.replace is not null
        and v_item.start is null and v_item."end" is null and v_item.expected_text is null
        and v_item.expected_before is null and v_item.expected_after is null,
        false
      );
      if v_item.occurrence_index is not null then
        v_index[v_i] := patchdiff_store.integer_of(v_item.occurrence_index, 1);
        v_well_formed := v_well_formed and v_index[v_i] is not null;
      end if;

      if v_item.anchor_before is not null then
        v_anchor_before[v_i] := patchdiff_store.lf(v_item.anchor_before);
        v_well_formed := v_well_formed and v_item.anchor_before <> '';
      end if;

      if v_item.anchor_after is not null then
        v_anchor_after[v_i] := patchdiff_store.lf(v_item.anchor_after);
        v_well_formed := v_well_formed and v_item.anchor_after <> '';
      end if;
    elsif p_format = 'patchdiff-tx/2' and v_item.op is not distinct from 'span' then
      v_operation[v_i] := 'span';
      v_matched[v_i] := patchdiff_store.lf(v_item.expected_text);
      v_from[v_i] := patchdiff_store.integer_of(v_item.start, 0);
      v_to[v_i] := patchdiff_store.integer_of(v_item."end", 0);
      v_well_formed := v_well_formed and v_from[v_i] is not null and v_to[v_i] is not null
        and v_item.expected_text is not null and v_item.replace is not null
        and v_item.match is null and v_item.occurrence_index is null
        and v_item.anchor_before is null and v_item.anchor_after is null;
      if v_item.expected_before is not null then
        v_before[v_i] := patchdiff_store.lf(v_item.expected_before);
        v_well_formed := v_well_formed and v_item.expected_before <> '';
      end if;

      if v_item.expected_after is not null then
        v_after[v_i] := patchdiff_store.lf(v_item.expected_after);
        v_well_formed := v_well_formed and v_item.expected_after <> '';
      end if;
    else
      v_well_formed := false;
    end if;
  end loop;

  v_operations.well_formed := v_well_formed and (
    v_count = 1 or (select count(distinct c.id) = v_count from unnest(v_change_id) as c(id))
  );
  v_operations.operation := v_operation;
  v_operations.change_id := v_change_id;
  v_operations.rationale := v_rationale;
  v_operations.risk := v_risk;
  v_operations.matched := v_matched;
  v_operations.replacement := v_replacement;
  v_operations.occurrence_index := v_index;
  v_operations.anchor_before := v_anchor_before;
  v_operations.anchor_after := v_anchor_after;
  v_operations.span_start := v_from;
  v_operations.span_end := v_to;
  v_operations.expected_before := v_before;
  v_operations.expected_after := v_after;
  return v_operations;
exception
  when invalid_parameter_value then
    return null;
end;
$$;

comment on function patchdiff_store.read_operations(jsonb, text) is
  'The edits or operations of a record as parallel arrays, with their canonical JSON; null when an item is no object.';
