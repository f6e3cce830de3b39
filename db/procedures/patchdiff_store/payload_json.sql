-- A payload as jsonb, or null when jsonb cannot hold it: no JSON, \u0000, a lone surrogate, a number like 1e400000,
-- nesting beyond the stack. Never raises. An exception block costs two microseconds; pg_input_is_valid would
-- parse twice and still raise on deep nesting.
create or replace function patchdiff_store.payload_json (
  p_payload text
)
  returns jsonb
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
begin
  return p_payload::jsonb;
exception
  when data_exception or statement_too_complex or program_limit_exceeded then
    return null;
end;
$$;

comment on function patchdiff_store.payload_json(text) is
  'The payload as jsonb, or null when jsonb cannot hold it; never raises.';
