-- The runs of line endings that a creation records, for the column eol_runs: none for a uniform style; else those that were
-- sent, which source_facts has checked, or those of the text as sent when it is the source itself. Null when which line
-- has which is not known.
create or replace function patchdiff_store.source_runs (
  p_source jsonb,
  p_sent text,
  p_facts jsonb
)
  returns jsonb
  language sql
  immutable
as $$
  select case when p_facts ->> 'style' = 'mixed' then
    case when p_source is null then patchdiff_store.eol_runs_of(p_sent) else nullif(p_source -> 'eol_runs', 'null') end
  end
$$;

comment on function patchdiff_store.source_runs(jsonb, text, jsonb) is
  'The runs of line endings that a creation records, or null.';
