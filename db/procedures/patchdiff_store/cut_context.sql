-- Puts the surroundings of a failure into a fault: at most 256 code points of the buffer that failed, from its head
-- (p_point null) or around a point, with the count of changes applied before (docs/spec/decoding.md, failure_context).
create or replace function patchdiff_store.cut_context (
  p_fault patchdiff_store.fault,
  p_buffer bytea,
  p_chars integer,
  p_prior_changes integer,
  p_point bigint
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault := p_fault;
begin
  v_fault.prior_changes := p_prior_changes;
  v_fault.context_kind := case when p_point is null then 'prefix' else 'window' end;
  v_fault.context_start := least(greatest(0, coalesce(p_point, 0) - 128), greatest(0, p_chars - 256));
  if p_point is null then
    v_fault.context_start := 0;
  end if;

  v_fault.context_total := p_chars;
  v_fault.context_text := substr(convert_from(p_buffer, 'UTF8'), v_fault.context_start + 1, 256);
  return v_fault;
end;
$$;

comment on function patchdiff_store.cut_context(patchdiff_store.fault, bytea, integer, integer, bigint) is
  'A fault with at most 256 code points of the buffer that failed.';
