-- The endings of each line, as recorded with the target, against the chained row that recorded them (the last adoption or the intent of the last
-- publication, else the creation), and against the digest of the bytes that were written or imported then.
create or replace function patchdiff_store.verify_line_endings (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_target record;
  v_last record;
  v_key text := 'target_file_id=' || p_target;
  v_content text;
begin
  select t.eol_runs, t.eol_version, t.source_bom, t.source_line_endings
  into v_target
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not found then
    return;
  end if;

  select w.runs, case when w.runs is not null then w.version end as version, w.sha256
  into v_last
  from (
    select
      nullif(case when pg_input_is_valid(r.detail::text, 'jsonb') then r.detail::jsonb -> 'eol_runs' end, 'null') as runs,
      p.version,
      p.written_sha256 as sha256,
      p.publication_sequence as place
    from patchdiff_store.workspace_publications as p
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = p.target_file_id and i.publication_id = p.intent_publication_id and i.kind = 'intent'
    cross join lateral (select case p.kind when 'adopted' then p.detail else i.detail end as detail) as r
    where p.target_file_id = p_target and p.kind in ('published', 'adopted')
    union all
    select
      nullif(case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb -> 'eol_runs' end, 'null'),
      s.version,
      s.source_sha256,
      0
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ) as w
  order by w.place desc
  limit 1;

  if v_target.eol_runs is distinct from v_last.runs then
    return next row('cloud_target_files', v_key, 'eol_runs', 'not what was recorded last')::patchdiff_store.finding;
  end if;
  if v_target.eol_version is distinct from v_last.version then
    return next row('cloud_target_files', v_key, 'eol_version', 'not the version whose endings were recorded last')::patchdiff_store.finding;
  end if;
  if v_last.runs is null then
    return;
  end if;

  begin
    v_content := patchdiff_store.reconstruct(p_target, v_last.version);
  exception
    -- A history that does not make its own content is found by verify_replay, and nothing can be said of its lines.
    when sqlstate 'PD105' or sqlstate 'PD106' then
      return;
  end;
  if patchdiff_store.eol_runs_fault(v_last.runs, length(v_content) - length(replace(v_content, e'\n', ''))) is not null
    or patchdiff_store.sha256_hex(convert_to(
      case when v_target.source_bom then e'\uFEFF' else '' end || patchdiff_store.restored_text(v_content, v_last.runs), 'UTF8'
    )) is distinct from v_last.sha256
  then
    return next row('cloud_target_files', v_key, 'eol_runs', 'they do not make the bytes that were written or imported')::patchdiff_store.finding;
  end if;
end;
$$;

comment on function patchdiff_store.verify_line_endings(uuid) is
  'What is wrong with the recorded endings of a target''s lines; no rows when nothing is.';
