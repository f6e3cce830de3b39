-- Every stretch of whole lines that the history wrote on the way to a version, in the order of writing, as parallel
-- arrays: the ledger row that wrote it, [range_from, range_to) in bytes of the buffer right after it, and by how many bytes it moved what stands
-- behind. A splice has one range (written_range); a replacement of the whole has one for each differing stretch of its
-- line diff, from the last to the first. Walks from the initial snapshot; content is the text of that version.
-- The caller has checked the version. Refuses a history that contradicts itself (PD106).
create or replace function patchdiff_store.written_ranges (
  p_target uuid,
  p_version bigint,
  out content bytea,
  out ledger_sequence bigint[],
  out range_from integer[],
  out range_to integer[],
  out growth integer[]
)
  returns record
  language plpgsql
  stable
as $$
declare
  v_version bigint;
  v_hash text;
  v_attempt record;
  v_items jsonb;
  v_change record;
  v_inserted bytea;
  v_range integer[];
  v_line record;
  v_count integer := 0;
begin
  ledger_sequence := '{}';
  range_from := '{}';
  range_to := '{}';
  growth := '{}';
  select s.version, convert_to(s.content, 'UTF8'), s.content_hash
  into v_version, content, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.snapshot_sequence = 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash, patchdiff_store.payload_json(l.pdcp_content) as payload
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target and l.status = 'accepted' and l.after_version <= p_version
    order by l.after_version
  loop
    v_items := patchdiff_store.items_of(v_attempt.payload);
    for v_change in
      select g.ledger_sequence, g.ordinal, g.start_byte, g.deleted_bytes, g.operation
      from patchdiff_store.append_only_manifest_ledger as g
      where g.target_file_id = p_target and g.log_sequence = v_attempt.log_sequence
      order by g.apply_ordinal
    loop
      v_inserted := convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8');
      if v_inserted is null
        or v_change.start_byte < 0
        or v_change.deleted_bytes < 0
        or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(content)
      then
        perform patchdiff_store.raise_history_diverged(p_target, p_version);
      end if;

      if v_change.operation = 'replace_all' then
        -- From the last to the first, so that each one's own old and new bytes are all that has moved.
        for v_line in
          select c.old_from + c.new_to - c.new_from as range_to, c.old_from, c.new_to - c.new_from - c.old_to + c.old_from as growth
          from patchdiff_store.line_changes(content, v_inserted) as c
          order by c.old_from desc, c.new_from desc
        loop
          v_count := v_count + 1;
          ledger_sequence[v_count] := v_change.ledger_sequence;
          range_from[v_count] := v_line.old_from;
          range_to[v_count] := v_line.range_to;
          growth[v_count] := v_line.growth;
        end loop;

        content := v_inserted;
        continue;
      end if;

      continue when v_inserted = substring(content from v_change.start_byte + 1 for v_change.deleted_bytes);
      v_range := patchdiff_store.written_range(content, v_change.start_byte, v_change.deleted_bytes, v_inserted);
      v_count := v_count + 1;
      ledger_sequence[v_count] := v_change.ledger_sequence;
      range_from[v_count] := v_range[1];
      range_to[v_count] := v_range[2];
      growth[v_count] := v_range[3];
      content := overlay(content placing v_inserted from v_change.start_byte + 1 for v_change.deleted_bytes);
    end loop;

    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version is distinct from p_version or patchdiff_store.sha256_hex(content) is distinct from v_hash then
    perform patchdiff_store.raise_history_diverged(p_target, p_version);
  end if;
end;
$$;

comment on function patchdiff_store.written_ranges(uuid, bigint) is
  'Every stretch of whole lines that the history wrote on the way to a version.';
