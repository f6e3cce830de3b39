-- A payload as jsonb, or null when jsonb cannot hold it: no JSON, \u0000, a lone surrogate, a number like 1e400000,
-- nesting beyond the stack. Raises only 54001, for a shallow payload on a stack that the caller has used up. An exception block costs two microseconds; pg_input_is_valid would
-- parse twice and still raise on deep nesting.
create or replace function patchdiff_store.payload_json (
  p_payload text
)
  returns jsonb
  language plpgsql
  immutable
as $$
begin
  return p_payload::jsonb;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_payload, 64) then
      return null;
    end if;

    -- Raises again: the stack was used up before, by the caller, and says nothing of the payload.
    return p_payload::jsonb;
  when data_exception or program_limit_exceeded then
    return null;
end;
$$;

comment on function patchdiff_store.payload_json(text) is
  'The payload as jsonb, or null when jsonb cannot hold it.';
