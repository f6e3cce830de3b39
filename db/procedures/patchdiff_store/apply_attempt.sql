-- Applies an accepted attempt's recorded splices to the bytes of the buffer before it: positions from its ledger rows, replacement
-- texts (LF-canonical) from its payload by ordinal, so nothing is matched again. Null when the rows and the payload do
-- not fit the buffer or each other. Bytes, because overlay on text costs a hundred times as much on a large document.
create or replace function patchdiff_store.apply_attempt (
  p_buffer bytea,
  p_target uuid,
  p_log_sequence bigint
)
  returns bytea
  language plpgsql
  stable
as $$
declare
  v_buffer bytea := p_buffer;
  v_payload jsonb;
  v_items jsonb;
  v_change record;
begin
  select patchdiff_store.payload_json(l.pdcp_content)
  into v_payload
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target and l.log_sequence = p_log_sequence;
  v_items := patchdiff_store.items_of(v_payload);

  for v_change in
    select g.ordinal, g.start_byte, g.deleted_bytes
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target and g.log_sequence = p_log_sequence
    order by g.apply_ordinal
  loop
    -- overlay clamps silently beyond the end.
    if v_change.start_byte < 0
      or v_change.deleted_bytes < 0
      or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(v_buffer)
    then
      return null;
    end if;
    v_buffer := overlay(
      v_buffer
      placing convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8')
      from v_change.start_byte + 1
      for v_change.deleted_bytes
    );
  end loop;
  return v_buffer;
end;
$$;

comment on function patchdiff_store.apply_attempt(bytea, uuid, bigint) is
  'The bytes after an accepted attempt''s recorded splices, or null when they do not fit.';
