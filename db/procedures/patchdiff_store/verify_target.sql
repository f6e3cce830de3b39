-- Everything that can be checked about one target, one row a finding. Reads one snapshot (stable), locks nothing, and
-- is linear in the history. Refuses an id that nothing in the store mentions (PD104) and half a noted head, which would
-- prove nothing and look as if it had (PD100); its hash is read in either case.
create or replace function patchdiff_store.verify_target (
  p_target uuid,
  p_noted_sequence bigint,
  p_noted_hash text
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_row boolean := exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target);
  v_head boolean := exists (select from patchdiff_store.target_heads as h where h.target_file_id = p_target);
begin
  if (p_noted_sequence is null) <> (p_noted_hash is null) then
    raise exception 'p_noted_sequence and p_noted_hash belong together'
      using errcode = 'PD100',
            detail = json_build_object(
              'argument', case when p_noted_hash is null then 'p_noted_hash' else 'p_noted_sequence' end,
              'rule', 'both, or neither'
            )::text,
            hint = 'send the sequence and the hash as chain_head or a receipt answered them';
  end if;
  perform patchdiff_store.check_digest('p_noted_hash', lower(p_noted_hash), false);

  if not patchdiff_store.is_mentioned(p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if not v_row then
    return next row('cloud_target_files', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  if not v_head then
    return next row('target_heads', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  return query select f.* from patchdiff_store.verify_chain(p_target, p_noted_sequence, lower(p_noted_hash)) as f;
  return query select f.* from patchdiff_store.verify_missing(p_target) as f;
  return query select f.* from patchdiff_store.verify_creation(p_target) as f;
  return query select f.* from patchdiff_store.verify_line_endings(p_target) as f;
  return query select f.* from patchdiff_store.verify_attempts(p_target) as f;
  return query select f.* from patchdiff_store.verify_ledger(p_target) as f;
  return query select f.* from patchdiff_store.verify_snapshots(p_target) as f;
  return query select f.* from patchdiff_store.verify_publications(p_target) as f;
  return query select f.* from patchdiff_store.verify_rebindings(p_target) as f;
  return query select f.* from patchdiff_store.verify_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_save_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_observations(p_target) as f;
  return query select f.* from patchdiff_store.verify_replay(p_target) as f;
end;
$$;

comment on function patchdiff_store.verify_target(uuid, bigint, text) is
  'Every finding about one target; no rows when nothing is wrong.';
