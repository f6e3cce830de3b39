-- Refuses malformed arguments of the calls that save (PD100): the target's id, the two guards, the request key.
create or replace function patchdiff_store.check_save (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_client_request_id text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_target is null then
    v_argument := 'p_target';
    v_rule := 'a target id is required';
  elsif p_expected_version not between 0 and 9007199254740991 then
    v_argument := 'p_expected_version';
    v_rule := 'an integer from 0 to 9007199254740991';
  elsif p_client_request_id collate "C" !~ '\A[\x21-\x7E]{1,128}\Z' then
    v_argument := 'p_client_request_id';
    v_rule := '1 to 128 visible ASCII characters without spaces';
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'correct the argument and call again';
  end if;

  perform patchdiff_store.check_digest('p_expected_hash', p_expected_hash, false);
end;
$$;

comment on function patchdiff_store.check_save(uuid, bigint, text, text) is
  'Refuses malformed arguments of the calls that save.';
