-- pgTAP itself is there, and the schemas are those of the template.
begin;
select plan(2);
select has_schema('patchdiff');
select has_schema('patchdiff_store');
select * from finish();
rollback;
