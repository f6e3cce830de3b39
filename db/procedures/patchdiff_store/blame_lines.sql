-- The lines of a version without their LF, each with the ledger row that last wrote it, null for one of the initial upload.
-- The caller has checked the version. Refuses a history that contradicts itself (PD106).
create or replace function patchdiff_store.blame_lines (
  p_target uuid,
  p_version bigint
)
  returns table (line_number integer, line_text text, ledger_sequence bigint)
  language plpgsql
  stable
as $$
declare
  v_history record;
  v_text text;
begin
  select w.* into v_history from patchdiff_store.written_ranges(p_target, p_version) as w;
  v_text := convert_from(v_history.content, 'UTF8');
  return query
  select u.place::integer, rtrim(u.line, chr(10)), w.ledger_sequence
  from unnest(
    patchdiff_store.lines_of(v_text),
    patchdiff_store.line_writers(v_text, v_history.range_from, v_history.range_to, v_history.growth)
  ) with ordinality as u(line, writer, place)
  left join unnest(v_history.ledger_sequence) with ordinality as w(ledger_sequence, number) on w.number = u.writer;
exception
  when character_not_in_repertoire then
    -- As in reconstruct.
    perform patchdiff_store.raise_history_diverged(p_target, p_version);
end;
$$;

comment on function patchdiff_store.blame_lines(uuid, bigint) is
  'The lines of a version, each with the ledger row that last wrote it.';
