-- Refuses an argument that is no SHA-256 in lowercase hexadecimal digits, or null where one is required (PD100).
create or replace function patchdiff_store.check_digest (
  p_argument text,
  p_value text,
  p_required boolean
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if (p_value is null and p_required) or p_value collate "C" !~ '\A[0-9a-f]{64}\Z' then
    raise exception '%: 64 lowercase hexadecimal digits', p_argument
      using errcode = 'PD100',
            detail = json_build_object('argument', p_argument, 'rule', '64 lowercase hexadecimal digits')::text,
            hint = 'send the SHA-256 as hexadecimal text';
  end if;
end;
$$;

comment on function patchdiff_store.check_digest(text, text, boolean) is
  'Refuses an argument that is no SHA-256 as lowercase hexadecimal text.';
