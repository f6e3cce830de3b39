-- The fault of a record in which a number that is not finite stands as the string "Infinity" or "-Infinity", as records
-- keep it (docs/spec/decoding.md): read as the number again, when the caller claims the reason that this reading gives;
-- else p_fault as it is. A caller gains nothing by it but the rejection of its own submission.
create or replace function patchdiff_store.non_finite_fault (
  p_fault patchdiff_store.fault,
  p_payload text,
  p_target uuid,
  p_malformed text,
  p_claimed_reason text,
  p_scopes jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  if strpos(p_payload, 'Infinity"') = 0 then
    return p_fault;
  end if;

  -- Inside a string every quote is escaped, so these quotes are a string's own; a name is followed by a colon.
  v_fault := patchdiff_store.decode_record(
    patchdiff_store.payload_json(regexp_replace(p_payload, '([:,[])"(-?)Infinity"(?=[],}])', '\1\21e400', 'g')),
    p_target,
    p_malformed,
    p_scopes
  );
  return case when v_fault.failure_reason = p_claimed_reason then v_fault else p_fault end;
end;
$$;

comment on function patchdiff_store.non_finite_fault(patchdiff_store.fault, text, uuid, text, text, jsonb) is
  'The fault of a record when the strings that stand for numbers are read as numbers, if that is what is claimed.';
