-- What the schemas hold, who owns it, and that nothing is without a comment.
begin;
select plan(14);

select schemas_are(
  array['patchdiff', 'patchdiff_audit', 'patchdiff_store', 'patchdiff_guard', 'graphile_migrate', 'public', 'tap']
);

select tables_are('patchdiff_store', array[
  'cloud_target_files', 'target_heads', 'append_only_pdcp_logs', 'append_only_manifest_ledger', 'request_keys',
  'target_snapshots', 'editing_cycles', 'workspace_publications', 'workspace_bindings', 'commit_subscriptions', 'scope_observations', 'observed_scopes'
]);
select tables_are('patchdiff', '{}'::name[]);
select tables_are('patchdiff_audit', '{}'::name[]);
select views_are('patchdiff_audit', array['targets', 'attempts', 'changes', 'cycles', 'publications', 'open_publications', 'adoptions', 'bindings', 'observations']);

select functions_are('patchdiff', array[
  'commit_attempt', 'create_target', 'save_target', 'open_publication', 'lock_publication', 'record_publication', 'adopt_disk', 'rebind_target', 'observe_scopes', 'read_observation',
  'list_targets', 'read_target', 'read_head', 'read_attempts', 'read_attempt', 'read_ledger', 'find_binding',
  'read_open_publications', 'read_recent_changes', 'lock_history', 'read_history', 'read_line_endings', 'preview_facts', 'preview_recovery',
  'commit_match', 'commit_spans', 'commit_replacement', 'subscribe_commits', 'unsubscribe_commits'
]);
select functions_are('patchdiff_audit', array[
  'reconstruct', 'version_at', 'chain_head', 'retry_tree', 'verify_target', 'verify_all', 'blame', 'diff', 'changes_between'
]);

select is_empty($$
  select c.oid::regclass from pg_class as c
  where c.relnamespace in (select n.oid from pg_namespace as n where n.nspname like 'patchdiff%')
  and c.relowner <> 'patchdiff_owner'::regrole
$$, 'every relation belongs to patchdiff_owner');
select is_empty($$
  select p.oid::regprocedure from pg_proc as p
  where p.pronamespace in (select n.oid from pg_namespace as n where n.nspname like 'patchdiff%')
  and (p.proowner = 'patchdiff_owner'::regrole) = (p.pronamespace = 'patchdiff_guard'::regnamespace)
$$, 'every routine belongs to patchdiff_owner, save those that guard against it');

select is_empty($$
  select n.nspname::text from pg_namespace as n
  where n.nspname like 'patchdiff%' and obj_description(n.oid, 'pg_namespace') is null
  union all
  select c.oid::regclass::text from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname like 'patchdiff%' and c.relkind in ('r', 'v') and obj_description(c.oid, 'pg_class') is null
  union all
  select p.oid::regprocedure::text from pg_proc as p
  join pg_namespace as n on n.oid = p.pronamespace
  where n.nspname like 'patchdiff%' and obj_description(p.oid, 'pg_proc') is null
  union all
  select t.oid::regtype::text from pg_type as t
  join pg_namespace as n on n.oid = t.typnamespace
  join pg_class as c on c.oid = t.typrelid
  where n.nspname like 'patchdiff%' and c.relkind = 'c' and obj_description(t.oid, 'pg_type') is null
$$, 'every schema, relation, routine and type has a comment');
select is_empty($$
  select c.oid::regclass || '.' || a.attname from pg_attribute as a
  join pg_class as c on c.oid = a.attrelid
  join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname like 'patchdiff%' and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
  and col_description(c.oid, a.attnum) is null
$$, 'every column of a table has a comment');
select is_empty($$
  select c.oid::regclass from pg_index as i
  join pg_class as c on c.oid = i.indexrelid
  join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname like 'patchdiff%'
  and not exists (select from pg_constraint as k where k.conindid = c.oid)
  and obj_description(c.oid, 'pg_class') is null
$$, 'every index that no constraint explains has a comment');

-- A caller may own a temporary schema, which is searched first for types unless it is named last.
select is_empty($$
  select p.oid::regprocedure from pg_proc as p
  where p.pronamespace in (select n.oid from pg_namespace as n where n.nspname like 'patchdiff%')
  and p.prosecdef
  and not coalesce(p.proconfig, '{}') && array['search_path="", pg_temp']
$$, 'every security definer routine searches pg_temp last');

-- A backstop below every routine that writes.
select is_empty($$
  select c.oid::regclass || '.' || a.attname
  from pg_attribute as a
  join pg_class as c on c.oid = a.attrelid
  where c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind = 'r'
  and a.atttypid = 'text'::regtype and a.attname ~ '(hash|sha256)$'
  and not exists (
    select from pg_constraint as k
    where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum] and pg_get_constraintdef(k.oid) like '%[0-9a-f]{64}%'
  )
$$, 'every digest is checked to be 64 lowercase hexadecimal digits');

select * from finish();
rollback;
