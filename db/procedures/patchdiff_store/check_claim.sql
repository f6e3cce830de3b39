-- Refuses a JSON argument that is stored as the caller's claim (actor, detail of an outcome) and is larger than 8192
-- bytes (PD100): a row must stay narrow, whatever a caller says.
create or replace function patchdiff_store.check_claim (
  p_argument text,
  p_value json
)
  returns void
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
begin
  if octet_length(p_value::text) > 8192 then
    raise exception '%: JSON of at most 8192 bytes', p_argument
      using errcode = 'PD100',
            detail = json_build_object('argument', p_argument, 'rule', 'JSON of at most 8192 bytes')::text,
            hint = 'shorten the argument';
  end if;
end;
$$;

comment on function patchdiff_store.check_claim(text, json) is
  'Refuses a JSON claim of the caller that is larger than 8192 bytes.';
