--! Previous: sha1:f0ddd54ee98b45be90709efdad4efe58ae320d4e
--! Hash: sha1:76fd05d407b0c539a62b7f15570716b2a8ed550a
--! Message: The DBA's side, and files of every ending

--! split: 001-current.sql
-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- New tables, columns and includes of changed routines stand here, in an order in which they can be created.
comment on column patchdiff_store.append_only_pdcp_logs.log_sequence is 'Place among the target''s attempts, from 1 without a gap.';
comment on column patchdiff_store.append_only_pdcp_logs.before_version is 'The target''s version when it was judged.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_attempt is 'The submission''s retry counter, a claim.';
comment on column patchdiff_store.append_only_pdcp_logs.decided_by is 'runtime when the caller''s claim agreed with the database''s own reading, else database.';
comment on column patchdiff_store.append_only_pdcp_logs.pdcp_content_hash is 'SHA-256 of the payload''s UTF-8.';
comment on column patchdiff_store.append_only_pdcp_logs.regeneration_source is 'The parent attempt''s submission_source.';
comment on column patchdiff_store.append_only_pdcp_logs.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on column patchdiff_store.append_only_manifest_ledger.ledger_sequence is 'Place among the target''s accepted changes, from 1 without a gap.';
comment on column patchdiff_store.append_only_manifest_ledger.change_id is 'The change''s id, given or by position.';
comment on column patchdiff_store.append_only_manifest_ledger.rationale is 'The change''s own rationale, null when it gave none.';
comment on column patchdiff_store.append_only_manifest_ledger.intent is 'The change''s rationale, else the transaction''s intent.';
comment on column patchdiff_store.target_snapshots.snapshot_sequence is 'Place among the target''s snapshots, from 1 without a gap.';
comment on column patchdiff_store.target_snapshots.content_hash is 'SHA-256 of the content''s UTF-8.';
comment on column patchdiff_store.target_snapshots.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.publication_sequence is 'Place among the target''s publication rows, from 1 without a gap.';
comment on column patchdiff_store.workspace_publications.chain_sequence is 'Place in the target''s hash chain, from 1 without a gap.';
comment on type patchdiff.history_step is 'One step of a target''s history for replay.';
--! Included patchdiff/read_attempts.sql
-- A page of a target's attempts, newest first, below an exclusive cursor; filters are conjunctive and exact. Answers
-- one row more than the limit (default 50, at most 200) when there are more. The payload is read only when asked for.
-- Refuses an unknown target (PD104) and a limit below 1 (PD100).
-- One narrow query for each index that can serve the page finds the sequences; the rows are fetched once, by key, in
-- the order of the key.
create or replace function patchdiff.read_attempts (
  p_target uuid,
  p_limit integer default null,
  p_before_sequence bigint default null,
  p_status text default null,
  p_content_hash text default null,
  p_client_request_id text default null,
  p_include_content boolean default false
)
  returns setof patchdiff.attempt_entry
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_rows integer := patchdiff_store.page_limit(p_limit) + 1;
  v_before bigint := coalesce(p_before_sequence, 9223372036854775807);
  v_sequences bigint[];
begin
  if not exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if p_client_request_id is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.client_request_id = p_client_request_id
      and l.log_sequence < v_before
      and l.status = coalesce(p_status, l.status)
      and l.pdcp_content_hash = coalesce(p_content_hash, l.pdcp_content_hash)
    );
  elsif p_content_hash is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.pdcp_content_hash = p_content_hash
      and l.log_sequence < v_before
      and l.status = coalesce(p_status, l.status)
      order by l.log_sequence desc
      limit v_rows
    );
  elsif p_status is not null then
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.status = p_status
      and l.log_sequence < v_before
      order by l.log_sequence desc
      limit v_rows
    );
  else
    v_sequences := array(
      select l.log_sequence
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
      and l.log_sequence < v_before
      order by l.log_sequence desc
      limit v_rows
    );
  end if;

  return query
  select
    e.pdcp_log_id,
    e.target_file_id,
    e.log_sequence,
    e.status,
    e.decided_by,
    e.failure_reason,
    e.failure_code,
    e.failure_detail,
    e.failed_change_id,
    e.validation_stage,
    e.before_hash,
    e.after_hash,
    e.before_version,
    e.after_version,
    e.expected_target_version,
    e.expected_current_hash,
    e.change_count,
    e.pdcp_content_hash,
    e.protocol_version,
    e.runtime_version,
    e.submission_source,
    e.parent_pdcp_log_id,
    e.regeneration_attempt,
    e.regeneration_source,
    e.client_request_id,
    e.request_fingerprint,
    e.editing_cycle,
    e.actor,
    e.diagnostic,
    e.warnings,
    e.created_at,
    e.chain_sequence,
    e.row_hash,
    case when p_include_content then e.pdcp_content end
  from patchdiff_store.attempt_entry as e
  where e.target_file_id = p_target
  and e.log_sequence = any(v_sequences)
  order by e.log_sequence desc;
end;
$$;

comment on function patchdiff.read_attempts(uuid, integer, bigint, text, text, text, boolean) is
  'A page of a target''s attempts, newest first.';
--! EndIncluded patchdiff/read_attempts.sql
--! Included patchdiff/read_ledger.sql
-- A page of a target's accepted changes: the newest entries below an exclusive cursor, shown oldest first; of the open
-- editing cycle only, unless previous cycles are included. When there are more, one row more than the limit (default 50,
-- at most 200) is answered, and it is the first one. A traversal of the open cycle restarts when SAVE rotates it.
-- Refuses an unknown target (PD104) and a limit below 1 (PD100).
-- The open cycle's first entry is found by two index probes, so that a short cycle never scans the older ones.
create or replace function patchdiff.read_ledger (
  p_target uuid,
  p_include_previous_cycles boolean default false,
  p_limit integer default null,
  p_before_sequence bigint default null
)
  returns setof patchdiff.ledger_entry
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_rows integer := patchdiff_store.page_limit(p_limit) + 1;
  v_before bigint := coalesce(p_before_sequence, 9223372036854775807);
  v_first bigint := 1;
  v_sequences bigint[];
begin
  if not exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target) then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if not coalesce(p_include_previous_cycles, false) then
    select g.ledger_sequence
    into v_first
    from patchdiff_store.target_heads as h
    join patchdiff_store.editing_cycles as c
      on c.target_file_id = h.target_file_id and c.editing_cycle = h.open_cycle
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = h.target_file_id and l.status = 'accepted' and l.after_version = c.opened_at_version + 1
    join patchdiff_store.append_only_manifest_ledger as g
      on g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence and g.apply_ordinal = 1
    where h.target_file_id = p_target;
    if not found then
      return;
    end if;
  end if;

  v_sequences := array(
    select g.ledger_sequence
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target
    and g.ledger_sequence >= v_first
    and g.ledger_sequence < v_before
    order by g.ledger_sequence desc
    limit v_rows
  );

  return query
  select
    g.ledger_sequence,
    l.pdcp_log_id,
    g.log_sequence,
    g.ordinal,
    g.apply_ordinal,
    g.change_id,
    g.operation,
    g.intent,
    g.rationale,
    g.risk,
    g.origin,
    g.derived_json,
    l.before_version,
    l.after_version,
    g.editing_cycle,
    l.created_at,
    g.input_state,
    g.output_state,
    g.affected_region,
    g.user_visible_change
  from patchdiff_store.append_only_manifest_ledger as g
  join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = g.target_file_id and l.log_sequence = g.log_sequence
  where g.target_file_id = p_target
  and g.ledger_sequence = any(v_sequences)
  order by g.ledger_sequence;
end;
$$;

comment on function patchdiff.read_ledger(uuid, boolean, integer, bigint) is
  'A page of a target''s accepted changes: the newest ones, shown oldest first.';
--! EndIncluded patchdiff/read_ledger.sql

-- Who wants to be told of commits. No part of the history: rows come, are renewed and go.
create table if not exists patchdiff_store.commit_subscriptions (
  db_session_user text collate "C" not null,
  subscriber text collate "C" not null,
  expires_at timestamptz not null,
  constraint commit_subscriptions_pkey primary key (db_session_user, subscriber)
);
create index if not exists commit_subscriptions_expires_at on patchdiff_store.commit_subscriptions (expires_at);
comment on index patchdiff_store.commit_subscriptions_expires_at is
  'The one look of every acceptance: whether any lease is still running.';
comment on table patchdiff_store.commit_subscriptions is
  'Who wants to be told of commits, and until when. No part of the history: rows come, are renewed and go.';
comment on column patchdiff_store.commit_subscriptions.db_session_user is 'The login that asked, as the database knows it.';
comment on column patchdiff_store.commit_subscriptions.subscriber is 'The name under which it asked, its own.';
comment on column patchdiff_store.commit_subscriptions.expires_at is 'When the lease ends; from then on the row counts no more.';
--! Included patchdiff_store/lock_stale_subscriptions.sql
-- Takes the subscriptions whose lease has run out and that nobody else holds, so that they can be removed without waiting for a
-- session that renews one of them at this moment, and so without a deadlock.
create or replace function patchdiff_store.lock_stale_subscriptions (
)
  returns setof patchdiff_store.commit_subscriptions
  language sql
  volatile
as $$
  select s.*
  from patchdiff_store.commit_subscriptions as s
  -- One moment, asked once, so that the index on it serves.
  where s.expires_at <= (select clock_timestamp())
  for update skip locked
$$;

comment on function patchdiff_store.lock_stale_subscriptions() is
  'Locks the subscriptions whose lease has run out, passing over those that another session holds.';
--! EndIncluded patchdiff_store/lock_stale_subscriptions.sql
--! Included patchdiff_store/check_subscription.sql
-- Refuses malformed arguments of the calls that begin, renew and end a subscription (PD100). The lease is bounded, so that
-- a listener that died slows nobody for long. Days and months have no one length: '1 year -359 days -23:00' compares as an hour
-- and adds up to six days, so a lease is told in hours and less.
create or replace function patchdiff_store.check_subscription (
  p_subscriber text,
  p_lease interval
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_subscriber is null or p_subscriber !~ '\A[\x21-\x7E]{1,128}\Z' then
    v_argument := 'p_subscriber';
    v_rule := '1 to 128 visible ASCII characters without spaces';
  elsif p_lease is null
    or p_lease < '1 second'
    or p_lease > '1 hour'
    or extract(year from p_lease) <> 0
    or extract(month from p_lease) <> 0
    or extract(day from p_lease) <> 0
  then
    v_argument := 'p_lease';
    v_rule := 'an interval from 1 second to 1 hour, without days and months';
  else
    return;
  end if;

  raise exception '% must be %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = format('correct %s and call again', v_argument);
end;
$$;

comment on function patchdiff_store.check_subscription(text, interval) is
  'Refuses malformed arguments of the calls about subscriptions.';
--! EndIncluded patchdiff_store/check_subscription.sql
--! Included patchdiff_store/check_subscriptions_left.sql
-- Refuses one more name to a login that has 1,000 running subscriptions already (PD100); to renew one of them passes. Sessions
-- that ask at the same moment do not see one another's names, so the bound holds give or take one for each of them.
create or replace function patchdiff_store.check_subscriptions_left (
  p_subscriber text
)
  returns void
  language plpgsql
  volatile
as $$
begin
  if (
    select count(*)
    from patchdiff_store.commit_subscriptions as s
    where s.db_session_user = session_user
    and s.subscriber <> p_subscriber
    and s.expires_at > (select clock_timestamp())
  ) < 1000 then
    return;
  end if;

  raise exception 'this login has 1000 running subscriptions already'
    using errcode = 'PD100',
          detail = json_build_object('argument', 'p_subscriber', 'rule', 'at most 1000 running names of a login')::text,
          hint = 'end those that nobody needs (unsubscribe_commits), or take one name for several listeners';
end;
$$;

comment on function patchdiff_store.check_subscriptions_left(text) is
  'Refuses one more name to a login that has as many running subscriptions as it may.';
--! EndIncluded patchdiff_store/check_subscriptions_left.sql
--! Included patchdiff_store/append_attempt.sql
-- Appends one attempt, with its ledger rows when it was accepted and its request key when it has one, and advances head
-- and chain. The only writer of attempts, ledger rows, submission keys and the head's attempt columns. The caller
-- holds the target's lock and passes what lock_target answered. p_attempt carries the verdict and the identity; what
-- the database knows itself is filled in here. Answers the row as stored, its payload left null. Whoever has subscribed is
-- notified of an acceptance when it is committed.
create or replace function patchdiff_store.append_attempt (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_pdcp_logs
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs := p_attempt;
  v_ledger patchdiff_store.append_only_manifest_ledger[];
  v_bytes bytea;
begin
  v_row.log_sequence := p_locked.log_sequence + 1;
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.pdcp_log_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;

  if v_row.status = 'accepted' then
    v_row.change_count := cardinality(p_walk.change_id);
    if v_row.change_count = 1 then
      -- The commonest case, without a query.
      v_ledger := array[patchdiff_store.ledger_row(
        v_row, p_locked.ledger_sequence + 1, 1, p_intent, p_walk.change_id[1], p_walk.operation[1], p_walk.rationale[1],
        p_walk.risk[1], p_walk.span_start[1], p_walk.span_end[1], p_walk.matched_chars[1], p_walk.replacement_chars[1],
        p_walk.matched_sha256[1], p_walk.replacement_sha256[1], p_walk.start_byte[1], p_walk.deleted_bytes[1],
        p_walk.inserted_bytes[1])];
      v_bytes := patchdiff_store.ledger_encoding(v_ledger[1]);
    else
      v_ledger := array(
        select patchdiff_store.ledger_row(
          v_row, p_locked.ledger_sequence + c.ordinal, c.ordinal::integer, p_intent, c.change_id, c.operation, c.rationale,
          c.risk, c.span_start, c.span_end, c.matched_chars, c.replacement_chars, c.matched_sha256, c.replacement_sha256,
          c.start_byte, c.deleted_bytes, c.inserted_bytes)
        from unnest(
          p_walk.change_id, p_walk.operation, p_walk.rationale, p_walk.risk, p_walk.span_start, p_walk.span_end,
          p_walk.matched_chars, p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256,
          p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes
        ) with ordinality as c(
          change_id, operation, rationale, risk, span_start, span_end, matched_chars, replacement_chars,
          matched_sha256, replacement_sha256, start_byte, deleted_bytes, inserted_bytes, ordinal
        )
        order by c.ordinal
      );
      v_bytes := (
        select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
      );
    end if;
  else
    v_row.change_count := 0;
  end if;

  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || coalesce(v_bytes, ''));

  -- One statement for all that is appended: five would cost as much again. Foreign keys are checked at its end.
  with attempt as (
    insert into patchdiff_store.append_only_pdcp_logs (
      target_file_id, log_sequence, pdcp_log_id, created_at, chain_sequence, hash_version, before_version,
      after_version, expected_target_version, editing_cycle, regeneration_attempt, change_count, parent_pdcp_log_id,
      status, decided_by, failure_reason, failure_code, failed_change_id, failure_detail, validation_stage,
      before_hash, after_hash, expected_current_hash, pdcp_content_hash, protocol_version, runtime_version,
      submission_source, regeneration_source, client_request_id, request_fingerprint, db_session_user,
      db_application_name, db_client_addr, db_transaction_id, prev_hash, row_hash, actor, diagnostic_json, warnings,
      pdcp_content
    )
    values (
      v_row.target_file_id, v_row.log_sequence, v_row.pdcp_log_id, v_row.created_at, v_row.chain_sequence,
      v_row.hash_version, v_row.before_version, v_row.after_version, v_row.expected_target_version,
      v_row.editing_cycle, v_row.regeneration_attempt, v_row.change_count, v_row.parent_pdcp_log_id, v_row.status,
      v_row.decided_by, v_row.failure_reason, v_row.failure_code, v_row.failed_change_id, v_row.failure_detail,
      v_row.validation_stage, v_row.before_hash, v_row.after_hash, v_row.expected_current_hash,
      v_row.pdcp_content_hash, v_row.protocol_version, v_row.runtime_version, v_row.submission_source,
      v_row.regeneration_source, v_row.client_request_id, v_row.request_fingerprint, v_row.db_session_user,
      v_row.db_application_name, v_row.db_client_addr, v_row.db_transaction_id, v_row.prev_hash, v_row.row_hash,
      v_row.actor, v_row.diagnostic_json, v_row.warnings, p_payload
    )
  ),
  ledger as (
    insert into patchdiff_store.append_only_manifest_ledger
    select l.* from unnest(v_ledger) as l
  ),
  remembered as (
    insert into patchdiff_store.request_keys (
      target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
    )
    select
      v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
      v_row.created_at
    where v_row.client_request_id is not null
  )
  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  -- Sent when the caller's transaction commits, ids only. A notification makes commits wait for one another, so none is
  -- sent while nobody has asked for it.
  if v_row.status = 'accepted' and exists (
    select from patchdiff_store.commit_subscriptions as s where s.expires_at > v_row.created_at
  ) then
    perform pg_notify('patchdiff_commits', concat(
      '{"target_file_id":"', v_row.target_file_id,
      '","pdcp_log_id":"', v_row.pdcp_log_id,
      '","version":', v_row.after_version, '}'
    ));
  end if;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_attempt(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt with its ledger rows and request key, and advances head and chain.';
--! EndIncluded patchdiff_store/append_attempt.sql
--! Included patchdiff/subscribe_commits.sql
-- Asks for a notification of every accepted attempt on the channel patchdiff_commits, or renews what was asked, and answers
-- until when. The caller's session listens by itself; this row only says that somebody does (docs/spec/direct-calls.md). It counts once
-- the caller's transaction is committed. Names are each login's own: nobody renews or ends what another login asked.
-- Refuses a malformed name, a lease outside 1 second ... 1 hour, and a name beyond the 1,000 that a login may have running
-- (PD100): everyone reads this table. Race-safe: one row a name, written by an upsert;
-- stale rows of others are removed only where nobody holds them.
create or replace function patchdiff.subscribe_commits (
  p_subscriber text,
  p_lease interval default '5 minutes'
)
  returns timestamptz
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_until timestamptz;
begin
  -- check
  perform patchdiff_store.check_subscription(p_subscriber, p_lease);
  perform patchdiff_store.check_subscriptions_left(p_subscriber);

  -- write
  insert into patchdiff_store.commit_subscriptions as s (db_session_user, subscriber, expires_at)
  values (session_user, p_subscriber, clock_timestamp() + p_lease)
  on conflict on constraint commit_subscriptions_pkey do update set expires_at = excluded.expires_at
  returning s.expires_at into strict v_until;

  delete from patchdiff_store.commit_subscriptions as s
  using patchdiff_store.lock_stale_subscriptions() as l
  where s.db_session_user = l.db_session_user and s.subscriber = l.subscriber;

  return v_until;
end;
$$;

comment on function patchdiff.subscribe_commits(text, interval) is
  'Asks for notifications of commits for a while, or renews that, and answers until when.';
--! EndIncluded patchdiff/subscribe_commits.sql
--! Included patchdiff/unsubscribe_commits.sql
-- Ends what subscribe_commits began, for this login and name; answers whether there was an unexpired subscription to end.
-- Refuses a malformed name (PD100). Race-safe: one delete by the primary key.
create or replace function patchdiff.unsubscribe_commits (
  p_subscriber text
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_until timestamptz;
begin
  -- check
  perform patchdiff_store.check_subscription(p_subscriber, '1 hour');

  -- write
  delete from patchdiff_store.commit_subscriptions as s
  where s.db_session_user = session_user and s.subscriber = p_subscriber
  returning s.expires_at into v_until;

  return coalesce(v_until > clock_timestamp(), false);
end;
$$;

comment on function patchdiff.unsubscribe_commits(text) is
  'Ends a subscription to notifications of commits; whether there was one.';
--! EndIncluded patchdiff/unsubscribe_commits.sql
--! Included patchdiff_store/number_json.sql
-- A JSON number as a record holds it (docs/spec/decoding.md): an integer of the protocol's domain as it is written, any other as
-- the shortest decimal that reads back as the same double, in the form of ECMAScript, so that every caller's record of
-- the same value has the same bytes. Null for null. A number beyond every double raises PD102: nothing could hold it as a number.
create or replace function patchdiff_store.number_json (
  p_argument text,
  p_number text
)
  returns text
  language plpgsql
  immutable
  -- The shortest form is what the server's default gives, and any session may have another.
  set extra_float_digits = '1'
as $$
declare
  v_parts text[];
  v_digits text;
  -- The value is 0.<digits> times ten to this power.
  v_power numeric;
  v_rounded text;
  v_shown text;
begin
  if p_number is null or p_number ~ '\A(0|-?[1-9][0-9]{0,14})\Z' then
    return p_number;
  end if;

  v_parts := regexp_match(p_number, '\A(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?\Z');
  v_digits := ltrim(v_parts[2] || coalesce(v_parts[3], ''), '0');
  if v_digits = '' then
    return '0';
  end if;

  begin
    v_parts := regexp_match(p_number::float8::text, '\A(-?)([0-9]+)(?:\.([0-9]+))?(?:e([-+][0-9]+))?\Z');
  exception
    when numeric_value_out_of_range then
      v_power := length(v_digits) - length(coalesce(v_parts[3], '')) + left(coalesce(v_parts[4], '0'), 1000)::numeric;
      if v_power < 0 then
        return '0';
      end if;

      raise exception '%: a number lies beyond double precision', p_argument
        using errcode = 'PD102',
              detail = json_build_object('argument', p_argument, 'number', left(p_number, 64))::text,
              hint = 'send integers; the formats use no other numbers';
  end;

  v_digits := ltrim(v_parts[2] || coalesce(v_parts[3], ''), '0');
  v_power := length(v_digits) - length(coalesce(v_parts[3], '')) + coalesce(v_parts[4], '0')::integer;
  v_digits := rtrim(v_digits, '0');

  -- The server shows digits that lie strictly inside what reads back as the double; fewer on the very edge of it do too.
  for v_kept in 1..length(v_digits) - 1 loop
    v_rounded := round(v_digits::numeric, v_kept - length(v_digits))::text;
    continue when concat(v_rounded, 'e', v_power - length(v_digits))::numeric > 1.7976931348623157e308;
    if concat(v_parts[1], v_rounded, 'e', v_power - length(v_digits))::float8 = p_number::float8 then
      v_power := v_power + length(v_rounded) - length(v_digits);
      v_digits := rtrim(v_rounded, '0');
      exit;
    end if;
  end loop;

  v_shown := case
    when v_power between length(v_digits) and 21 then rpad(v_digits, v_power::integer, '0')
    when v_power between 1 and 21 then left(v_digits, v_power::integer) || '.' || substr(v_digits, v_power::integer + 1)
    when v_power between -5 and 0 then '0.' || repeat('0', -v_power::integer) || v_digits
    else concat(
      left(v_digits, 1), '.' || nullif(substr(v_digits, 2), ''), 'e', case when v_power > 0 then '+' end, v_power - 1)
  end;
  return v_parts[1] || v_shown;
end;
$$;

comment on function patchdiff_store.number_json(text, text) is
  'A JSON number as a record holds it: the shortest decimal of the same double.';
--! EndIncluded patchdiff_store/number_json.sql
--! Included patchdiff_store/canonical_json.sql
-- Canonical JSON of any value (docs/spec/decoding.md): names by code point, no spaces, numbers as records hold them. The text
-- must hold no escape that PostgreSQL text cannot (mark_unencodable takes them out). p_argument names the caller's
-- argument in a refusal: of a name that an object has twice (PD100), where whoever reads it would have to guess which
-- of two values is meant, and of a number beyond double precision (PD102).
create or replace function patchdiff_store.canonical_json (
  p_argument text,
  p_value json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
  v_repeated text;
begin
  case json_typeof(p_value)
    when 'object' then
      select
        '{' || coalesce(string_agg(m.text, ',' order by m.name collate "C"), '') || '}',
        min(m.name) filter (where m.count > 1)
      into v_text, v_repeated
      from (
        select
          e.name,
          count(*) over (partition by e.name) as count,
          to_json(e.name)::text || ':' || case json_typeof(e.value)
            when 'string' then to_json(e.value #>> '{}')::text
            else patchdiff_store.canonical_json(p_argument, e.value)
          end as text
        from json_each(p_value) as e(name, value)
      ) as m;
      if v_repeated is not null then
        raise exception '%: an object has the member % twice', p_argument, to_json(left(v_repeated, 64))
          using errcode = 'PD100',
                detail = json_build_object(
                  'argument', p_argument, 'rule', 'no object with the same member twice', 'member', left(v_repeated, 64)
                )::text,
                hint = 'send each member once';
      end if;
    when 'array' then
      select '[' || coalesce(string_agg(patchdiff_store.canonical_json(p_argument, e.value), ',' order by e.position), '') || ']'
      into v_text
      from json_array_elements(p_value) with ordinality as e(value, position);
    when 'string' then
      v_text := to_json(p_value #>> '{}')::text;
    when 'number' then
      v_text := patchdiff_store.number_json(p_argument, btrim(p_value::text, e' \t\r\n'));
    else
      v_text := btrim(p_value::text, e' \t\r\n');
  end case;

  return v_text;
end;
$$;

comment on function patchdiff_store.canonical_json(text, json) is
  'Canonical JSON of any value without escapes that PostgreSQL text cannot hold.';
--! EndIncluded patchdiff_store/canonical_json.sql
--! Included patchdiff_store/unmark_unencodable.sql
-- Undoes mark_unencodable on canonical JSON that was made from marked text: every mark becomes its escape again, in lower case as
-- ASCII-escaped canonical JSON has it, and the rest of the characters above U+007F become escapes too.
create or replace function patchdiff_store.unmark_unencodable (
  p_marked text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return (
    select string_agg(
      case
        when p.position = 1 then patchdiff_store.ascii_json(p.piece)
        when left(p.piece, 1) = 'e' then '\ue000' || patchdiff_store.ascii_json(substr(p.piece, 2))
        else chr(92) || lower(left(p.piece, 5)) || patchdiff_store.ascii_json(substr(p.piece, 6))
      end,
      '' order by p.position
    )
    from string_to_table(p_marked, U&'\E000') with ordinality as p(piece, position)
  );
end;
$$;

comment on function patchdiff_store.unmark_unencodable(text) is
  'Marked canonical JSON as ASCII-escaped canonical JSON.';
--! EndIncluded patchdiff_store/unmark_unencodable.sql
--! Included patchdiff_store/direct_record.sql
-- The record of a direct call as canonical JSON: byte for byte what prepareSubmission builds from the same arguments. What is null
-- is left out, as a tool's caller leaves it out; the two guard keys are always there. p_edits and p_operations are the
-- canonical JSON of the format's container; the other is null.
create or replace function patchdiff_store.direct_record (
  p_format text,
  p_target uuid,
  p_intent text,
  p_expected_target_version bigint,
  p_expected_current_hash text,
  p_edits text,
  p_operations text
)
  returns text
  language sql
  immutable
as $$
  select concat(
    '{',
    '"edits":' || p_edits || ',',
    '"expected_current_hash":', coalesce(to_json(p_expected_current_hash)::text, 'null'),
    ',"expected_target_version":', coalesce(
      patchdiff_store.number_json('p_expected_target_version', p_expected_target_version::text), 'null'),
    ',"format":"', p_format, '"',
    ',"intent":' || to_json(p_intent)::text,
    ',"operations":' || p_operations,
    ',"target_file_id":"', p_target, '"}'
  )
$$;

comment on function patchdiff_store.direct_record(text, uuid, text, bigint, text, text, text) is
  'The record of a direct call as canonical JSON.';
--! EndIncluded patchdiff_store/direct_record.sql
--! Included patchdiff_store/direct_operations.sql
-- The operations of a commit_spans as canonical JSON: each item as sent, in the order sent, with "op":"span" where it
-- names no op. Escapes that no PostgreSQL text can hold make it ASCII-escaped JSON, whose escapes they stay.
-- Refuses what is no array, what is beyond 16777216 bytes or nested beyond 256 levels, and a member given twice (PD100),
-- and a number beyond double precision (PD102); whatever else is wrong with an item is an outcome, not misuse.
create or replace function patchdiff_store.direct_operations (
  p_spans json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_is_encodable boolean := not patchdiff_store.holds_unencodable(p_spans::text);
  v_spans json;
  v_rule text;
  v_operations text;
begin
  v_rule := case
    when p_spans is null or json_typeof(p_spans) <> 'array' then 'a JSON array'
    when octet_length(p_spans::text) > 16777216 then 'JSON of at most 16777216 bytes'
    when patchdiff_store.nests_beyond(p_spans::text, 256) then 'JSON of at most 256 levels'
  end;
  if v_rule is not null then
    raise exception 'p_spans must be %', v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_spans', 'rule', v_rule)::text,
            hint = 'send an array of spans, each an object with start, end, expected_text and replace';
  end if;

  v_spans := p_spans;
  if not v_is_encodable then
    -- Written as an escape the mark itself would be taken for one. An escaped backslash stands aside as in mark_unencodable.
    v_spans := patchdiff_store.mark_unencodable(replace(
      regexp_replace(replace(p_spans::text, '\\', e'\x01'), '\\u[eE]000', U&'\E000', 'g'), e'\x01', '\\'))::json;
  end if;

  select '[' || coalesce(string_agg(
    patchdiff_store.canonical_json('p_spans', case
      when json_typeof(e.item) <> 'object' or e.item -> 'op' is not null then e.item
      else ('{"op":"span"' || regexp_replace(substr(e.item::text, 2), '\A\s*(?!\s|\})', ',') )::json
    end),
    ',' order by e.position
  ), '') || ']'
  into v_operations
  from json_array_elements(v_spans) with ordinality as e(item, position);
  return case when v_is_encodable then v_operations else patchdiff_store.unmark_unencodable(v_operations) end;
end;
$$;

comment on function patchdiff_store.direct_operations(json) is
  'The operations of a commit_spans as canonical JSON, each with its op.';
--! EndIncluded patchdiff_store/direct_operations.sql
--! Included patchdiff_store/shifted_bases.sql
-- The warnings occurrence_index_basis_shift of a walk whose places were found here, as JSON text, or null: the database's own
-- reading of docs/spec/decoding.md. The place a change chose is carried back through the changes before it; where text
-- that one of them wrote or cut takes part, or where the starting text has its k-th occurrence elsewhere, the basis
-- has shifted. A change that replaced a text by itself replaced nothing.
create or replace function patchdiff_store.shifted_bases (
  p_content bytea,
  p_operations patchdiff_store.operations,
  p_walk patchdiff_store.walk
)
  returns json
  language plpgsql
  immutable
as $$
declare
  -- Of the changes so far that replaced anything. Arrays of their own: one inside a record is copied at every look.
  v_at integer[] := '{}';
  v_end integer[] := '{}';
  v_grown integer[] := '{}';
  v_start integer;
  v_length integer;
  v_ids text[] := '{}';
  v_change record;
begin
  if p_operations.occurrence_index is null then
    return null;
  end if;

  for v_change in
    select c.*
    from unnest(
      p_walk.change_id, p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes,
      p_walk.matched_sha256, p_walk.replacement_sha256, p_operations.matched, p_operations.occurrence_index
    ) with ordinality as c(id, start, deleted, inserted, matched, replaced, needle, nth, position)
    order by c.position
  loop
    v_start := v_change.start;
    v_length := v_change.deleted;
    if v_change.nth is not null and cardinality(v_at) > 0 then
      for v_before in reverse cardinality(v_at)..1 loop
        continue when v_start + v_length <= v_at[v_before];
        v_start := case when v_start >= v_end[v_before] then v_start - v_grown[v_before] end;
        exit when v_start is null;
      end loop;

      if v_start is null
        or v_start is distinct from patchdiff_store.nth_occurrence(p_content, convert_to(v_change.needle, 'UTF8'), v_change.nth)
      then
        v_ids := v_ids || v_change.id;
      end if;
    end if;

    if v_change.matched <> v_change.replaced then
      v_at := v_at || v_change.start;
      v_end := v_end || v_change.start + v_change.inserted;
      v_grown := v_grown || v_change.inserted - v_change.deleted;
    end if;
  end loop;

  return (
    select json_agg(json_build_object('code', 'occurrence_index_basis_shift', 'change_id', w.id))
    from unnest(v_ids) as w(id)
  );
end;
$$;

comment on function patchdiff_store.shifted_bases(bytea, patchdiff_store.operations, patchdiff_store.walk) is
  'The shifted bases of occurrence indices in a walk, as warnings.';
--! EndIncluded patchdiff_store/shifted_bases.sql
drop function if exists patchdiff_store.commit_submission(
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb
);
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
  end if;

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
  v_row.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(coalesce(v_envelope.stored, p_payload), 'UTF8'));
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
  elsif v_row.expected_target_version <> v_locked.version or v_row.expected_current_hash <> v_locked.current_hash then
    v_fault := patchdiff_store.guard_fault(v_row);
  else
    -- Protocol: no base can change it.
    if v_envelope.failure_code is not null then
      v_fault := patchdiff_store.fault_of(v_envelope.failure_code);
    elsif not v_is_sound or v_malformed is not null then
      v_fault := patchdiff_store.decode_record(v_record, p_target, v_malformed);
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
    v_fault := patchdiff_store.non_finite_fault(v_fault, p_payload, p_target, v_malformed, p_claimed_reason);
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
    v_locked, v_row, coalesce(v_envelope.stored, p_payload),
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
--! Included patchdiff_store/check_direct_call.sql
-- Refuses misuse of a direct call's arguments (PD100): no target, or more text than any record could be made of. All that
-- the formats themselves rule out is an outcome and leaves a row.
create or replace function patchdiff_store.check_direct_call (
  p_target uuid,
  p_bytes bigint
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_target is null then
    v_argument := 'p_target_file_id';
    v_rule := 'a uuid';
  elsif p_bytes > 67108864 then
    v_argument := 'all texts together';
    v_rule := 'at most 67108864 bytes';
  else
    return;
  end if;

  raise exception '% must be %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = format('correct %s and call again', v_argument);
end;
$$;

comment on function patchdiff_store.check_direct_call(uuid, bigint) is 'Refuses misuse of a direct call''s arguments.';
--! EndIncluded patchdiff_store/check_direct_call.sql
--! Included patchdiff_store/commit_direct.sql
-- Commits a record that a direct call built: judged as commit_attempt judges a payload, with every place found here
-- (docs/spec/direct-calls.md). A key, parent or source beyond 8,192 bytes goes as raw metadata, as our own service
-- sends it, so that both leave the same row. Refuses an actor that cannot be stored (PD100).
create or replace function patchdiff_store.commit_direct (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
as $$
declare
  v_is_encodable boolean;
  v_raw jsonb;
begin
  perform patchdiff_store.check_claim('p_actor', p_actor);

  if greatest(octet_length(p_client_request_id), octet_length(p_parent), octet_length(p_source)) > 8192 then
    v_is_encodable := not patchdiff_store.holds_unencodable(p_payload);
    select jsonb_object_agg(m.name, patchdiff_store.ascii_json(
      to_json(case when v_is_encodable then left(m.value, 8193) else m.value end)::text))
    into v_raw
    from (values
      ('client_request_id', p_client_request_id), ('parent_pdcp_log_id', p_parent), ('source', p_source)
    ) as m(name, value)
    where octet_length(m.value) > 8192;
  end if;

  return patchdiff_store.commit_submission(
    p_target,
    p_payload,
    case when octet_length(p_client_request_id) <= 8192 then p_client_request_id end,
    case when octet_length(p_parent) <= 8192 then p_parent end,
    p_attempt,
    case when octet_length(p_source) <= 8192 then p_source end,
    p_actor,
    null,
    'derive',
    null,
    null,
    null,
    null,
    v_raw);
end;
$$;

comment on function patchdiff_store.commit_direct(uuid, text, text, text, integer, text, json) is
  'Commits a record that a direct call built, every place found by the database.';
--! EndIncluded patchdiff_store/commit_direct.sql
--! Included patchdiff/commit_match.sql
-- Replaces one exact text of a target: a patchdiff-tx/1 record with one edit, built and judged here, its place found here
-- (docs/spec/direct-calls.md). Null is "left out". Answers a receipt whatever becomes of it: a text that is not there,
-- is there several times, or a guard that does not hold is a recorded rejection, not an error.
-- Refuses a null target, too much text and an actor that cannot be stored (PD100). Race-safe by the target's row lock.
create or replace function patchdiff.commit_match (
  p_target_file_id uuid,
  p_match text,
  p_replace text,
  p_intent text,
  p_expected_target_version bigint default null,
  p_expected_current_hash text default null,
  p_occurrence_index bigint default null,
  p_anchor_before text default null,
  p_anchor_after text default null,
  p_change_id text default null,
  p_rationale text default null,
  p_risk text default null,
  p_client_request_id text default null,
  p_parent_pdcp_log_id text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_edit text;
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_match), 0)::bigint
    + coalesce(octet_length(p_replace), 0)::bigint
    + coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_anchor_before), 0)::bigint
    + coalesce(octet_length(p_anchor_after), 0)::bigint
    + coalesce(octet_length(p_change_id), 0)::bigint
    + coalesce(octet_length(p_rationale), 0)::bigint
    + coalesce(octet_length(p_risk), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  v_edit := concat_ws(
    ',',
    '"anchor_after":' || to_json(p_anchor_after)::text,
    '"anchor_before":' || to_json(p_anchor_before)::text,
    '"change_id":' || to_json(p_change_id)::text,
    '"match":' || to_json(p_match)::text,
    '"occurrence_index":' || patchdiff_store.number_json('p_occurrence_index', p_occurrence_index::text),
    '"rationale":' || to_json(p_rationale)::text,
    '"replace":' || to_json(p_replace)::text,
    '"risk":' || to_json(p_risk)::text
  );

  return patchdiff_store.commit_direct(
    p_target_file_id,
    patchdiff_store.direct_record(
      'patchdiff-tx/1', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash,
      '[{' || v_edit || '}]', null),
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_match(
  uuid, text, text, text, bigint, text, bigint, text, text, text, text, text, text, text, integer, text, json
) is 'Replaces one exact text of a target: a direct call of any service, recorded whatever the outcome.';
--! EndIncluded patchdiff/commit_match.sql
--! Included patchdiff/commit_spans.sql
-- Replaces guarded spans of a target: a patchdiff-tx/2 record, built and judged here (docs/spec/direct-calls.md). p_spans
-- is an array of {start, end, expected_text, replace, ...} in code points of the buffer as it stands at that span; an item
-- with an op of its own is that operation. Null is "left out". Answers a receipt whatever becomes of it.
-- Refuses a null target, spans that are no array or have a member twice, too much text and an actor that cannot be stored
-- (PD100), and a number beyond double precision (PD102). Race-safe by the target's row lock.
create or replace function patchdiff.commit_spans (
  p_target_file_id uuid,
  p_spans json,
  p_intent text,
  p_expected_target_version bigint default null,
  p_expected_current_hash text default null,
  p_client_request_id text default null,
  p_parent_pdcp_log_id text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_operations text;
  v_payload text;
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  v_operations := patchdiff_store.direct_operations(p_spans);
  v_payload := patchdiff_store.direct_record(
    'patchdiff-tx/2', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash, null, v_operations);
  if patchdiff_store.holds_unencodable(v_operations) then
    v_payload := patchdiff_store.ascii_json(v_payload);
  end if;

  return patchdiff_store.commit_direct(
    p_target_file_id,
    v_payload,
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_spans(
  uuid, json, text, bigint, text, text, text, integer, text, json
) is 'Replaces guarded spans of a target: a direct call of any service, recorded whatever the outcome.';
--! EndIncluded patchdiff/commit_spans.sql
--! Included patchdiff/commit_replacement.sql
-- Replaces the whole text of a target: a patchdiff-tx/3 record, built and judged here (docs/spec/direct-calls.md). Null is "left
-- out". Answers a receipt whatever becomes of it: a guard that does not hold or a text beyond the limits is a recorded
-- rejection, not an error.
-- Refuses a null target, too much text and an actor that cannot be stored (PD100). Race-safe by the target's row lock.
create or replace function patchdiff.commit_replacement (
  p_target_file_id uuid,
  p_replacement text,
  p_intent text,
  p_expected_target_version bigint default null,
  p_expected_current_hash text default null,
  p_client_request_id text default null,
  p_parent_pdcp_log_id text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null
)
  returns patchdiff.commit_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
begin
  perform patchdiff_store.check_direct_call(
    p_target_file_id,
    coalesce(octet_length(p_replacement), 0)::bigint
    + coalesce(octet_length(p_intent), 0)::bigint
    + coalesce(octet_length(p_expected_current_hash), 0)::bigint
    + coalesce(octet_length(p_client_request_id), 0)::bigint
    + coalesce(octet_length(p_parent_pdcp_log_id), 0)::bigint
    + coalesce(octet_length(p_source), 0)::bigint);

  return patchdiff_store.commit_direct(
    p_target_file_id,
    patchdiff_store.direct_record(
      'patchdiff-tx/3', p_target_file_id, p_intent, p_expected_target_version, p_expected_current_hash,
      null, '[{"op":"replace_all","replace":' || to_json(p_replacement)::text || '}]'),
    p_client_request_id,
    p_parent_pdcp_log_id,
    p_attempt,
    p_source,
    p_actor);
end;
$$;

comment on function patchdiff.commit_replacement(
  uuid, text, text, bigint, text, text, text, integer, text, json
) is 'Replaces the whole text of a target: a direct call of any service, recorded whatever the outcome.';
--! EndIncluded patchdiff/commit_replacement.sql
grant execute on function
  patchdiff.commit_match(uuid, text, text, text, bigint, text, bigint, text, text, text, text, text, text, text, integer, text, json),
  patchdiff.commit_spans(uuid, json, text, bigint, text, text, text, integer, text, json),
  patchdiff.commit_replacement(uuid, text, text, bigint, text, text, text, integer, text, json)
to patchdiff_writer;
grant usage on schema patchdiff to patchdiff_auditor;
grant execute on function
  patchdiff.subscribe_commits(text, interval),
  patchdiff.unsubscribe_commits(text)
to patchdiff_writer, patchdiff_auditor;
grant select on table patchdiff_store.commit_subscriptions to patchdiff_auditor;
--! Included patchdiff_store/holds_exponent.sql
-- Whether JSON text writes a number with an exponent. jsonb reads 1e0 as 1, and no record writes an integer so.
create or replace function patchdiff_store.holds_exponent (
  p_json text
)
  returns boolean
  language sql
  immutable
as $$
  -- Strings are taken out only where the cheap look finds something.
  select p_json ~ '[0-9][eE]' and regexp_replace(p_json, '"([^"\\]|\\.)*"', '', 'g') ~ '[0-9][eE]'
$$;

comment on function patchdiff_store.holds_exponent(text) is
  'Whether JSON text writes a number with an exponent.';
--! EndIncluded patchdiff_store/holds_exponent.sql
--! Included patchdiff_store/check_claim.sql
-- Refuses a JSON argument that is stored as the caller's claim (actor, detail of an outcome) when it is larger than 8192
-- bytes, so that a row stays narrow whatever a caller says, or holds an escape that no PostgreSQL text can (\u0000, a lone
-- surrogate): json keeps it as it is, and whoever reads it with ->> later, a view included, gets an error (PD100). So does
-- whoever has to write it again when it nests deeper than his stack; what is shorter than 130 bytes cannot.
create or replace function patchdiff_store.check_claim (
  p_argument text,
  p_value json
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_rule text;
begin
  v_rule := case
    when octet_length(p_value::text) > 8192 then 'JSON of at most 8192 bytes'
    when patchdiff_store.holds_unencodable(p_value::text) then 'JSON without \u0000 and lone surrogates'
    when octet_length(p_value::text) >= 130 and patchdiff_store.nests_beyond(p_value::text, 64) then 'JSON of at most 64 levels'
  end;
  if v_rule is not null then
    raise exception '%: %', p_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', p_argument, 'rule', v_rule)::text,
            hint = 'shorten or correct the argument';
  end if;
end;
$$;

comment on function patchdiff_store.check_claim(text, json) is
  'Refuses a JSON claim of the caller that is larger than 8192 bytes, deeper than 64 levels, or cannot be read as text.';
--! EndIncluded patchdiff_store/check_claim.sql
--! Included patchdiff_store/check_commit_call.sql
-- Refuses misuse of commit_attempt's own arguments (PD100): what no tool of ours can send and no row should hold. Every
-- judgement about the submission itself is not made here, because a bad submission is an outcome and leaves a row.
create or replace function patchdiff_store.check_commit_call (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_verdict text,
  p_claimed_reason text,
  p_warnings json,
  p_raw_metadata jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_target is not null and p_payload is not null and p_raw_metadata is null
    and (p_verdict in ('accepted', 'none') or (p_verdict = 'rejected' and p_claimed_reason is not null))
    and coalesce(octet_length(p_actor::text), 0) <= 8192
    and coalesce(strpos(p_actor::text, '\u'), 0) = 0
    and coalesce(length(p_actor::text) - length(translate(p_actor::text, '[{', '')), 0) <= 64
    and coalesce(octet_length(p_client_request_id), 0) <= 8192
    and coalesce(octet_length(p_parent), 0) <= 8192
    and coalesce(octet_length(p_source), 0) <= 8192
    and coalesce(p_warnings::text, '[]') = '[]'
  then
    return;
  end if;

  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, p_target is null, 'p_target', 'a uuid'),
    (2, p_payload is null, 'p_payload', 'the record as JSON text'),
    (3, coalesce(p_verdict not in ('accepted', 'rejected', 'none'), true), 'p_verdict', 'accepted, rejected or none'),
    (4, p_verdict = 'rejected' and p_claimed_reason is null, 'p_diagnostic', 'an object with the text failure_reason'),
    (5, octet_length(p_actor::text) > 8192
        or patchdiff_store.holds_unencodable(left(p_actor::text, 8192))
        or patchdiff_store.nests_beyond(left(p_actor::text, 8192), 64),
      'p_actor', 'JSON of at most 8192 bytes and 64 levels without NUL and lone surrogates'),
    (6, octet_length(p_client_request_id) > 8192, 'p_client_request_id', 'text of at most 8192 bytes'),
    (7, octet_length(p_parent) > 8192, 'p_parent', 'text of at most 8192 bytes'),
    (8, octet_length(p_source) > 8192, 'p_source', 'text of at most 8192 bytes'),
    (9, patchdiff_store.are_warnings(p_warnings) is false, 'p_warnings',
      'an array of at most 6000 objects with code and change_id'),
    (10, patchdiff_store.is_raw_metadata(p_raw_metadata, p_client_request_id, p_parent, p_attempt, p_source) is false,
      'p_raw_metadata', 'an object of JSON texts, only for values that do not fit their typed parameter')
  ) as c(position, fails, argument, rule)
  where c.fails
  order by c.position
  limit 1;

  if v_argument is not null then
    raise exception '% must be %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = format('correct %s and call again', v_argument);
  end if;
end;
$$;

comment on function patchdiff_store.check_commit_call(
  uuid, text, text, text, integer, text, json, text, text, json, jsonb
) is 'Refuses misuse of commit_attempt''s own arguments.';
--! EndIncluded patchdiff_store/check_commit_call.sql
--! Included patchdiff_store/check_import_call.sql
-- Refuses malformed arguments of import_attempt (PD100): what no row may hold, whatever the target is. Looks at nothing
-- but the call. Sizes are bytes of UTF-8; a key is as long as commit_attempt can look up.
create or replace function patchdiff_store.check_import_call (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_parent text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_is_accepted boolean := p_attempt.status = 'accepted';
  v_argument text;
  v_rule text;
begin
  perform patchdiff_store.check_digest('p_payload_hash', p_attempt.pdcp_content_hash, true);
  perform patchdiff_store.check_digest('p_before_hash', p_attempt.before_hash, true);
  perform patchdiff_store.check_digest('p_after_hash', p_attempt.after_hash, true);
  perform patchdiff_store.check_claim('p_actor', p_attempt.actor);

  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, p_attempt.target_file_id is null, 'p_target', 'a uuid'),
    (2, p_attempt.pdcp_log_id is null, 'p_pdcp_log_id', 'a uuid'),
    (3, not coalesce(
        isfinite(p_attempt.created_at) and p_attempt.created_at >= '0001-01-01 00:00:00+00' and p_attempt.created_at <= p_attempt.imported_at,
        false),
      'p_created_at', 'a time from year 1 on that is not in the future'),
    (4, v_is_accepted is null or p_attempt.status not in ('accepted', 'rejected'), 'p_status', 'accepted or rejected'),
    (5, p_payload is null, 'p_payload', 'the stored payload as text'),
    (6, p_attempt.protocol_version is null, 'p_protocol_version', 'a protocol version'),
    (7, p_attempt.runtime_version is null, 'p_runtime_version', 'a runtime version'),
    (8, not coalesce(p_attempt.before_version >= 0, false), 'p_before_version', 'an integer of at least 0'),
    (9, p_attempt.after_version is null, 'p_after_version', 'an integer'),
    (10, coalesce(p_attempt.decided_by not in ('database', 'runtime'), true), 'p_decided_by', 'database or runtime'),
    (11, p_attempt.regeneration_attempt < 1, 'p_attempt', 'an integer of at least 1, or null'),
    (12, patchdiff_store.is_blank(p_attempt.submission_source) or octet_length(p_attempt.submission_source) > 8192,
      'p_source', 'text of at most 8192 bytes that is not blank, or null'),
    (13, octet_length(p_attempt.client_request_id) > 8192, 'p_client_request_id', 'text of at most 8192 bytes, or null'),
    (14, octet_length(p_parent) > 8192, 'p_parent', 'text of at most 8192 bytes, or null'),
    (15, v_is_accepted and num_nonnulls(
        p_attempt.failure_reason, p_attempt.failure_code, p_attempt.failure_detail, p_attempt.failed_change_id,
        p_attempt.diagnostic_json) > 0,
      'p_failure_reason', 'null with all that explains a failure, for an accepted attempt'),
    (16, v_is_accepted <> (p_attempt.validation_stage = 'accepted') or p_attempt.validation_stage is null, 'p_validation_stage',
      'the stage of the failure for a rejected attempt, null for an accepted one'),
    (17, not v_is_accepted and p_attempt.failure_reason is null, 'p_failure_reason', 'the reason of a rejected attempt'),
    (18, octet_length(p_attempt.failure_detail) > 65536, 'p_failure_detail', 'text of at most 65536 bytes, or null'),
    (19, octet_length(p_attempt.failed_change_id) > 65536, 'p_failed_change_id', 'text of at most 65536 bytes, or null'),
    (20, coalesce(json_typeof(p_attempt.diagnostic_json) <> 'object', false)
        or octet_length(p_attempt.diagnostic_json::text) > 65536
        or patchdiff_store.holds_unencodable(left(p_attempt.diagnostic_json::text, 65536))
        or patchdiff_store.nests_beyond(left(p_attempt.diagnostic_json::text, 65536), 64),
      'p_diagnostic', 'an object of at most 65536 bytes and 64 levels without NUL and lone surrogates, or null'),
    (21, not v_is_accepted and p_attempt.warnings is not null, 'p_warnings', 'null for a rejected attempt'),
    (22, patchdiff_store.are_warnings(p_attempt.warnings) is false or patchdiff_store.nests_beyond(p_attempt.warnings::text, 64),
      'p_warnings', 'an array of at most 6000 objects with code and change_id, of at most 64 levels, or null')
  ) as c(position, fails, argument, rule)
  where c.fails
  order by c.position
  limit 1;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = format('correct %s and call again', v_argument);
  end if;
end;
$$;

comment on function patchdiff_store.check_import_call(patchdiff_store.append_only_pdcp_logs, text, text) is
  'Refuses malformed arguments of import_attempt.';
--! EndIncluded patchdiff_store/check_import_call.sql
--! Included patchdiff_store/import_attempt.sql
-- Brings in one attempt of an older history, as its owner (docs/spec/import.md): original id, time, key, parent, counter,
-- source, protocol, runtime, payload byte for byte, and outcome. Granted to nobody, and not security definer.
-- Promises: an accepted attempt is replayed by the database itself under its recorded profile, and comes in only when
-- versions, hashes, payload and result agree; a rejected one only when it is one. Nothing is repaired, replaced or
-- admitted anew, and the row says for ever that it was brought in, when and by whom.
-- Refuses malformed arguments (PD100), an unknown target (PD104), one whose content is damaged (PD106), an attempt that is
-- not the next one (PD111), that its own replay does not confirm (PD112), or that is there already (PD113).
-- Race-safe by the target's row lock, taken before anything of the target is read. Lock order: target, head.
create or replace function patchdiff_store.import_attempt (
  p_target uuid,
  p_pdcp_log_id uuid,
  p_created_at timestamptz,
  p_status text,
  p_protocol_version text,
  p_runtime_version text,
  p_payload text,
  p_payload_hash text,
  p_before_version bigint,
  p_before_hash text,
  p_after_version bigint default null,
  p_after_hash text default null,
  p_decided_by text default 'runtime',
  p_client_request_id text default null,
  p_is_fingerprinted boolean default true,
  p_parent text default null,
  p_attempt integer default null,
  p_source text default null,
  p_actor json default null,
  p_warnings json default null,
  p_validation_stage text default null,
  p_failure_reason text default null,
  p_failure_code text default null,
  p_failure_detail text default null,
  p_failed_change_id text default null,
  p_diagnostic json default null
)
  returns patchdiff.attempt_entry
  language plpgsql
  volatile
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_locked patchdiff_store.locked_target;
  v_record jsonb;
  v_evidence record;
  v_walk patchdiff_store.walk;
  v_content bytea;
  v_entry patchdiff.attempt_entry;
begin
  -- Check.
  v_row.target_file_id := p_target;
  v_row.pdcp_log_id := p_pdcp_log_id;
  v_row.created_at := p_created_at;
  v_row.imported_at := clock_timestamp();
  v_row.status := p_status;
  v_row.protocol_version := p_protocol_version;
  v_row.runtime_version := p_runtime_version;
  v_row.pdcp_content_hash := p_payload_hash;
  v_row.before_version := p_before_version;
  v_row.before_hash := p_before_hash;
  v_row.after_version := case p_status when 'rejected' then coalesce(p_after_version, p_before_version) else p_after_version end;
  v_row.after_hash := case p_status when 'rejected' then coalesce(p_after_hash, p_before_hash) else p_after_hash end;
  v_row.decided_by := p_decided_by;
  v_row.client_request_id := p_client_request_id;
  v_row.regeneration_attempt := p_attempt;
  v_row.submission_source := p_source;
  v_row.actor := p_actor;
  v_row.warnings := p_warnings;
  v_row.validation_stage := case p_status when 'accepted' then coalesce(p_validation_stage, 'accepted') else p_validation_stage end;
  v_row.failure_reason := p_failure_reason;
  v_row.failure_code := p_failure_code;
  v_row.failure_detail := p_failure_detail;
  v_row.failed_change_id := p_failed_change_id;
  v_row.diagnostic_json := p_diagnostic;
  perform patchdiff_store.check_import_call(v_row, p_payload, p_parent);

  -- Lock.
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- Guard.
  perform patchdiff_store.check_import_place(v_locked, v_row);
  if p_before_hash <> v_locked.current_hash then
    perform patchdiff_store.refuse_import(v_row, 'before_hash', 'it starts from other content', jsonb_build_object(
      'recorded', p_before_hash, 'current', v_locked.current_hash));
  end if;

  if patchdiff_store.sha256_hex(convert_to(p_payload, 'UTF8')) <> p_payload_hash then
    perform patchdiff_store.refuse_import(v_row, 'payload_hash', 'the payload does not hash to its recorded hash');
  end if;

  v_record := patchdiff_store.payload_json(p_payload);
  if p_status = 'accepted' and patchdiff_store.holds_exponent(p_payload) then
    v_record := null;
  end if;

  -- Rules without envelopes stored a refused record with NUL as it is. Its guards and its format are what is read here.
  if v_record is null and p_status = 'rejected' and patchdiff_store.holds_unencodable(p_payload) then
    v_record := patchdiff_store.payload_json(patchdiff_store.mark_unencodable(p_payload));
  end if;

  v_evidence := patchdiff_store.import_evidence(p_payload, v_record);
  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);

  if p_parent ~* '\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z' then
    select a.pdcp_log_id, a.submission_source
    into v_row.parent_pdcp_log_id, v_row.regeneration_source
    from patchdiff_store.append_only_pdcp_logs as a
    where a.target_file_id = p_target
    and a.pdcp_log_id = p_parent::uuid
    and a.status = 'rejected';
  end if;

  -- What names no rejected attempt is itself a reason to reject, and found before some others.
  if p_parent is not null and v_row.parent_pdcp_log_id is null
    and coalesce(p_failure_reason not in ('context_invalid', 'target_encoding_invalid'), true)
  then
    perform patchdiff_store.refuse_import(v_row, 'parent', 'the parent is no rejected attempt of the target');
  end if;

  if p_is_fingerprinted is not false then
    v_row.request_fingerprint := patchdiff_store.request_fingerprint(
      v_row, coalesce(v_row.parent_pdcp_log_id::text, p_parent), v_evidence.evidence_format, v_evidence.evidence_sha256);
  end if;

  if p_status = 'accepted' then
    v_walk := patchdiff_store.import_walk(v_locked, v_row, v_record);
  else
    perform patchdiff_store.check_import_rejection(v_row, p_payload, v_record, v_evidence.evidence_format);
  end if;

  -- Write.
  if p_status = 'accepted' then
    v_content := v_walk.after_content;
    v_walk.after_content := null;
    update patchdiff_store.cloud_target_files as t
    set current_content = convert_from(v_content, 'UTF8'),
        current_hash = v_walk.after_hash,
        version = v_row.after_version,
        content_bytes = octet_length(v_content),
        content_chars = v_walk.after_chars,
        updated_at = clock_timestamp()
    where t.target_file_id = p_target;
  end if;

  v_row.log_sequence := patchdiff_store.append_import(v_locked, v_row, p_payload, v_record ->> 'intent', v_walk);
  select e.*
  into strict v_entry
  from patchdiff_store.attempt_entry as e
  where e.target_file_id = p_target
  and e.log_sequence = v_row.log_sequence;
  v_entry.pdcp_content := null;
  return v_entry;
end;
$$;

comment on function patchdiff_store.import_attempt(
  uuid, uuid, timestamptz, text, text, text, text, text, bigint, text, bigint, text, text, text, boolean, text, integer, text,
  json, json, text, text, text, text, text, json
) is 'Brings in one attempt of an older history, as its owner, verified by replay.';
--! EndIncluded patchdiff_store/import_attempt.sql
comment on column patchdiff_store.append_only_pdcp_logs.hash_version is 'The chain format that the row was hashed in: 1, or 2 for one that was brought in.';
comment on column patchdiff_store.target_snapshots.hash_version is 'The chain format that the row was hashed in: 1, or 2 with creation.';
-- What a creation fixed and the key of a SAVE become rows of the chain. Rows of before hold the checks by their nature, so
-- nothing is scanned.
alter table patchdiff_store.target_snapshots add column if not exists creation json;
comment on column patchdiff_store.target_snapshots.creation is
  'Of an initial snapshot in chain format 2: what the creation fixed, by column of the target and its binding. Null else.';
alter table patchdiff_store.target_snapshots drop constraint if exists target_snapshots_creation_in_format_2;
alter table patchdiff_store.target_snapshots
  add constraint target_snapshots_creation_in_format_2 check ((hash_version = 2) = (creation is not null)) not valid;
alter table patchdiff_store.request_keys add column if not exists chain_sequence bigint;
comment on column patchdiff_store.request_keys.chain_sequence is
  'Of the key of a SAVE: place in the chain of the target. Null for a submission, whose attempt is chained.';
alter table patchdiff_store.request_keys add column if not exists hash_version integer;
comment on column patchdiff_store.request_keys.hash_version is 'Of the key of a SAVE: the format of row_hash.';
alter table patchdiff_store.request_keys add column if not exists prev_hash bytea;
comment on column patchdiff_store.request_keys.prev_hash is 'Of the key of a SAVE: the row_hash before it in the chain.';
alter table patchdiff_store.request_keys add column if not exists row_hash bytea;
comment on column patchdiff_store.request_keys.row_hash is 'Of the key of a SAVE: SHA-256 over prev_hash and the encoded row.';
alter table patchdiff_store.request_keys drop constraint if exists request_keys_chained_save;
alter table patchdiff_store.request_keys
  add constraint request_keys_chained_save check (
    num_nonnulls(chain_sequence, hash_version, prev_hash, row_hash) = 0
    or (kind = 'save' and num_nulls(chain_sequence, hash_version, prev_hash, row_hash) = 0)
  ) not valid;
-- Which ending each line of a file of mixed line ends has.
alter table patchdiff_store.cloud_target_files add column if not exists eol_runs jsonb;
comment on column patchdiff_store.cloud_target_files.eol_runs is
  'The ending of each line as last imported or written, as runs [["crlf", 3], ["lf", 1]]. Null: the style of source_line_endings holds for all, or, where that is mixed or null, they are unknown.';
alter table patchdiff_store.cloud_target_files add column if not exists eol_version bigint;
comment on column patchdiff_store.cloud_target_files.eol_version is 'The version whose lines eol_runs describes; null without runs.';
alter table patchdiff_store.cloud_target_files drop constraint if exists cloud_target_files_eol_version;
alter table patchdiff_store.cloud_target_files
  add constraint cloud_target_files_eol_version check ((eol_runs is null) = (eol_version is null)) not valid;
--! Included patchdiff_store/eol_runs_fault.sql
-- What is wrong with runs of line endings, or null: an array of at most 1000000 pairs [ending, lines], each ending another
-- one than before, that come to p_line_ends lines in all. Null runs are not wrong.
create or replace function patchdiff_store.eol_runs_fault (
  p_runs jsonb,
  p_line_ends bigint
)
  returns text
  language sql
  immutable
as $$
  select case
    when p_runs is null then null
    when jsonb_typeof(p_runs) <> 'array' then 'an array is required'
    when jsonb_array_length(p_runs) > 1000000 then 'at most 1000000 runs'
    else (
      select case
        when bool_or(r.ending is null or r.lines is null)
          then 'pairs ["lf", "crlf" or "cr", lines] are required, with at least one line each'
        when bool_or(r.ending = r.ending_before) then 'two runs of one ending in a row are one run'
        when coalesce(sum(r.lines), 0) <> p_line_ends then 'not as many lines as end in the content'
      end
      from (
        select p.ending, case when p.lines >= 1 and scale(p.lines) = 0 then p.lines end as lines, lag(p.ending) over (order by p.place) as ending_before
        from (
          select
            e.place,
            case when jsonb_typeof(e.run) = 'array' and jsonb_array_length(e.run) = 2
              and e.run -> 0 in ('"lf"'::jsonb, '"crlf"', '"cr"') then e.run ->> 0 end as ending,
            case when jsonb_typeof(e.run -> 1) = 'number' then (e.run -> 1)::numeric end as lines
          from jsonb_array_elements(p_runs) with ordinality as e (run, place)
        ) as p
      ) as r
    )
  end
$$;

comment on function patchdiff_store.eol_runs_fault(jsonb, bigint) is
  'What is wrong with runs of line endings for so many lines that end, or null.';
--! EndIncluded patchdiff_store/eol_runs_fault.sql
--! Included patchdiff_store/eol_runs_of.sql
-- The line endings of a text that is not canonical yet, as runs [ending, lines] in order, each as long as can be. Null when
-- there are more than 1000000: then they count as unknown.
create or replace function patchdiff_store.eol_runs_of (
  p_text text
)
  returns jsonb
  language sql
  immutable
as $$
  with ends as (
    select m.place, m.found[1] as ending, lag(m.found[1]) over (order by m.place) as ending_before
    from regexp_matches(p_text, e'\r\n|\n|\r', 'g') with ordinality as m (found, place)
  ),
  runs as (
    select e.place, e.ending, lead(e.place, 1, (select count(*) + 1 from ends)) over (order by e.place) - e.place as lines
    from ends as e
    where e.ending is distinct from e.ending_before
  )
  select case when count(*) <= 1000000 then coalesce(
    jsonb_agg(
      jsonb_build_array(case r.ending when e'\n' then 'lf' when e'\r\n' then 'crlf' else 'cr' end, r.lines)
      order by r.place
    ), '[]') end
  from runs as r
$$;

comment on function patchdiff_store.eol_runs_of(text) is
  'The line endings of a text as runs, or null when there are too many to keep.';
--! EndIncluded patchdiff_store/eol_runs_of.sql
--! Included patchdiff_store/restored_text.sql
-- Canonical text with its own ending at every line, as its file holds it after the byte order mark. Null when it would be
-- read back as another text: where a CR stands right before an LF. The runs are such as eol_runs_fault finds nothing wrong
-- with for this text.
create or replace function patchdiff_store.restored_text (
  p_content text,
  p_runs jsonb
)
  returns text
  language sql
  immutable
as $$
  select case when replace(replace(f.restored, e'\r\n', e'\n'), e'\r', e'\n') = p_content then f.restored end
  from (
    select coalesce(string_agg(l.line || coalesce(l.ending, ''), '' order by l.place), '') as restored
    from unnest(
      string_to_array(p_content, e'\n'),
      array(
        select case r.run ->> 0 when 'lf' then e'\n' when 'crlf' then e'\r\n' else e'\r' end
        from jsonb_array_elements(p_runs) with ordinality as r (run, place)
        cross join lateral generate_series(1, (r.run ->> 1)::bigint) as n
        order by r.place
      )
    ) with ordinality as l (line, ending, place)
  ) as f
$$;

comment on function patchdiff_store.restored_text(text, jsonb) is
  'Canonical text with its own ending at every line, or null when that is not to be read back.';
--! EndIncluded patchdiff_store/restored_text.sql
--! Included patchdiff_store/source_facts.sql
-- The facts about a document's line endings as it was imported, for the column source_line_endings: eight members, whatever
-- else was sent. Given facts must be what the content says (PD100): as many line ends of all kinds as the canonical text
-- has, the style and lengths that follow from them, and the digest of the source wherever the content tells its bytes:
-- in a uniform style, and in mixed line ends when their runs (eol_runs) are given too, which must be what the counts say.
-- Without given facts the text as sent is the source, and they are counted.
-- An explicit null in place of the facts stays null: unknown.
create or replace function patchdiff_store.source_facts (
  p_source jsonb,
  p_sent text,
  p_canonical text
)
  returns jsonb
  language plpgsql
  immutable
as $$
declare
  v_given jsonb := p_source -> 'line_endings';
  v_runs jsonb := nullif(p_source -> 'eol_runs', 'null');
  v_bom boolean := p_source -> 'bom' = 'true'::jsonb;
  v_line_ends bigint := length(p_canonical) - length(replace(p_canonical, e'\n', ''));
  v_crlf bigint;
  v_cr bigint;
  v_lf bigint;
  v_style text;
  v_source bytea;
  v_facts jsonb;
  v_fault text;
begin
  v_fault := case
    when p_source is null then null
    when jsonb_typeof(p_source) <> 'object' then 'an object is required'
    when coalesce(jsonb_typeof(p_source -> 'bom'), 'boolean') <> 'boolean' then 'bom: a boolean is required'
    when coalesce(jsonb_typeof(v_given), 'null') not in ('null', 'object') then 'line_endings: an object is required'
    when v_runs is not null and coalesce(v_given ->> 'style', '') <> 'mixed' then 'eol_runs: only where line ends are mixed'
    when v_runs is not null then 'eol_runs: ' || patchdiff_store.eol_runs_fault(v_runs, v_line_ends)
  end;
  if v_fault is null and p_source is not null and coalesce(jsonb_typeof(v_given), 'null') = 'null' then
    return null;
  end if;

  if p_source is null then
    v_crlf := (length(p_sent) - length(replace(p_sent, e'\r\n', ''))) / 2;
    v_cr := length(p_sent) - length(replace(p_sent, e'\r', '')) - v_crlf;
    v_lf := v_line_ends - v_crlf - v_cr;
  else
    v_crlf := patchdiff_store.integer_of(v_given -> 'crlf', 0);
    v_cr := patchdiff_store.integer_of(v_given -> 'cr', 0);
    v_lf := patchdiff_store.integer_of(v_given -> 'lf', 0);
    v_fault := coalesce(v_fault, case
      when v_lf is null or v_crlf is null or v_cr is null then 'line_endings: lf, crlf and cr are required integers'
      when v_lf + v_crlf + v_cr <> v_line_ends
        then 'line_endings: the counts do not add up to the line ends of the content'
    end);
  end if;

  if v_fault is null then
    v_style := case
      when v_line_ends = 0 then 'none'
      when v_lf = v_line_ends then 'lf'
      when v_crlf = v_line_ends then 'crlf'
      when v_cr = v_line_ends then 'cr'
      else 'mixed'
    end;
    v_source := convert_to(case
      when p_source is null then p_sent
      when v_style = 'crlf' then replace(p_canonical, e'\n', e'\r\n')
      when v_style = 'cr' then replace(p_canonical, e'\n', e'\r')
      when v_style <> 'mixed' then p_canonical
      when v_runs is not null then patchdiff_store.restored_text(p_canonical, v_runs)
    end, 'UTF8');
    if v_runs is not null and v_source is null then
      v_fault := 'eol_runs: a CR stands right before an LF, which is one CRLF';
    end if;
    if v_bom then
      v_source := decode('efbbbf', 'hex') || v_source;
    end if;
    v_facts := jsonb_build_object(
      'style', v_style,
      'lf', v_lf,
      'crlf', v_crlf,
      'cr', v_cr,
      'normalized', v_crlf + v_cr > 0,
      'source_code_points', length(p_canonical) + v_crlf + coalesce(v_bom, false)::integer,
      'source_utf8_bytes', octet_length(p_canonical) + v_crlf + 3 * coalesce(v_bom, false)::integer,
      'source_sha256', coalesce(encode(sha256(v_source), 'hex'), v_given ->> 'source_sha256')
    );
    v_fault := case
      when v_fault is not null then v_fault
      when coalesce(v_facts ->> 'source_sha256', '') !~ '\A[0-9a-f]{64}\Z'
        then 'line_endings.source_sha256: 64 lowercase hexadecimal digits'
      when p_source is not null then (
        select format('line_endings.%s: the content says %s', f.key, f.value)
        from jsonb_each(v_facts) as f
        where v_given -> f.key is distinct from f.value
        order by f.key
        limit 1
      )
    end;
  end if;

  if v_fault is not null then
    raise exception 'p_source: %', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_source', 'rule', v_fault)::text,
            hint = 'send {"line_endings": {style, lf, crlf, cr, normalized, source_code_points, source_utf8_bytes, source_sha256}, "bom": false, "eol_runs": null}, or null';
  end if;

  return v_facts;
end;
$$;

comment on function patchdiff_store.source_facts(jsonb, text, text) is
  'Facts about the line endings of an imported document, checked when given and counted when not.';
--! EndIncluded patchdiff_store/source_facts.sql
--! Included patchdiff_store/source_runs.sql
-- The runs of line endings that a creation records, for the column eol_runs: none for a uniform style; else those that were
-- sent, which source_facts has checked, or those of the text as sent when it is the source itself. Null when which line
-- has which is not known.
create or replace function patchdiff_store.source_runs (
  p_source jsonb,
  p_sent text,
  p_facts jsonb
)
  returns jsonb
  language sql
  immutable
as $$
  select case when p_facts ->> 'style' = 'mixed' then
    case when p_source is null then patchdiff_store.eol_runs_of(p_sent) else nullif(p_source -> 'eol_runs', 'null') end
  end
$$;

comment on function patchdiff_store.source_runs(jsonb, text, jsonb) is
  'The runs of line endings that a creation records, or null.';
--! EndIncluded patchdiff_store/source_runs.sql
--! Included patchdiff_store/check_written_runs.sql
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
--! EndIncluded patchdiff_store/check_written_runs.sql
--! Included patchdiff_store/checkpoint_publication.sql
-- What a finished publication changes beside its own row: the synced digest and version, the endings of each line as the intent keeps them, and the checkpoint. Answers
-- the id of the snapshot that holds the published version: the one appended, else the newest one when it has that
-- version, else null. The caller holds the lock, passes what lock_target answered,
-- and has left in the intent the request key that this settles, or none.
create or replace function patchdiff_store.checkpoint_publication (
  p_locked patchdiff_store.locked_target,
  p_intent patchdiff_store.workspace_publications,
  p_actor json
)
  returns uuid
  language plpgsql
  volatile
as $$
declare
  v_runs jsonb := nullif((p_intent.detail -> 'eol_runs')::jsonb, 'null');
  v_newest record;
  v_snapshot patchdiff_store.target_snapshots;
begin
  update patchdiff_store.cloud_target_files as t
  set last_synced_disk_sha256 = p_intent.written_sha256,
      last_synced_version = p_intent.version,
      eol_runs = v_runs,
      eol_version = case when v_runs is not null then p_intent.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = p_locked.target_file_id;

  select s.version, s.snapshot_id
  into strict v_newest
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_locked.target_file_id and s.snapshot_sequence = p_locked.snapshot_sequence;
  if v_newest.version = p_intent.version then
    return v_newest.snapshot_id;
  end if;
  if p_locked.version <> p_intent.version then
    return null;
  end if;

  v_snapshot := patchdiff_store.append_snapshot(
    p_locked, 'save_checkpoint', null, p_actor, p_intent.client_request_id, p_intent.request_fingerprint);
  return v_snapshot.snapshot_id;
end;
$$;

comment on function patchdiff_store.checkpoint_publication(
  patchdiff_store.locked_target, patchdiff_store.workspace_publications, json) is
  'Records the synced digest of a finished publication and appends its checkpoint.';
--! EndIncluded patchdiff_store/checkpoint_publication.sql
--! Included patchdiff/create_target.sql
-- Creates a target from text: version 0, its initial snapshot, its first editing cycle, the genesis of its chain, and
-- its binding to a workspace file when one is given. The text is canonicalised here (CRLF and CR become LF); of mixed line
-- ends the ending of each line is kept.
-- Safe to repeat under a caller-chosen id: the same content and source answer `existing` with the target as it is now.
-- Refuses: malformed arguments (PD100), more than 16777216 bytes (PD107), an id taken by other content (PD103), a file
-- that is bound to another target (PD109).
-- Race-safe: the insert on the primary key decides which of two creations is first; the other waits, then compares.
create or replace function patchdiff.create_target (
  p_target uuid,
  p_display_name text,
  p_content text,
  p_source jsonb default null,
  p_workspace jsonb default null,
  p_actor json default null
)
  returns patchdiff.target_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_target uuid := coalesce(p_target, gen_random_uuid());
  v_content text := replace(replace(p_content, e'\r\n', e'\n'), e'\r', e'\n');
  v_hash text;
  v_facts jsonb;
  v_runs jsonb;
  v_now timestamptz := clock_timestamp();
  v_root text;
  v_path text;
  v_locked patchdiff_store.locked_target;
  v_first record;
  v_created boolean;
  v_receipt patchdiff.target_receipt;
begin
  -- check
  perform patchdiff_store.check_creation(p_display_name, p_content, p_workspace);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  v_hash := encode(sha256(convert_to(v_content, 'UTF8')), 'hex');
  v_facts := patchdiff_store.source_facts(p_source, p_content, v_content);
  v_runs := patchdiff_store.source_runs(p_source, p_content, v_facts);
  v_root := p_workspace ->> 'root';
  v_path := p_workspace ->> 'path';

  -- claim the id
  insert into patchdiff_store.cloud_target_files (
    target_file_id, display_name, current_hash, version, content_bytes, content_chars, workspace_tracked,
    workspace_root_identity, workspace_path, last_synced_disk_sha256, last_synced_version, source_bom,
    source_line_endings, eol_runs, eol_version, created_at, updated_at, current_content
  )
  values (
    v_target, p_display_name, v_hash, 0, octet_length(v_content), length(v_content), v_path is not null,
    v_root, v_path, p_workspace ->> 'disk_sha256', case when p_workspace ->> 'disk_sha256' is not null then 0 end,
    coalesce((p_source -> 'bom')::boolean, false), v_facts, v_runs, case when v_runs is not null then 0 end, v_now, v_now, v_content
  )
  on conflict (target_file_id) do nothing;
  v_created := found;

  if v_created then
    insert into patchdiff_store.target_heads
    values (v_target, 0, 0, 0, 0, 0, 0, 0, v_hash, patchdiff_store.genesis_hash(v_target));
  end if;

  -- lock
  v_locked := patchdiff_store.lock_target(v_target);

  -- guard
  if not v_created then
    select s.content_hash, s.source_sha256
    into strict v_first
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = v_target and s.snapshot_sequence = 1;
    if v_first.content_hash <> v_hash or v_first.source_sha256 is distinct from v_facts ->> 'source_sha256' then
      raise exception 'target % was created from other content', v_target
        using errcode = 'PD103',
              detail = json_build_object('target_file_id', v_target, 'content_hash', v_first.content_hash)::text,
              hint = 'read the existing target, or create another one under a new id';
    end if;
  end if;

  -- write
  if v_path is not null then
    perform patchdiff_store.bind_target(v_target, p_workspace);
  end if;
  if v_created then
    perform patchdiff_store.append_snapshot(v_locked, 'initial_upload', v_facts ->> 'source_sha256', p_actor);
    v_locked := patchdiff_store.lock_target(v_target);
  end if;

  v_receipt.outcome := case when v_created then 'created' else 'existing' end;
  v_receipt.target_file_id := v_target;
  v_receipt.version := v_locked.version;
  v_receipt.current_hash := v_locked.current_hash;
  v_receipt.display_name := v_locked.display_name;
  v_receipt.content_chars := v_locked.content_chars;
  v_receipt.content_bytes := v_locked.content_bytes;
  v_receipt.created_at := v_locked.created_at;
  v_receipt.chain_sequence := v_locked.chain_sequence;
  v_receipt.chain_head := encode(v_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff.create_target(uuid, text, text, jsonb, jsonb, json) is
  'Creates a target from text, or answers the existing one when the same id was created from the same content.';
--! EndIncluded patchdiff/create_target.sql
drop function if exists patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text);
--! Included patchdiff/open_publication.sql
-- First transaction of a SAVE that publishes: appends the intent to write one version of a target to its file.
-- Outcomes: `opened`; `rejected` (a guard, diverged content, no binding, or the target or its synced digest moved since
-- the bytes were rendered; only a guard's or a divergence's verdict is recorded under the request key); `recovered`
-- when the key already has a receipt, then `receipt` holds it as JSON.
-- p_eol_runs says which ending each line of the version gets, as runs, where that is recorded line by line; kept with the
-- intent, and with the target once the publication is recorded.
-- Refuses malformed arguments, runs that do not make the bytes to be written among them (PD100), and an unknown target (PD104). Race-safe: decided under the target's lock, and
-- every intent is rechecked under it again by lock_publication before the file is touched.
create or replace function patchdiff.open_publication (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_version bigint,
  p_content_hash text,
  p_expected_disk_sha256 text,
  p_written_sha256 text,
  p_written_bytes bigint,
  p_actor json default null,
  p_client_request_id text default null,
  p_eol_runs jsonb default null
)
  returns patchdiff.publication_receipt
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set standard_conforming_strings = 'on'
as $$
declare
  v_fingerprint text;
  v_locked patchdiff_store.locked_target;
  v_saved patchdiff.save_receipt;
  v_fault patchdiff_store.fault;
  v_row patchdiff_store.workspace_publications;
  v_receipt patchdiff.publication_receipt;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, p_client_request_id);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_digest('p_content_hash', p_content_hash, true);
  perform patchdiff_store.check_digest('p_expected_disk_sha256', p_expected_disk_sha256, false);
  perform patchdiff_store.check_digest('p_written_sha256', p_written_sha256, true);
  if p_version is null or p_written_bytes is null or p_written_bytes < 0 then
    raise exception 'p_version and p_written_bytes are required'
      using errcode = 'PD100',
            detail = json_build_object('argument', case when p_version is null then 'p_version' else 'p_written_bytes' end)::text,
            hint = 'send the version that was rendered and the number of bytes to be written';
  end if;
  v_fingerprint := patchdiff_store.save_fingerprint(p_target, p_expected_version, p_expected_hash, true);

  -- lock
  v_locked := patchdiff_store.lock_target(p_target);
  if v_locked.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  v_saved := patchdiff_store.recall_save(v_locked, p_client_request_id, v_fingerprint);
  if v_saved.outcome is not null then
    v_fault.failure_reason := v_saved.failure_reason;
    v_fault.failure_code := v_saved.failure_code;
    v_fault.failure_detail := v_saved.failure_detail;
    v_receipt := patchdiff_store.publication_answer(
      v_locked, case when v_saved.deduplicated then 'recovered' else v_saved.outcome end, v_fault);
    v_receipt.receipt := row_to_json(v_saved);
    return v_receipt;
  end if;

  v_fault := patchdiff_store.save_fault(v_locked, p_expected_version, p_expected_hash);
  if v_fault.failure_reason is not null then
    v_saved := patchdiff_store.save_answer(v_locked, 'rejected', v_fault);
    perform patchdiff_store.remember_save(p_target, p_client_request_id, v_fingerprint, v_saved);
    return patchdiff_store.publication_answer(v_locked, 'rejected', v_fault);
  end if;

  v_fault := patchdiff_store.publication_moved(v_locked, p_version, p_content_hash, p_expected_disk_sha256);
  if v_fault.failure_reason is not null then
    return patchdiff_store.publication_answer(v_locked, 'rejected', v_fault);
  end if;

  perform patchdiff_store.check_written_runs(p_target, p_eol_runs, p_written_sha256, p_written_bytes);

  -- write
  v_row.kind := 'intent';
  v_row.version := p_version;
  v_row.content_hash := p_content_hash;
  v_row.expected_disk_sha256 := p_expected_disk_sha256;
  v_row.written_sha256 := p_written_sha256;
  v_row.written_bytes := p_written_bytes;
  v_row.workspace_root_identity := v_locked.workspace_root_identity;
  v_row.workspace_path := v_locked.workspace_path;
  v_row.client_request_id := p_client_request_id;
  v_row.request_fingerprint := case when p_client_request_id is not null then v_fingerprint end;
  v_row.actor := p_actor;
  v_row.detail := case
    when p_eol_runs is null
      then json_build_object('expected_target_version', p_expected_version, 'expected_current_hash', p_expected_hash)
    else json_build_object(
      'expected_target_version', p_expected_version, 'expected_current_hash', p_expected_hash, 'eol_runs', p_eol_runs)
  end;
  v_row := patchdiff_store.append_publication(v_locked, v_row);

  v_receipt := patchdiff_store.publication_answer(patchdiff_store.lock_target(p_target), 'opened', null);
  v_receipt.publication_id := v_row.publication_id;
  return v_receipt;
end;
$$;

comment on function patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text, jsonb) is
  'Appends the intent to publish one version of a target to its workspace file.';
--! EndIncluded patchdiff/open_publication.sql
--! Included patchdiff/read_line_endings.sql
-- The recorded endings of each line of a target: runs [ending, lines], the version whose lines they are, and the content
-- of that version when it is older than p_version (of the same one the caller holds it). One row, or none for an unknown
-- target; runs and version are null when the style of source_line_endings holds for every line, or, where that is mixed or
-- null, when the endings are not known. Refuses a history that contradicts itself (PD106). No lock.
create or replace function patchdiff.read_line_endings (
  p_target uuid,
  p_version bigint
)
  returns table (
    eol_runs jsonb,
    eol_version bigint,
    content text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    t.eol_runs,
    t.eol_version,
    case when t.eol_version < p_version then patchdiff_store.reconstruct(p_target, t.eol_version) end
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_line_endings(uuid, bigint) is
  'The recorded endings of each line of a target, and the version whose lines they are.';
--! EndIncluded patchdiff/read_line_endings.sql
--! Included patchdiff/read_history.sql
-- A page of the accepted attempts of a target after a version, oldest first, to apply them again: up to p_limit (default 50,
-- at most 200), and one more when there are more. No rows for an unknown target. No lock: history only grows.
create or replace function patchdiff.read_history (
  p_target uuid,
  p_after_version bigint,
  p_limit integer default null
)
  returns setof patchdiff.history_step
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select
    l.target_file_id,
    l.status,
    l.log_sequence,
    l.pdcp_log_id,
    l.protocol_version,
    l.runtime_version,
    l.before_version,
    l.after_version,
    l.before_hash,
    l.after_hash,
    l.pdcp_content_hash,
    l.pdcp_content::text
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target
  and l.status = 'accepted'
  and l.after_version > p_after_version
  order by l.after_version
  limit patchdiff_store.page_limit(p_limit) + 1
$$;

comment on function patchdiff.read_history(uuid, bigint, integer) is
  'A page of the accepted attempts of a target after a version, oldest first.';
--! EndIncluded patchdiff/read_history.sql
grant execute on function
  patchdiff.open_publication(uuid, bigint, text, bigint, text, text, text, bigint, json, text, jsonb),
  patchdiff.read_line_endings(uuid, bigint),
  patchdiff.read_history(uuid, bigint, integer)
to patchdiff_writer;
-- A file that others changed is adopted: a row of the same sequence that closes no intent.
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_kind_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_kind_check
  check (kind in ('intent', 'published', 'rejected', 'superseded', 'adopted')) not valid;
alter table patchdiff_store.workspace_publications drop constraint if exists workspace_publications_check;
alter table patchdiff_store.workspace_publications
  add constraint workspace_publications_check
  check ((kind in ('intent', 'adopted')) = (intent_publication_id is null)) not valid;
comment on column patchdiff_store.workspace_publications.kind is
  'intent, or its outcome: published, rejected, superseded; or what closes none: adopted.';
comment on column patchdiff_store.workspace_publications.version is
  'The version to be written; of an adoption the one that the file made.';
comment on column patchdiff_store.workspace_publications.written_sha256 is 'Digest of the bytes to be written, or of those that stood in the file.';
comment on column patchdiff_store.workspace_publications.written_bytes is 'Number of bytes to be written, or of those that stood in the file.';
--! Included patchdiff_store/check_publication_open.sql
-- Refuses to close an intent twice, or to call it published when a later one was published, the disk was adopted or the target
-- was bound to another file since: then the bytes on the disk are not this intent's (PD110). The caller holds the target's lock.
create or replace function patchdiff_store.check_publication_open (
  p_intent patchdiff_store.workspace_publications,
  p_outcome text
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_outcome text;
begin
  select p.kind
  into v_outcome
  from patchdiff_store.workspace_publications as p
  where p.target_file_id = p_intent.target_file_id
  and p.publication_sequence > p_intent.publication_sequence
  and (
    p.intent_publication_id = p_intent.publication_id
    or (p_outcome = 'published' and p.kind = 'adopted')
    or (p_outcome = 'published' and p.kind = 'published' and exists (
      select
      from patchdiff_store.workspace_publications as i
      where i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.publication_sequence > p_intent.publication_sequence
    ))
  )
  limit 1;
  if found then
    raise exception 'publication % is closed', p_intent.publication_id
      using errcode = 'PD110',
            detail = json_build_object('publication_id', p_intent.publication_id, 'outcome', v_outcome)::text,
            hint = 'record it as superseded if it is still open; otherwise there is nothing to do';
  end if;
end;
$$;

comment on function patchdiff_store.check_publication_open(patchdiff_store.workspace_publications, text) is
  'Refuses to close a publication intent twice or behind a later publication.';
--! EndIncluded patchdiff_store/check_publication_open.sql
--! Included patchdiff_store/check_bound.sql
-- Refuses PD109 unless the locked target is bound to just this file.
create or replace function patchdiff_store.check_bound (
  p_locked patchdiff_store.locked_target,
  p_root text,
  p_path text
)
  returns void
  language plpgsql
  stable
as $$
declare
  v_bound uuid;
begin
  if p_locked.workspace_root_identity = p_root and p_locked.workspace_path = p_path then
    return;
  end if;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_root, p_path);
  raise exception 'target % is not bound to the file', p_locked.target_file_id
    using errcode = 'PD109',
          detail = json_build_object('target_file_id', p_locked.target_file_id, 'bound_target_file_id', v_bound)::text,
          hint = 'use the target that the file is bound to';
end;
$$;

comment on function patchdiff_store.check_bound(patchdiff_store.locked_target, text, text) is
  'Refuses unless the locked target is bound to just this file.';
--! EndIncluded patchdiff_store/check_bound.sql
--! Included patchdiff_store/check_adoption.sql
-- Refuses to take over a file that the call does not describe (PD100): no workspace facts, unknown line endings, or a digest of
-- the disk that is not that of the text with its endings and its byte order mark.
create or replace function patchdiff_store.check_adoption (
  p_workspace jsonb,
  p_facts jsonb,
  p_runs jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_workspace ->> 'disk_sha256' is null then
    v_argument := 'p_workspace';
    v_rule := 'an object with root, path, root_device, root_inode and disk_sha256';
  elsif p_facts is null then
    v_argument := 'p_source';
    v_rule := 'the line endings of the file, or null when the text as sent is all of it';
  elsif p_facts ->> 'style' = 'mixed' and p_runs is null then
    v_argument := 'p_source';
    v_rule := 'the ending of each line where they are mixed (eol_runs), or null when the text as sent is all of it';
  elsif p_workspace ->> 'disk_sha256' <> p_facts ->> 'source_sha256' then
    v_argument := 'p_workspace.disk_sha256';
    v_rule := 'the digest of the text with its line endings and its byte order mark';
  else
    return;
  end if;

  raise exception '%: %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = 'read the file again and send what it holds';
end;
$$;

comment on function patchdiff_store.check_adoption(jsonb, jsonb, jsonb) is
  'Refuses to take over a file that the call does not describe.';
--! EndIncluded patchdiff_store/check_adoption.sql
--! Included patchdiff_store/supersede_publications.sql
-- Closes every open publication intent of a target as superseded, oldest first, and answers their ids: what they were to write is
-- not what the file is held against from now on. The caller holds the target's lock and reads the head anew afterwards.
create or replace function patchdiff_store.supersede_publications (
  p_target uuid,
  p_actor json
)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_intent patchdiff_store.workspace_publications;
  v_row patchdiff_store.workspace_publications;
  v_closed uuid[] := '{}';
begin
  for v_intent in
    select i.*
    from patchdiff_store.workspace_publications as i
    where i.target_file_id = p_target
    and i.kind = 'intent'
    and not exists (
      select
      from patchdiff_store.workspace_publications as o
      where o.target_file_id = p_target and o.intent_publication_id = i.publication_id
    )
    order by i.publication_sequence
  loop
    v_row := v_intent;
    v_row.kind := 'superseded';
    v_row.intent_publication_id := v_intent.publication_id;
    v_row.observed_disk_sha256 := null;
    v_row.client_request_id := null;
    v_row.request_fingerprint := null;
    v_row.actor := p_actor;
    v_row.detail := '{"failure_code":"disk_adopted"}';
    perform patchdiff_store.append_publication(patchdiff_store.lock_target(p_target), v_row);
    v_closed := v_closed || v_intent.publication_id;
  end loop;
  return v_closed;
end;
$$;

comment on function patchdiff_store.supersede_publications(uuid, json) is
  'Closes every open publication intent of a target as superseded.';
--! EndIncluded patchdiff_store/supersede_publications.sql
--! Included patchdiff_store/record_adoption.sql
-- Appends the row of a file whose text was taken over, and records what it says with the target: the synced digest and version,
-- byte order mark, line endings and the ending of each line. The only place where these are written but for creation and publication. The caller holds
-- the target's lock, passes what lock_target answered, and has left kind, digest, size, actor and detail in the row.
create or replace function patchdiff_store.record_adoption (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.workspace_publications
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.workspace_publications := p_row;
  v_runs jsonb := nullif((p_row.detail -> 'eol_runs')::jsonb, 'null');
begin
  v_row.version := p_locked.version;
  v_row.content_hash := p_locked.current_hash;
  v_row.expected_disk_sha256 := p_locked.last_synced_disk_sha256;
  v_row.observed_disk_sha256 := p_row.written_sha256;
  v_row.workspace_root_identity := p_locked.workspace_root_identity;
  v_row.workspace_path := p_locked.workspace_path;
  v_row := patchdiff_store.append_publication(p_locked, v_row);

  update patchdiff_store.cloud_target_files as t
  set last_synced_disk_sha256 = v_row.written_sha256,
      last_synced_version = v_row.version,
      source_bom = (v_row.detail ->> 'source_bom')::boolean,
      source_line_endings = (v_row.detail -> 'source_line_endings')::jsonb,
      eol_runs = v_runs,
      eol_version = case when v_runs is not null then v_row.version end,
      updated_at = clock_timestamp()
  where t.target_file_id = v_row.target_file_id;
  return v_row;
end;
$$;

comment on function patchdiff_store.record_adoption(patchdiff_store.locked_target, patchdiff_store.workspace_publications) is
  'Appends the row of a file whose text was taken over, and records what it says with the target.';
--! EndIncluded patchdiff_store/record_adoption.sql
--! Included patchdiff/adopt_disk.sql
-- Takes the text that now stands in a target's own file over as the target's text, after the file was changed by others: a guarded
-- patchdiff-tx/3 attempt of source `disk`, and a row of the chain that records digest, line endings and byte order mark of the
-- file as the synced ones. The same text in other bytes (line endings, mark) is the row alone.
-- Outcomes: `adopted`; `unchanged`, when the file still is what was synced last, whatever was asked, so that the call can be
-- repeated; `rejected`, by a guard that does not hold or by diverged content (an attempt records it), or because a guard is
-- required: the target has versions that never reached its file (guard_missing, no attempt). Open intents are closed as superseded.
-- The text may have 16777216 bytes here and nowhere else. Refuses malformed arguments, among them a digest of other bytes than
-- the text, its endings and its mark make (PD100), more text (PD107), an unknown target (PD104), a file that is not the
-- target's (PD109).
-- Race-safe: decided under the target's lock. What the database cannot see is the disk: as at an import, the caller says.
create or replace function patchdiff.adopt_disk (
  p_target uuid,
  p_content text,
  p_source jsonb,
  p_workspace jsonb,
  p_expected_version bigint default null,
  p_expected_hash text default null,
  p_actor json default null
)
  returns table (
    outcome text,
    failure_reason text,
    failure_code text,
    failure_detail text,
    adoption_id uuid,
    pdcp_log_id uuid,
    before_version bigint,
    version bigint,
    current_hash text,
    previous_disk_sha256 text,
    disk_sha256 text,
    superseded uuid[]
  )
  language plpgsql
  volatile
  security definer
  set search_path = '', pg_temp
  set lock_timeout = '5s'
  set plan_cache_mode = 'force_generic_plan'
  set standard_conforming_strings = 'on'
as $$
declare
  v_content text := patchdiff_store.lf(p_content);
  v_facts jsonb;
  v_runs jsonb;
  v_before patchdiff_store.locked_target;
  v_locked patchdiff_store.locked_target;
  v_fault patchdiff_store.fault;
  v_commit patchdiff.commit_receipt;
  v_superseded uuid[];
  v_row patchdiff_store.workspace_publications;
begin
  -- check
  perform patchdiff_store.check_save(p_target, p_expected_version, p_expected_hash, null);
  perform patchdiff_store.check_claim('p_actor', p_actor);
  perform patchdiff_store.check_creation('file', p_content, p_workspace);
  v_facts := patchdiff_store.source_facts(p_source, p_content, v_content);
  v_runs := patchdiff_store.source_runs(p_source, p_content, v_facts);
  perform patchdiff_store.check_adoption(p_workspace, v_facts, v_runs);

  -- lock
  v_before := patchdiff_store.lock_target(p_target);
  if v_before.target_file_id is null then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  -- guard
  perform patchdiff_store.check_bound(v_before, p_workspace ->> 'root', p_workspace ->> 'path');
  if v_before.last_synced_disk_sha256 = p_workspace ->> 'disk_sha256' then
    return query select
      'unchanged', null::text, null::text, null::text, null::uuid, null::uuid, v_before.version, v_before.version,
      v_before.current_hash, v_before.last_synced_disk_sha256, v_before.last_synced_disk_sha256, '{}'::uuid[];
    return;
  end if;

  if p_expected_version is null and p_expected_hash is null and v_before.last_synced_version is distinct from v_before.version then
    v_fault := patchdiff_store.fault_of('guard_missing');
  elsif v_before.current_hash <> patchdiff_store.sha256_hex(convert_to(v_content, 'UTF8'))
    or (patchdiff_store.save_fault(v_before, p_expected_version, p_expected_hash)).failure_reason is not null
  then
    v_commit := patchdiff_store.commit_submission(
      p_target,
      patchdiff_store.direct_record(
        'patchdiff-tx/3', p_target, 'Take over the text that stands in the file.',
        case when p_expected_version is null and p_expected_hash is null then v_before.version else p_expected_version end,
        p_expected_hash, null, '[{"op":"replace_all","replace":' || to_json(v_content)::text || '}]'),
      null, null, null, 'disk', p_actor, null, 'derive', null, null, null, null, null, true);
    if v_commit.outcome <> 'accepted' then
      v_fault.failure_reason := v_commit.failure_reason;
      v_fault.failure_code := v_commit.failure_code;
      v_fault.failure_detail := v_commit.failure_detail;
    end if;
  end if;
  if v_fault.failure_reason is not null then
    return query select
      'rejected', v_fault.failure_reason, v_fault.failure_code, v_fault.failure_detail, null::uuid, v_commit.pdcp_log_id,
      v_before.version, v_before.version, v_before.current_hash, v_before.last_synced_disk_sha256, p_workspace ->> 'disk_sha256',
      '{}'::uuid[];
    return;
  end if;

  -- write
  v_superseded := patchdiff_store.supersede_publications(p_target, p_actor);
  v_locked := patchdiff_store.lock_target(p_target);
  v_row.kind := 'adopted';
  v_row.written_sha256 := p_workspace ->> 'disk_sha256';
  v_row.written_bytes := (v_facts ->> 'source_utf8_bytes')::bigint;
  v_row.actor := p_actor;
  v_row.detail := json_build_object(
    'before_version', v_before.version,
    'pdcp_log_id', v_commit.pdcp_log_id,
    'source_bom', coalesce((p_source -> 'bom')::boolean, false),
    'source_line_endings', v_facts,
    'eol_runs', v_runs
  );
  v_row := patchdiff_store.record_adoption(v_locked, v_row);

  return query select
    'adopted', null::text, null::text, null::text, v_row.publication_id, v_commit.pdcp_log_id, v_before.version, v_locked.version,
    v_locked.current_hash, v_before.last_synced_disk_sha256, v_row.written_sha256, v_superseded;
end;
$$;

comment on function patchdiff.adopt_disk(uuid, text, jsonb, jsonb, bigint, text, json) is
  'Takes the text that now stands in a target''s own file over as the target''s text.';
--! EndIncluded patchdiff/adopt_disk.sql
grant execute on function patchdiff.adopt_disk(uuid, text, jsonb, jsonb, bigint, text, json) to patchdiff_writer;
--! Included patchdiff_store/creation_facts.sql
-- What the creation of a target fixes, and no later call changes, with what it was synced with and the endings of its lines: the names of columns of
-- cloud_target_files and workspace_bindings, and their values. The initial snapshot keeps this as it was (column creation),
-- under its hash; verify_creation holds the two tables against it. Null for an unknown target.
create or replace function patchdiff_store.creation_facts (
  p_target uuid
)
  returns json
  language sql
  stable
as $$
  select json_build_object(
    'display_name', t.display_name,
    'created_at', t.created_at,
    'source_bom', t.source_bom,
    'source_line_endings', t.source_line_endings,
    'eol_runs', t.eol_runs,
    'eol_version', t.eol_version,
    'workspace_tracked', t.workspace_tracked,
    'workspace_root_identity', t.workspace_root_identity,
    'workspace_path', t.workspace_path,
    'last_synced_disk_sha256', t.last_synced_disk_sha256,
    'last_synced_version', t.last_synced_version,
    'root_device', b.root_device,
    'root_inode', b.root_inode,
    'bound_at', b.bound_at
  )
  from patchdiff_store.cloud_target_files as t
  left join patchdiff_store.workspace_bindings as b on b.target_file_id = t.target_file_id
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.creation_facts(uuid) is 'What the creation of a target fixes, by column.';
--! EndIncluded patchdiff_store/creation_facts.sql
--! Included patchdiff_store/creation_encoding.sql
-- The bytes that the row_hash of an initial snapshot covers after snapshot_encoding: what the creation fixed (chain
-- format 2). Nothing for any other snapshot (format 1), so that the two cannot be exchanged.
create or replace function patchdiff_store.creation_encoding (
  p_row patchdiff_store.target_snapshots
)
  returns bytea
  language sql
  stable
as $$
  select case p_row.hash_version
    when 2 then pg_catalog.record_send(row(pg_catalog.convert_to(p_row.creation::pg_catalog.text, 'UTF8')))
    else ''::pg_catalog.bytea
  end
$$;

comment on function patchdiff_store.creation_encoding(patchdiff_store.target_snapshots) is
  'The further bytes that the row_hash of an initial snapshot covers.';
--! EndIncluded patchdiff_store/creation_encoding.sql
--! Included patchdiff_store/append_snapshot.sql
-- Appends a snapshot of a target's current content, opens the editing cycle that begins with it, and advances the head.
-- The caller holds the lock and passes what lock_target answered, and the request key of the SAVE with its fingerprint,
-- of which the row keeps both or none; answers the row with its content left null. The initial one also keeps what the
-- creation fixed.
create or replace function patchdiff_store.append_snapshot (
  p_locked patchdiff_store.locked_target,
  p_kind text,
  p_source_sha256 text,
  p_actor json,
  p_client_request_id text default null,
  p_fingerprint text default null
)
  returns patchdiff_store.target_snapshots
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.target_snapshots;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.snapshot_sequence := p_locked.snapshot_sequence + 1;
  v_row.snapshot_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.creation := case p_kind when 'initial_upload' then patchdiff_store.creation_facts(v_row.target_file_id) end;
  v_row.hash_version := case when v_row.creation is null then 1 else 2 end;
  v_row.version := p_locked.version;
  v_row.editing_cycle := p_locked.open_cycle + 1;
  v_row.kind := p_kind;
  v_row.content_hash := p_locked.current_hash;
  v_row.source_sha256 := p_source_sha256;
  v_row.client_request_id := p_client_request_id;
  v_row.request_fingerprint := case when p_client_request_id is not null then p_fingerprint end;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.actor := p_actor;
  v_row.prev_hash := p_locked.chain_head;
  v_row.row_hash := sha256(
    v_row.prev_hash || patchdiff_store.snapshot_encoding(v_row) || patchdiff_store.creation_encoding(v_row));

  select t.current_content
  into strict v_row.content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = v_row.target_file_id;
  insert into patchdiff_store.target_snapshots values (v_row.*);
  v_row.content := null;

  insert into patchdiff_store.editing_cycles (target_file_id, editing_cycle, opened_at, opened_at_version, snapshot_sequence)
  values (v_row.target_file_id, v_row.editing_cycle, v_row.created_at, v_row.version, v_row.snapshot_sequence);

  update patchdiff_store.target_heads as h
  set snapshot_sequence = v_row.snapshot_sequence,
      chain_sequence = v_row.chain_sequence,
      open_cycle = v_row.editing_cycle,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_snapshot(patchdiff_store.locked_target, text, text, json, text, text) is
  'Appends a snapshot of the locked target and opens the editing cycle that begins with it.';
--! EndIncluded patchdiff_store/append_snapshot.sql
--! Included patchdiff_store/key_encoding.sql
-- The bytes of a SAVE's request key that its row_hash covers: record_send of the columns in this order, text as UTF-8
-- bytes and JSON as the text received, so nothing of TimeZone, DateStyle or client_encoding shows.
create or replace function patchdiff_store.key_encoding (
  p_row patchdiff_store.request_keys
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.log_sequence,
    p_row.created_at,
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.kind, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.save_receipt::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.key_encoding(patchdiff_store.request_keys) is
  'The bytes of a SAVE''s request key that its row_hash covers, in chain format 1.';
--! EndIncluded patchdiff_store/key_encoding.sql
--! Included patchdiff_store/remember_save.sql
-- Records a SAVE's receipt under its request key, if it has one, for ever: a row of the chain of its own, because an unchanged
-- or refused SAVE leaves no other. The caller holds the target's lock and has found the key to be new. The receipt names
-- the head before this row. The head's row is written, so at REPEATABLE READ a caller whose snapshot does not see the
-- key fails at the lock (40001) and not at the key.
create or replace function patchdiff_store.remember_save (
  p_target uuid,
  p_client_request_id text,
  p_fingerprint text,
  p_receipt patchdiff.save_receipt
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.request_keys;
begin
  if p_client_request_id is null then
    return;
  end if;

  v_row.target_file_id := p_target;
  v_row.client_request_id := p_client_request_id;
  v_row.kind := 'save';
  v_row.request_fingerprint := p_fingerprint;
  v_row.save_receipt := row_to_json(p_receipt);
  v_row.created_at := clock_timestamp();
  v_row.hash_version := 1;
  select h.chain_sequence + 1, h.chain_head
  into strict v_row.chain_sequence, v_row.prev_hash
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target;
  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.key_encoding(v_row));

  insert into patchdiff_store.request_keys values (v_row.*);

  update patchdiff_store.target_heads as h
  set chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = p_target;
end;
$$;

comment on function patchdiff_store.remember_save(uuid, text, text, patchdiff.save_receipt) is
  'Records a SAVE''s receipt under its request key, as a row of the chain.';
--! EndIncluded patchdiff_store/remember_save.sql
--! Included patchdiff_store/is_mentioned.sql
-- Whether any table of the store holds a row of this target.
create or replace function patchdiff_store.is_mentioned (
  p_target uuid
)
  returns boolean
  language sql
  stable
as $$
  select exists (select from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_heads as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.append_only_manifest_ledger as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.target_snapshots as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.editing_cycles as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_publications as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.request_keys as t where t.target_file_id = p_target)
    or exists (select from patchdiff_store.workspace_bindings as t where t.target_file_id = p_target)
$$;

comment on function patchdiff_store.is_mentioned(uuid) is 'Whether any table of the store holds a row of this target.';
--! EndIncluded patchdiff_store/is_mentioned.sql
--! Included patchdiff_store/missing_rows.sql
-- What is missing of a numbering that begins with 1: a finding for each hole in the numbers present, and for the end up to
-- p_last, as `key=4` or `key=4..7`. However far a damaged number lies off, the work is that of the numbers present.
create or replace function patchdiff_store.missing_rows (
  p_table text,
  p_key text,
  p_present bigint[],
  p_last bigint
)
  returns setof patchdiff_store.finding
  language sql
  immutable
as $$
  select
    p_table,
    p_key || '=' || h.first_missing || case when h.last_missing > h.first_missing then '..' || h.last_missing else '' end,
    null,
    case when h.last_missing > h.first_missing then 'the rows are missing' else 'the row is missing' end
  from (
    select
      greatest(lag(s.place, 1, 0::bigint) over (order by s.place), 0) + 1 as first_missing,
      s.place - 1 as last_missing
    from (
      select p.place
      from unnest(p_present) as p (place)
      union all
      select least(p_last, 9223372036854775806) + 1
    ) as s
    where s.place < 9223372036854775807
  ) as h
  where h.first_missing <= h.last_missing
$$;

comment on function patchdiff_store.missing_rows(text, text, bigint[], bigint) is
  'A finding for each hole in a numbering that begins with 1.';
--! EndIncluded patchdiff_store/missing_rows.sql
--! Included patchdiff_store/verify_missing.sql
-- Rows that something else names and that are not there: holes in a numbering, an end before the one that the head names,
-- ledger rows of an accepted attempt, and request keys of rows that were recorded under one.
create or replace function patchdiff_store.verify_missing (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with holes as (
    select f.*
    from (
      select h.* from patchdiff_store.target_heads as h where h.target_file_id = p_target
    ) as h
    full join (values (1)) as always (one) on true
    cross join lateral (
      values
        ('append_only_pdcp_logs', 'log_sequence', h.log_sequence, array(
          select t.log_sequence from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target
        )),
        ('append_only_manifest_ledger', 'ledger_sequence', h.ledger_sequence, array(
          select t.ledger_sequence from patchdiff_store.append_only_manifest_ledger as t where t.target_file_id = p_target
        )),
        ('target_snapshots', 'snapshot_sequence', h.snapshot_sequence, array(
          select t.snapshot_sequence from patchdiff_store.target_snapshots as t where t.target_file_id = p_target
        )),
        ('editing_cycles', 'editing_cycle', h.open_cycle::bigint, array(
          select t.editing_cycle::bigint from patchdiff_store.editing_cycles as t where t.target_file_id = p_target
        )),
        ('workspace_publications', 'publication_sequence', h.publication_sequence, array(
          select t.publication_sequence from patchdiff_store.workspace_publications as t where t.target_file_id = p_target
        ))
    ) as n (table_name, key_name, last_place, present)
    cross join lateral patchdiff_store.missing_rows(n.table_name, n.key_name, n.present, n.last_place) as f
  )
  select o.* from holes as o
  union all
  -- The key of a SAVE that appended nothing else is known by its place in the chain alone.
  select f.*
  from patchdiff_store.target_heads as h
  cross join lateral patchdiff_store.missing_rows('request_keys', 'chain_sequence', array(
    select t.chain_sequence from patchdiff_store.append_only_pdcp_logs as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.target_snapshots as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.workspace_publications as t where t.target_file_id = p_target
    union all
    select t.chain_sequence from patchdiff_store.request_keys as t where t.target_file_id = p_target and t.chain_sequence is not null
  ), h.chain_sequence) as f
  where h.target_file_id = p_target
  and not exists (
    select
    from holes as o
    where o.table_name in ('append_only_pdcp_logs', 'target_snapshots', 'workspace_publications')
  )
  union all
  select
    'request_keys',
    'client_request_id=' || k.client_request_id,
    null,
    format('the row is missing that %s recorded', string_agg(k.recorded_by, ', ' order by k.recorded_by))
  from (
    select l.client_request_id, 'log_sequence=' || l.log_sequence as recorded_by
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select s.client_request_id, 'snapshot_sequence=' || s.snapshot_sequence
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select p.client_request_id, 'publication_sequence=' || p.publication_sequence
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target and p.kind <> 'intent'
  ) as k
  where k.client_request_id is not null
  and not exists (
    select
    from patchdiff_store.request_keys as r
    where r.target_file_id = p_target and r.client_request_id = k.client_request_id
  )
  group by k.client_request_id
$$;

comment on function patchdiff_store.verify_missing(uuid) is
  'The rows of a target that something else names and that are not there.';
--! EndIncluded patchdiff_store/verify_missing.sql
--! Included patchdiff_store/verify_creation.sql
-- What the creation of a target fixed (name, source, file) against its initial snapshot, which keeps it under its hash, and what
-- an adoption of the disk recorded since against its row; the row of its file against the target; and
-- what it was last synced with against publications and adoptions. A target of before format 2 has no record of its creation:
-- of it only what the tables say of each other is held.
create or replace function patchdiff_store.verify_creation (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with initial as (
    select s.created_at, s.source_sha256, s.content, r.creation
    from patchdiff_store.target_snapshots as s
    cross join lateral (
      select case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation
    ) as r
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ),
  recorded as (
    -- Later rows of the chain say other things than the creation did.
    select
      i.created_at,
      coalesce(i.creation || l.facts, i.creation, l.facts) as facts,
      i.creation is not null as is_whole,
      coalesce(l.facts #>> '{source_line_endings,source_sha256}', i.source_sha256) as source_sha256
    from initial as i
    cross join lateral (
      select jsonb_object_agg(d.key, d.value order by d.publication_sequence) as facts
      from (
        select distinct on (f.key) f.key, f.value, w.publication_sequence
        from patchdiff_store.workspace_publications as w
        cross join lateral (
          select case when pg_input_is_valid(w.detail::text, 'jsonb') then w.detail::jsonb end as detail
        ) as r
        cross join lateral jsonb_each(case jsonb_typeof(r.detail) when 'object' then r.detail end) as f
        where w.target_file_id = p_target
        and w.kind = 'adopted'
        and f.key in ('source_bom', 'source_line_endings')
        order by f.key, w.publication_sequence desc
      ) as d
    ) as l
  ),
  compared as (
    -- Moments are the same in any time zone; everything else is compared as JSON.
    select
      n.key as column_name,
      case when n.key in ('created_at', 'bound_at') then (n.value #>> '{}')::timestamptz = case
        when pg_input_is_valid(r.facts ->> n.key, 'timestamptz') then (r.facts ->> n.key)::timestamptz
      end
      or (jsonb_typeof(n.value) = 'null' and jsonb_typeof(r.facts -> n.key) = 'null')
      else n.value = r.facts -> n.key end as same
    from recorded as r
    cross join lateral jsonb_each(patchdiff_store.creation_facts(p_target)::jsonb) as n
    where (r.is_whole or r.facts ? n.key)
    and n.key not like 'last\_synced\_%'
    and n.key not like 'eol\_%'
  ),
  synced as (
    select coalesce(p.written_sha256, i.creation ->> 'last_synced_disk_sha256') as disk_sha256,
      coalesce(p.version::text, i.creation ->> 'last_synced_version') as version
    from initial as i
    left join lateral (
      select w.written_sha256, w.version
      from patchdiff_store.workspace_publications as w
      where w.target_file_id = p_target and w.kind in ('published', 'adopted')
      order by w.publication_sequence desc
      limit 1
    ) as p on true
    where p.version is not null or i.creation is not null
  )
  select
    case when c.column_name in ('root_device', 'root_inode', 'bound_at') then 'workspace_bindings' else 'cloud_target_files' end,
    'target_file_id=' || p_target,
    c.column_name,
    'not what the creation, or a later row of its file, recorded'
  from compared as c
  where c.same is not true
  union all
  select 'cloud_target_files', 'target_file_id=' || p_target, f.column_name, f.problem
  from patchdiff_store.cloud_target_files as t
  left join initial as i on true
  left join recorded as r on true
  left join synced as y on true
  cross join lateral (
    values
      ('status', 'no routine writes this', t.status <> 'active'),
      ('created_at', 'later than the initial snapshot', t.created_at > i.created_at),
      ('updated_at', 'earlier than the creation', t.updated_at < t.created_at),
      ('workspace_tracked', 'not whether a file is named', t.workspace_tracked <> (t.workspace_path is not null)),
      ('source_line_endings', 'not what the initial snapshot, or a later adoption, says of the source',
        r.source_sha256 is distinct from t.source_line_endings ->> 'source_sha256'),
      ('last_synced_disk_sha256', 'not what was published or adopted last',
        y.version is not null and t.last_synced_disk_sha256 is distinct from y.disk_sha256),
      ('last_synced_version', 'not the version that was published or adopted last',
        y.version is not null and t.last_synced_version::text is distinct from y.version),
      ('last_synced_version', 'nothing was ever synced',
        i.creation is not null and y.version is null
        and (t.last_synced_version is not null or t.last_synced_disk_sha256 is not null))
  ) as f (column_name, problem, broken)
  where t.target_file_id = p_target and f.broken
  union all
  select 'workspace_bindings', 'target_file_id=' || p_target, f.column_name, f.problem
  from (
    select t.* from patchdiff_store.cloud_target_files as t where t.target_file_id = p_target
  ) as t
  full join (
    select b.* from patchdiff_store.workspace_bindings as b where b.target_file_id = p_target
  ) as b on true
  cross join lateral (
    values
      (null, 'the row is missing', t.workspace_path is not null and b.file_key is null),
      ('target_file_id', 'the target is bound to no file', b.file_key is not null and t.workspace_path is null),
      ('workspace_root', 'not the target''s', b.workspace_root <> t.workspace_root_identity),
      ('workspace_path', 'not the target''s', b.workspace_path <> t.workspace_path),
      ('file_key', 'not the key of its root and path',
        b.file_key <> patchdiff_store.file_key(b.workspace_root, b.workspace_path))
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_creation(uuid) is
  'What is wrong with what a target''s creation fixed and with what it was last synced with; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_creation.sql
--! Included patchdiff_store/verify_chain.sql
-- The chain of a target: sequence without gap, every row hashing to its row_hash, every prev_hash the hash before,
-- the last one the head, and a noted head (if given) still where it was. Hashes of attempts cover their ledger rows. Format 2
-- covers more: of an attempt that its owner brought in, when that was; of an initial snapshot, what the creation fixed.
create or replace function patchdiff_store.verify_chain (
  p_target uuid,
  p_noted_sequence bigint,
  p_noted_hash text
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with links as materialized (
    select
      'append_only_pdcp_logs' as table_name,
      'log_sequence=' || l.log_sequence as row_key,
      l.chain_sequence,
      l.hash_version,
      'imported_at' as extension,
      l.imported_at is not null as is_extended,
      l.prev_hash,
      l.row_hash,
      sha256(l.prev_hash || patchdiff_store.attempt_encoding(l) || patchdiff_store.import_encoding(l) || coalesce((
        select string_agg(patchdiff_store.ledger_encoding(g), ''::bytea order by g.ledger_sequence)
        from patchdiff_store.append_only_manifest_ledger as g
        where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
      ), ''::bytea)) as computed
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    union all
    select
      'target_snapshots',
      'snapshot_sequence=' || s.snapshot_sequence,
      s.chain_sequence,
      s.hash_version,
      'creation',
      s.creation is not null,
      s.prev_hash,
      s.row_hash,
      sha256(s.prev_hash || patchdiff_store.snapshot_encoding(s) || patchdiff_store.creation_encoding(s))
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.chain_sequence,
      p.hash_version,
      null,
      false,
      p.prev_hash,
      p.row_hash,
      sha256(p.prev_hash || patchdiff_store.publication_encoding(p))
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
    union all
    select
      'request_keys',
      'client_request_id=' || k.client_request_id,
      k.chain_sequence,
      k.hash_version,
      null,
      false,
      k.prev_hash,
      k.row_hash,
      sha256(k.prev_hash || patchdiff_store.key_encoding(k))
    from patchdiff_store.request_keys as k
    where k.target_file_id = p_target and k.chain_sequence is not null
  ),
  ordered as (
    select
      k.*,
      lag(k.chain_sequence, 1, 0::bigint) over chain as sequence_before,
      lag(k.row_hash, 1, patchdiff_store.genesis_hash(p_target)) over chain as hash_before
    from links as k
    window chain as (order by k.chain_sequence, k.table_name, k.row_key)
  )
  select o.table_name, o.row_key, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('hash_version', 'the row is of an unknown chain format', o.hash_version is distinct from 1 and (o.hash_version is distinct from 2 or o.extension is null)),
      (o.extension, 'stands in a row of chain format 1, or is missing in one of format 2', (o.hash_version = 2) <> o.is_extended),
      ('row_hash', 'the row, or a ledger row of it, is not what was hashed', o.hash_version in (1, 2) and o.row_hash is distinct from o.computed),
      ('chain_sequence', 'the chain has a gap or a repetition before this row', o.chain_sequence <> o.sequence_before + 1),
      ('prev_hash', 'the row does not link to the row before it', o.prev_hash is distinct from o.hash_before)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
  from patchdiff_store.target_heads as h
  left join (
    select k.chain_sequence, k.row_hash
    from links as k
    order by k.chain_sequence desc
    limit 1
  ) as z on true
  cross join lateral (
    values
      ('chain_sequence', 'not the sequence of the last row of the chain', h.chain_sequence is distinct from z.chain_sequence),
      ('chain_head', 'not the hash of the last row of the chain', h.chain_head is distinct from z.row_hash)
  ) as f (column_name, problem, broken)
  where h.target_file_id = p_target and f.broken
  union all
  select 'target_heads', 'target_file_id=' || p_target, 'chain_head',
    format('the chain does not hold the noted head at sequence %s: it was cut off or rewritten', p_noted_sequence)
  where p_noted_sequence is not null
  and not exists (
    select from links as k where k.chain_sequence = p_noted_sequence and encode(k.row_hash, 'hex') = p_noted_hash
  )
$$;

comment on function patchdiff_store.verify_chain(uuid, bigint, text) is
  'What is wrong with the hash chain of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_chain.sql
--! Included patchdiff_store/verify_attempts.sql
-- The attempts of a target, each against the one before it and against its own payload: sequence without gap, versions
-- and hashes linked, payload hash, the columns that an accepted payload states, editing cycle, number of ledger rows, and what
-- its status and its parent make of other columns.
create or replace function patchdiff_store.verify_attempts (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with initial as (
    select s.version, s.content_hash
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target and s.snapshot_sequence = 1
  ),
  cycles as (
    -- One pass over the chain: the cycle that was open is that of the last snapshot before.
    select m.log_sequence, max(m.editing_cycle) over (order by m.chain_sequence) as cycle
    from (
      select s.chain_sequence, null::bigint as log_sequence, s.editing_cycle
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target
      union all
      select l.chain_sequence, l.log_sequence, null
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = p_target
    ) as m
  ),
  ordered as (
    select
      l.log_sequence,
      l.status,
      l.before_version,
      l.after_version,
      l.before_hash,
      l.after_hash,
      l.failure_reason,
      l.validation_stage,
      l.parent_pdcp_log_id,
      l.regeneration_source,
      p.submission_source as source_of_parent,
      p.status as status_of_parent,
      l.request_fingerprint,
      case when l.status = 'accepted'
        then patchdiff_store.record_fingerprint(l, to_json(l.parent_pdcp_log_id)::text) end as fingerprint,
      l.imported_at is not null as is_imported,
      l.pdcp_content_hash,
      l.protocol_version,
      l.expected_target_version,
      l.expected_current_hash,
      l.editing_cycle,
      l.change_count,
      patchdiff_store.sha256_hex(convert_to(l.pdcp_content, 'UTF8')) as content_hash,
      case when l.status = 'accepted' then patchdiff_store.payload_json(l.pdcp_content) end as payload,
      lag(l.log_sequence, 1, 0::bigint) over log as sequence_before,
      lag(l.after_version, 1, (select i.version from initial as i)) over log as version_before,
      lag(l.after_hash, 1, (select i.content_hash from initial as i)) over log as hash_before,
      (
        select count(*)
        from patchdiff_store.append_only_manifest_ledger as g
        where g.target_file_id = l.target_file_id and g.log_sequence = l.log_sequence
      ) as ledger_rows,
      c.cycle
    from patchdiff_store.append_only_pdcp_logs as l
    left join cycles as c on c.log_sequence = l.log_sequence
    left join patchdiff_store.append_only_pdcp_logs as p
      on p.target_file_id = l.target_file_id
      and p.pdcp_log_id = l.parent_pdcp_log_id
      and p.log_sequence < l.log_sequence
    where l.target_file_id = p_target
    window log as (order by l.log_sequence)
  )
  select 'append_only_pdcp_logs', 'log_sequence=' || o.log_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('log_sequence', 'attempts are missing before this row', o.log_sequence <> o.sequence_before + 1),
      ('before_version', 'not the version after the attempt before', o.before_version is distinct from o.version_before),
      ('before_hash', 'not the hash after the attempt before', o.before_hash is distinct from o.hash_before),
      ('after_version', 'not what the status makes of the version before',
        o.after_version <> o.before_version + (o.status = 'accepted')::integer),
      ('after_hash', 'a rejection that changes the content', o.status = 'rejected' and o.after_hash <> o.before_hash),
      ('status', 'neither an acceptance nor a rejection with its reason',
        o.status not in ('accepted', 'rejected') or (o.status = 'accepted') <> (o.failure_reason is null)),
      ('validation_stage', 'not a stage at which an attempt of this status ends',
        (o.status = 'accepted') <> (o.validation_stage = 'accepted')),
      ('parent_pdcp_log_id', 'names no earlier rejected attempt',
        o.parent_pdcp_log_id is not null and o.status_of_parent is distinct from 'rejected'),
      ('regeneration_source', 'not the source of the parent', o.regeneration_source is distinct from o.source_of_parent),
      ('request_fingerprint', 'not what the payload makes', o.status = 'accepted'
        and o.request_fingerprint is distinct from o.fingerprint and not (o.is_imported and o.request_fingerprint is null)),
      ('pdcp_content_hash', 'not the hash of the payload', o.pdcp_content_hash <> o.content_hash),
      ('editing_cycle', 'not the cycle that was open', o.editing_cycle is distinct from o.cycle),
      ('change_count', 'not the number of its ledger rows', o.change_count <> o.ledger_rows),
      ('pdcp_content', 'an accepted payload that is no JSON object',
        o.status = 'accepted' and jsonb_typeof(o.payload) is distinct from 'object'),
      ('protocol_version', 'not the format of the payload', o.payload ->> 'format' <> o.protocol_version),
      ('target_file_id', 'the payload names another target', lower(o.payload ->> 'target_file_id') <> p_target::text),
      ('expected_target_version', 'not the guard of the payload',
        o.payload is not null and o.payload ->> 'expected_target_version' is distinct from o.expected_target_version::text),
      ('expected_current_hash', 'not the guard of the payload',
        o.payload is not null and o.payload ->> 'expected_current_hash' is distinct from o.expected_current_hash),
      ('expected_target_version', 'an acceptance at another version',
        o.status = 'accepted' and o.expected_target_version <> o.before_version),
      ('expected_current_hash', 'an acceptance of another content',
        o.status = 'accepted' and o.expected_current_hash <> o.before_hash),
      ('expected_target_version', 'an acceptance without a guard',
        o.status = 'accepted' and num_nonnulls(o.expected_target_version, o.expected_current_hash) = 0)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'log_sequence', 'not the sequence of the last attempt'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.log_sequence <> coalesce((select max(o.log_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_attempts(uuid) is
  'What is wrong with the attempts of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_attempts.sql
--! Included patchdiff_store/verify_ledger.sql
-- The ledger of a target against its attempts' payloads: sequence without gap, rows only of accepted attempts, ordinals
-- complete, and what each item of the payload states (change id, operation, intent, rationale, risk). The facts are
-- checked where the content is at hand, in verify_replay.
create or replace function patchdiff_store.verify_ledger (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with attempts as materialized (
    select
      l.log_sequence,
      l.editing_cycle,
      l.protocol_version,
      p.payload ->> 'intent' as intent,
      coalesce(p.payload -> 'edits', p.payload -> 'operations') as items
    from patchdiff_store.append_only_pdcp_logs as l
    cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
    where l.target_file_id = p_target and l.status = 'accepted'
  ),
  ordered as (
    select
      g.*,
      a.log_sequence as attempt,
      a.editing_cycle as cycle,
      a.intent as attempt_intent,
      a.protocol_version,
      a.items -> (g.ordinal - 1) as item,
      jsonb_array_length(case when jsonb_typeof(a.items) = 'array' then a.items else '[]' end) as items,
      lag(g.ledger_sequence, 1, 0::bigint) over ledger as sequence_before,
      lag(g.log_sequence, 1, 0::bigint) over ledger as attempt_before,
      row_number() over ledger as rank,
      row_number() over (order by g.log_sequence, g.apply_ordinal) as rank_of_application,
      row_number() over (partition by g.log_sequence order by g.ledger_sequence) as place,
      count(*) over (partition by g.log_sequence, g.ordinal) as sharing
    from patchdiff_store.append_only_manifest_ledger as g
    left join attempts as a on a.log_sequence = g.log_sequence
    where g.target_file_id = p_target
    window ledger as (order by g.ledger_sequence)
  )
  select 'append_only_manifest_ledger', 'ledger_sequence=' || o.ledger_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('ledger_sequence', 'ledger rows are missing before this one', o.ledger_sequence <> o.sequence_before + 1),
      ('ledger_sequence', 'not its place among the changes as they were applied', o.rank <> o.rank_of_application),
      ('log_sequence', 'the row belongs to no accepted attempt', o.attempt is null),
      ('log_sequence', 'the row stands behind rows of a later attempt', o.log_sequence < o.attempt_before),
      ('apply_ordinal', 'not its place in the attempt', o.apply_ordinal <> o.place),
      ('ordinal', 'names no item of the payload, or one that has a row already',
        o.attempt is not null and (o.ordinal not between 1 and o.items or o.sharing > 1)),
      ('editing_cycle', 'not the cycle of the attempt', o.editing_cycle <> o.cycle),
      ('change_id', 'not the change id of the payload',
        o.change_id <> coalesce(o.item ->> 'change_id', 'chg_' || lpad(o.ordinal::text, greatest(3, length(o.ordinal::text)), '0'))),
      ('operation', 'not the operation of the payload', o.operation <> coalesce(o.item ->> 'op', 'match')),
      ('rationale', 'not the rationale of the payload', o.item is not null and o.rationale is distinct from o.item ->> 'rationale'),
      ('intent', 'not the intent of the payload', o.intent <> coalesce(o.item ->> 'rationale', o.attempt_intent)),
      ('risk', 'not the risk of the payload', o.item is not null and o.risk is distinct from coalesce(
        o.item ->> 'risk', case when o.protocol_version = 'patchdiff-tx/3' then 'low' end)),
      ('derived_json', 'not the six facts', case jsonb_typeof(o.derived_json) when 'object' then o.derived_json - array[
        'span_start', 'span_end', 'matched_chars', 'replacement_chars', 'matched_sha256', 'replacement_sha256'
      ] <> '{}' else true end),
      ('origin', 'no routine writes this', o.origin <> 'typed'),
      ('input_state', 'no routine writes this', o.input_state is not null),
      ('output_state', 'no routine writes this', o.output_state is not null),
      ('affected_region', 'no routine writes this', o.affected_region is not null),
      ('user_visible_change', 'no routine writes this', o.user_visible_change is not null)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'ledger_sequence', 'not the sequence of the last ledger row'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.ledger_sequence <> coalesce((select max(o.ledger_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_ledger(uuid) is
  'What is wrong with the ledger of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_ledger.sql
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
--! Included patchdiff_store/verify_snapshots.sql
-- The snapshots and editing cycles of a target: sequence without gap, the first one its creation, content hashing to
-- content_hash, and that the hash which the history records for the version; each cycle just the one its snapshot opens.
create or replace function patchdiff_store.verify_snapshots (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with ordered as (
    select
      s.snapshot_sequence,
      s.version,
      s.kind,
      s.content_hash,
      s.source_sha256,
      case when pg_input_is_valid(s.creation::text, 'jsonb') then s.creation::jsonb end as creation,
      s.editing_cycle,
      s.created_at,
      patchdiff_store.sha256_hex(convert_to(s.content, 'UTF8')) as hash_of_content,
      lag(s.snapshot_sequence, 1, 0::bigint) over snapshots as sequence_before,
      lag(s.editing_cycle, 1, 0) over snapshots as cycle_before,
      (
        select l.after_hash
        from patchdiff_store.append_only_pdcp_logs as l
        where l.target_file_id = p_target and l.status = 'accepted' and l.after_version = s.version
        limit 1
      ) as hash_of_version
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    window snapshots as (order by s.snapshot_sequence)
  )
  select 'target_snapshots', 'snapshot_sequence=' || o.snapshot_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('snapshot_sequence', 'snapshots are missing before this one', o.snapshot_sequence <> o.sequence_before + 1),
      ('editing_cycle', 'not the cycle after the one before', o.editing_cycle <> o.cycle_before + 1),
      ('kind', 'only the first snapshot is the initial upload', (o.kind = 'initial_upload') <> (o.snapshot_sequence = 1)),
      ('version', 'the initial upload is not version 0', o.snapshot_sequence = 1 and o.version <> 0),
      ('source_sha256', 'not that of the source that the creation records', case
        when o.snapshot_sequence > 1 then o.source_sha256 is not null
        else o.creation is not null and o.source_sha256 is distinct from o.creation #>> '{source_line_endings,source_sha256}'
      end),
      ('content', 'does not hash to content_hash', o.content_hash <> o.hash_of_content),
      ('content_hash', 'not the hash that the history records for the version',
        o.snapshot_sequence > 1 and o.version > 0 and o.content_hash is distinct from o.hash_of_version)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'editing_cycles', 'editing_cycle=' || coalesce(c.editing_cycle, o.editing_cycle), f.column_name, f.problem
  from ordered as o
  full join (
    select e.* from patchdiff_store.editing_cycles as e where e.target_file_id = p_target
  ) as c on c.editing_cycle = o.editing_cycle
  cross join lateral (
    values
      ('editing_cycle', 'no snapshot opens the cycle, or its row is missing', c.editing_cycle is null or o.editing_cycle is null),
      ('snapshot_sequence', 'not the snapshot that opens the cycle', c.snapshot_sequence <> o.snapshot_sequence),
      ('opened_at_version', 'not the version of the snapshot', c.opened_at_version <> o.version),
      ('opened_at', 'not the time of the snapshot', c.opened_at <> o.created_at)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, f.column_name, f.problem
  from patchdiff_store.target_heads as h
  cross join lateral (
    values
      ('snapshot_sequence', 'not the sequence of the last snapshot',
        h.snapshot_sequence <> coalesce((select max(o.snapshot_sequence) from ordered as o), 0)),
      ('open_cycle', 'not the cycle of the last snapshot',
        h.open_cycle <> coalesce((select max(o.editing_cycle) from ordered as o), 0))
  ) as f (column_name, problem, broken)
  where h.target_file_id = p_target and f.broken
$$;

comment on function patchdiff_store.verify_snapshots(uuid) is
  'What is wrong with the snapshots and editing cycles of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_snapshots.sql
--! Included patchdiff_store/verify_publications.sql
-- The publications of a target: sequence without gap, every outcome closing an earlier intent with the same bytes and
-- file, and the published hash that which the history records for the version. An adoption stands in the
-- same sequence and closes nothing; it was observed as it is recorded, and names the attempt that made its version.
create or replace function patchdiff_store.verify_publications (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with cycles as (
    -- One pass over the chain: the cycle that was open is that of the last snapshot before.
    select m.publication_sequence, max(m.editing_cycle) over (order by m.chain_sequence) as cycle
    from (
      select s.chain_sequence, null::bigint as publication_sequence, s.editing_cycle
      from patchdiff_store.target_snapshots as s
      where s.target_file_id = p_target
      union all
      select p.chain_sequence, p.publication_sequence, null
      from patchdiff_store.workspace_publications as p
      where p.target_file_id = p_target
    ) as m
  ),
  ordered as (
    select
      p.publication_sequence,
      p.kind,
      p.intent_publication_id,
      p.content_hash,
      p.kind in ('intent', 'adopted') as is_first,
      p.kind = 'adopted' and (
        p.observed_disk_sha256 is distinct from p.written_sha256
        or p.written_sha256 is distinct from d.detail #>> '{source_line_endings,source_sha256}'
      ) as other_digest,
      p.kind = 'adopted' and p.version::text is distinct from coalesce(
        (
          select l.after_version::text
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target
          and l.pdcp_log_id::text = d.detail ->> 'pdcp_log_id'
          and l.status = 'accepted'
          and l.submission_source = 'disk'
          and l.chain_sequence < p.chain_sequence
        ),
        case when d.detail ->> 'pdcp_log_id' is null then d.detail ->> 'before_version' end
      ) as other_attempt,
      lag(p.publication_sequence, 1, 0::bigint) over publications as sequence_before,
      i.publication_id as intent,
      p.editing_cycle,
      c.cycle,
      p.version is distinct from i.version as other_version,
      p.content_hash is distinct from i.content_hash as other_content,
      p.written_sha256 is distinct from i.written_sha256 as other_bytes,
      p.written_bytes is distinct from i.written_bytes as other_size,
      p.expected_disk_sha256 is distinct from i.expected_disk_sha256 as other_disk,
      p.workspace_root_identity is distinct from i.workspace_root_identity as other_root,
      p.workspace_path is distinct from i.workspace_path as other_path,
      coalesce(
        (
          select l.after_hash
          from patchdiff_store.append_only_pdcp_logs as l
          where l.target_file_id = p_target and l.status = 'accepted' and l.after_version = p.version
          limit 1
        ),
        (
          select s.content_hash
          from patchdiff_store.target_snapshots as s
          where s.target_file_id = p_target and s.snapshot_sequence = 1 and s.version = p.version
        )
      ) as hash_of_version
    from patchdiff_store.workspace_publications as p
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = p.target_file_id
      and i.publication_id = p.intent_publication_id
      and i.kind = 'intent'
      and i.publication_sequence < p.publication_sequence
    left join cycles as c on c.publication_sequence = p.publication_sequence
    cross join lateral (
      select case when p.kind = 'adopted' and pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
    ) as d
    where p.target_file_id = p_target
    window publications as (order by p.publication_sequence)
  )
  select 'workspace_publications', 'publication_sequence=' || o.publication_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('publication_sequence', 'publications are missing before this one', o.publication_sequence <> o.sequence_before + 1),
      ('intent_publication_id', 'closes no earlier intent', not o.is_first and o.intent is null),
      ('kind', 'an intent that closes one, or no known kind',
        o.kind not in ('intent', 'published', 'rejected', 'superseded', 'adopted')
        or o.is_first <> (o.intent_publication_id is null)),
      ('editing_cycle', 'not the cycle that was open', o.editing_cycle is distinct from o.cycle),
      ('version', 'not what the intent announced', o.intent is not null and o.other_version),
      ('content_hash', 'not what the intent announced', o.intent is not null and o.other_content),
      ('written_sha256', 'not what the intent announced', o.intent is not null and o.other_bytes),
      ('written_bytes', 'not what the intent announced', o.intent is not null and o.other_size),
      ('expected_disk_sha256', 'not what the intent announced', o.intent is not null and o.other_disk),
      ('workspace_root_identity', 'not what the intent announced', o.intent is not null and o.other_root),
      ('workspace_path', 'not what the intent announced', o.intent is not null and o.other_path),
      ('observed_disk_sha256', 'not the digest that was adopted', o.other_digest),
      ('detail', 'names no attempt that made the version', o.other_attempt),
      ('content_hash', 'not the hash that the history records for the version', o.content_hash is distinct from o.hash_of_version)
  ) as f (column_name, problem, broken)
  where f.broken
  union all
  select 'target_heads', 'target_file_id=' || h.target_file_id, 'publication_sequence', 'not the sequence of the last publication'
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  and h.publication_sequence <> coalesce((select max(o.publication_sequence) from ordered as o), 0)
$$;

comment on function patchdiff_store.verify_publications(uuid) is
  'What is wrong with the publications of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_publications.sql
--! Included patchdiff_store/verify_keys.sql
-- The request keys of a target. A submission's key and its attempt agree in both directions, and the attempt's hash covers
-- what the key says; a SAVE's key is a row of the chain itself. Keys of SAVEs from before that are outside it, and a
-- target whose initial snapshot is of format 2 has none of them.
create or replace function patchdiff_store.verify_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  select 'request_keys', 'client_request_id=' || k.client_request_id, f.column_name, f.problem
  from patchdiff_store.request_keys as k
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = k.target_file_id and l.log_sequence = k.log_sequence
  cross join lateral (
    select
      k.kind = 'submission' as is_submission,
      num_nonnulls(k.chain_sequence, k.hash_version, k.prev_hash, k.row_hash) as chained,
      exists (
        select
        from patchdiff_store.target_snapshots as s
        where s.target_file_id = p_target and s.snapshot_sequence = 1 and s.hash_version = 2
      ) as must_be_chained
  ) as c
  cross join lateral (
    values
      ('kind', 'neither a submission with its attempt nor a SAVE with its receipt',
        k.kind not in ('submission', 'save')
        or c.is_submission <> (k.log_sequence is not null)
        or c.is_submission = (k.save_receipt is not null)),
      ('log_sequence', 'names no attempt with this key and fingerprint', c.is_submission and (
        l.client_request_id is distinct from k.client_request_id or l.request_fingerprint is distinct from k.request_fingerprint
      )),
      ('created_at', 'not the time of the attempt', c.is_submission and k.created_at <> l.created_at),
      ('chain_sequence', 'the key of a submission is no row of the chain', c.is_submission and c.chained > 0),
      ('chain_sequence', 'the key of a SAVE is not in the chain',
        not c.is_submission and c.chained < 4 and (c.chained > 0 or c.must_be_chained))
  ) as f (column_name, problem, broken)
  where k.target_file_id = p_target and f.broken
  union all
  select 'append_only_pdcp_logs', 'log_sequence=' || l.log_sequence, 'client_request_id', 'the key is not registered for this attempt'
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_target
  and l.client_request_id is not null
  and not exists (
    select
    from patchdiff_store.request_keys as k
    where k.target_file_id = l.target_file_id
    and k.client_request_id = l.client_request_id
    and k.log_sequence = l.log_sequence
  )
$$;

comment on function patchdiff_store.verify_keys(uuid) is
  'What is wrong with the request keys of a target; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_keys.sql
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
--! Included patchdiff_store/verify_target.sql
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
  return query select f.* from patchdiff_store.verify_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_save_keys(p_target) as f;
  return query select f.* from patchdiff_store.verify_replay(p_target) as f;
end;
$$;

comment on function patchdiff_store.verify_target(uuid, bigint, text) is
  'Every finding about one target; no rows when nothing is wrong.';
--! EndIncluded patchdiff_store/verify_target.sql
--! Included patchdiff_audit/verify_all.sql
-- verify_target for every target that any table of the store mentions, so that a target whose row was removed is found
-- too. Linear in all history: meant for a nightly run. The findings name tables in patchdiff_store.
create or replace function patchdiff_audit.verify_all ()
  returns table (target_file_id uuid, table_name text, row_key text, column_name text, problem text)
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select m.target_file_id, f.table_name, f.row_key, f.column_name, f.problem
  from (
    select t.target_file_id from patchdiff_store.cloud_target_files as t
    union
    select t.target_file_id from patchdiff_store.target_heads as t
    union
    select t.target_file_id from patchdiff_store.append_only_pdcp_logs as t
    union
    select t.target_file_id from patchdiff_store.append_only_manifest_ledger as t
    union
    select t.target_file_id from patchdiff_store.target_snapshots as t
    union
    select t.target_file_id from patchdiff_store.editing_cycles as t
    union
    select t.target_file_id from patchdiff_store.workspace_publications as t
    union
    select t.target_file_id from patchdiff_store.request_keys as t
    union
    select t.target_file_id from patchdiff_store.workspace_bindings as t
  ) as m
  cross join lateral patchdiff_store.verify_target(m.target_file_id, null, null) as f
$$;

comment on function patchdiff_audit.verify_all() is 'Findings about the history of every target; none when all is whole.';
--! EndIncluded patchdiff_audit/verify_all.sql
--! Included patchdiff_store/common_prefix.sql
-- How many bytes two texts have in common at their beginnings. Gallops, then halves, so it costs a small multiple of the
-- answer.
create or replace function patchdiff_store.common_prefix (
  p_one bytea,
  p_other bytea
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_limit integer := least(octet_length(p_one), octet_length(p_other));
  v_same integer := 0;
  v_step integer := 64;
begin
  loop
    v_step := least(v_step, v_limit - v_same);
    if v_step <= 0 then
      return v_same;
    end if;

    exit when substring(p_one from v_same + 1 for v_step) <> substring(p_other from v_same + 1 for v_step);
    v_same := v_same + v_step;
    v_step := v_step * 2;
  end loop;

  -- The next v_step bytes differ somewhere.
  while v_step > 1 loop
    if substring(p_one from v_same + 1 for v_step / 2) = substring(p_other from v_same + 1 for v_step / 2) then
      v_same := v_same + v_step / 2;
      v_step := v_step - v_step / 2;
    else
      v_step := v_step / 2;
    end if;
  end loop;

  return v_same;
end;
$$;

comment on function patchdiff_store.common_prefix(bytea, bytea) is
  'How many bytes two texts have in common at their beginnings.';
--! EndIncluded patchdiff_store/common_prefix.sql
--! Included patchdiff_store/common_suffix.sql
-- How many bytes two texts have in common at their ends, at most p_most, which neither is shorter than. Gallops, then
-- halves, so it costs a small multiple of the answer.
create or replace function patchdiff_store.common_suffix (
  p_one bytea,
  p_other bytea,
  p_most integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_one_end integer := octet_length(p_one) + 1;
  v_other_end integer := octet_length(p_other) + 1;
  v_same integer := 0;
  v_step integer := 64;
begin
  loop
    v_step := least(v_step, p_most - v_same);
    if v_step <= 0 then
      return v_same;
    end if;

    exit when substring(p_one from v_one_end - v_same - v_step for v_step)
      <> substring(p_other from v_other_end - v_same - v_step for v_step);
    v_same := v_same + v_step;
    v_step := v_step * 2;
  end loop;

  -- The v_step bytes before differ somewhere.
  while v_step > 1 loop
    if substring(p_one from v_one_end - v_same - v_step / 2 for v_step / 2)
      = substring(p_other from v_other_end - v_same - v_step / 2 for v_step / 2)
    then
      v_same := v_same + v_step / 2;
      v_step := v_step - v_step / 2;
    else
      v_step := v_step / 2;
    end if;
  end loop;

  return v_same;
end;
$$;

comment on function patchdiff_store.common_suffix(bytea, bytea, integer) is
  'How many bytes two texts have in common at their ends.';
--! EndIncluded patchdiff_store/common_suffix.sql
--! Included patchdiff_store/line_start.sql
-- Where the line begins that holds the border before byte p_at: behind the last LF of the bytes before it, or 0.
-- Costs a small multiple of the distance. LATIN1 makes one character of every byte, so that the piece can be reversed.
create or replace function patchdiff_store.line_start (
  p_text bytea,
  p_at integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_from integer;
  v_to integer := p_at;
  v_back integer;
  v_step integer := 64;
begin
  while v_to > 0 loop
    v_from := greatest(0, v_to - v_step);
    v_back := strpos(reverse(convert_from(substring(p_text from v_from + 1 for v_to - v_from), 'LATIN1')), chr(10));
    if v_back > 0 then
      return v_to - v_back + 1;
    end if;

    v_to := v_from;
    v_step := v_step * 2;
  end loop;

  return 0;
end;
$$;

comment on function patchdiff_store.line_start(bytea, integer) is 'Where the line begins that a byte offset stands in.';
--! EndIncluded patchdiff_store/line_start.sql
--! Included patchdiff_store/is_line_start.sql
-- Whether a line begins, or would begin, at a byte offset of a text: at its beginning and behind an LF.
create or replace function patchdiff_store.is_line_start (
  p_text bytea,
  p_at integer
)
  returns boolean
  language sql
  immutable
as $$
  select case when p_at = 0 then true else get_byte(p_text, p_at - 1) = 10 end
$$;

comment on function patchdiff_store.is_line_start(bytea, integer) is 'Whether a line begins at a byte offset of a text.';
--! EndIncluded patchdiff_store/is_line_start.sql
--! Included patchdiff_store/differing_lines.sql
-- What is left of two texts between the whole lines that they have in common, first at their beginnings, then at their
-- ends: {head, old_tail, new_tail} in bytes; [head, old_tail) of the one stands where [head, new_tail) of the
-- other does. Equal texts leave nothing. A line ends with its LF; a last line without one differs from the same line with it.
create or replace function patchdiff_store.differing_lines (
  p_old bytea,
  p_new bytea
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_old_tail integer := octet_length(p_old);
  v_new_tail integer := octet_length(p_new);
  v_head integer;
  v_same integer;
begin
  if p_old = p_new then
    return array[v_old_tail, v_old_tail, v_old_tail];
  end if;

  v_head := patchdiff_store.line_start(p_old, patchdiff_store.common_prefix(p_old, p_new));
  v_same := patchdiff_store.common_suffix(p_old, p_new, least(v_old_tail, v_new_tail) - v_head);
  v_old_tail := v_old_tail - v_same;
  v_new_tail := v_new_tail - v_same;
  if patchdiff_store.is_line_start(p_old, v_old_tail) and patchdiff_store.is_line_start(p_new, v_new_tail) then
    return array[v_head, v_old_tail, v_new_tail];
  end if;

  -- The first line of the common end is cut: without an LF that is all of it.
  v_same := coalesce(nullif(position('\x0a'::bytea in substring(p_old from v_old_tail + 1)), 0), v_same);
  return array[v_head, v_old_tail + v_same, v_new_tail + v_same];
end;
$$;

comment on function patchdiff_store.differing_lines(bytea, bytea) is
  'What is left of two texts between the whole lines they have in common at both ends.';
--! EndIncluded patchdiff_store/differing_lines.sql
--! Included patchdiff_store/lines_of.sql
-- The lines of a text without their LF. A last line that has none keeps an LF as its mark, which no other line holds, so
-- that it equals no line that ends. An empty text has no lines.
create or replace function patchdiff_store.lines_of (
  p_text text
)
  returns text[]
  language plpgsql
  immutable
as $$
declare
  v_lines text[];
  v_count integer;
begin
  v_lines := string_to_array(p_text, chr(10));
  v_count := cardinality(v_lines);
  if v_count = 0 then
    return v_lines;
  elsif right(p_text, 1) = chr(10) then
    return trim_array(v_lines, 1);
  end if;

  return trim_array(v_lines, 1) || (v_lines[v_count] || chr(10));
end;
$$;

comment on function patchdiff_store.lines_of(text) is
  'The lines of a text without their LF; a last line without one is marked by one.';
--! EndIncluded patchdiff_store/lines_of.sql
--! Included patchdiff_store/matched_lines.sql
-- Which lines of one list stand in another: for each line of p_old the place in p_new that it keeps, 0 for none;
-- ascending. The longest common subsequence, as the longest ascending run through all pairs of equal lines (Hunt and
-- Szymanski). Each pair costs work, and repeated lines make many: at most 16 pairs for each line of both lists, at
-- least 4,096 and at most 2^19 in all, are looked at, those of the lines with the fewest pairs first. Lines left out by that
-- bound are kept only where, in p_new, they stand beside a kept line or an end. Of lists beyond 2^20 lines nothing is kept.
-- Deterministic, and linear but for sorting.
create or replace function patchdiff_store.matched_lines (
  p_old text[],
  p_new text[]
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_old text[] := p_old;
  v_new text[] := p_new;
  v_old_count integer := cardinality(p_old);
  v_new_count integer := cardinality(p_new);
  v_budget bigint := least(greatest(16::bigint * (v_old_count + v_new_count), 4096), 524288);
  v_line record;
  v_place integer;
  v_length integer := 0;
  v_low integer;
  v_high integer;
  v_middle integer;
  -- Of the best run of each length: the place it ends at, and its last pair.
  v_end integer[] := '{}';
  v_last integer[] := '{}';
  -- Pairs: both places and the pair before in the run.
  v_pairs integer := 0;
  v_pair_old integer[] := '{}';
  v_pair_new integer[] := '{}';
  v_pair_before integer[] := '{}';
  v_kept integer[] := array_fill(0, array[v_old_count]);
  v_taken boolean[] := array_fill(false, array[v_new_count]);
begin
  if greatest(v_old_count, v_new_count) > 1048576 then
    return v_kept;
  end if;

  for v_line in
    select o.place, k.new_places
    from (
      select c.old_places, c.new_places, c.pairs, sum(c.pairs) over (order by c.pairs, c.line) as total
      from (
        select
          i.line,
          array_agg(i.place order by i.place) filter (where i.side = 0) as old_places,
          array_agg(i.place order by i.place desc) filter (where i.side = 1) as new_places,
          count(*) filter (where i.side = 0) * count(*) filter (where i.side = 1) as pairs
        from (
          select 0 as side, u.place::integer as place, u.line collate "C" as line
          from unnest(v_old) with ordinality as u(line, place)
          union all
          select 1, u.place::integer, u.line collate "C"
          from unnest(v_new) with ordinality as u(line, place)
        ) as i
        group by i.line
      ) as c
      where c.pairs > 0
    ) as k
    cross join lateral unnest(k.old_places) as o(place)
    where k.total <= v_budget
    order by o.place
  loop
    foreach v_place in array v_line.new_places loop
      -- The shortest run that ends at this place or behind it.
      v_low := 1;
      v_high := v_length + 1;
      while v_low < v_high loop
        v_middle := (v_low + v_high) / 2;
        if v_end[v_middle] < v_place then
          v_low := v_middle + 1;
        else
          v_high := v_middle;
        end if;
      end loop;

      if v_low > v_length then
        v_length := v_low;
      elsif v_end[v_low] = v_place then
        continue;
      end if;

      v_middle := case when v_low > 1 then v_last[v_low - 1] else 0 end;
      v_pairs := v_pairs + 1;
      v_pair_old[v_pairs] := v_line.place;
      v_pair_new[v_pairs] := v_place;
      v_pair_before[v_pairs] := v_middle;
      v_end[v_low] := v_place;
      v_last[v_low] := v_pairs;
    end loop;
  end loop;

  v_low := case when v_length > 0 then v_last[v_length] else 0 end;
  while v_low > 0 loop
    v_middle := v_pair_old[v_low];
    v_place := v_pair_new[v_low];
    v_kept[v_middle] := v_place;
    v_taken[v_place] := true;
    v_low := v_pair_before[v_low];
  end loop;

  -- What the bound left out: backwards from each kept line, then forwards.
  v_high := v_new_count + 1;
  for v_i in reverse v_old_count..1 loop
    v_place := v_kept[v_i];
    if v_place > 0 then
      v_high := v_place;
    elsif v_high > 1 and not v_taken[v_high - 1] and v_old[v_i] = v_new[v_high - 1] then
      v_high := v_high - 1;
      v_kept[v_i] := v_high;
      v_taken[v_high] := true;
    end if;
  end loop;

  v_low := 0;
  for v_i in 1..v_old_count loop
    v_place := v_kept[v_i];
    if v_place > 0 then
      v_low := v_place;
    elsif v_low < v_new_count and not v_taken[v_low + 1] and v_old[v_i] = v_new[v_low + 1] then
      v_low := v_low + 1;
      v_kept[v_i] := v_low;
      v_taken[v_low] := true;
    end if;
  end loop;

  return v_kept;
end;
$$;

comment on function patchdiff_store.matched_lines(text[], text[]) is
  'For each line of one list the place in another that it keeps, ascending; 0 for none.';
--! EndIncluded patchdiff_store/matched_lines.sql
--! Included patchdiff_store/line_changes.sql
-- Which lines of two texts differ, ascending: bytes [old_from, old_to) and old_lines lines from the 0-based line old_line
-- of the one stand where new_… of the other do; at least one equal line stands between two. Only LF ends a line, and a last line without one
-- differs from the same line with it. Whole lines common to both beginnings, then to both ends, never differ; in between
-- matched_lines decides, within its bound.
create or replace function patchdiff_store.line_changes (
  p_old bytea,
  p_new bytea
)
  returns table (
    old_from integer,
    old_to integer,
    new_from integer,
    new_to integer,
    old_line integer,
    old_lines integer,
    new_line integer,
    new_lines integer
  )
  language plpgsql
  immutable
as $$
declare
  v_middle integer[] := patchdiff_store.differing_lines(p_old, p_new);
  v_old text[];
  v_new text[];
  v_kept integer[];
  v_old_count integer;
  v_new_count integer;
  v_first integer;
  v_old_at integer := 1;
  v_new_at integer := 1;
  v_next integer;
begin
  if v_middle[2] = v_middle[1] and v_middle[3] = v_middle[1] then
    return;
  end if;

  v_old := patchdiff_store.lines_of(convert_from(substring(p_old from v_middle[1] + 1 for v_middle[2] - v_middle[1]), 'UTF8'));
  v_new := patchdiff_store.lines_of(convert_from(substring(p_new from v_middle[1] + 1 for v_middle[3] - v_middle[1]), 'UTF8'));
  v_old_count := cardinality(v_old);
  v_new_count := cardinality(v_new);
  v_kept := patchdiff_store.matched_lines(v_old, v_new);
  v_first := cardinality(patchdiff_store.lines_of(convert_from(substring(p_old for v_middle[1]), 'UTF8')));
  old_to := v_middle[1];
  new_to := v_middle[1];

  while v_old_at <= v_old_count or v_new_at <= v_new_count loop
    v_next := case when v_old_at > v_old_count then v_new_count + 1 else v_kept[v_old_at] end;
    if v_next = v_new_at then
      old_to := old_to + octet_length(v_old[v_old_at]) + 1;
      new_to := new_to + octet_length(v_new[v_new_at]) + 1;
      v_old_at := v_old_at + 1;
      v_new_at := v_new_at + 1;
      continue;
    end if;

    old_from := old_to;
    new_from := new_to;
    old_line := v_first + v_old_at - 1;
    new_line := v_first + v_new_at - 1;
    while v_next = 0 loop
      old_to := old_to + octet_length(v_old[v_old_at]) + 1;
      v_old_at := v_old_at + 1;
      v_next := case when v_old_at > v_old_count then v_new_count + 1 else v_kept[v_old_at] end;
    end loop;

    while v_new_at < v_next loop
      new_to := new_to + octet_length(v_new[v_new_at]) + 1;
      v_new_at := v_new_at + 1;
    end loop;

    -- The mark of a last line without LF counts as one byte, and its LF as another.
    old_to := least(old_to, v_middle[2]);
    new_to := least(new_to, v_middle[3]);
    old_lines := v_first + v_old_at - 1 - old_line;
    new_lines := v_first + v_new_at - 1 - new_line;
    return next;
  end loop;
end;
$$;

comment on function patchdiff_store.line_changes(bytea, bytea) is
  'Which lines of two texts differ, ascending, with their bytes and line numbers.';
--! EndIncluded patchdiff_store/line_changes.sql
--! Included patchdiff_store/written_range.sql
-- Which whole lines one splice writes: the bytes [p_start, p_start + p_deleted) of the buffer give way to p_inserted, which differs
-- from them.
-- What counts is the lines that the matched text and its replacement are part of, without the whole lines common to
-- their beginnings, then to their ends. {from, to, growth}: in the buffer after it, the lines that intersect [from, to)
-- are written, and what stands behind them began growth bytes further back. Looks only as far around as the splice is long,
-- which decides whether two lines are equal: a longer line equals none that lies within the splice.
create or replace function patchdiff_store.written_range (
  p_buffer bytea,
  p_start integer,
  p_deleted integer,
  p_inserted bytea
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_end integer := p_start + p_deleted;
  v_reach integer := greatest(p_deleted, octet_length(p_inserted)) + 1;
  v_from integer := greatest(0, p_start - v_reach);
  v_before bytea;
  v_after bytea := '';
  v_middle integer[];
begin
  v_before := substring(p_buffer from v_from + 1 for p_start - v_from);
  v_before := substring(v_before from patchdiff_store.line_start(v_before, octet_length(v_before)) + 1);
  v_from := p_start - octet_length(v_before);

  -- Where both texts end with a line, the one behind them is neither's.
  if not (
    patchdiff_store.is_line_start(p_buffer, v_end)
    and patchdiff_store.is_line_start(v_before || p_inserted, octet_length(v_before) + octet_length(p_inserted))
  ) then
    v_after := substring(p_buffer from v_end + 1 for v_reach);
    v_after := substring(v_after for coalesce(nullif(position('\x0a'::bytea in v_after), 0), v_reach));
  end if;

  v_middle := patchdiff_store.differing_lines(
    v_before || substring(p_buffer from p_start + 1 for p_deleted) || v_after,
    v_before || p_inserted || v_after
  );
  return array[v_from + v_middle[1], v_from + v_middle[3], v_middle[3] - v_middle[2]];
end;
$$;

comment on function patchdiff_store.written_range(bytea, integer, integer, bytea) is
  'Which whole lines one splice writes, and by how much it moves what stands behind them.';
--! EndIncluded patchdiff_store/written_range.sql
--! Included patchdiff_store/raise_history_diverged.sql
-- Raises that a version cannot be rebuilt because rows of the history contradict each other (PD106): one wording for
-- every routine that replays splices.
create or replace function patchdiff_store.raise_history_diverged (
  p_target uuid,
  p_version bigint
)
  returns void
  language plpgsql
  stable
as $$
begin
  raise exception 'version % of target % cannot be reconstructed', p_version, p_target
    using errcode = 'PD106',
          detail = json_build_object('target_file_id', p_target, 'version', p_version)::text,
          hint = 'select * from patchdiff_audit.verify_target(target) names the rows that contradict each other';
end;
$$;

comment on function patchdiff_store.raise_history_diverged(uuid, bigint) is
  'Raises PD106 for a version that cannot be reconstructed.';
--! EndIncluded patchdiff_store/raise_history_diverged.sql
--! Included patchdiff_store/check_version.sql
-- The version a caller asks for, null meaning the current one. Refuses an unknown target (PD104) and a version outside
-- 0 … current (PD105).
create or replace function patchdiff_store.check_version (
  p_target uuid,
  p_version bigint
)
  returns bigint
  language plpgsql
  stable
as $$
declare
  v_current bigint;
begin
  select t.version
  into v_current
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target;
  if not found then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;
  if coalesce(p_version, v_current) not between 0 and v_current then
    raise exception 'version % lies outside 0 … %', p_version, v_current
      using errcode = 'PD105',
            detail = json_build_object('target_file_id', p_target, 'version', p_version, 'current_version', v_current)::text,
            hint = 'ask for a version the target has had';
  end if;
  return coalesce(p_version, v_current);
end;
$$;

comment on function patchdiff_store.check_version(uuid, bigint) is
  'The version asked for, or the current one; refuses one the target never had.';
--! EndIncluded patchdiff_store/check_version.sql
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
  v_version bigint;
  v_buffer bytea;
  v_hash text;
  v_attempt record;
begin
  select s.version, convert_to(s.content, 'UTF8'), s.content_hash
  into v_version, v_buffer, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.version <= v_wanted
  order by s.version desc, s.snapshot_sequence desc
  limit 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    and l.status = 'accepted'
    and l.after_version > v_version
    and l.after_version <= v_wanted
    order by l.after_version
  loop
    exit when v_attempt.after_version <> v_version + 1;
    v_buffer := patchdiff_store.apply_attempt(v_buffer, p_target, v_attempt.log_sequence);
    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version is distinct from v_wanted or patchdiff_store.sha256_hex(v_buffer) is distinct from v_hash then
    perform patchdiff_store.raise_history_diverged(p_target, v_wanted);
  end if;
  return convert_from(v_buffer, 'UTF8');
end;
$$;

comment on function patchdiff_store.reconstruct(uuid, bigint) is
  'A target''s content at a version, checked against the recorded hash.';
--! EndIncluded patchdiff_store/reconstruct.sql
--! Included patchdiff_store/verify_line_endings.sql
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
--! EndIncluded patchdiff_store/verify_line_endings.sql
--! Included patchdiff_store/written_ranges.sql
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
    v_items := coalesce(v_attempt.payload -> 'edits', v_attempt.payload -> 'operations');
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
--! EndIncluded patchdiff_store/written_ranges.sql
--! Included patchdiff_store/line_writers.sql
-- Which of the given writes, in order of writing, each line of a text comes from: its 1-based number, 0 for a line that
-- was there before them. Goes from the last write to the first and follows only lines not yet found: each keeps its bytes, so
-- that its place at any time is the sum of such lines and of the gaps between them. A Fenwick tree holds those sums:
-- (lines + writes) × log(lines). p_from, p_to and p_growth are what written_ranges answers.
create or replace function patchdiff_store.line_writers (
  p_text text,
  p_from integer[],
  p_to integer[],
  p_growth integer[]
)
  returns integer[]
  language plpgsql
  immutable
as $$
declare
  v_length integer[];
  v_open integer;
  v_size integer;
  v_writer integer[];
  v_gap integer[];
  v_tree integer[];
  v_top integer := 1;
  v_slot integer;
  v_step integer;
  v_sum integer;
  v_value integer;
  v_at integer;
  v_bound integer;
  v_base integer;
  v_end integer;
  v_position integer;
  v_change integer;
begin
  v_length := array(
    select octet_length(u.line) + case when strpos(u.line, chr(10)) > 0 then -1 else 1 end
    from unnest(patchdiff_store.lines_of(p_text)) with ordinality as u(line, place)
    order by u.place
  );
  v_open := cardinality(v_length);
  v_size := v_open + 1;
  v_writer := array_fill(0, array[v_size]);
  -- Bytes before each line that are of no line looked for; of line and gap together the tree keeps the sums.
  v_gap := v_writer;
  v_tree := v_writer;
  -- Behind every text, so that there always is a line that follows.
  v_length[v_size] := 1000000000;
  while v_top * 2 <= v_size loop
    v_top := v_top * 2;
  end loop;

  for v_i in 1..v_size loop
    v_sum := v_tree[v_i] + v_length[v_i];
    v_tree[v_i] := v_sum;
    v_at := v_i + (v_i & -v_i);
    if v_at <= v_size then
      v_value := v_tree[v_at] + v_sum;
      v_tree[v_at] := v_value;
    end if;
  end loop;

  for v_i in reverse cardinality(p_from)..1 loop
    exit when v_open = 0;
    v_bound := p_from[v_i];
    v_base := null;
    loop
      -- The first line looked for that ends behind v_bound, and what lies before it and its gap.
      v_slot := 0;
      v_sum := 0;
      v_step := v_top;
      while v_step > 0 loop
        v_at := v_slot + v_step;
        if v_at <= v_size then
          v_value := v_sum + v_tree[v_at];
          if v_value <= v_bound then
            v_slot := v_at;
            v_sum := v_value;
          end if;
        end if;
        v_step := v_step / 2;
      end loop;

      v_slot := v_slot + 1;
      if v_base is null then
        v_base := v_sum;
        v_end := v_sum;
      end if;

      v_position := v_end + v_gap[v_slot];
      exit when v_slot = v_size or v_position >= p_to[v_i];
      v_writer[v_slot] := v_i;
      v_open := v_open - 1;
      v_end := v_position + v_length[v_slot];
      v_change := -v_gap[v_slot] - v_length[v_slot];
      v_at := v_slot;
      while v_at <= v_size loop
        v_value := v_tree[v_at] + v_change;
        v_tree[v_at] := v_value;
        v_at := v_at + (v_at & -v_at);
      end loop;

      -- Lines found weigh nothing any more, so the next one ends behind what lies before the first.
      v_bound := v_base;
    end loop;

    -- The first line behind the range: everything between it and the line before the range is now a gap.
    v_value := v_position - p_growth[v_i] - v_base;
    v_change := v_value - v_gap[v_slot];
    v_gap[v_slot] := v_value;
    v_at := v_slot;
    while v_at <= v_size loop
      v_value := v_tree[v_at] + v_change;
      v_tree[v_at] := v_value;
      v_at := v_at + (v_at & -v_at);
    end loop;
  end loop;

  return v_writer[1:v_size - 1];
end;
$$;

comment on function patchdiff_store.line_writers(text, integer[], integer[], integer[]) is
  'Which of the given writes each line of a text comes from; 0 for none of them.';
--! EndIncluded patchdiff_store/line_writers.sql
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
end;
$$;

comment on function patchdiff_store.blame_lines(uuid, bigint) is
  'The lines of a version, each with the ledger row that last wrote it.';
--! EndIncluded patchdiff_store/blame_lines.sql
--! Included patchdiff_store/unified_diff.sql
-- The unified diff that makes p_new of p_old, three lines of context around each change; empty when they are equal. Both names
-- go into the header as they are. Applies byte for byte, a missing last LF included.
create or replace function patchdiff_store.unified_diff (
  p_old text,
  p_new text,
  p_old_name text,
  p_new_name text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_old text[] := patchdiff_store.lines_of(p_old);
  v_new text[] := patchdiff_store.lines_of(p_new);
  v_old_count integer := cardinality(v_old);
  v_hunk record;
  v_out text[] := '{}';
  v_count integer := 0;
  v_at integer;
  v_to integer;
begin
  for v_hunk in
    select
      greatest(0, min(c.old_line) - 3) as old_first,
      min(c.new_line) - min(c.old_line) as shift,
      least(v_old_count, max(c.old_line + c.old_lines) + 3) as old_end,
      max(c.new_line + c.new_lines) - max(c.old_line + c.old_lines) as end_shift,
      array_agg(c.old_line order by c.old_line) as old_lines,
      array_agg(c.old_line + c.old_lines order by c.old_line) as old_ends,
      array_agg(c.new_line order by c.old_line) as new_lines,
      array_agg(c.new_line + c.new_lines order by c.old_line) as new_ends
    from (
      select g.*, count(*) filter (where g.gap > 6) over (order by g.old_line) as hunk
      from (
        select d.*, d.old_line - lag(d.old_line + d.old_lines) over (order by d.old_line) as gap
        from patchdiff_store.line_changes(convert_to(p_old, 'UTF8'), convert_to(p_new, 'UTF8')) as d
      ) as g
    ) as c
    group by c.hunk
    order by c.hunk
  loop
    v_count := v_count + 1;
    v_out[v_count] := format(
      '@@ -%s,%s +%s,%s @@',
      v_hunk.old_first + (v_hunk.old_end > v_hunk.old_first)::integer,
      v_hunk.old_end - v_hunk.old_first,
      v_hunk.old_first + v_hunk.shift + (v_hunk.old_end + v_hunk.end_shift > v_hunk.old_first + v_hunk.shift)::integer,
      v_hunk.old_end + v_hunk.end_shift - v_hunk.old_first - v_hunk.shift
    ) || chr(10);
    v_at := v_hunk.old_first;
    for v_change in 1..cardinality(v_hunk.old_lines) + 1 loop
      -- Context up to the change, or, behind the last one, to the end of the hunk.
      v_to := coalesce(v_hunk.old_lines[v_change], v_hunk.old_end);
      for v_line in v_at + 1..v_to loop
        v_count := v_count + 1;
        v_out[v_count] := ' ' || v_old[v_line] || chr(10);
      end loop;

      exit when v_change > cardinality(v_hunk.old_lines);

      for v_line in v_to + 1..v_hunk.old_ends[v_change] loop
        v_count := v_count + 1;
        v_out[v_count] := '-' || v_old[v_line] || chr(10);
      end loop;

      for v_line in v_hunk.new_lines[v_change] + 1..v_hunk.new_ends[v_change] loop
        v_count := v_count + 1;
        v_out[v_count] := '+' || v_new[v_line] || chr(10);
      end loop;

      v_at := v_hunk.old_ends[v_change];
    end loop;
  end loop;

  if v_count = 0 then
    return '';
  end if;
  return concat(
    '--- ', p_old_name, chr(10), '+++ ', p_new_name, chr(10),
    -- Only the mark of a last line without LF leaves an empty line.
    replace(array_to_string(v_out, ''), repeat(chr(10), 2), chr(10) || chr(92) || ' No newline at end of file' || chr(10))
  );
end;
$$;

comment on function patchdiff_store.unified_diff(text, text, text, text) is
  'The unified diff that makes one text of another, with three lines of context.';
--! EndIncluded patchdiff_store/unified_diff.sql
--! Included patchdiff_store/diff_name.sql
-- A document's name for the header of a diff, one line whatever it is called: characters that end a name there, or
-- quote in one, become _.
create or replace function patchdiff_store.diff_name (
  p_side text,
  p_target uuid,
  p_version bigint
)
  returns text
  language sql
  stable
as $$
  select concat(p_side, '/', regexp_replace(t.display_name, '[[:cntrl:]"' || chr(92) || chr(92) || ']', '_', 'g'), chr(9), 'version ', p_version)
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.diff_name(text, uuid, bigint) is 'A document''s name and version for the header of a diff.';
--! EndIncluded patchdiff_store/diff_name.sql
--! Included patchdiff_audit/targets.sql
-- Every target with its state and the head of its chain. Filter by target_file_id for O(1). actor_… and actor are what its
-- creator claims to be, db_… is what the database saw of the creation.
create or replace view patchdiff_audit.targets as
select
  t.target_file_id,
  t.display_name,
  t.version,
  t.current_hash,
  t.content_chars,
  t.content_bytes,
  t.status,
  t.workspace_tracked,
  t.workspace_root,
  t.workspace_path,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  t.source_bom,
  t.source_line_endings,
  t.created_at,
  t.updated_at,
  t.log_sequence as attempts,
  t.ledger_sequence as changes,
  t.snapshot_sequence as snapshots,
  t.publication_sequence as publication_rows,
  t.open_cycle,
  t.chain_sequence,
  t.chain_head,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  s.actor,
  s.db_session_user,
  s.db_application_name,
  s.db_client_addr,
  s.db_transaction_id
from patchdiff_store.target_state as t
left join patchdiff_store.target_snapshots as s
  on s.target_file_id = t.target_file_id and s.snapshot_sequence = 1
cross join lateral (
  select case when pg_input_is_valid(s.actor::text, 'jsonb') then s.actor end as actor
) as r;

comment on view patchdiff_audit.targets is 'Every target with its state and the head of its chain.';
--! EndIncluded patchdiff_audit/targets.sql
--! Included patchdiff_audit/attempts.sql
-- Every attempt, accepted and rejected, without its payload. Filter by target_file_id and log_sequence for a page.
-- imported_at is null for an attempt that was recorded as it happened; of one that its owner brought in, the db_ columns
-- are the importer's.
-- Who it was stands twice and is never mixed: actor_… and actor are what the caller claims to be, db_… is what the database saw.
-- Four members of the actor have columns of their own, null where its text could not be read: no row may spoil a page.
create or replace view patchdiff_audit.attempts as
select
  l.target_file_id,
  l.log_sequence,
  l.pdcp_log_id,
  l.created_at,
  l.status,
  l.failure_reason,
  l.failure_code,
  l.failure_detail,
  l.failed_change_id,
  l.validation_stage,
  l.decided_by,
  l.before_version,
  l.after_version,
  l.before_hash,
  l.after_hash,
  l.expected_target_version,
  l.expected_current_hash,
  l.change_count,
  l.editing_cycle,
  l.protocol_version,
  l.runtime_version,
  l.submission_source,
  l.parent_pdcp_log_id,
  l.regeneration_attempt,
  l.regeneration_source,
  l.client_request_id,
  l.request_fingerprint,
  l.pdcp_content_hash,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  l.actor,
  l.diagnostic_json as diagnostic,
  l.warnings,
  l.db_session_user,
  l.db_application_name,
  l.db_client_addr,
  l.db_transaction_id,
  l.chain_sequence,
  encode(l.row_hash, 'hex') as row_hash,
  l.imported_at,
  r.actor ->> 'host_version' as actor_host_version
from patchdiff_store.append_only_pdcp_logs as l
cross join lateral (
  select case when pg_input_is_valid(l.actor::text, 'jsonb') then l.actor end as actor
) as r;

comment on view patchdiff_audit.attempts is 'Every attempt, accepted and rejected, without its payload.';
--! EndIncluded patchdiff_audit/attempts.sql
--! Included patchdiff_audit/changes.sql
-- Every accepted change with the facts derived for it: where in the buffer at its application (code points), how much
-- was replaced by how much, and the hashes of both. Filter by target_file_id and ledger_sequence for a page.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw, imported_at as in the view attempts.
-- Four members of the actor have columns of their own, null where its text could not be read: no row may spoil a page.
create or replace view patchdiff_audit.changes as
select
  g.target_file_id,
  g.ledger_sequence,
  l.created_at,
  l.pdcp_log_id,
  g.log_sequence,
  g.ordinal,
  g.apply_ordinal,
  g.change_id,
  g.operation,
  g.intent,
  g.rationale,
  g.risk,
  g.origin,
  l.before_version,
  l.after_version,
  g.editing_cycle,
  (g.derived_json -> 'span_start')::integer as span_start,
  (g.derived_json -> 'span_end')::integer as span_end,
  (g.derived_json -> 'matched_chars')::integer as matched_chars,
  (g.derived_json -> 'replacement_chars')::integer as replacement_chars,
  g.derived_json ->> 'matched_sha256' as matched_sha256,
  g.derived_json ->> 'replacement_sha256' as replacement_sha256,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  l.submission_source,
  l.db_session_user,
  r.actor ->> 'host_version' as actor_host_version,
  l.actor,
  l.db_application_name,
  l.db_client_addr,
  l.db_transaction_id,
  l.imported_at
from patchdiff_store.append_only_manifest_ledger as g
join patchdiff_store.append_only_pdcp_logs as l
  on l.target_file_id = g.target_file_id and l.log_sequence = g.log_sequence
cross join lateral (
  select case when pg_input_is_valid(l.actor::text, 'jsonb') then l.actor end as actor
) as r;

comment on view patchdiff_audit.changes is 'Every accepted change with the facts derived for it.';
--! EndIncluded patchdiff_audit/changes.sql
--! Included patchdiff_audit/cycles.sql
-- Every editing cycle: the snapshot it began with, and, once SAVE has closed it, when and at which version. actor_… and
-- actor are what the opener (the creation, or the SAVE that closed the cycle before) claims to be, db_… is what the database saw.
create or replace view patchdiff_audit.cycles as
select
  c.target_file_id,
  c.editing_cycle,
  c.opened_at,
  c.opened_at_version,
  s.kind as opened_by,
  s.snapshot_id,
  s.content_hash,
  n.opened_at as closed_at,
  n.opened_at_version as closed_at_version,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  s.actor,
  s.db_session_user,
  s.db_application_name,
  s.db_client_addr,
  s.db_transaction_id
from patchdiff_store.editing_cycles as c
join patchdiff_store.target_snapshots as s
  on s.target_file_id = c.target_file_id and s.snapshot_sequence = c.snapshot_sequence
left join patchdiff_store.editing_cycles as n
  on n.target_file_id = c.target_file_id and n.editing_cycle = c.editing_cycle + 1
cross join lateral (
  select case when pg_input_is_valid(s.actor::text, 'jsonb') then s.actor end as actor
) as r;

comment on view patchdiff_audit.cycles is 'Every editing cycle, from the snapshot it began with to the SAVE that closed it.';
--! EndIncluded patchdiff_audit/cycles.sql
--! Included patchdiff_audit/publications.sql
-- Every publication: its intent, and its outcome, null while it is open (which after a crash asks for reconciliation).
-- actor_… and actor are what the opener claims to be, db_… is what the database saw of it; closed_… the same of whoever recorded the outcome.
create or replace view patchdiff_audit.publications as
select
  i.target_file_id,
  i.publication_sequence,
  i.publication_id,
  i.created_at as opened_at,
  i.version,
  i.content_hash,
  i.workspace_root_identity as workspace_root,
  i.workspace_path,
  i.expected_disk_sha256,
  i.written_sha256,
  i.written_bytes,
  i.editing_cycle,
  i.actor,
  o.kind as outcome,
  o.created_at as closed_at,
  o.observed_disk_sha256,
  o.detail,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  i.db_session_user,
  i.db_application_name,
  i.db_client_addr,
  i.db_transaction_id,
  o.actor as closed_actor,
  o.db_session_user as closed_db_session_user,
  o.db_application_name as closed_db_application_name,
  o.db_client_addr as closed_db_client_addr,
  o.db_transaction_id as closed_db_transaction_id
from patchdiff_store.workspace_publications as i
left join patchdiff_store.workspace_publications as o
  on o.target_file_id = i.target_file_id and o.intent_publication_id = i.publication_id
cross join lateral (
  select case when pg_input_is_valid(i.actor::text, 'jsonb') then i.actor end as actor
) as r
where i.kind = 'intent';

comment on view patchdiff_audit.publications is 'Every publication with its outcome, null while it is open.';
--! EndIncluded patchdiff_audit/publications.sql
--! Included patchdiff_audit/adoptions.sql
-- Every time that a file, changed by others, was taken over as its target's text: what was synced before and since, the version
-- before and after, and the attempt, null when only line endings or the byte order mark differed.
-- actor_… and actor are what the caller claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.adoptions as
select
  p.target_file_id,
  p.publication_sequence,
  p.publication_id as adoption_id,
  p.created_at as adopted_at,
  (r.detail ->> 'before_version')::bigint as before_version,
  p.version,
  p.content_hash,
  (r.detail ->> 'pdcp_log_id')::uuid as pdcp_log_id,
  p.workspace_root_identity as workspace_root,
  p.workspace_path,
  p.expected_disk_sha256 as previous_disk_sha256,
  p.written_sha256 as disk_sha256,
  p.written_bytes as disk_bytes,
  (r.detail ->> 'source_bom')::boolean as source_bom,
  r.detail -> 'source_line_endings' as source_line_endings,
  p.editing_cycle,
  p.actor,
  r.actor ->> 'host' as actor_host,
  r.actor ->> 'host_version' as actor_host_version,
  r.actor ->> 'agent' as actor_agent,
  r.actor ->> 'session' as actor_session,
  p.db_session_user,
  p.db_application_name,
  p.db_client_addr,
  p.db_transaction_id
from patchdiff_store.workspace_publications as p
cross join lateral (
  select
    case when pg_input_is_valid(p.actor::text, 'jsonb') then p.actor end as actor,
    case when pg_input_is_valid(p.detail::text, 'jsonb') then p.detail::jsonb end as detail
) as r
where p.kind = 'adopted';

comment on view patchdiff_audit.adoptions is 'Every time that a file, changed by others, was taken over as its target''s text.';
--! EndIncluded patchdiff_audit/adoptions.sql
--! Included patchdiff_audit/open_publications.sql
-- Publication intents that have no outcome yet, with what tells what became of them: the digest the file had before, the one that
-- was to be written, what the target was last synced with, and whether a later row says that the file has moved on (is_overtaken:
-- it can no longer be recorded as published). An intent is open while a SAVE runs, and after a crash until the next SAVE of the
-- target or `patchdiff reconcile --finish`. is_current: the version to be written still is the target's.
-- actor_… and actor are what the opener claims to be, db_… is what the database saw of it.
create or replace view patchdiff_audit.open_publications as
select
  p.target_file_id,
  t.display_name,
  p.publication_sequence,
  p.publication_id,
  p.opened_at,
  p.version,
  t.version as current_version,
  p.version = t.version and p.content_hash = t.current_hash as is_current,
  p.content_hash,
  p.workspace_root,
  p.workspace_path,
  p.expected_disk_sha256,
  p.written_sha256,
  p.written_bytes,
  t.last_synced_disk_sha256,
  t.last_synced_version,
  exists (
    select
    from patchdiff_store.workspace_publications as o
    left join patchdiff_store.workspace_publications as i
      on i.target_file_id = o.target_file_id and i.publication_id = o.intent_publication_id
    where o.target_file_id = p.target_file_id
    and o.publication_sequence > p.publication_sequence
    and (o.kind = 'adopted' or (o.kind = 'published' and i.publication_sequence > p.publication_sequence))
  ) as is_overtaken,
  p.editing_cycle,
  p.actor,
  p.actor_host,
  p.actor_host_version,
  p.actor_agent,
  p.actor_session,
  p.db_session_user,
  p.db_application_name,
  p.db_client_addr,
  p.db_transaction_id
from patchdiff_audit.publications as p
join patchdiff_store.cloud_target_files as t on t.target_file_id = p.target_file_id
where p.outcome is null;

comment on view patchdiff_audit.open_publications is
  'Publication intents without an outcome, with what tells what became of them.';
--! EndIncluded patchdiff_audit/open_publications.sql
--! Included patchdiff_audit/blame.sql
-- Who last wrote each line of a version (null: the current one): the change, why, what its writer claims to be (actor_…) and
-- what the database saw of it (db_…). A line that the initial upload brought and nothing wrote since has
-- written_version 0, no attempt and no change; time, actor_… and db_… are then those of the creation. imported_at as in the view
-- attempts. line_text is without its LF; an empty text has no lines. Refuses an unknown target (PD104), a version outside
-- 0 … current (PD105) and a history that contradicts itself (PD106). Linear in the history up to that version.
create or replace function patchdiff_audit.blame (
  p_target uuid,
  p_version bigint default null
)
  returns table (
    line_number integer,
    line_text text,
    written_version bigint,
    written_at timestamptz,
    pdcp_log_id uuid,
    change_id text,
    ordinal integer,
    operation text,
    intent text,
    rationale text,
    actor_host text,
    actor_host_version text,
    actor_agent text,
    actor_session text,
    actor json,
    db_session_user text,
    db_application_name text,
    db_client_addr text,
    log_sequence bigint,
    ledger_sequence bigint,
    imported_at timestamptz
  )
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_version bigint := patchdiff_store.check_version(p_target, p_version);
begin
  return query
  select
    b.line_number,
    b.line_text,
    coalesce(l.after_version, s.version),
    coalesce(l.created_at, s.created_at),
    l.pdcp_log_id,
    g.change_id,
    g.ordinal,
    g.operation,
    g.intent,
    g.rationale,
    r.actor ->> 'host',
    r.actor ->> 'host_version',
    r.actor ->> 'agent',
    r.actor ->> 'session',
    o.actor,
    case when l.log_sequence is null then s.db_session_user else l.db_session_user end,
    case when l.log_sequence is null then s.db_application_name else l.db_application_name end,
    case when l.log_sequence is null then s.db_client_addr else l.db_client_addr end,
    l.log_sequence,
    g.ledger_sequence,
    l.imported_at
  from patchdiff_store.blame_lines(p_target, v_version) as b
  join patchdiff_store.target_snapshots as s
    on s.target_file_id = p_target and s.snapshot_sequence = 1
  left join patchdiff_store.append_only_manifest_ledger as g
    on g.target_file_id = p_target and g.ledger_sequence = b.ledger_sequence
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = p_target and l.log_sequence = g.log_sequence
  cross join lateral (select case when l.log_sequence is null then s.actor else l.actor end as actor) as o
  cross join lateral (select case when pg_input_is_valid(o.actor::text, 'jsonb') then o.actor end as actor) as r
  order by b.line_number;
end;
$$;

comment on function patchdiff_audit.blame(uuid, bigint) is
  'Who last wrote each line of a version: the change, why, the claimed actor and what the database saw.';
--! EndIncluded patchdiff_audit/blame.sql
--! Included patchdiff_audit/diff.sql
-- The unified diff that makes version p_to of version p_from, in either direction (null: the current one); empty when
-- they are equal. `patch` and `git apply` read it. Refuses an unknown target (PD104), a version outside 0 … current
-- (PD105) and a history that contradicts itself (PD106). changes_between lists what was changed on the way.
create or replace function patchdiff_audit.diff (
  p_target uuid,
  p_from bigint,
  p_to bigint default null
)
  returns text
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select patchdiff_store.unified_diff(
    patchdiff_store.reconstruct(p_target, v.old_version),
    patchdiff_store.reconstruct(p_target, v.new_version),
    patchdiff_store.diff_name('a', p_target, v.old_version),
    patchdiff_store.diff_name('b', p_target, v.new_version)
  )
  from (
    select patchdiff_store.check_version(p_target, p_from) as old_version, patchdiff_store.check_version(p_target, p_to) as new_version
  ) as v
$$;

comment on function patchdiff_audit.diff(uuid, bigint, bigint) is
  'The unified diff between two versions of a target, in either direction.';
--! EndIncluded patchdiff_audit/diff.sql
--! Included patchdiff_audit/changes_between.sql
-- The accepted changes that lie between two versions of a target (null: the current one), oldest first, in the columns
-- of the view changes. The order of the two does not matter. Refuses an unknown target (PD104) and a version outside
-- 0 … current (PD105).
create or replace function patchdiff_audit.changes_between (
  p_target uuid,
  p_from bigint,
  p_to bigint default null
)
  returns setof patchdiff_audit.changes
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_one bigint := patchdiff_store.check_version(p_target, p_from);
  v_other bigint := patchdiff_store.check_version(p_target, p_to);
begin
  return query
  select c.*
  from patchdiff_audit.changes as c
  where c.target_file_id = p_target
  and c.after_version > least(v_one, v_other)
  and c.after_version <= greatest(v_one, v_other)
  order by c.ledger_sequence;
end;
$$;

comment on function patchdiff_audit.changes_between(uuid, bigint, bigint) is
  'The accepted changes between two versions of a target, oldest first.';
--! EndIncluded patchdiff_audit/changes_between.sql
-- A default and a row type are part of a function that only a new one can change.
drop function if exists patchdiff_audit.reconstruct(uuid, bigint);
drop function if exists patchdiff_audit.retry_tree(uuid);
--! Included patchdiff_audit/reconstruct.sql
-- A target's content at a version, rebuilt from the history alone and checked against the hash it records; null at no
-- version, which is what version_at answers for a moment before the creation. Refuses an unknown target (PD104), a version
-- outside 0 … current (PD105) and a history that contradicts itself (PD106).
-- Example: select patchdiff_audit.reconstruct('…', 3);
create or replace function patchdiff_audit.reconstruct (
  p_target uuid,
  p_version bigint
)
  returns text
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select case when p_version is not null then patchdiff_store.reconstruct(p_target, p_version) end
$$;

comment on function patchdiff_audit.reconstruct(uuid, bigint) is
  'A target''s content at a version, rebuilt from the history alone.';
--! EndIncluded patchdiff_audit/reconstruct.sql
--! Included patchdiff_audit/retry_tree.sql
-- An attempt with everything it descends from and everything that descends from its root: one row an attempt, parents
-- before retries. Empty for an unknown attempt. What actor and its columns say is a claim, what db_ columns say is not.
create or replace function patchdiff_audit.retry_tree (
  p_pdcp_log_id uuid
)
  returns table (
    depth integer,
    pdcp_log_id uuid,
    parent_pdcp_log_id uuid,
    log_sequence bigint,
    status text,
    failure_reason text,
    regeneration_attempt integer,
    submission_source text,
    created_at timestamptz,
    actor_host text,
    actor_host_version text,
    actor_agent text,
    actor_session text,
    actor json,
    db_session_user text,
    db_application_name text,
    db_client_addr text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  with recursive ancestors as (
    select l.target_file_id, l.pdcp_log_id, l.parent_pdcp_log_id
    from patchdiff_store.append_only_pdcp_logs as l
    where l.pdcp_log_id = p_pdcp_log_id
    union
    select l.target_file_id, l.pdcp_log_id, l.parent_pdcp_log_id
    from ancestors as a
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = a.target_file_id and l.pdcp_log_id = a.parent_pdcp_log_id
  ),
  family as (
    select 0 as depth, a.target_file_id, a.pdcp_log_id
    from ancestors as a
    where a.parent_pdcp_log_id is null
    union
    select f.depth + 1, l.target_file_id, l.pdcp_log_id
    from family as f
    join patchdiff_store.append_only_pdcp_logs as l
      on l.target_file_id = f.target_file_id and l.parent_pdcp_log_id = f.pdcp_log_id
  )
  select
    f.depth,
    l.pdcp_log_id,
    l.parent_pdcp_log_id,
    l.log_sequence,
    l.status,
    l.failure_reason,
    l.regeneration_attempt,
    l.submission_source,
    l.created_at,
    l.actor_host,
    l.actor_host_version,
    l.actor_agent,
    l.actor_session,
    l.actor,
    l.db_session_user,
    l.db_application_name,
    l.db_client_addr
  from family as f
  join patchdiff_audit.attempts as l
    on l.target_file_id = f.target_file_id and l.pdcp_log_id = f.pdcp_log_id
  order by f.depth, l.log_sequence
$$;

comment on function patchdiff_audit.retry_tree(uuid) is 'An attempt with its parents and retries.';
--! EndIncluded patchdiff_audit/retry_tree.sql
--! Included patchdiff_audit/version_at.sql
-- The version a target had at a moment: null before its creation, and before the first acceptance of a history that was
-- brought in, which is older than the target. Combine it with reconstruct for the content.
create or replace function patchdiff_audit.version_at (
  p_target uuid,
  p_at timestamptz
)
  returns bigint
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select coalesce(
    (
      select l.after_version
      from patchdiff_store.append_only_pdcp_logs as l
      where l.target_file_id = t.target_file_id
      and l.status = 'accepted'
      and l.created_at <= p_at
      order by l.after_version desc
      limit 1
    ),
    case when t.created_at <= p_at then 0 end
  )
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_audit.version_at(uuid, timestamptz) is 'The version a target had at a moment.';
--! EndIncluded patchdiff_audit/version_at.sql
grant select on patchdiff_audit.adoptions, patchdiff_audit.open_publications to patchdiff_writer, patchdiff_auditor;
grant execute on all routines in schema patchdiff_audit to patchdiff_writer, patchdiff_auditor;
reset role;
--! Included patchdiff_guard/forbid_ddl.sql
-- Event trigger function: refuses DDL on objects of the patchdiff schemas, however reached (PD002): changed, dropped,
-- rewritten, moved out of their schema, given to another owner, inherited from, ruled, cast, or opened by a grant.
-- It stops the owner role, whom table triggers and grants do not stop; a superuser can switch event triggers off, and
-- what is then edited is found by the chain. REINDEX is maintenance and passes.
-- It stands in a schema of the migrating superuser: in one of its own, the owner role could replace or drop it, and what
-- judges the replacement would be the replacement.
create or replace function patchdiff_guard.forbid_ddl ()
  returns event_trigger
  language plpgsql
  volatile
  set search_path = '', pg_temp
as $$
declare
  v_schemas constant text[] := array['patchdiff', 'patchdiff_audit', 'patchdiff_store', 'patchdiff_guard'];
  v_inside constant text := '(^| on )patchdiff(_audit|_store|_guard)?(\.|$)';
  v_owner constant oid := (select r.oid from pg_catalog.pg_roles as r where r.rolname = 'patchdiff_owner');
  v_object text;
begin
  if tg_event = 'table_rewrite' then
    select c.oid::pg_catalog.regclass::text
    into v_object
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where c.oid = pg_catalog.pg_event_trigger_table_rewrite_oid()
    and (n.nspname = any (v_schemas) or c.relowner = v_owner);
  elsif tg_event = 'sql_drop' then
    select o.object_identity
    into v_object
    from pg_catalog.pg_event_trigger_dropped_objects() as o
    where o.schema_name = any (v_schemas)
    or o.object_identity ~ v_inside
    limit 1;
  elsif tg_tag = 'REINDEX' then
    return;
  else
    select coalesce(o.object_identity, o.command_tag)
    into v_object
    from pg_catalog.pg_event_trigger_ddl_commands() as o
    where o.schema_name = any (v_schemas)
    or o.object_identity ~ v_inside
    -- Moved out of the schemas, this is all that still tells whose it is.
    or exists (
      select from pg_catalog.pg_class as c
      where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and c.oid = o.objid and c.relowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_proc as p
      where o.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and p.oid = o.objid and p.proowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_type as t
      where o.classid = 'pg_catalog.pg_type'::pg_catalog.regclass and t.oid = o.objid and t.typowner = v_owner
    )
    or exists (
      select from pg_catalog.pg_inherits as i
      join pg_catalog.pg_class as c on c.oid = i.inhparent
      where o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and i.inhrelid = o.objid and c.relowner = v_owner
    )
    limit 1;

    -- A cast works everywhere, whatever schema its types are in, and its identity begins with a parenthesis.
    if v_object is null and tg_tag = 'CREATE CAST' then
      select o.object_identity
      into v_object
      from pg_catalog.pg_event_trigger_ddl_commands() as o
      join pg_catalog.pg_cast as c on o.classid = 'pg_catalog.pg_cast'::pg_catalog.regclass and c.oid = o.objid
      join pg_catalog.pg_type as t on t.oid in (c.castsource, c.casttarget)
      where t.typowner = v_owner
      limit 1;
    end if;

    -- A renamed or reassigned schema, and a grant, name no object that could be looked at.
    if v_object is null and 3 <> (
      select count(*) from pg_catalog.pg_namespace as n where n.nspname = any (v_schemas) and n.nspowner = v_owner
    ) then
      v_object := 'patchdiff schemas';
    end if;

    if v_object is null and tg_tag in ('GRANT', 'ALTER DEFAULT PRIVILEGES') then
      -- Rights that the migrations do not give: of PUBLIC and of roles other than ours, of writing, of execution beyond the
      -- entry points of a role, grant options, and default privileges for anyone but the owner. Looked at as it stands
      -- after the grant, whose event names no object; here, because the owner may not call into this schema.
      -- An object of null stands for every object of its kind in the schema.
      with allowed (kind, nspname, grantee, privilege, object) as (
        select v.kind, v.nspname, r.oid, v.privilege, v.object
        from (values
          ('schema', 'patchdiff', 'patchdiff_writer', 'USAGE', null),
          ('schema', 'patchdiff', 'patchdiff_auditor', 'USAGE', null),
          ('schema', 'patchdiff_audit', 'patchdiff_writer', 'USAGE', null),
          ('schema', 'patchdiff_audit', 'patchdiff_auditor', 'USAGE', null),
          ('schema', 'patchdiff_store', 'patchdiff_auditor', 'USAGE', null),
          ('relation', 'patchdiff_audit', 'patchdiff_writer', 'SELECT', null),
          ('relation', 'patchdiff_audit', 'patchdiff_auditor', 'SELECT', null),
          ('relation', 'patchdiff_store', 'patchdiff_auditor', 'SELECT', null),
          ('routine', 'patchdiff', 'patchdiff_writer', 'EXECUTE', null),
          ('routine', 'patchdiff', 'patchdiff_auditor', 'EXECUTE', 'patchdiff.subscribe_commits(text,interval)'),
          ('routine', 'patchdiff', 'patchdiff_auditor', 'EXECUTE', 'patchdiff.unsubscribe_commits(text)'),
          ('routine', 'patchdiff_audit', 'patchdiff_writer', 'EXECUTE', null),
          ('routine', 'patchdiff_audit', 'patchdiff_auditor', 'EXECUTE', null)
        ) as v (kind, nspname, role, privilege, object)
        join pg_catalog.pg_roles as r on r.rolname = v.role
      ),
      ours as (
        select n.oid, n.nspname::text as nspname, n.nspowner, n.nspacl
        from pg_catalog.pg_namespace as n
        where n.nspname = any (v_schemas)
      ),
      held (name, kind, nspname, owner, acl) as (
        select o.nspname, 'schema', o.nspname, o.nspowner, o.nspacl
        from ours as o
        union all
        select c.oid::pg_catalog.regclass::text, 'relation', o.nspname, c.relowner, c.relacl
        from pg_catalog.pg_class as c
        join ours as o on o.oid = c.relnamespace
        union all
        select c.oid::pg_catalog.regclass::text, 'relation', o.nspname, c.relowner, a.attacl
        from pg_catalog.pg_attribute as a
        join pg_catalog.pg_class as c on c.oid = a.attrelid
        join ours as o on o.oid = c.relnamespace
        union all
        -- Without an entry PUBLIC may execute.
        select p.oid::pg_catalog.regprocedure::text, 'routine', o.nspname, p.proowner,
          coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))
        from pg_catalog.pg_proc as p
        join ours as o on o.oid = p.pronamespace
        union all
        select 'default privileges', 'default', null, d.defaclrole, d.defaclacl
        from pg_catalog.pg_default_acl as d
        where d.defaclrole = v_owner or d.defaclnamespace in (select o.oid from ours as o)
        union all
        -- And without a row of default privileges PUBLIC gets what new functions and types give by themselves.
        select 'default privileges', 'default', null, v_owner, pg_catalog.acldefault(k.kind, v_owner)
        from (values ('f'::"char"), ('T')) as k (kind)
        where not exists (
          select
          from pg_catalog.pg_default_acl as d
          where d.defaclrole = v_owner and d.defaclnamespace = 0 and d.defaclobjtype = k.kind
        )
      )
      select h.name
      into v_object
      from held as h
      cross join lateral pg_catalog.aclexplode(h.acl) as a
      where a.grantee <> h.owner
      and (a.is_grantable or not exists (
        select
        from allowed as w
        where w.kind = h.kind and w.nspname = h.nspname and w.grantee = a.grantee and w.privilege = a.privilege_type
        and (w.object is null or w.object = h.name)
      ))
      limit 1;
    end if;
  end if;

  if v_object is not null then
    raise exception '% refused: % belongs to PatchDIFF', tg_tag, v_object
      using errcode = 'PD002',
            detail = pg_catalog.json_build_object('command', tg_tag, 'object', v_object)::text,
            hint = 'change it in a migration; a superuser opens it with: select patchdiff_guard.guard_ddl(false)';
  end if;
end;
$$;

comment on function patchdiff_guard.forbid_ddl() is
  'Event trigger function that refuses DDL on objects of the patchdiff schemas with PD002.';
--! EndIncluded patchdiff_guard/forbid_ddl.sql
select patchdiff_guard.guard_ddl(true);
