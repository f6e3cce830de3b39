-- Refuses a JSON argument that is stored as the caller's claim (actor, detail of an outcome) when it is larger than 8192
-- bytes, so that a row stays narrow whatever a caller says, or holds an escape that no PostgreSQL text can (\u0000, a lone
-- surrogate): json keeps it as it is, and whoever reads it with ->> later, a view included, gets an error (PD100). So does
-- whoever has to write it again when it nests deeper than his stack; what is shorter than 130 bytes cannot.
create or replace function patchdiff_store.check_claim (
  p_argument text,
  p_value json
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_rule text;
begin
  v_rule := case
    when octet_length(p_value::text) > 8192 then 'JSON of at most 8192 bytes'
    when patchdiff_store.holds_unencodable(p_value::text) then 'JSON without \u0000 and lone surrogates'
    when octet_length(p_value::text) >= 130 and patchdiff_store.nests_beyond(p_value::text, 64) then 'JSON of at most 64 levels'
  end;
  if v_rule is not null then
    raise exception '%: %', p_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', p_argument, 'rule', v_rule)::text,
            hint = 'shorten or correct the argument';
  end if;
end;
$$;

comment on function patchdiff_store.check_claim(text, json) is
  'Refuses a JSON claim of the caller that is larger than 8192 bytes, deeper than 64 levels, or cannot be read as text.';
