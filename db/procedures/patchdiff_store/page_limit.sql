-- The size of a page: 50 when not given, at most 200. Refuses less than 1 (PD100).
create or replace function patchdiff_store.page_limit (
  p_limit integer
)
  returns integer
  language plpgsql
  immutable
as $$
begin
  if p_limit < 1 then
    raise exception 'p_limit: an integer of at least 1'
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_limit', 'rule', 'an integer of at least 1')::text,
            hint = 'leave it out for 50 entries';
  end if;
  return least(coalesce(p_limit, 50), 200);
end;
$$;

comment on function patchdiff_store.page_limit(integer) is 'The size of a page: 50 when not given, at most 200.';
