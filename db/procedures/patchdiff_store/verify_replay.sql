-- The history of a target, replayed from its initial snapshot by splices: every fact, every result hash, and at the end
-- the stored content, hash, version and sizes. Stops at the first attempt whose result is not the recorded one, since
-- nothing after it could be judged; the stored row is judged by its own hash in any case.
create or replace function patchdiff_store.verify_replay (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_buffer bytea;
  v_version bigint;
  v_hash text;
  v_attempt record;
  v_sound boolean := true;
begin
  select convert_to(s.content, 'UTF8'), s.version, s.content_hash
  into v_buffer, v_version, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.snapshot_sequence = 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target and l.status = 'accepted'
    order by l.log_sequence
  loop
    return query
    select f.* from patchdiff_store.verify_attempt_replay(v_buffer, p_target, v_attempt.log_sequence) as f;
    v_buffer := patchdiff_store.apply_attempt(v_buffer, p_target, v_attempt.log_sequence);
    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
    v_sound := patchdiff_store.sha256_hex(v_buffer) is not distinct from v_hash;
    if not v_sound then
      return next row('append_only_pdcp_logs', 'log_sequence=' || v_attempt.log_sequence, 'after_hash',
        'not the hash of what its splices make of the content before')::patchdiff_store.finding;
      exit;
    end if;
  end loop;

  if v_sound then
    return query
    select 'cloud_target_files', 'target_file_id=' || t.target_file_id, f.column_name, f.problem
    from patchdiff_store.cloud_target_files as t
    cross join lateral (
      values
        ('current_content', 'not the content that the history makes', convert_to(t.current_content, 'UTF8') is distinct from v_buffer),
        ('current_hash', 'not the hash that the history makes', t.current_hash is distinct from v_hash),
        ('version', 'not the version that the history makes', t.version is distinct from v_version)
    ) as f (column_name, problem, broken)
    where t.target_file_id = p_target and f.broken
    union all
    select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
    from patchdiff_store.target_heads as h
    cross join lateral (
      values
        ('accepted_version', 'not the version that the history makes', h.accepted_version is distinct from v_version),
        ('accepted_hash', 'not the hash that the history makes', h.accepted_hash is distinct from v_hash)
    ) as f (column_name, problem, broken)
    where h.target_file_id = p_target and f.broken;
  end if;

  return query
  select 'cloud_target_files', 'target_file_id=' || t.target_file_id, f.column_name, f.problem
  from patchdiff_store.cloud_target_files as t
  cross join lateral (
    values
      ('current_content', 'does not hash to current_hash',
        patchdiff_store.sha256_hex(convert_to(t.current_content, 'UTF8')) <> t.current_hash),
      ('content_bytes', 'not the size of the content', t.content_bytes <> octet_length(t.current_content)),
      ('content_chars', 'not the length of the content', t.content_chars <> length(t.current_content))
  ) as f (column_name, problem, broken)
  where t.target_file_id = p_target and f.broken;
end;
$$;

comment on function patchdiff_store.verify_replay(uuid) is
  'What is wrong between a target''s history and its stored content; no rows when nothing is.';
