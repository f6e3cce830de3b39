-- The bytes of a target at a version, carried forward from those it had at an earlier one (p_from, p_content): from the last snapshot
-- between the two if there is one, by the accepted attempts after it. So versions in ascending order cost one walk of the history.
-- Null when the history does not lead there, or not to the hash that it records. From nothing: p_from -1, p_content null.
create or replace function patchdiff_store.carry_content (
  p_target uuid,
  p_from bigint,
  p_content bytea,
  p_to bigint
)
  returns bytea
  language plpgsql
  stable
as $$
declare
  v_version bigint := p_from;
  v_buffer bytea := p_content;
  v_hash text;
  v_snapshot record;
  v_attempt record;
begin
  if p_from = p_to then
    return p_content;
  end if;

  select s.version, s.content, s.content_hash
  into v_snapshot
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.version > p_from and s.version <= p_to
  order by s.version desc, s.snapshot_sequence desc
  limit 1;
  if found then
    v_version := v_snapshot.version;
    v_buffer := convert_to(v_snapshot.content, 'UTF8');
    v_hash := v_snapshot.content_hash;
  end if;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    and l.status = 'accepted'
    and l.after_version > v_version
    and l.after_version <= p_to
    order by l.after_version
  loop
    exit when v_buffer is null or v_attempt.after_version <> v_version + 1;
    v_buffer := patchdiff_store.apply_attempt(v_buffer, p_target, v_attempt.log_sequence);
    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version = p_to and patchdiff_store.sha256_hex(v_buffer) = v_hash then
    return v_buffer;
  end if;

  return null;
end;
$$;

comment on function patchdiff_store.carry_content(uuid, bigint, bytea, bigint) is
  'The bytes of a target at a version, carried forward from an earlier one; null when the history does not lead there.';
