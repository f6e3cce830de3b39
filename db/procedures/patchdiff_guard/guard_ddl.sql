-- Switches the event triggers that refuse DDL on our schemas on (creating what is missing) or off. The first statement
-- of a migration calls it with false and the last with true: both belong to the migration's transaction, so no other
-- session ever sees the guard open. Answers whether the guard is on; false for a role that is no superuser, since only
-- a superuser may own event triggers, and then changes nothing.
create or replace function patchdiff_guard.guard_ddl (
  p_on boolean
)
  returns boolean
  language plpgsql
  volatile
  set search_path = '', pg_temp
as $$
declare
  v_present text[];
begin
  if not (select r.rolsuper from pg_catalog.pg_roles as r where r.rolname = current_user) then
    return false;
  end if;

  select coalesce(array_agg(e.evtname::text), '{}')
  into v_present
  from pg_catalog.pg_event_trigger as e
  where e.evtname in ('patchdiff_forbid_ddl', 'patchdiff_forbid_drop', 'patchdiff_forbid_rewrite');

  if not p_on then
    if 'patchdiff_forbid_ddl' = any (v_present) then
      alter event trigger patchdiff_forbid_ddl disable;
    end if;
    if 'patchdiff_forbid_drop' = any (v_present) then
      alter event trigger patchdiff_forbid_drop disable;
    end if;
    if 'patchdiff_forbid_rewrite' = any (v_present) then
      alter event trigger patchdiff_forbid_rewrite disable;
    end if;
    return false;
  end if;

  -- An earlier migration by another login would leave it the owner of what now guards.
  alter schema patchdiff_guard owner to current_user;
  alter function patchdiff_guard.forbid_ddl() owner to current_user;
  alter function patchdiff_guard.guard_ddl(boolean) owner to current_user;

  if not 'patchdiff_forbid_ddl' = any (v_present) then
    create event trigger patchdiff_forbid_ddl on ddl_command_end execute function patchdiff_guard.forbid_ddl();
  end if;
  if not 'patchdiff_forbid_drop' = any (v_present) then
    create event trigger patchdiff_forbid_drop on sql_drop execute function patchdiff_guard.forbid_ddl();
  end if;
  if not 'patchdiff_forbid_rewrite' = any (v_present) then
    create event trigger patchdiff_forbid_rewrite on table_rewrite execute function patchdiff_guard.forbid_ddl();
  end if;
  -- Always: session_replication_role = replica would switch an ordinary one off.
  alter event trigger patchdiff_forbid_ddl enable always;
  alter event trigger patchdiff_forbid_drop enable always;
  alter event trigger patchdiff_forbid_rewrite enable always;
  return true;
end;
$$;

comment on function patchdiff_guard.guard_ddl(boolean) is
  'Switches the event triggers that refuse DDL on or off for a migration; false where the caller is no superuser.';
