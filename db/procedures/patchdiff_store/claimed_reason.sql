-- The failure_reason a caller claims, or null when its diagnostic holds none that can be read. Never raises.
create or replace function patchdiff_store.claimed_reason (
  p_diagnostic json
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_diagnostic is null then
    return null;
  end if;

  return p_diagnostic ->> 'failure_reason';
exception
  when data_exception then
    return null;
end;
$$;

comment on function patchdiff_store.claimed_reason(json) is 'The failure_reason that a caller''s diagnostic claims, or null.';
