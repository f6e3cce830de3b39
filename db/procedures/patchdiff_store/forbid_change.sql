-- Trigger function of every append-only table: refuses UPDATE, DELETE and TRUNCATE (PD001); and of the targets and their
-- heads, which are updated but never removed: DELETE and TRUNCATE.
-- Statement level, so that a statement that would touch no row is refused too, and so are ON CONFLICT DO UPDATE
-- and MERGE; the triggers are ENABLE ALWAYS, so session_replication_role does not switch them off.
create or replace function patchdiff_store.forbid_change ()
  returns trigger
  language plpgsql
  volatile
  set search_path = '', pg_temp
as $$
begin
  raise exception '% of %.% refused: history is kept', tg_op, tg_table_schema, tg_table_name
    using errcode = 'PD001',
          detail = pg_catalog.json_build_object('table', tg_table_name, 'operation', tg_op)::text,
          hint = 'append a correcting row through the API instead; nothing of a target is ever removed';
end;
$$;

comment on function patchdiff_store.forbid_change() is
  'Trigger function that refuses UPDATE, DELETE and TRUNCATE of a table that keeps history with PD001.';
