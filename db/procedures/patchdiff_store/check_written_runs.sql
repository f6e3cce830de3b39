-- Refuses runs of line endings that do not make of the target's current content the bytes that are to be written (PD100),
-- and none for a target whose runs are recorded: they would be lost. The caller holds the target's lock and has found the
-- content to be what its hash says.
create or replace function patchdiff_store.check_written_runs (
  p_target uuid,
  p_runs jsonb,
  p_written_sha256 text,
  p_written_bytes bigint
)
  returns void
  language plpgsql
  stable
as $$
declare
  v_target record;
  v_fault text;
  v_bytes bytea;
begin
  select t.eol_runs, t.source_bom, case when p_runs is not null then t.current_content end as content
  into strict v_target
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;

  if p_runs is null then
    v_fault := case when v_target.eol_runs is not null then 'required, since the endings of each line are recorded' end;
  else
    v_fault := patchdiff_store.eol_runs_fault(
      p_runs, length(v_target.content) - length(replace(v_target.content, e'\n', '')));
    if v_fault is null then
      v_bytes := convert_to(
        case when v_target.source_bom then e'\uFEFF' else '' end || patchdiff_store.restored_text(v_target.content, p_runs), 'UTF8');
      if (patchdiff_store.sha256_hex(v_bytes), octet_length(v_bytes)) is distinct from (p_written_sha256, p_written_bytes) then
        v_fault := 'they do not make the bytes to be written';
      end if;
    end if;
  end if;

  if v_fault is not null then
    raise exception 'p_eol_runs: %', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_eol_runs', 'rule', v_fault)::text,
            hint = 'send the ending of each line of the version, as runs [["crlf", 3], ["lf", 1]]';
  end if;
end;
$$;

comment on function patchdiff_store.check_written_runs(uuid, jsonb, text, bigint) is
  'Refuses runs of line endings that do not make the bytes to be written.';
