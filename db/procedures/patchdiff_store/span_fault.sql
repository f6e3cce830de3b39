-- What stands against a span of a buffer: bounds, then the expected text and its neighbours, in the contract's order.
-- All null when it applies. p_number is the operation's position; every offset is in code points.
create or replace function patchdiff_store.span_fault (
  p_buffer bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_number integer
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_path text := 'operations[' || (p_number - 1) || ']';
  v_id text := p_operations.change_id[p_number];
  v_start bigint := p_operations.span_start[p_number];
  v_end bigint := p_operations.span_end[p_number];
  v_text text;
  v_fault patchdiff_store.fault;
  v_check record;
begin
  if v_start > v_end or v_end > p_chars then
    v_fault := patchdiff_store.fault_of('span_out_of_bounds', null, p_number, v_id,
      jsonb_build_object('path', v_path, 'start', v_start, 'end', v_end, 'total', p_chars));
    return patchdiff_store.cut_context(v_fault, p_buffer, p_chars, p_number - 1, least(v_start, p_chars));
  end if;

  v_text := convert_from(p_buffer, 'UTF8');
  for v_check in
    select c.field, c.expected, substr(v_text, c.from_chars + 1, c.to_chars - c.from_chars) as actual
    from (values
      (1, 'expected_text', p_operations.matched[p_number], v_start::integer, v_end::integer),
      (2, 'expected_before', p_operations.expected_before[p_number],
        greatest(0, v_start::integer - char_length(p_operations.expected_before[p_number])), v_start::integer),
      (3, 'expected_after', p_operations.expected_after[p_number],
        v_end::integer, least(p_chars, v_end::integer + char_length(p_operations.expected_after[p_number])))
    ) as c(position, field, expected, from_chars, to_chars)
    where c.expected is not null
    order by c.position
  loop
    if v_check.actual <> v_check.expected then
      v_fault := patchdiff_store.fault_of('span_expected_text_mismatch', v_path || '.' || v_check.field, p_number, v_id);
      v_fault.evidence := concat(
        ',"near_miss_query":', to_json(left(v_check.expected, 256)),
        ',"actual_text":', to_json(left(v_check.actual, 256))
      );
      return patchdiff_store.cut_context(v_fault, p_buffer, p_chars, p_number - 1, v_start);
    end if;
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.span_fault(bytea, integer, patchdiff_store.operations, integer) is
  'What stands against applying a span to a buffer, or all null.';
