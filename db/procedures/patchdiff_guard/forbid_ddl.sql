-- Event trigger function: refuses DDL on objects of the patchdiff schemas, however reached (PD002): changed, dropped,
-- rewritten, moved out of their schema, given to another owner, inherited from, ruled, cast, or opened by a grant.
-- It stops the owner role, whom table triggers and grants do not stop; a superuser can switch event triggers off, and
-- what is then edited is found by the chain. REINDEX is maintenance and passes.
-- It stands in a schema of the migrating superuser: in one of its own, the owner role could replace or drop it, and what
-- judges the replacement would be the replacement.
create or replace function patchdiff_guard.forbid_ddl ()
  returns event_trigger
  language plpgsql
  volatile
  set search_path = '', pg_temp
as $$
declare
  v_schemas constant text[] := array['patchdiff', 'patchdiff_audit', 'patchdiff_store', 'patchdiff_guard'];
  v_inside constant text := '(^| on )patchdiff(_audit|_store|_guard)?(\.|$)';
  v_owner constant oid := (select r.oid from pg_catalog.pg_roles as r where r.rolname = 'patchdiff_owner');
  v_object text;
begin
  if tg_event = 'table_rewrite' then
    select c.oid::pg_catalog.regclass::text
    into v_object
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid = pg_catalog.pg_event_trigger_table_rewrite_oid()
    and (n.nspname = any (v_schemas) or c.relowner = v_owner);
  elsif tg_event = 'sql_drop' then
    select o.object_identity
    into v_object
    from pg_catalog.pg_event_trigger_dropped_objects() as o
    where o.schema_name = any (v_schemas)
    or o.object_identity ~ v_inside
    limit 1;
  elsif tg_tag = 'REINDEX' then
    return;
  else
    select coalesce(o.object_identity, o.command_tag)
    into v_object
    from pg_catalog.pg_event_trigger_ddl_commands() as o
    where o.schema_name = any (v_schemas)
    or o.object_identity ~ v_inside
    -- Moved out of the schemas, this is all that still tells whose it is.
    or exists (
      select from pg_catalog.pg_class as c
      where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.oid = o.objid and c.relowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_proc as p
      where o.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and p.oid = o.objid and p.proowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_type as t
      where o.classid = 'pg_catalog.pg_type'::pg_catalog.regclass and t.oid = o.objid and t.typowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_inherits as i
      join pg_catalog.pg_class as c on c.oid = i.inhparent
      where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and i.inhrelid = o.objid and c.relowner = v_owner
    )
    limit 1;

    -- A cast works everywhere, whatever schema its types are in, and its identity begins with a parenthesis.
    if v_object is null and tg_tag = 'CREATE CAST' then
      select o.object_identity
      into v_object
      from pg_catalog.pg_event_trigger_ddl_commands() as o
      join pg_catalog.pg_cast as c on o.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass and c.oid = o.objid
      join pg_catalog.pg_type as t on t.oid in (c.castsource, c.casttarget)
      where t.typowner = v_owner
      limit 1;
    end if;

    -- A renamed or reassigned schema, and a grant, name no object that could be looked at.
    if v_object is null and 3 <> (
      select count(*) from pg_catalog.pg_namespace as n where n.nspname = any (v_schemas) and n.nspowner = v_owner
    ) then
      v_object := 'patchdiff schemas';
    end if;

    if v_object is null and tg_tag in ('GRANT', 'ALTER DEFAULT PRIVILEGES') then
      -- Rights that the migrations do not give: of PUBLIC and of roles other than ours, of writing, of execution beyond the
      -- entry points of a role, grant options, and default privileges for anyone but the owner. Looked at as it stands
      -- after the grant, whose event names no object; here, because the owner may not call into this schema.
      -- An object of null stands for every object of its kind in the schema.
      with allowed (kind, nspname, grantee, privilege, object) as (
        select v.kind, v.nspname, r.oid, v.privilege, v.object
        from (values
          ('schema', 'patchdiff', 'patchdiff_writer', 'USAGE', null),
          ('schema', 'patchdiff', 'patchdiff_auditor', 'USAGE', null),
          ('schema', 'patchdiff_audit', 'patchdiff_writer', 'USAGE', null),
          ('schema', 'patchdiff_audit', 'patchdiff_auditor', 'USAGE', null),
          ('schema', 'patchdiff_store', 'patchdiff_auditor', 'USAGE', null),
          ('relation', 'patchdiff_audit', 'patchdiff_writer', 'SELECT', null),
          ('relation', 'patchdiff_audit', 'patchdiff_auditor', 'SELECT', null),
          ('relation', 'patchdiff_store', 'patchdiff_auditor', 'SELECT', null),
          ('routine', 'patchdiff', 'patchdiff_writer', 'EXECUTE', null),
          ('routine', 'patchdiff', 'patchdiff_auditor', 'EXECUTE', 'patchdiff.subscribe_commits(text,interval)'),
          ('routine', 'patchdiff', 'patchdiff_auditor', 'EXECUTE', 'patchdiff.unsubscribe_commits(text)'),
          ('routine', 'patchdiff_audit', 'patchdiff_writer', 'EXECUTE', null),
          ('routine', 'patchdiff_audit', 'patchdiff_auditor', 'EXECUTE', null)
        ) as v (kind, nspname, role, privilege, object)
        join pg_catalog.pg_roles as r on r.rolname = v.role
      ),
      ours as (
        select n.oid, n.nspname::text as nspname, n.nspowner, n.nspacl
        from pg_catalog.pg_namespace as n
        where n.nspname = any (v_schemas)
      ),
      held (name, kind, nspname, owner, acl) as (
        select o.nspname, 'schema', o.nspname, o.nspowner, o.nspacl
        from ours as o
        union all
        select c.oid::pg_catalog.regclass::text, 'relation', o.nspname, c.relowner, c.relacl
        from pg_catalog.pg_class as c
        join ours as o on o.oid = c.relnamespace
        union all
        select c.oid::pg_catalog.regclass::text, 'relation', o.nspname, c.relowner, a.attacl
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_class as c on c.oid = a.attrelid
        join ours as o on o.oid = c.relnamespace
        union all
        -- Without an entry PUBLIC may execute.
        select p.oid::pg_catalog.regprocedure::text, 'routine', o.nspname, p.proowner,
          coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))
        from pg_catalog.pg_proc as p
        join ours as o on o.oid = p.pronamespace
        union all
        select 'default privileges', 'default', null, d.defaclrole, d.defaclacl
        from pg_catalog.pg_default_acl as d
        where d.defaclrole = v_owner or d.defaclnamespace in (select o.oid from ours as o)
        union all
        -- And without a row of default privileges PUBLIC gets what new functions and types give by themselves.
        select 'default privileges', 'default', null, v_owner, pg_catalog.acldefault(k.kind, v_owner)
        from (values ('f'::"char"), ('T')) as k (kind)
        where not exists (
          select
          from pg_catalog.pg_default_acl as d
          where d.defaclrole = v_owner and d.defaclnamespace = 0 and d.defaclobjtype = k.kind
        )
      )
      select h.name
      into v_object
      from held as h
      cross join lateral pg_catalog.aclexplode(h.acl) as a
      where a.grantee <> h.owner
      and (a.is_grantable or not exists (
        select
        from allowed as w
        where w.kind = h.kind and w.nspname = h.nspname and w.grantee = a.grantee and w.privilege = a.privilege_type
        and (w.object is null or w.object = h.name)
      ))
      limit 1;
    end if;
  end if;

  if v_object is not null then
    raise exception '% refused: % belongs to PatchDIFF', tg_tag, v_object
      using errcode = 'PD002',
            detail = pg_catalog.json_build_object('command', tg_tag, 'object', v_object)::text,
            hint = 'change it in a migration; a superuser opens it with: select patchdiff_guard.guard_ddl(false)';
  end if;
end;
$$;

comment on function patchdiff_guard.forbid_ddl() is
  'Event trigger function that refuses DDL on objects of the patchdiff schemas with PD002.';
