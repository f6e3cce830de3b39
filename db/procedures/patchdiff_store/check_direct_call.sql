-- Refuses misuse of a direct call's arguments (PD100): no target, or more text than any record could be made of. All that
-- the formats themselves rule out is an outcome and leaves a row.
create or replace function patchdiff_store.check_direct_call (
  p_target uuid,
  p_bytes bigint
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
    v_argument := 'p_target_file_id';
    v_rule := 'a uuid';
  elsif p_bytes > 67108864 then
    v_argument := 'all texts together';
    v_rule := 'at most 67108864 bytes';
  else
    return;
  end if;

  raise exception '% must be %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = format('correct %s and call again', v_argument);
end;
$$;

comment on function patchdiff_store.check_direct_call(uuid, bigint) is 'Refuses misuse of a direct call''s arguments.';
