-- The last statement of a migration: from here on DDL on our objects is refused, the owner's too.
do $$
begin
  if not patchdiff_store.guard_ddl(true) then
    raise notice 'patchdiff: event triggers need a superuser; DDL by the owner is found by the chain, not refused';
  end if;
end;
$$;
