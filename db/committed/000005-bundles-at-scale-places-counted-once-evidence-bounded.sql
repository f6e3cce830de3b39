--! Previous: sha1:7959fb94b3c33455601df1036e0916b10fbffc10
--! Hash: sha1:9d2b1ebcf8bc8d2c95b8cde41b9beda7f8a5ceaf
--! Message: Bundles at scale: places counted once, evidence bounded

--! split: 001-current.sql
-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;

-- Kept as it is: the server has no fast compression, and a large scope would be packed at every observation.
alter table patchdiff_store.observed_scopes alter column scope_text set storage external;
--! Included patchdiff_store/carry_content.sql
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
--! EndIncluded patchdiff_store/carry_content.sql
--! Included patchdiff_store/reconstruct.sql
-- A target's content at a version, from the nearest snapshot at or before it and the accepted attempts after that.
-- The result is compared with the hash that the history records for the version, and never answered when it differs
-- (PD106). Refuses an unknown target (PD104) and a version outside 0 … current (PD105). Null: the current version.
create or replace function patchdiff_store.reconstruct (
  p_target uuid,
  p_version bigint
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_wanted bigint := patchdiff_store.check_version(p_target, p_version);
  v_content bytea := patchdiff_store.carry_content(p_target, -1, null, v_wanted);
begin
  if v_content is null then
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
  end if;
  return convert_from(v_content, 'UTF8');
exception
  when character_not_in_repertoire then
    -- Splices that cut a character in two, under a hash that was made to fit.
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
end;
$$;

comment on function patchdiff_store.reconstruct(uuid, bigint) is
  'A target''s content at a version, checked against the recorded hash.';
--! EndIncluded patchdiff_store/reconstruct.sql
--! Included patchdiff_store/blame_lines.sql
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
--! EndIncluded patchdiff_store/blame_lines.sql
--! Included patchdiff_store/verify_save_keys.sql
-- The receipts under the request keys of a target's SAVEs. A receipt names a link of the chain, and what it says of a snapshot
-- is so. Where a SAVE appended the row that settled its key (checkpointed, published, a rejected publication), row and key
-- agree in both directions. That the key itself is as it was recorded, or was not removed, is the chain's to show.
create or replace function patchdiff_store.verify_save_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with settled as (
    select
      'target_snapshots' as table_name,
      'snapshot_sequence=' || s.snapshot_sequence as row_key,
      s.client_request_id,
      s.request_fingerprint,
      'checkpointed' as outcome,
      s.snapshot_id,
      null::uuid as publication_id,
      s.chain_sequence
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.client_request_id is not null
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.client_request_id,
      p.request_fingerprint,
      p.kind,
      null,
      p.intent_publication_id,
      p.chain_sequence
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target and p.client_request_id is not null and p.kind <> 'intent'
  ),
  keys as (
    select k.client_request_id, k.request_fingerprint, r.*
    from patchdiff_store.request_keys as k
    cross join lateral (
      -- What cannot be read is no receipt: the row is found, and verifying goes on.
      select case when pg_input_is_valid(k.save_receipt::text, 'jsonb') then k.save_receipt end as save_receipt
    ) as v
    cross join lateral (
      select
        v.save_receipt ->> 'outcome' as outcome,
        v.save_receipt ->> 'version' as version,
        v.save_receipt ->> 'current_hash' as current_hash,
        v.save_receipt ->> 'snapshot_id' as snapshot_id,
        v.save_receipt ->> 'publication_id' as publication_id,
        v.save_receipt ->> 'chain_sequence' as chain_sequence,
        v.save_receipt ->> 'chain_head' as chain_head
    ) as r
    where k.target_file_id = p_target and k.kind = 'save'
  ),
  links as (
    select l.chain_sequence, l.row_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select s.chain_sequence, s.row_hash
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select p.chain_sequence, p.row_hash
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
    union all
    select o.chain_sequence, o.row_hash
    from patchdiff_store.scope_observations as o
    where o.target_file_id = p_target
    union all
    select q.chain_sequence, q.row_hash
    from patchdiff_store.request_keys as q
    where q.target_file_id = p_target and q.chain_sequence is not null
  )
  select 'request_keys', 'client_request_id=' || k.client_request_id, f.column_name, f.problem
  from keys as k
  left join patchdiff_store.target_snapshots as s
    on s.target_file_id = p_target and s.snapshot_id::text = k.snapshot_id
  left join settled as w
    on w.client_request_id = k.client_request_id
    and w.outcome = k.outcome
    and w.chain_sequence::text = k.chain_sequence
  -- Joined and not looked up, so that the work is linear.
  left join (
    select distinct a.chain_sequence::text as chain_sequence, encode(a.row_hash, 'hex') as chain_head from links as a
  ) as l
    on l.chain_sequence = k.chain_sequence and l.chain_head = k.chain_head
  cross join lateral (
    values
      ('save_receipt', 'its chain head is no link of the chain', l.chain_head is null),
      ('save_receipt', 'not what its snapshot says', k.outcome in ('checkpointed', 'unchanged') and (
        s.version::text is distinct from k.version or s.content_hash is distinct from k.current_hash
      )),
      ('save_receipt', 'no row of a SAVE under this key says so',
        (
          k.outcome in ('checkpointed', 'published')
          or k.publication_id is not null
          or k.client_request_id in (select z.client_request_id from settled as z)
        ) and (
          w.outcome is null
          or (w.outcome = 'checkpointed' and w.snapshot_id::text is distinct from k.snapshot_id)
          or (w.outcome <> 'checkpointed' and w.publication_id::text is distinct from k.publication_id)
        )),
      ('request_fingerprint', 'not that of the row which settled the key', w.request_fingerprint <> k.request_fingerprint)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select w.table_name, w.row_key, 'client_request_id', 'the key is not registered for this row'
  from settled as w
  where not exists (
    select
    from keys as k
    where k.client_request_id = w.client_request_id
    and coalesce(k.snapshot_id = w.snapshot_id::text, k.publication_id = w.publication_id::text)
  )
$$;

comment on function patchdiff_store.verify_save_keys(uuid) is
  'What is wrong with the request keys of a target''s SAVEs; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_save_keys.sql
--! Included patchdiff_store/verify_splice.sql
-- One ledger row against the buffer it was applied to: the splice lies inside, what it replaces is what the payload
-- says, and the recorded facts are those of the buffer. Problems by column; the caller applies the splice itself.
create or replace function patchdiff_store.verify_splice (
  p_buffer bytea,
  p_change patchdiff_store.append_only_manifest_ledger,
  p_item jsonb
)
  returns table (column_name text, problem text)
  language sql
  immutable
as $$
  select f.column_name, f.problem
  from (
    select
      length(substring(p_buffer from 1 for p_change.start_byte), 'UTF8') as span_start,
      substring(p_buffer from p_change.start_byte + 1 for p_change.deleted_bytes) as matched,
      convert_to(patchdiff_store.lf(p_item ->> 'replace'), 'UTF8') as replacement,
      convert_to(patchdiff_store.lf(coalesce(p_item ->> 'match', p_item ->> 'expected_text')), 'UTF8') as expected
    -- Each of them once: a place costs a reading of all that stands before it.
    offset 0
  ) as s
  cross join lateral (
    select length(s.matched, 'UTF8') as matched_chars, length(s.replacement, 'UTF8') as replacement_chars
  ) as n
  cross join lateral (
    values
      ('start_byte', 'the text there is not the one that the payload matched', s.expected is not null and s.matched <> s.expected),
      ('start_byte', 'not where the payload''s span begins', p_item ? 'start' and s.span_start::text <> p_item ->> 'start'),
      ('deleted_bytes', 'not the size of the text that the payload matched',
        s.expected is not null and p_change.deleted_bytes <> octet_length(s.expected)),
      ('deleted_bytes', 'a replacement of the whole does not cover it',
        p_change.operation = 'replace_all' and octet_length(s.matched) <> octet_length(p_buffer)),
      ('inserted_bytes', 'not the size of the replacement', p_change.inserted_bytes is distinct from octet_length(s.replacement)),
      ('derived_json', 'span_start differs', p_change.derived_json ->> 'span_start' is distinct from s.span_start::text),
      ('derived_json', 'span_end differs',
        p_change.derived_json ->> 'span_end' is distinct from (s.span_start + n.matched_chars)::text),
      ('derived_json', 'matched_chars differs', p_change.derived_json ->> 'matched_chars' is distinct from n.matched_chars::text),
      ('derived_json', 'replacement_chars differs',
        p_change.derived_json ->> 'replacement_chars' is distinct from n.replacement_chars::text),
      ('derived_json', 'matched_sha256 differs',
        p_change.derived_json ->> 'matched_sha256' is distinct from patchdiff_store.sha256_hex(s.matched)),
      ('derived_json', 'replacement_sha256 differs',
        p_change.derived_json ->> 'replacement_sha256' is distinct from patchdiff_store.sha256_hex(s.replacement))
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_splice(bytea, patchdiff_store.append_only_manifest_ledger, jsonb) is
  'What is wrong with one ledger row, given the buffer it was applied to and its item of the payload.';
--! EndIncluded patchdiff_store/verify_splice.sql
--! Included patchdiff_store/verify_observations.sql
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
--! EndIncluded patchdiff_store/verify_observations.sql
--! Included patchdiff_store/cut_scopes.sql
-- The scopes of an observation, cut from the bytes of its content: text, digest, byte offsets, lines and id are computed here, kind,
-- name, path and range are the caller's. p_before: observed scopes of the target before these. Positions are code points, lines count from 1.
-- They come by ascending start, so that places are counted from the one before and the whole costs one reading of the content.
create or replace function patchdiff_store.cut_scopes (
  p_observation patchdiff_store.scope_observations,
  p_content bytea,
  p_chars integer,
  p_scopes jsonb,
  p_before bigint
)
  returns setof patchdiff_store.observed_scopes
  language plpgsql
  stable
as $$
declare
  v_bytes integer := octet_length(p_content);
  v_mark_chars integer := 0;
  v_mark_bytes integer := 0;
  v_line integer := 1;
  v_between text;
  v_scope record;
  v_row patchdiff_store.observed_scopes;
begin
  for v_scope in
    select
      s.position::integer as ordinal,
      s.scope ->> 'kind' as kind,
      s.scope ->> 'name' as name,
      s.scope ->> 'qualified_path' as qualified_path,
      (s.scope ->> 'start')::integer as start_char,
      (s.scope ->> 'end')::integer as end_char
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by start_char, s.position
  loop
    v_row.target_file_id := p_observation.target_file_id;
    v_row.observation_sequence := p_observation.observation_sequence;
    v_row.scope_sequence := p_before + v_scope.ordinal;
    v_row.ordinal := v_scope.ordinal;
    v_row.start_char := v_scope.start_char;
    v_row.end_char := v_scope.end_char;
    v_row.start_byte := patchdiff_store.prefix_bytes(p_content, v_scope.start_char, v_mark_bytes, v_mark_chars, v_bytes, p_chars);
    v_row.end_byte := patchdiff_store.prefix_bytes(p_content, v_scope.end_char, v_row.start_byte, v_scope.start_char, v_bytes, p_chars);
    v_row.kind := v_scope.kind;
    v_row.name := v_scope.name;
    v_row.qualified_path := v_scope.qualified_path;
    v_row.scope_text := convert_from(substring(p_content from v_row.start_byte + 1 for v_row.end_byte - v_row.start_byte), 'UTF8');
    v_row.scope_sha256 := patchdiff_store.sha256_hex(convert_to(v_row.scope_text, 'UTF8'));
    v_between := convert_from(substring(p_content from v_mark_bytes + 1 for v_row.start_byte - v_mark_bytes), 'UTF8');
    v_line := v_line + octet_length(v_between) - octet_length(replace(v_between, e'\n', ''));
    v_mark_chars := v_row.start_char;
    v_mark_bytes := v_row.start_byte;
    v_row.first_line := v_line;
    -- The line of the last code point: a line end belongs to the line it ends.
    v_row.last_line := v_row.first_line + octet_length(v_row.scope_text)
      - octet_length(replace(v_row.scope_text, e'\n', '')) - (right(v_row.scope_text, 1) = e'\n')::integer;
    v_row.scope_id := patchdiff_store.scope_id_of(
      p_observation.target_file_id, p_observation.content_hash, p_observation.grammar_name, p_observation.grammar_version,
      v_row.kind, v_row.start_char, v_row.end_char);
    return next v_row;
  end loop;
end;
$$;

comment on function patchdiff_store.cut_scopes(patchdiff_store.scope_observations, bytea, integer, jsonb, bigint) is
  'The scopes of an observation, cut from the bytes of its content.';
--! EndIncluded patchdiff_store/cut_scopes.sql
--! Included patchdiff_store/walk_bundle.sql
-- Applies a bundle that decodes: every scope must have the text that was observed, every group is applied to its own slice as
-- walk_found does, and the slices are put back from the last to the first, so that earlier places stay. The first scope, then the
-- first operation, in submitted order that does not hold is the fault. The walk's arrays are in the order of application;
-- resolved_starts are byte offsets in the slices, in submitted order. The content is read through once for all places, by ascending
-- start, and written once: a reading or a copy for each scope would hold the lock for seconds.
create or replace function patchdiff_store.walk_bundle (
  p_content bytea,
  p_chars integer,
  p_groups jsonb,
  p_scopes jsonb
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_bytes integer := octet_length(p_content);
  v_count integer := jsonb_array_length(p_groups);
  v_order integer[];
  v_mark_chars integer := 0;
  v_mark_bytes integer := 0;
  v_scope jsonb;
  v_start integer;
  v_end integer;
  v_from integer[];
  v_to integer[];
  v_hash text;
  v_before integer[] := '{0}';
  v_operations patchdiff_store.operations;
  v_part patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_parts patchdiff_store.walk[];
  v_pieces bytea[] := '{}';
  v_length integer;
  v_i integer;
begin
  v_order := array(
    select s.position::integer
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by (s.scope ->> 'start')::integer
  );
  foreach v_i in array v_order loop
    v_start := (p_scopes #>> array[(v_i - 1)::text, 'start'])::integer;
    v_end := (p_scopes #>> array[(v_i - 1)::text, 'end'])::integer;
    exit when v_end > p_chars;
    v_from[v_i] := patchdiff_store.prefix_bytes(p_content, v_start, v_mark_bytes, v_mark_chars, v_bytes, p_chars);
    v_to[v_i] := patchdiff_store.prefix_bytes(p_content, v_end, v_from[v_i], v_start, v_bytes, p_chars);
    v_mark_chars := v_end;
    v_mark_bytes := v_to[v_i];
  end loop;

  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_hash := patchdiff_store.sha256_hex(substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]));
    if v_hash is distinct from v_scope ->> 'sha256' then
      v_walk.fault := patchdiff_store.cut_context(
        patchdiff_store.fault_of('scope_hash_mismatch', 'groups[' || (v_i - 1) || '].scope_id'), p_content, p_chars, 0,
        (v_scope ->> 'start')::integer);
      v_walk.fault.evidence := concat(
        ',"observed_sha256":"', v_scope ->> 'sha256', '","actual_sha256":', coalesce('"' || v_hash || '"', 'null'));
      v_walk.fault := patchdiff_store.in_group(v_walk.fault, v_i - 1, null, null, v_scope);
      return v_walk;
    end if;
  end loop;

  for v_i in 1..v_count loop
    v_scope := p_scopes -> (v_i - 1);
    v_operations := patchdiff_store.read_operations(p_groups -> (v_i - 1) -> 'operations', 'patchdiff-tx/2');
    v_length := cardinality(v_operations.operation);
    v_before[v_i + 1] := v_before[v_i] + v_length;
    -- Ids are counted over the whole bundle.
    v_operations.change_id := array(
      select patchdiff_store.change_id_of(o.item, v_before[v_i] + o.position::integer)
      from jsonb_array_elements(p_groups -> (v_i - 1) -> 'operations') with ordinality as o(item, position)
      order by o.position
    );
    v_part := patchdiff_store.walk_found(
      substring(p_content from v_from[v_i] + 1 for v_to[v_i] - v_from[v_i]),
      (v_scope ->> 'end')::integer - (v_scope ->> 'start')::integer,
      v_operations,
      'operations'
    );
    if v_part.after_content is null then
      -- No slice outgrows a result: what was observed and what a payload adds are smaller.
      v_fault := v_part.fault;
      v_walk.fault := patchdiff_store.in_group(v_fault, v_i - 1, v_fault.ordinal - 1, v_before[v_i], v_scope);
      v_walk.fault.ordinal := v_fault.ordinal + v_before[v_i];
      return v_walk;
    end if;

    v_walk.resolved_starts := v_walk.resolved_starts || v_part.start_byte;
    v_parts[v_i] := v_part;
  end loop;

  v_mark_bytes := v_bytes;
  v_walk.after_chars := p_chars;
  for v_rank in reverse v_count..1 loop
    v_i := v_order[v_rank];
    v_scope := p_scopes -> (v_i - 1);
    v_start := (v_scope ->> 'start')::integer;
    v_part := v_parts[v_i];
    v_length := cardinality(v_part.change_id);
    v_pieces[2 * v_rank - 1] := v_part.after_content;
    v_pieces[2 * v_rank] := substring(p_content from v_to[v_i] + 1 for v_mark_bytes - v_to[v_i]);
    v_mark_bytes := v_from[v_i];
    v_walk.after_chars := v_walk.after_chars + v_part.after_chars - ((v_scope ->> 'end')::integer - v_start);
    v_walk.change_id := v_walk.change_id || v_part.change_id;
    v_walk.operation := v_walk.operation || v_part.operation;
    v_walk.rationale := v_walk.rationale || v_part.rationale;
    v_walk.risk := v_walk.risk || v_part.risk;
    v_walk.matched_chars := v_walk.matched_chars || v_part.matched_chars;
    v_walk.replacement_chars := v_walk.replacement_chars || v_part.replacement_chars;
    v_walk.matched_sha256 := v_walk.matched_sha256 || v_part.matched_sha256;
    v_walk.replacement_sha256 := v_walk.replacement_sha256 || v_part.replacement_sha256;
    v_walk.deleted_bytes := v_walk.deleted_bytes || v_part.deleted_bytes;
    v_walk.inserted_bytes := v_walk.inserted_bytes || v_part.inserted_bytes;
    v_walk.scope_id := v_walk.scope_id || array_fill(v_scope ->> 'scope_id', array[v_length]);
    v_walk.scope_span_start := v_walk.scope_span_start || v_part.span_start;
    v_walk.scope_span_end := v_walk.scope_span_end || v_part.span_end;
    for v_j in 1..v_length loop
      v_walk.ordinal := v_walk.ordinal || (v_before[v_i] + v_j);
      v_walk.span_start := v_walk.span_start || (v_start + v_part.span_start[v_j]);
      v_walk.span_end := v_walk.span_end || (v_start + v_part.span_end[v_j]);
      v_walk.start_byte := v_walk.start_byte || (v_from[v_i] + v_part.start_byte[v_j]);
    end loop;
  end loop;

  v_walk.after_content := substring(p_content from 1 for v_mark_bytes) || (
    select string_agg(p.piece, ''::bytea order by p.position) from unnest(v_pieces) with ordinality as p(piece, position)
  );
  if octet_length(v_walk.after_content) > 16777216 then
    v_walk.fault := patchdiff_store.cut_context(
      patchdiff_store.fault_of('result_too_large'), v_walk.after_content, v_walk.after_chars, v_before[v_count + 1], null);
    v_walk.after_content := null;
    return v_walk;
  end if;

  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_bundle(bytea, integer, jsonb, jsonb) is
  'Applies a bundle that decodes to the slices of its scopes; the first fault with its evidence, or the result.';
--! EndIncluded patchdiff_store/walk_bundle.sql
--! Included patchdiff_store/observation_of.sql
-- What the record of a bundle keeps of the observation it names: the evidence of every group's scope in submitted order, null for a
-- group whose scope is none of it. Null when bundle_id names no observation of the target. Groups behind the first scope_count + 1 are
-- left out: one of those repeats a scope or names none, and no group behind it is judged, so that a record cannot outgrow its payload.
create or replace function patchdiff_store.observation_of (
  p_target uuid,
  p_record jsonb
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'bundle_id', o.bundle_id,
    'content_hash', o.content_hash,
    'editing_cycle', o.editing_cycle,
    'grammar', jsonb_build_object('name', o.grammar_name, 'sha256', o.grammar_sha256, 'version', o.grammar_version),
    'language', o.language,
    'scopes', coalesce((
      select jsonb_agg(
        case when s.scope_id is not null then jsonb_build_object(
          'end', s.end_char, 'kind', s.kind, 'name', s.name, 'qualified_path', s.qualified_path, 'scope_id', s.scope_id,
          'sha256', s.scope_sha256, 'start', s.start_char
        ) end
        order by g.position
      )
      from jsonb_array_elements(case jsonb_typeof(p_record -> 'groups') when 'array' then p_record -> 'groups' end)
        with ordinality as g(item, position)
      left join patchdiff_store.observed_scopes as s
        on s.target_file_id = p_target
        and s.observation_sequence = o.observation_sequence
        and jsonb_typeof(g.item -> 'scope_id') = 'string'
        and s.scope_id = g.item ->> 'scope_id'
      where g.position <= o.scope_count + 1
    ), '[]'),
    'version', o.version
  )
  from patchdiff_store.scope_observations as o
  where o.target_file_id = p_target
  and o.bundle_id = case
    when jsonb_typeof(p_record -> 'bundle_id') = 'string'
      and p_record ->> 'bundle_id' ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z'
      then (p_record ->> 'bundle_id')::uuid
  end
$$;

comment on function patchdiff_store.observation_of(uuid, jsonb) is
  'What the record of a bundle keeps of the observation it names; null when it names none of the target.';
--! EndIncluded patchdiff_store/observation_of.sql
--! Included patchdiff_store/import_profile.sql
-- The frozen table of runtime profiles, as far as replay of a recorded attempt depends on it, by (protocol, runtime):
-- the same as src/transaction/profiles.ts. All null for a pair that is not legal. patchdiff-observed-batch/1 is not in
-- it: its record rests on an observation, and there is none of a foreign history.
create or replace function patchdiff_store.import_profile (
  p_protocol_version text,
  p_runtime_version text,
  out overlapping_matches boolean,
  out selectors_on_single_match boolean,
  out historical_change_ids boolean,
  out span_adjacency boolean
)
  language sql
  immutable
as $$
  select p.overlapping_matches, p.selectors_on_single_match, p.historical_change_ids, p.span_adjacency
  from (values
    ('patchdiff-tx/1', 'patchdiff-mvp-0.1.0', false, false, true, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.0', true, false, true, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.1', true, false, false, false),
    ('patchdiff-tx/1', 'patchdiff-mvp-0.2.2', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.3.0', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.4.0', true, true, false, false),
    ('patchdiff-tx/2', 'patchdiff-mvp-0.5.0', true, true, false, true),
    ('patchdiff-tx/3', 'patchdiff-mvp-0.4.0', true, true, false, false)
  ) as p(protocol, runtime, overlapping_matches, selectors_on_single_match, historical_change_ids, span_adjacency)
  where p.protocol = p_protocol_version
  and p.runtime = p_runtime_version
$$;

comment on function patchdiff_store.import_profile(text, text) is
  'Semantics of a recorded (protocol, runtime) pair; all null when the pair is not legal.';
--! EndIncluded patchdiff_store/import_profile.sql
--! Included patchdiff_store/check_observation.sql
-- Refuses arguments of observe_scopes that no observation can be made of (PD100): what a parser says of a text has a shape and bounds.
create or replace function patchdiff_store.check_observation (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar jsonb,
  p_has_errors boolean,
  p_scopes jsonb,
  p_actor json
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, 'p_target', 'the id of a target', p_target is null),
    (2, 'p_expected_version', 'the version whose text was looked at', p_expected_version is null or p_expected_version < 0),
    (3, 'p_expected_hash', 'the hash of the text that was looked at', coalesce(p_expected_hash !~ '\A[0-9a-f]{64}\Z', true)),
    (4, 'p_language', 'null, or 1 to 64 code points', coalesce(char_length(p_language) not between 1 and 64, false)),
    (5, 'p_grammar', 'an object of name and version (1 to 128 code points each) and sha256 (64 lowercase hexadecimal digits, or null)',
      coalesce(
        jsonb_typeof(p_grammar) <> 'object'
        or p_grammar - array['name', 'version', 'sha256'] <> '{}'
        or jsonb_typeof(p_grammar -> 'name') <> 'string'
        or jsonb_typeof(p_grammar -> 'version') <> 'string'
        or char_length(p_grammar ->> 'name') not between 1 and 128
        or char_length(p_grammar ->> 'version') not between 1 and 128
        or coalesce(p_grammar ->> 'sha256' !~ '\A[0-9a-f]{64}\Z', false)
        or jsonb_typeof(p_grammar -> 'sha256') not in ('string', 'null'),
        true
      )),
    (6, 'p_has_errors', 'true or false', p_has_errors is null),
    (7, 'p_scopes', 'an array of 1 to 200 objects without NUL and lone surrogates', coalesce(
      jsonb_typeof(p_scopes) <> 'array' or jsonb_array_length(case jsonb_typeof(p_scopes) when 'array' then p_scopes else '[]' end) not between 1 and 200,
      true
    ))
  ) as c(position, argument, rule, broken)
  where c.broken
  order by c.position
  limit 1;

  if v_argument is null then
    select 'p_scopes', 'each of kind (1 to 64 code points), name (at most 512), qualified_path (at most 4096), and start and end, integers with start < end'
    into v_argument, v_rule
    from jsonb_array_elements(p_scopes) as s(scope)
    where coalesce(
      jsonb_typeof(s.scope) <> 'object'
      or s.scope - array['kind', 'name', 'qualified_path', 'start', 'end'] <> '{}'
      or jsonb_typeof(s.scope -> 'kind') <> 'string'
      or jsonb_typeof(s.scope -> 'name') <> 'string'
      or jsonb_typeof(s.scope -> 'qualified_path') <> 'string'
      or char_length(s.scope ->> 'kind') not between 1 and 64
      or char_length(s.scope ->> 'name') > 512
      or char_length(s.scope ->> 'qualified_path') > 4096
      or patchdiff_store.integer_of(s.scope -> 'start', 0) >= patchdiff_store.integer_of(s.scope -> 'end', 0),
      true
    )
    limit 1;
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'send what the text that was looked at gave';
  end if;

  perform patchdiff_store.check_claim('p_actor', p_actor);
end;
$$;

comment on function patchdiff_store.check_observation(uuid, bigint, text, text, jsonb, boolean, jsonb, json) is
  'Refuses arguments that no observation can be made of.';
--! EndIncluded patchdiff_store/check_observation.sql
--! Included patchdiff/observe_scopes.sql
-- Records that scopes of a text were observed, and answers their texts and the id under which they can be edited together. Texts,
-- digests, byte offsets, lines and scope ids are the database's own, cut from its own content under the target's lock; language, grammar,
-- kinds, names and paths are what the caller's parser says, and ranges where it says they are. outcome: observed; stale (the target
-- is no longer at that version and hash; no row); diverged (the stored content is damaged; no row); not_found. Refuses misuse (PD100).
create or replace function patchdiff.observe_scopes (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_language text,
  p_grammar json,
  p_has_errors boolean,
  p_scopes json,
  p_actor json default null,
  out outcome text,
  out bundle_id uuid,
  out version bigint,
  out current_hash text,
  out editing_cycle integer,
  out created_at timestamptz,
  out chain_sequence bigint,
  out scopes json
)
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_grammar jsonb := patchdiff_store.payload_json(p_grammar::text);
  v_scopes jsonb := patchdiff_store.payload_json(p_scopes::text);
  v_locked patchdiff_store.locked_target;
  v_row patchdiff_store.scope_observations;
  v_content bytea;
begin
  perform patchdiff_store.check_observation(
    p_target, p_expected_version, p_expected_hash, p_language, v_grammar, p_has_errors, v_scopes, p_actor);

  v_locked := patchdiff_store.lock_target(p_target);
  version := v_locked.version;
  current_hash := v_locked.current_hash;
  outcome := case
    when v_locked.target_file_id is null then 'not_found'
    when v_locked.version <> p_expected_version or v_locked.current_hash <> p_expected_hash then 'stale'
  end;
  if outcome is not null then
    return;
  end if;

  select convert_to(t.current_content, 'UTF8')
  into strict v_content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not patchdiff_store.is_intact(v_locked, v_content) then
    outcome := 'diverged';
    return;
  end if;

  v_row.language := p_language;
  v_row.grammar_name := v_grammar ->> 'name';
  v_row.grammar_version := v_grammar ->> 'version';
  v_row.grammar_sha256 := v_grammar ->> 'sha256';
  v_row.has_errors := p_has_errors;
  v_row.actor := p_actor;
  v_row := patchdiff_store.append_observation(v_locked, v_row, v_content, v_scopes);

  outcome := 'observed';
  bundle_id := v_row.bundle_id;
  editing_cycle := v_row.editing_cycle;
  created_at := v_row.created_at;
  chain_sequence := v_row.chain_sequence;
  scopes := patchdiff_store.scopes_json(p_target, v_row.observation_sequence);
end;
$$;

comment on function patchdiff.observe_scopes(uuid, bigint, text, text, json, boolean, json, json) is
  'Records that scopes of a text were observed, and answers their texts and the id of the bundle.';
--! EndIncluded patchdiff/observe_scopes.sql
-- A parameter is part of a function that only a new one can change.
drop function if exists patchdiff_store.decode_record(jsonb, uuid, text);
--! Included patchdiff_store/decode_record.sql
-- Decodes a record that parses: P1 to P8 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- p_malformed names the code of the first of attempt, parent and source that is malformed, which P2 has between the
-- guards and the format; those three travel beside the record. So does p_scopes, the evidence of a bundle's scopes (decode_groups).
create or replace function patchdiff_store.decode_record (
  p_record jsonb,
  p_target uuid,
  p_malformed text,
  p_scopes jsonb default null
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_format text := patchdiff_store.protocol_of(p_record);
  v_container text := case v_format
    when 'patchdiff-tx/1' then 'edits' when 'patchdiff-observed-batch/1' then 'groups' else 'operations'
  end;
  v_has_version boolean := coalesce(p_record -> 'expected_target_version', 'null') <> 'null';
  v_has_hash boolean := coalesce(p_record -> 'expected_current_hash', 'null') <> 'null';
  v_unknown text;
  v_fault patchdiff_store.fault;
  v_used text[] := '{}';
  v_item record;
begin
  if not v_has_version and not v_has_hash then
    return patchdiff_store.fault_of('guard_missing');
  end if;

  if v_has_version and patchdiff_store.guard_version(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_target_version',
      p_words => '{"rule": "an integer from 0 to 9007199254740991"}');
  end if;

  if v_has_hash and patchdiff_store.guard_hash(p_record) is null then
    return patchdiff_store.fault_of('guard_malformed', 'expected_current_hash',
      p_words => '{"rule": "64 lowercase hexadecimal digits"}');
  end if;

  if p_malformed is not null then
    return patchdiff_store.fault_of(p_malformed, case p_malformed
      when 'attempt_malformed' then 'attempt'
      when 'parent_malformed' then 'parent_pdcp_log_id'
      else 'source'
    end);
  end if;

  if v_format = 'unknown' then
    return patchdiff_store.fault_of('unknown_format', 'format');
  end if;

  if jsonb_typeof(p_record -> 'target_file_id') is distinct from 'string'
    or lower(p_record ->> 'target_file_id') <> p_target::text
  then
    return patchdiff_store.fault_of('target_mismatch', 'target_file_id');
  end if;

  if jsonb_typeof(p_record -> v_container) is distinct from 'array' or p_record -> v_container = '[]' then
    if v_format = 'patchdiff-tx/3' then
      return patchdiff_store.fault_of('manifest_missing', 'replacement', p_words => '{"rule": "a string"}');
    end if;

    return patchdiff_store.fault_of('manifest_missing', v_container, p_words => '{"rule": "a non-empty array"}');
  end if;

  select min(k.name collate "C")
  into v_unknown
  from jsonb_object_keys(p_record) as k(name)
  where k.name not in (
    'expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id', v_container
  )
  and not (v_format = 'patchdiff-observed-batch/1' and k.name = 'bundle_id');
  if v_unknown is not null then
    return patchdiff_store.fault_of('unknown_field', left(v_unknown, 64));
  end if;

  if jsonb_typeof(p_record -> 'intent') is distinct from 'string' or patchdiff_store.is_blank(p_record ->> 'intent') then
    return patchdiff_store.fault_of('intent_invalid', 'intent');
  end if;

  if char_length(p_record ->> 'intent') > 4096 then
    return patchdiff_store.fault_of('intent_too_long', 'intent');
  end if;

  if v_format = 'patchdiff-observed-batch/1' then
    return patchdiff_store.decode_groups(p_record -> 'groups', p_scopes);
  end if;

  for v_item in
    select i.item, i.position, jsonb_array_length(p_record -> v_container) as count
    from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position)
  loop
    v_fault := patchdiff_store.decode_item(v_item.item, v_item.position::integer, v_item.count, v_format, v_used);
    if v_fault.failure_reason is not null then
      return v_fault;
    end if;

    v_used := v_used || patchdiff_store.change_id_of(v_item.item, v_item.position::integer);
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.decode_record(jsonb, uuid, text, jsonb) is
  'The first protocol fault of a record, or all null when it decodes.';
--! EndIncluded patchdiff_store/decode_record.sql
drop function if exists patchdiff_store.non_finite_fault(patchdiff_store.fault, text, uuid, text, text);
--! Included patchdiff_store/non_finite_fault.sql
-- The fault of a record in which a number that is not finite stands as the string "Infinity" or "-Infinity", as records
-- keep it (docs/spec/decoding.md): read as the number again, when the caller claims the reason that this reading gives;
-- else p_fault as it is. A caller gains nothing by it but the rejection of its own submission.
create or replace function patchdiff_store.non_finite_fault (
  p_fault patchdiff_store.fault,
  p_payload text,
  p_target uuid,
  p_malformed text,
  p_claimed_reason text,
  p_scopes jsonb
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  if strpos(p_payload, 'Infinity"') = 0 then
    return p_fault;
  end if;

  -- Inside a string every quote is escaped, so these quotes are a string's own; a name is followed by a colon.
  v_fault := patchdiff_store.decode_record(
    patchdiff_store.payload_json(regexp_replace(p_payload, '([:,[])"(-?)Infinity"(?=[],}])', '\1\21e400', 'g')),
    p_target,
    p_malformed,
    p_scopes
  );
  return case when v_fault.failure_reason = p_claimed_reason then v_fault else p_fault end;
end;
$$;

comment on function patchdiff_store.non_finite_fault(patchdiff_store.fault, text, uuid, text, text, jsonb) is
  'The fault of a record when the strings that stand for numbers are read as numbers, if that is what is claimed.';
--! EndIncluded patchdiff_store/non_finite_fault.sql
--! Included patchdiff_store/commit_submission.sql
-- Judges one submission to one target under the target's lock and records the outcome: the whole of commit_attempt but
-- its argument checks, for every entry point. p_verdict is the caller's claim: accepted, rejected, none, or derive when
-- there is no runtime and the database finds every place itself (no base is compared then). p_is_disk: the record was built by
-- adopt_disk, which holds the limit of a file instead of those of a submission.
-- Promises: an accepted attempt is exactly what the payload says, applied to exactly the stored content; a rejection
-- changes nothing but the log; a key returns its first outcome for ever. A claim that differs from what is derived here
-- is recorded as claim_mismatch. Raises only for what no row can hold (PD101, PD102).
-- Race-safe: the target row is locked before anything is read that the answer depends on, and each later statement
-- sees what was committed during the wait. Lock order: target, head.
create or replace function patchdiff_store.commit_submission (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_base_hash text,
  p_verdict text,
  p_resolved_starts integer[],
  p_after_hash text,
  p_claimed_reason text,
  p_warnings json,
  p_raw_metadata jsonb,
  p_is_disk boolean default false
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
as $$
declare
  v_locked patchdiff_store.locked_target;
  v_record jsonb;
  v_format text;
  v_container text;
  v_operations patchdiff_store.operations;
  v_replacement text;
  v_observation jsonb;
  v_stored text := p_payload;
  v_is_sound boolean;
  v_envelope patchdiff_store.envelope;
  v_row patchdiff_store.append_only_pdcp_logs;
  v_parent text := p_parent;
  v_malformed text;
  v_key patchdiff_store.request_keys;
  v_content bytea;
  v_is_stale boolean;
  v_is_intact boolean;
  v_is_judged boolean := false;
  v_is_verified boolean := false;
  v_walk patchdiff_store.walk;
  v_fault patchdiff_store.fault;
  v_members text;
  v_head text;
  v_receipt patchdiff.commit_receipt;
begin
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    v_receipt.outcome := 'not_found';
    v_receipt.deduplicated := false;
    return v_receipt;
  end if;

  -- Read.
  v_record := patchdiff_store.payload_json(p_payload);
  v_format := patchdiff_store.protocol_of(v_record);
  v_container := case v_format when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  if v_format = 'patchdiff-tx/3' then
    v_replacement := case jsonb_typeof(v_record #> '{operations,0,replace}')
      when 'string' then v_record #>> '{operations,0,replace}'
    end;
  elsif v_format = 'patchdiff-observed-batch/1' then
    v_observation := patchdiff_store.observation_of(p_target, v_record);
  elsif v_format <> 'unknown' and patchdiff_store.are_readable_items(p_payload, v_record -> v_container) then
    v_operations := patchdiff_store.read_operations(v_record -> v_container, v_format);
  end if;

  v_is_sound := p_is_disk or patchdiff_store.is_sound(
    p_payload, v_record, p_target, v_operations.canonical, v_operations.well_formed,
    cardinality(v_operations.operation), v_replacement);
  if not v_is_sound or p_raw_metadata is not null then
    v_envelope := patchdiff_store.envelope_of(p_payload, v_record, p_parent, p_raw_metadata);
    v_is_sound := v_is_sound and v_envelope.stored is null;
    v_record := case when v_envelope.stored is null then v_record else v_envelope.record end;
    if v_format = 'patchdiff-observed-batch/1' and v_envelope.stored is null then
      v_stored := patchdiff_store.bundle_payload(p_payload, v_observation);
    end if;
  end if;

  v_stored := coalesce(v_envelope.stored, v_stored);

  -- Identity.
  if p_parent ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z' then
    select a.pdcp_log_id, a.submission_source
    into v_row.parent_pdcp_log_id, v_row.regeneration_source
    from patchdiff_store.append_only_pdcp_logs as a
    where a.target_file_id = p_target
    and a.pdcp_log_id = p_parent::uuid
    and a.status = 'rejected';
  end if;

  v_parent := coalesce(v_row.parent_pdcp_log_id::text, p_parent);

  v_malformed := case
    when p_raw_metadata ? 'attempt' or p_attempt < 1 then 'attempt_malformed'
    when p_raw_metadata ? 'parent_pdcp_log_id' or patchdiff_store.is_blank(p_parent) then 'parent_malformed'
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then 'source_malformed'
  end;

  v_row.target_file_id := p_target;
  v_row.before_version := v_locked.version;
  v_row.before_hash := v_locked.current_hash;
  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);
  v_row.regeneration_attempt := case when p_attempt >= 1 then p_attempt end;
  v_row.submission_source := case
    when p_raw_metadata ? 'source' or not patchdiff_store.is_source(p_source) then null
    else coalesce(p_source, 'model_response')
  end;
  v_row.actor := p_actor;
  v_row.protocol_version := patchdiff_store.protocol_of(v_record);
  v_row.runtime_version := patchdiff_store.runtime_version_of(v_record);
  v_row.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(v_stored, 'UTF8'));
  v_row.request_fingerprint := patchdiff_store.request_fingerprint(
    v_row, v_parent, v_envelope.evidence_format, v_envelope.evidence_sha256);
  v_row.decided_by := 'database';

  -- Guards.
  if p_client_request_id is not null then
    select k.*
    into v_key
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target
    and k.client_request_id = p_client_request_id;
    if v_key.kind = 'submission' and v_key.request_fingerprint is null then
      v_key.request_fingerprint := patchdiff_store.stored_fingerprint(p_target, v_key.log_sequence);
    end if;

    if v_key.kind = 'submission' and (
      v_key.request_fingerprint = v_row.request_fingerprint
      or (
        v_envelope.stored is not null
        and v_key.request_fingerprint = patchdiff_store.earlier_fingerprint(v_row, p_payload, v_parent, p_raw_metadata)
      )
    ) then
      return patchdiff_store.recall_attempt(v_locked, v_key.log_sequence);
    end if;
  end if;

  if v_key.kind is null and p_client_request_id ~ '\A[\x21-\x7E]{1,128}\Z' then
    v_row.client_request_id := p_client_request_id;
  end if;

  if v_key.kind is not null then
    v_fault := patchdiff_store.key_conflict(v_key, p_client_request_id);
  elsif p_client_request_id is not null and v_row.client_request_id is null
    or p_raw_metadata ? 'client_request_id'
      and not patchdiff_store.holds_unencodable(p_raw_metadata ->> 'client_request_id')
  then
    v_fault := patchdiff_store.fault_of('invalid_client_request_id');
  elsif v_envelope.failure_code = 'text_not_encodable' then
    v_fault := patchdiff_store.fault_of('text_not_encodable');
  elsif not patchdiff_store.is_blank(p_parent) and v_row.parent_pdcp_log_id is null then
    v_fault := patchdiff_store.fault_of('parent_invalid');
  elsif v_format = 'patchdiff-observed-batch/1' and v_observation is null then
    v_fault := patchdiff_store.fault_of('bundle_invalid');
  elsif v_row.expected_target_version <> v_locked.version or v_row.expected_current_hash <> v_locked.current_hash then
    v_fault := patchdiff_store.guard_fault(v_row);
  else
    -- Protocol: no base can change it.
    if v_envelope.failure_code is not null then
      v_fault := patchdiff_store.fault_of(v_envelope.failure_code);
    elsif v_observation is not null or not v_is_sound or v_malformed is not null then
      v_fault := patchdiff_store.decode_record(v_record, p_target, v_malformed, v_observation -> 'scopes');
    end if;

    v_is_judged := true;
    if v_fault.failure_reason is null then
      -- Applicability: the verdict depends on the content alone.
      v_is_stale := p_verdict = 'none' or (p_verdict <> 'derive' and p_base_hash is distinct from v_locked.current_hash);
      -- Replacing everything needs no content but its hash.
      select patchdiff_store.is_intact(v_locked, c.content), case when v_is_stale or v_replacement is null then c.content end
      into strict v_is_intact, v_content
      from (
        select convert_to(t.current_content, 'UTF8') as content
        from patchdiff_store.cloud_target_files as t
        where t.target_file_id = p_target
        offset 0
      ) as c;

      if not v_is_intact then
        v_fault := patchdiff_store.fault_of('content_diverged');
        v_is_judged := false;
        v_locked.content_chars := (
          select char_length(t.current_content)
          from patchdiff_store.cloud_target_files as t
          where t.target_file_id = p_target
        );
      elsif v_is_stale then
        return patchdiff_store.stale_receipt(v_locked, v_row.request_fingerprint, v_content);
      elsif v_observation is not null then
        v_walk := patchdiff_store.walk_bundle(
          v_content, v_locked.content_chars, v_record -> 'groups', v_observation -> 'scopes');
        v_fault := v_walk.fault;
        v_is_verified := p_verdict = 'accepted'
          and v_fault.failure_reason is null
          and v_walk.resolved_starts = p_resolved_starts
          and v_walk.after_hash = p_after_hash
          and patchdiff_store.is_canonical(p_payload, v_record);
      else
        if p_verdict = 'accepted' and (v_is_sound or patchdiff_store.is_canonical(p_payload, v_record)) then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_claimed(v_content, v_locked.content_chars, v_operations, p_resolved_starts)
            when p_resolved_starts = '{0}' then
              patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_is_verified := coalesce(v_walk.after_hash = p_after_hash, false);
        end if;

        if not v_is_verified then
          v_walk := case
            when v_format <> 'patchdiff-tx/3' then
              patchdiff_store.walk_found(v_content, v_locked.content_chars, v_operations, v_container)
            else patchdiff_store.walk_replacement(v_locked, v_replacement)
          end;
          v_fault := v_walk.fault;
        end if;
      end if;
    end if;
  end if;

  -- Claim.
  if v_is_judged and p_verdict = 'rejected' and v_fault.failure_reason is distinct from p_claimed_reason then
    v_fault := patchdiff_store.non_finite_fault(
      v_fault, coalesce(v_envelope.stored, p_payload), p_target, v_malformed, p_claimed_reason, v_observation -> 'scopes');
  end if;

  if v_is_judged and p_verdict in ('accepted', 'rejected') then
    if (case p_verdict when 'accepted' then v_is_verified else v_fault.failure_reason = p_claimed_reason end) is true then
      v_row.decided_by := 'runtime';
    else
      v_members := concat(
        ',"claimed":', patchdiff_store.claim_json(p_verdict, p_claimed_reason, p_after_hash),
        ',"derived":', patchdiff_store.claim_json(
          case when v_fault.failure_reason is null then 'accepted' else 'rejected' end,
          v_fault.failure_reason, v_walk.after_hash)
      );
      v_fault := patchdiff_store.fault_of('claim_mismatch');
      v_row.client_request_id := null;
    end if;
  end if;

  -- Write.
  if v_fault.failure_reason is null then
    v_row.status := 'accepted';
    v_row.validation_stage := 'accepted';
    v_row.after_version := v_locked.version + 1;
    v_row.after_hash := v_walk.after_hash;
    v_row.warnings := patchdiff_store.warnings_of(v_walk, v_locked.current_hash, case p_verdict
      when 'derive' then patchdiff_store.shifted_bases(v_content, v_operations, v_walk)
      else p_warnings
    end)::json;
    v_locked.version := v_row.after_version;
    v_locked.current_hash := v_row.after_hash;
    update patchdiff_store.cloud_target_files as t
    set current_content = convert_from(v_walk.after_content, 'UTF8'),
        current_hash = v_walk.after_hash,
        version = v_row.after_version,
        content_bytes = octet_length(v_walk.after_content),
        content_chars = v_walk.after_chars,
        updated_at = clock_timestamp()
    where t.target_file_id = p_target;
    -- Taken out, so that the walk can be handed on without copying it.
    v_walk.after_content := null;
  else
    v_head := patchdiff_store.head_of_content(p_target);
    if v_fault.context_kind is null then
      v_fault.context_kind := 'prefix';
      v_fault.context_start := 0;
      v_fault.context_total := v_locked.content_chars;
      v_fault.context_text := v_head;
    end if;

    v_row.status := 'rejected';
    v_row.after_version := v_locked.version;
    v_row.after_hash := v_locked.current_hash;
    v_row.failure_reason := v_fault.failure_reason;
    v_row.failure_code := v_fault.failure_code;
    v_row.failure_detail := v_fault.failure_detail;
    v_row.failed_change_id := v_fault.failed_change_id;
    v_row.validation_stage := v_fault.validation_stage;
    v_row.diagnostic_json := patchdiff_store.diagnostic_of(v_row, v_fault, concat(
      patchdiff_store.raw_values(
        v_row, p_payload, v_record, p_client_request_id, p_parent, p_attempt, p_source, p_raw_metadata),
      v_members
    ))::json;
  end if;

  v_row := patchdiff_store.append_attempt(
    v_locked, v_row, v_stored,
    case v_row.status when 'accepted' then v_record ->> 'intent' end, v_walk);
  return patchdiff_store.receipt_of(
    v_locked,
    v_row,
    case v_row.status when 'accepted' then patchdiff_store.changes_json(v_walk) end,
    v_head
  );
end;
$$;

comment on function patchdiff_store.commit_submission(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb, boolean
) is 'Judges one submission under the target''s lock and records the outcome.';
--! EndIncluded patchdiff_store/commit_submission.sql

reset role;
select patchdiff_guard.guard_ddl(true);
