-- Refuses arguments of observe_scopes that no observation can be made of (PD100): what a parser says of a text has a shape and bounds.
create or replace function patchdiff_store.check_observation (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar jsonb,
  p_has_errors boolean,
  p_scopes jsonb,
  p_actor json
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, 'p_target', 'the id of a target', p_target is null),
    (2, 'p_expected_version', 'the version whose text was looked at', p_expected_version is null or p_expected_version < 0),
    (3, 'p_expected_hash', 'the hash of the text that was looked at', coalesce(p_expected_hash !~ '\A[0-9a-f]{64}\Z', true)),
    (4, 'p_language', 'null, or 1 to 64 code points', coalesce(char_length(p_language) not between 1 and 64, false)),
    (5, 'p_grammar', 'an object of name and version (1 to 128 code points each) and sha256 (64 lowercase hexadecimal digits, or null)',
      coalesce(
        jsonb_typeof(p_grammar) <> 'object'
        or p_grammar - array['name', 'version', 'sha256'] <> '{}'
        or jsonb_typeof(p_grammar -> 'name') <> 'string'
        or jsonb_typeof(p_grammar -> 'version') <> 'string'
        or char_length(p_grammar ->> 'name') not between 1 and 128
        or char_length(p_grammar ->> 'version') not between 1 and 128
        or coalesce(p_grammar ->> 'sha256' !~ '\A[0-9a-f]{64}\Z', false)
        or jsonb_typeof(p_grammar -> 'sha256') not in ('string', 'null'),
        true
      )),
    (6, 'p_has_errors', 'true or false', p_has_errors is null),
    (7, 'p_scopes', 'an array of 1 to 200 objects without NUL and lone surrogates', coalesce(
      jsonb_typeof(p_scopes) <> 'array' or jsonb_array_length(case jsonb_typeof(p_scopes) when 'array' then p_scopes else '[]' end) not between 1 and 200,
      true
    ))
  ) as c(position, argument, rule, broken)
  where c.broken
  order by c.position
  limit 1;

  if v_argument is null then
    select 'p_scopes', 'each of kind (1 to 64 code points), name (at most 512), qualified_path (at most 4096), and start and end, integers with start < end'
    into v_argument, v_rule
    from jsonb_array_elements(p_scopes) as s(scope)
    where coalesce(
      jsonb_typeof(s.scope) <> 'object'
      or s.scope - array['kind', 'name', 'qualified_path', 'start', 'end'] <> '{}'
      or jsonb_typeof(s.scope -> 'kind') <> 'string'
      or jsonb_typeof(s.scope -> 'name') <> 'string'
      or jsonb_typeof(s.scope -> 'qualified_path') <> 'string'
      or char_length(s.scope ->> 'kind') not between 1 and 64
      or char_length(s.scope ->> 'name') > 512
      or char_length(s.scope ->> 'qualified_path') > 4096
      or patchdiff_store.integer_of(s.scope -> 'start', 0) >= patchdiff_store.integer_of(s.scope -> 'end', 0),
      true
    )
    limit 1;
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'send what the text that was looked at gave';
  end if;

  perform patchdiff_store.check_claim('p_actor', p_actor);
end;
$$;

comment on function patchdiff_store.check_observation(uuid, bigint, text, text, jsonb, boolean, jsonb, json) is
  'Refuses arguments that no observation can be made of.';
