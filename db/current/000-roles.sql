-- Who may do what: patchdiff_owner owns every object and cannot log in; patchdiff_writer may execute the API;
-- patchdiff_auditor may read. All three are groups: logins are granted membership, or a launcher gives a role a
-- password. Roles belong to the whole server, so this file finds them already there in a second database.
-- Runs for a superuser, and for the owner of the database who holds CREATEROLE.
do $$
declare
  v_role name;
begin
  if pg_catalog.current_setting('server_version_num')::integer < 160000 then
    raise exception 'PostgreSQL 16 or newer is required, this is %', pg_catalog.current_setting('server_version')
      using errcode = 'PD003',
            detail = pg_catalog.json_build_object('server_version', pg_catalog.current_setting('server_version'))::text,
            hint = 'install into a server of version 16 or newer';
  end if;

  if pg_catalog.current_setting('server_encoding') <> 'UTF8' then
    raise exception 'the database must be encoded in UTF8, it is %', pg_catalog.current_setting('server_encoding')
      using errcode = 'PD003',
            detail = pg_catalog.json_build_object('server_encoding', pg_catalog.current_setting('server_encoding'))::text,
            hint = 'create the database with: create database … template template0 encoding ''UTF8''';
  end if;

  foreach v_role in array array['patchdiff_owner', 'patchdiff_writer', 'patchdiff_auditor'] loop
    if not exists (select from pg_catalog.pg_roles as r where r.rolname = v_role) then
      begin
        execute pg_catalog.format('create role %I nologin', v_role);
      exception
        -- Another database of this server was migrated at the same moment.
        when duplicate_object or unique_violation then null;
      end;
    end if;

    if not pg_catalog.pg_has_role(current_user, v_role, 'SET') then
      begin
        execute pg_catalog.format('grant %I to %I with inherit false, set true', v_role, current_user);
      exception
        when insufficient_privilege then
          raise exception 'the migrating role % cannot act as %', current_user, v_role
            using errcode = 'PD004',
                  detail = pg_catalog.json_build_object('migrating_role', current_user, 'role', v_role)::text,
                  hint = pg_catalog.format(
                    'let a superuser run: grant %I to %I with inherit false, set true', v_role, current_user);
      end;
    end if;
  end loop;
end;
$$;

-- Before the first object exists, so that none is ever open to PUBLIC.
set local role patchdiff_owner;
alter default privileges revoke all on tables from public;
alter default privileges revoke all on sequences from public;
alter default privileges revoke all on functions from public;
alter default privileges revoke all on types from public;
alter default privileges revoke all on schemas from public;
reset role;
