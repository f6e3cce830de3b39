-- What is wrong with the observations of a target and with the bundles that name them: each scope is cut anew from the text of the
-- version that was observed, and an accepted bundle keeps of its observation what stands in it.
create or replace function patchdiff_store.verify_observations (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.scope_observations;
  v_version bigint := -1;
  v_content bytea;
  v_chars integer;
  v_cut patchdiff_store.observed_scopes[];
begin
  for v_row in
    select o.* from patchdiff_store.scope_observations as o where o.target_file_id = p_target order by o.version, o.observation_sequence
  loop
    if v_version <> v_row.version then
      begin
        v_content := patchdiff_store.carry_content(p_target, v_version, v_content, v_row.version);
        v_chars := length(v_content, 'UTF8');
      exception
        when others then
          -- A history that contradicts itself is another check's finding.
          v_content := null;
      end;
      v_version := v_row.version;
    end if;

    return query
    select 'scope_observations', 'observation_sequence=' || v_row.observation_sequence, f.column_name, f.problem
    from (values
      ('version', 'there is no such version', v_content is null),
      ('content_hash', 'not the hash of the version that was observed', v_row.content_hash <> patchdiff_store.sha256_hex(v_content)),
      ('scope_count', 'not the number of its scopes', v_row.scope_count <> (
        select count(*)
        from patchdiff_store.observed_scopes as s
        where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence
      )),
      ('editing_cycle', 'not the cycle that was open', v_row.editing_cycle is distinct from (
        select max(s.editing_cycle)
        from patchdiff_store.target_snapshots as s
        where s.target_file_id = p_target and s.chain_sequence < v_row.chain_sequence
      ))
    ) as f(column_name, problem, broken)
    where f.broken;
    -- What the caller said of a scope nothing else can contradict.
    return query
    select 'observed_scopes', 'scope_sequence=' || s.scope_sequence, 'name', 'the row, a scope beside it or its observation is not what was hashed'
    from patchdiff_store.observed_scopes as s
    where s.target_file_id = p_target
    and s.observation_sequence = v_row.observation_sequence
    and v_row.row_hash is distinct from sha256(v_row.prev_hash || patchdiff_store.observation_encoding(v_row) || coalesce((
      select string_agg(patchdiff_store.scope_encoding(e), ''::bytea order by e.ordinal)
      from patchdiff_store.observed_scopes as e
      where e.target_file_id = p_target and e.observation_sequence = v_row.observation_sequence
    ), ''));
    continue when v_content is null;

    begin
      v_cut := array(
        select c
        from patchdiff_store.cut_scopes(v_row, v_content, v_chars, (
          select jsonb_agg(
            jsonb_build_object(
              'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path, 'start', s.start_char, 'end', s.end_char
            )
            order by s.ordinal
          )
          from patchdiff_store.observed_scopes as s
          where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence
        ), 0) as c
      );
    exception
      when data_exception then
        v_cut := '{}';
    end;

    return query
    select
      'observed_scopes',
      'scope_sequence=' || s.scope_sequence,
      f.column_name,
      'not what the text of the version gives'
    from patchdiff_store.observed_scopes as s
    left join unnest(v_cut) as c on c.ordinal = s.ordinal
    cross join lateral (values
      ('scope_id', s.scope_id is distinct from c.scope_id),
      ('scope_text', s.scope_text is distinct from c.scope_text),
      ('scope_sha256', s.scope_sha256 is distinct from c.scope_sha256),
      ('start_byte', s.start_byte is distinct from c.start_byte),
      ('end_byte', s.end_byte is distinct from c.end_byte),
      ('first_line', s.first_line is distinct from c.first_line),
      ('last_line', s.last_line is distinct from c.last_line)
    ) as f(column_name, broken)
    where s.target_file_id = p_target and s.observation_sequence = v_row.observation_sequence and f.broken;
  end loop;

  return query
  select 'append_only_pdcp_logs', 'log_sequence=' || l.log_sequence, 'pdcp_content', 'keeps another observation than the one that it names'
  from patchdiff_store.append_only_pdcp_logs as l
  cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
  where l.target_file_id = p_target
  and l.protocol_version = 'patchdiff-observed-batch/1'
  and l.status = 'accepted'
  and p.payload -> 'observation' is distinct from patchdiff_store.observation_of(p_target, p.payload)
  union all
  select 'observed_scopes', 'scope_sequence=' || s.scope_sequence, f.column_name, f.problem
  from (
    select
      s.*,
      row_number() over (order by s.observation_sequence, s.ordinal) as place,
      row_number() over (partition by s.observation_sequence order by s.scope_sequence) as rank,
      o.target_file_id is not null as is_observed
    from patchdiff_store.observed_scopes as s
    left join patchdiff_store.scope_observations as o
      on o.target_file_id = s.target_file_id and o.observation_sequence = s.observation_sequence
    where s.target_file_id = p_target
  ) as s
  cross join lateral (values
    ('scope_sequence', 'not its place among the observed scopes', s.scope_sequence <> s.place),
    ('ordinal', 'not its place in its observation', s.ordinal <> s.rank),
    ('observation_sequence', 'the row belongs to no observation', not s.is_observed)
  ) as f(column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'scope_sequence', 'not the sequence of the last observed scope'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.scope_sequence <> coalesce((
    select max(s.scope_sequence) from patchdiff_store.observed_scopes as s where s.target_file_id = p_target
  ), 0)
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'observation_sequence', 'not the sequence of the last observation'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.observation_sequence <> coalesce((
    select max(o.observation_sequence) from patchdiff_store.scope_observations as o where o.target_file_id = p_target
  ), 0);
end;
$$;

comment on function patchdiff_store.verify_observations(uuid) is
  'What is wrong with the observations of a target; no rows when nothing is.';
