--! Previous: sha1:891b0f1131d29209cda082499edea7ccb89fcf10
--! Hash: sha1:f0ddd54ee98b45be90709efdad4efe58ae320d4e
--! Message: Evidence, imports and fewer statements

--! split: 001-current.sql
-- The open migration: one include per changed routine, then grants.
select patchdiff_guard.guard_ddl(false);
set local role patchdiff_owner;
-- Attempts that their owner brings in. Rows of before hold both checks by their nature, so nothing is scanned.
alter table patchdiff_store.append_only_pdcp_logs add column if not exists imported_at timestamptz;
comment on column patchdiff_store.append_only_pdcp_logs.imported_at is
  'When the owner brought the attempt in (docs/spec/import.md); null for one that was recorded as it happened.';
alter table patchdiff_store.append_only_pdcp_logs drop constraint if exists pdcp_logs_imported_in_format_2;
alter table patchdiff_store.append_only_pdcp_logs
  add constraint pdcp_logs_imported_in_format_2 check ((hash_version = 2) = (imported_at is not null)) not valid;
-- Null: the attempt was recorded without one, and its key is compared with what its payload says.
-- squawk-ignore ban-drop-not-null
alter table patchdiff_store.request_keys alter column request_fingerprint drop not null;
alter table patchdiff_store.request_keys drop constraint if exists request_keys_save_has_fingerprint;
alter table patchdiff_store.request_keys
  add constraint request_keys_save_has_fingerprint check (kind = 'submission' or request_fingerprint is not null) not valid;
comment on column patchdiff_store.request_keys.request_fingerprint is
  'What the key stands for; null for a submission that was brought in and recorded without one.';

--! Included patchdiff_store/are_warnings.sql
-- Whether a caller's warnings have the shape of docs/spec/decoding.md. Null when none are given; codes of another kind
-- than the caller's two are of the right shape and simply do not count.
create or replace function patchdiff_store.are_warnings (
  p_warnings json
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_warnings is null then
    return null;
  end if;

  if json_typeof(p_warnings) <> 'array' or json_array_length(p_warnings) > 6000 or octet_length(p_warnings::text) > 1048576 then
    return false;
  end if;

  return (
    select coalesce(bool_and(
      json_typeof(w.warning) = 'object'
      and case json_typeof(w.warning) when 'object' then
        json_typeof(w.warning -> 'code') is not distinct from 'string'
        and coalesce(json_typeof(w.warning -> 'change_id'), 'null') in ('string', 'null')
      end
    ), true)
    from json_array_elements(p_warnings) as w(warning)
  );
exception
  -- Escapes of text that cannot be stored raise as soon as a member is read.
  when data_exception then
    return false;
end;
$$;

comment on function patchdiff_store.are_warnings(json) is 'Whether a caller''s warnings have the right shape.';
--! EndIncluded patchdiff_store/are_warnings.sql
--! Included patchdiff_store/holds_unencodable.sql
-- Whether JSON text holds an escape that no PostgreSQL text can: \u0000 or half of a surrogate pair.
-- An escaped backslash is neutralised first, so that \\ud800 counts as the seven letters it is.
create or replace function patchdiff_store.holds_unencodable (
  p_json text
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  -- Three searches are far cheaper than one expression.
  if strpos(p_json, '\u0000') = 0 and strpos(p_json, '\ud') = 0 and strpos(p_json, '\uD') = 0 then
    return false;
  end if;

  v_text := replace(p_json, '\\', '..');
  v_text := regexp_replace(v_text, '\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}', '.', 'g');
  return v_text ~ '\\u(0000|[dD][89a-fA-F][0-9a-fA-F]{2})';
end;
$$;

comment on function patchdiff_store.holds_unencodable(text) is
  'Whether JSON text holds \u0000 or a lone surrogate escape.';
--! EndIncluded patchdiff_store/holds_unencodable.sql
--! Included patchdiff_store/nests_beyond.sql
-- Whether JSON text nests deeper than a number of levels (an outermost object is level 1). Iterative: strings are cut
-- out, then one level of brackets at a time, innermost first.
create or replace function patchdiff_store.nests_beyond (
  p_json text,
  p_levels integer
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_brackets text;
begin
  v_brackets := replace(replace(p_json, '\\', ''), '\"', '');
  v_brackets := regexp_replace(v_brackets, '"[^"]*"', '', 'g');
  v_brackets := translate(regexp_replace(v_brackets, '[^][{}]+', '', 'g'), '{}', '[]');

  for v_level in 1..p_levels loop
    exit when v_brackets = '';
    v_brackets := replace(v_brackets, '[]', '');
  end loop;

  return v_brackets <> '';
end;
$$;

comment on function patchdiff_store.nests_beyond(text, integer) is
  'Whether JSON text nests deeper than the given number of levels.';
--! EndIncluded patchdiff_store/nests_beyond.sql
--! Included patchdiff_store/payload_json.sql
-- A payload as jsonb, or null when jsonb cannot hold it: no JSON, \u0000, a lone surrogate, a number like 1e400000,
-- nesting beyond the stack. Raises only 54001, for a shallow payload on a stack that the caller has used up. An exception block costs two microseconds; pg_input_is_valid would
-- parse twice and still raise on deep nesting.
create or replace function patchdiff_store.payload_json (
  p_payload text
)
  returns jsonb
  language plpgsql
  immutable
as $$
begin
  return p_payload::jsonb;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_payload, 64) then
      return null;
    end if;

    -- Raises again: the stack was used up before, by the caller, and says nothing of the payload.
    return p_payload::jsonb;
  when data_exception or program_limit_exceeded then
    return null;
end;
$$;

comment on function patchdiff_store.payload_json(text) is
  'The payload as jsonb, or null when jsonb cannot hold it.';
--! EndIncluded patchdiff_store/payload_json.sql
--! Included patchdiff_store/is_json.sql
-- Whether a text is JSON by syntax alone (escapes of text that cannot be stored are allowed).
-- Null when it nests too deeply to tell.
create or replace function patchdiff_store.is_json (
  p_text text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  return p_text is json;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_text, 64) then
      return null;
    end if;

    -- Raises again: the caller has used the stack up.
    return p_text is json;
end;
$$;

comment on function patchdiff_store.is_json(text) is
  'Whether the text is JSON by syntax; null when it nests too deeply to tell.';
--! EndIncluded patchdiff_store/is_json.sql
--! Included patchdiff_store/fits_parameter.sql
-- Whether a value of the raw metadata would have fitted the typed parameter of its name: null (which is absent), an
-- integer of the type for attempt, text of at most 8,192 bytes for the others. p_value is null when jsonb cannot hold
-- the value: unencodable text, a number beyond numeric, nesting beyond the stack. None of these fits. Nor do the two
-- strings that stand for numbers that are not finite. A correlation id has no parameter: whatever can be held fits.
create or replace function patchdiff_store.fits_parameter (
  p_name text,
  p_value jsonb
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_name = 'correlation_id' then
    return p_value is not null;
  end if;

  return case coalesce(jsonb_typeof(p_value), 'none')
    when 'null' then true
    when 'number' then p_name = 'attempt'
      and p_value::numeric between -2147483648 and 2147483647
      and p_value::numeric = trunc(p_value::numeric)
    when 'string' then p_name <> 'attempt'
      and p_value not in ('"Infinity"', '"-Infinity"')
      and octet_length(p_value #>> '{}') <= 8192
    else false
  end;
end;
$$;

comment on function patchdiff_store.fits_parameter(text, jsonb) is
  'Whether a value of the raw metadata fits the typed parameter of its name.';
--! EndIncluded patchdiff_store/fits_parameter.sql
--! Included patchdiff_store/is_raw_metadata.sql
-- Whether p_raw_metadata holds only what it is for: ASCII JSON text of the four invocation values where they do not fit
-- their typed parameters, none that is given twice, and of a correlation id that holds unencodable text. Null when it is
-- null.
create or replace function patchdiff_store.is_raw_metadata (
  p_raw_metadata jsonb,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if p_raw_metadata is null then
    return null;
  end if;

  if jsonb_typeof(p_raw_metadata) <> 'object'
    or (p_raw_metadata ? 'client_request_id' and p_client_request_id is not null)
    or (p_raw_metadata ? 'parent_pdcp_log_id' and p_parent is not null)
    or (p_raw_metadata ? 'attempt' and p_attempt is not null)
    or (p_raw_metadata ? 'source' and p_source is not null)
  then
    return false;
  end if;

  return (
    select coalesce(bool_and(
      m.name in ('client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id')
      and jsonb_typeof(m.value) = 'string'
      and octet_length(m.value #>> '{}') = char_length(m.value #>> '{}')
      and patchdiff_store.is_json(m.value #>> '{}') is not false
      and not patchdiff_store.fits_parameter(m.name, patchdiff_store.payload_json(m.value #>> '{}'))
    ), true)
    from jsonb_each(p_raw_metadata) as m(name, value)
  );
end;
$$;

comment on function patchdiff_store.is_raw_metadata(jsonb, text, text, integer, text) is
  'Whether the raw metadata of a call holds only values that do not fit their typed parameters.';
--! EndIncluded patchdiff_store/is_raw_metadata.sql
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
    (5, octet_length(p_actor::text) > 8192 or patchdiff_store.holds_unencodable(left(p_actor::text, 8192)), 'p_actor',
      'JSON of at most 8192 bytes without NUL and lone surrogates'),
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
--! Included patchdiff_store/claimed_reason.sql
-- The failure_reason a caller claims, or null when its diagnostic holds none that can be read. Never raises.
create or replace function patchdiff_store.claimed_reason (
  p_diagnostic json
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_diagnostic is null then
    return null;
  end if;

  return p_diagnostic ->> 'failure_reason';
exception
  when data_exception then
    return null;
end;
$$;

comment on function patchdiff_store.claimed_reason(json) is 'The failure_reason that a caller''s diagnostic claims, or null.';
--! EndIncluded patchdiff_store/claimed_reason.sql
--! Included patchdiff_store/attempt_encoding.sql
-- The bytes of an attempt that its row_hash covers, in chain format 1: record_send of the columns in this order, text as
-- UTF-8 bytes and JSON as received, so nothing of TimeZone, DateStyle or client_encoding shows. The payload stands
-- for itself by pdcp_content_hash, which verify_target recomputes. It inlines, so the payload is not read.
create or replace function patchdiff_store.attempt_encoding (
  p_row patchdiff_store.append_only_pdcp_logs
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
    p_row.pdcp_log_id,
    p_row.created_at,
    p_row.before_version,
    p_row.after_version,
    p_row.expected_target_version,
    p_row.editing_cycle,
    p_row.regeneration_attempt,
    p_row.change_count,
    p_row.parent_pdcp_log_id,
    pg_catalog.convert_to(p_row.status, 'UTF8'),
    pg_catalog.convert_to(p_row.decided_by, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_reason, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_code, 'UTF8'),
    pg_catalog.convert_to(p_row.failed_change_id, 'UTF8'),
    pg_catalog.convert_to(p_row.failure_detail, 'UTF8'),
    pg_catalog.convert_to(p_row.validation_stage, 'UTF8'),
    pg_catalog.convert_to(p_row.before_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.after_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.expected_current_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.pdcp_content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.protocol_version, 'UTF8'),
    pg_catalog.convert_to(p_row.runtime_version, 'UTF8'),
    pg_catalog.convert_to(p_row.submission_source, 'UTF8'),
    pg_catalog.convert_to(p_row.regeneration_source, 'UTF8'),
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.diagnostic_json::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.warnings::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.attempt_encoding(patchdiff_store.append_only_pdcp_logs) is
  'The bytes of an attempt row that its row_hash covers, before those of its ledger rows, in chain format 1.';
--! EndIncluded patchdiff_store/attempt_encoding.sql
--! Included patchdiff_store/ledger_encoding.sql
-- The bytes of a ledger row that its attempt's row_hash covers, in chain format 1: record_send of the columns in this
-- order, text as UTF-8 bytes. They follow the attempt's own bytes, in order of ledger_sequence.
create or replace function patchdiff_store.ledger_encoding (
  p_row patchdiff_store.append_only_manifest_ledger
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.ledger_sequence,
    p_row.log_sequence,
    p_row.ordinal,
    p_row.apply_ordinal,
    p_row.editing_cycle,
    p_row.start_byte,
    p_row.deleted_bytes,
    p_row.inserted_bytes,
    pg_catalog.convert_to(p_row.change_id, 'UTF8'),
    pg_catalog.convert_to(p_row.operation, 'UTF8'),
    pg_catalog.convert_to(p_row.origin, 'UTF8'),
    pg_catalog.convert_to(p_row.risk, 'UTF8'),
    pg_catalog.convert_to(p_row.rationale, 'UTF8'),
    pg_catalog.convert_to(p_row.intent, 'UTF8'),
    pg_catalog.convert_to(p_row.derived_json::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.input_state, 'UTF8'),
    pg_catalog.convert_to(p_row.output_state, 'UTF8'),
    pg_catalog.convert_to(p_row.affected_region, 'UTF8'),
    pg_catalog.convert_to(p_row.user_visible_change, 'UTF8')
  ))
$$;

comment on function patchdiff_store.ledger_encoding(patchdiff_store.append_only_manifest_ledger) is
  'The bytes of a ledger row that its attempt''s row_hash covers, in chain format 1.';
--! EndIncluded patchdiff_store/ledger_encoding.sql
--! Included patchdiff_store/ledger_row.sql
-- The ledger row of one change of an accepted attempt, applied in the order submitted. p_change_id to p_inserted_bytes are the
-- change's own members of the walk.
create or replace function patchdiff_store.ledger_row (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_sequence bigint,
  p_ordinal integer,
  p_intent text,
  p_change_id text,
  p_operation text,
  p_rationale text,
  p_risk text,
  p_span_start integer,
  p_span_end integer,
  p_matched_chars integer,
  p_replacement_chars integer,
  p_matched_sha256 text,
  p_replacement_sha256 text,
  p_start_byte integer,
  p_deleted_bytes integer,
  p_inserted_bytes integer
)
  returns patchdiff_store.append_only_manifest_ledger
  language sql
  stable
as $$
  select row(
    p_attempt.target_file_id, p_sequence, p_attempt.log_sequence, p_ordinal, p_ordinal, p_attempt.editing_cycle,
    p_start_byte, p_deleted_bytes, p_inserted_bytes, p_change_id, p_operation, 'typed', p_risk, p_rationale,
    coalesce(p_rationale, p_intent),
    jsonb_build_object(
      'span_start', p_span_start, 'span_end', p_span_end,
      'matched_chars', p_matched_chars, 'replacement_chars', p_replacement_chars,
      'matched_sha256', p_matched_sha256, 'replacement_sha256', p_replacement_sha256
    ),
    null, null, null, null
  )::patchdiff_store.append_only_manifest_ledger
$$;

comment on function patchdiff_store.ledger_row(
  patchdiff_store.append_only_pdcp_logs, bigint, integer, text, text, text, text, text, integer, integer, integer, integer, text, text,
  integer, integer, integer
) is 'The ledger row of one change of an accepted attempt.';
--! EndIncluded patchdiff_store/ledger_row.sql
--! Included patchdiff_store/append_attempt.sql
-- Appends one attempt, with its ledger rows when it was accepted and its request key when it has one, and advances head
-- and chain. The only writer of attempts, ledger rows, submission keys and the head's attempt columns. The caller
-- holds the target's lock and passes what lock_target answered. p_attempt carries the verdict and the identity; what
-- the database knows itself is filled in here. Answers the row as stored, its payload left null.
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
  return v_row;
end;
$$;

comment on function patchdiff_store.append_attempt(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt with its ledger rows and request key, and advances head and chain.';
--! EndIncluded patchdiff_store/append_attempt.sql
--! Included patchdiff_store/changes_json.sql
-- The changes of an accepted walk as they stand in its receipt: JSON, in order of application.
create or replace function patchdiff_store.changes_json (
  p_walk patchdiff_store.walk
)
  returns json
  language plpgsql
  stable
as $$
begin
  if cardinality(p_walk.change_id) = 1 then
    return json_build_array(json_build_object(
      'ordinal', 1, 'change_id', p_walk.change_id[1], 'operation', p_walk.operation[1], 'span_start', p_walk.span_start[1],
      'span_end', p_walk.span_end[1], 'matched_chars', p_walk.matched_chars[1],
      'replacement_chars', p_walk.replacement_chars[1], 'matched_sha256', p_walk.matched_sha256[1],
      'replacement_sha256', p_walk.replacement_sha256[1]
    ));
  end if;

  return (
    select json_agg(f)
    from (
      select
        c.ordinal, c.change_id, c.operation, c.span_start, c.span_end, c.matched_chars, c.replacement_chars,
        c.matched_sha256, c.replacement_sha256
      from unnest(
        p_walk.change_id, p_walk.operation, p_walk.span_start, p_walk.span_end, p_walk.matched_chars,
        p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256
      ) with ordinality as c(
        change_id, operation, span_start, span_end, matched_chars, replacement_chars, matched_sha256,
        replacement_sha256, ordinal
      )
      order by c.ordinal
    ) as f
  );
end;
$$;

comment on function patchdiff_store.changes_json(patchdiff_store.walk) is
  'The changes of an accepted walk with their facts, as JSON.';
--! EndIncluded patchdiff_store/changes_json.sql
--! Included patchdiff_store/claim_json.sql
-- A verdict as it stands in the evidence of a claim_mismatch: what the caller claimed, or what the database derived.
create or replace function patchdiff_store.claim_json (
  p_verdict text,
  p_reason text,
  p_after_hash text
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{"verdict":', to_json(p_verdict),
    ',"failure_reason":', coalesce(to_json(left(p_reason, 64))::text, 'null'),
    ',"after_hash":', coalesce(to_json(left(p_after_hash, 64))::text, 'null'),
    '}'
  )
$$;

comment on function patchdiff_store.claim_json(text, text, text) is 'A claimed or derived verdict as JSON text.';
--! EndIncluded patchdiff_store/claim_json.sql
--! Included patchdiff_store/failure_words.sql
-- The table of codes: stage, reason and sentence template of each. docs/spec/decoding.md is its contract.
create or replace function patchdiff_store.failure_words (
  p_code text
)
  returns table (
    stage text,
    reason text,
    words text
  )
  language sql
  immutable
as $$
  select w.stage, w.reason, w.words
  from (values
    ('request_key_conflict', 'precondition_guard', 'context_invalid',
      'this client_request_id already stands for another request; send a new key'),
    ('invalid_client_request_id', 'precondition_guard', 'context_invalid',
      'client_request_id: 1 to 128 visible ASCII characters without spaces'),
    ('parent_invalid', 'precondition_guard', 'context_invalid',
      'parent_pdcp_log_id names no rejected attempt of this target'),
    ('target_version_mismatch', 'precondition_guard', 'target_version_mismatch',
      'the target is at version {actual}, not {expected}; read it again'),
    ('target_hash_mismatch', 'precondition_guard', 'target_hash_mismatch',
      'the content''s hash is not the expected one; read it again'),
    ('text_not_encodable', 'protocol_validation', 'target_encoding_invalid',
      'the submission holds text that is not valid Unicode (a lone surrogate) or a NUL; send it without'),
    ('payload_too_large', 'protocol_validation', 'manifest_invalid', 'the submission is larger than 4194304 bytes'),
    ('payload_too_deep', 'protocol_validation', 'manifest_invalid', 'the submission is nested deeper than 64 levels'),
    ('too_many_operations', 'protocol_validation', 'manifest_invalid', 'the submission has more than 2000 operations'),
    ('guard_missing', 'protocol_validation', 'context_missing',
      'send expected_target_version or expected_current_hash, as the last read returned them'),
    ('guard_malformed', 'protocol_validation', 'context_invalid', '{path}: {rule}'),
    ('attempt_malformed', 'protocol_validation', 'context_invalid', 'attempt: an integer from 1 to 2147483647'),
    ('parent_malformed', 'protocol_validation', 'context_invalid',
      'parent_pdcp_log_id: the id of a rejected attempt, as a string'),
    ('source_malformed', 'protocol_validation', 'context_invalid',
      'source: a string that is not blank, of at most 256 code points'),
    ('unknown_format', 'protocol_validation', 'manifest_invalid',
      'format: one of patchdiff-tx/1, patchdiff-tx/2, patchdiff-tx/3'),
    ('target_mismatch', 'protocol_validation', 'manifest_invalid',
      'target_file_id: the submission names another target'),
    ('manifest_missing', 'protocol_validation', 'manifest_missing', '{path}: {rule} is required'),
    ('unknown_field', 'protocol_validation', 'manifest_invalid', '{path}: unknown field'),
    ('intent_invalid', 'protocol_validation', 'manifest_invalid', 'intent: a string that is not blank is required'),
    ('intent_too_long', 'protocol_validation', 'manifest_invalid', 'intent: at most 4096 code points'),
    ('not_an_object', 'protocol_validation', 'block_malformed', '{path}: an object is required'),
    ('field_missing', 'protocol_validation', 'block_malformed', '{path}: required'),
    ('field_type', 'protocol_validation', 'block_malformed', '{path}: {type} is required'),
    ('integer_invalid', 'protocol_validation', 'block_malformed',
      '{path}: an integer from 0 to 9007199254740991 is required'),
    ('match_empty', 'protocol_validation', 'block_malformed',
      '{path}: must not be empty; to insert, use a span with start = end'),
    ('expected_context_empty', 'protocol_validation', 'block_malformed', '{path}: must not be empty; leave it out'),
    ('selector_malformed', 'protocol_validation', 'disambiguation_invalid', '{path}: {rule}'),
    ('change_id_invalid', 'protocol_validation', 'manifest_invalid', '{path}: 1 to 64 of A-Z a-z 0-9 _ . : -'),
    ('change_id_duplicate', 'protocol_validation', 'manifest_invalid',
      '{path}: the change id is already used in this submission'),
    ('rationale_invalid', 'protocol_validation', 'manifest_invalid', '{path}: a string that is not blank'),
    ('rationale_too_long', 'protocol_validation', 'manifest_invalid', '{path}: at most 4096 code points'),
    ('risk_invalid', 'protocol_validation', 'manifest_invalid', '{path}: one of low, medium, high'),
    ('replace_all_refused', 'protocol_validation', 'manifest_invalid',
      '{path}: replace_all is only for patchdiff_submit_replacement'),
    ('op_unknown', 'protocol_validation', 'manifest_invalid', '{path}: {rule}'),
    ('match_too_long', 'protocol_validation', 'manifest_invalid',
      '{path}: at most 65536 code points; use a span for longer text'),
    ('replacement_too_large', 'protocol_validation', 'manifest_invalid',
      'replacement: at most 1000000 code points and 1048576 bytes'),
    ('result_too_large', 'transaction_applicability', 'manifest_invalid',
      'the result would be larger than 16777216 bytes'),
    ('match_absent', 'transaction_applicability', 'match_absent', '{path}: the text does not occur'),
    ('match_ambiguous', 'transaction_applicability', 'match_ambiguous',
      '{path}: the text occurs {count} times; choose one with occurrence_index or anchors'),
    ('selector_excludes_all', 'transaction_applicability', 'disambiguation_invalid',
      '{path}: the text occurs {count} times, but no occurrence satisfies the selectors'),
    ('sequential_match_invalid', 'transaction_applicability', 'sequential_match_invalid',
      '{path}: the text was consumed by change {change_id} of this submission'),
    ('span_out_of_bounds', 'transaction_applicability', 'span_out_of_bounds',
      '{path}: the span {start}..{end} is not inside the buffer of {total} code points'),
    ('span_expected_text_mismatch', 'transaction_applicability', 'span_expected_text_mismatch',
      '{path}: the buffer holds other text there'),
    ('content_diverged', 'commit_guard', 'target_diverged',
      'the stored content does not match its recorded hash; nothing was applied'),
    ('claim_mismatch', 'commit_guard', 'context_invalid',
      'the caller''s claim contradicts the database''s own reading; nothing was applied')
  ) as w(code, stage, reason, words)
  where w.code = p_code
$$;

comment on function patchdiff_store.failure_words(text) is
  'Stage, reason and sentence template of one failure code.';
--! EndIncluded patchdiff_store/failure_words.sql
--! Included patchdiff_store/fault_of.sql
-- One fault by its code: reason, stage and sentence come from one table, the same as in src/transaction.
-- p_words fills the sentence's {names}; {path} is p_path unless the words name one. The words are the caller's text,
-- so a sentence is filled in one pass and never searched again.
create or replace function patchdiff_store.fault_of (
  p_code text,
  p_path text default null,
  p_ordinal integer default null,
  p_change_id text default null,
  p_words jsonb default '{}'
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
  v_words jsonb := jsonb_build_object('path', p_path) || p_words;
begin
  v_fault.failure_code := p_code;
  v_fault.path := p_path;
  v_fault.ordinal := p_ordinal;
  v_fault.failed_change_id := p_change_id;
  v_fault.prior_changes := 0;
  v_fault.evidence := '';

  select w.stage, w.reason, w.words
  into strict v_fault.validation_stage, v_fault.failure_reason, v_fault.failure_detail
  from patchdiff_store.failure_words(p_code) as w;

  select string_agg(
    case when p.position = 1 then p.piece
      else (v_words ->> split_part(p.piece, '}', 1)) || substr(p.piece, strpos(p.piece, '}') + 1)
    end,
    '' order by p.position
  )
  into v_fault.failure_detail
  from string_to_table(v_fault.failure_detail, '{') with ordinality as p(piece, position);

  return v_fault;
end;
$$;

comment on function patchdiff_store.fault_of(text, text, integer, text, jsonb) is
  'A fault of this code with its reason, stage and sentence.';
--! EndIncluded patchdiff_store/fault_of.sql
--! Included patchdiff_store/is_blank.sql
-- Whether a text is empty or only white space. The list is the contract's own, spelt out: \s of PostgreSQL, of
-- JavaScript and of Python all differ. U+FEFF is not in it.
create or replace function patchdiff_store.is_blank (
  p_text text
)
  returns boolean
  language sql
  immutable
as $$
  select btrim(
    p_text,
    U&'\0009\000A\000B\000C\000D\001C\001D\001E\001F\0020\0085\00A0\1680'
    '\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'
  ) = ''
$$;

comment on function patchdiff_store.is_blank(text) is
  'True for a text that is empty or holds only the white space of docs/spec (U+FEFF is not white space).';
--! EndIncluded patchdiff_store/is_blank.sql
--! Included patchdiff_store/is_source.sql
-- Whether a text can be the source of a submission: not blank, at most 256 code points. Null for null.
create or replace function patchdiff_store.is_source (
  p_source text
)
  returns boolean
  language sql
  immutable
as $$
  select not patchdiff_store.is_blank(p_source) and char_length(p_source) <= 256
$$;

comment on function patchdiff_store.is_source(text) is
  'Whether a text can be the source of a submission: not blank and at most 256 code points.';
--! EndIncluded patchdiff_store/is_source.sql
--! Included patchdiff_store/decode_item.sql
-- Decodes one edit or operation: I1 to I13 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- A value is read as text only once it is known to be a string: 1e131071 is short in JSON and long as text.
-- p_ordinal counts from 1, p_count is the number of items, p_used the change ids of the items before.
create or replace function patchdiff_store.decode_item (
  p_item jsonb,
  p_ordinal integer,
  p_count integer,
  p_format text,
  p_used text[]
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_base text := case p_format when 'patchdiff-tx/1' then 'edits' else 'operations' end || '[' || (p_ordinal - 1) || ']';
  v_id text := patchdiff_store.change_id_of(p_item, p_ordinal);
  v_op text := 'match';
  v_required text[];
  v_optional text[];
  v_name text;
  v_type text;
begin
  if jsonb_typeof(p_item) <> 'object' then
    return patchdiff_store.fault_of('not_an_object', v_base, p_ordinal);
  end if;

  if p_format <> 'patchdiff-tx/1' then
    v_type := coalesce(jsonb_typeof(p_item -> 'op'), 'null');
    if v_type = 'null' then
      return patchdiff_store.fault_of('field_missing', v_base || '.op', p_ordinal, v_id);
    elsif v_type <> 'string' then
      return patchdiff_store.fault_of('field_type', v_base || '.op', p_ordinal, v_id, '{"type": "a string"}');
    end if;

    v_op := p_item ->> 'op';
    if p_format = 'patchdiff-tx/3' and v_op <> 'replace_all' then
      return patchdiff_store.fault_of('op_unknown', v_base || '.op', p_ordinal, v_id,
        '{"rule": "exactly one replace_all"}');
    elsif p_format = 'patchdiff-tx/3' and p_count > 1 then
      return patchdiff_store.fault_of('op_unknown', 'operations[1]', p_ordinal, v_id,
        '{"rule": "exactly one replace_all"}');
    elsif p_format = 'patchdiff-tx/2' and v_op = 'replace_all' then
      return patchdiff_store.fault_of('replace_all_refused', v_base || '.op', p_ordinal, v_id);
    elsif p_format = 'patchdiff-tx/2' and v_op not in ('match', 'span') then
      return patchdiff_store.fault_of('op_unknown', v_base || '.op', p_ordinal, v_id, '{"rule": "one of match, span"}');
    end if;
  end if;

  case v_op
    when 'match' then
      v_required := array['match', 'replace'];
      v_optional := array['change_id', 'rationale', 'risk', 'occurrence_index', 'anchor_before', 'anchor_after'];
    when 'span' then
      v_required := array['start', 'end', 'expected_text', 'replace'];
      v_optional := array['change_id', 'rationale', 'risk', 'expected_before', 'expected_after'];
    else
      v_required := array['replace'];
      v_optional := '{}';
  end case;

  foreach v_name in array v_required loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    if v_type = 'null' then
      return patchdiff_store.fault_of('field_missing', v_base || '.' || v_name, p_ordinal, v_id);
    elsif v_name in ('start', 'end') and v_type <> 'number' then
      return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "an integer"}');
    elsif v_name in ('start', 'end') and patchdiff_store.integer_of(p_item -> v_name, 0) is null then
      return patchdiff_store.fault_of('integer_invalid', v_base || '.' || v_name, p_ordinal, v_id);
    elsif v_name not in ('start', 'end') and v_type <> 'string' then
      return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "a string"}');
    elsif v_name = 'match' and p_item -> v_name = '""' then
      return patchdiff_store.fault_of('match_empty', v_base || '.' || v_name, p_ordinal, v_id);
    end if;
  end loop;

  if v_op = 'span' then
    foreach v_name in array array['expected_before', 'expected_after'] loop
      v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
      if v_type = 'null' then
        continue;
      elsif v_type <> 'string' then
        return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "a string"}');
      elsif p_item -> v_name = '""' then
        return patchdiff_store.fault_of('expected_context_empty', v_base || '.' || v_name, p_ordinal, v_id);
      end if;
    end loop;
  end if;

  if v_op = 'match' then
    if coalesce(p_item -> 'occurrence_index', 'null') <> 'null'
      and patchdiff_store.integer_of(p_item -> 'occurrence_index', 1) is null
    then
      return patchdiff_store.fault_of('selector_malformed', v_base || '.occurrence_index', p_ordinal, v_id,
        '{"rule": "an integer from 1 to 9007199254740991"}');
    end if;

    foreach v_name in array array['anchor_before', 'anchor_after'] loop
      if p_item -> v_name = '""' or jsonb_typeof(p_item -> v_name) not in ('string', 'null') then
        return patchdiff_store.fault_of('selector_malformed', v_base || '.' || v_name, p_ordinal, v_id,
          '{"rule": "a non-empty string"}');
      end if;
    end loop;
  end if;

  select min(k.name collate "C")
  into v_name
  from jsonb_object_keys(p_item) as k(name)
  where not k.name = any (v_required || v_optional)
  and not (k.name = 'op' and p_format <> 'patchdiff-tx/1');
  if v_name is not null then
    return patchdiff_store.fault_of('unknown_field', v_base || '.' || left(v_name, 64), p_ordinal, v_id);
  end if;

  if v_id is null then
    return patchdiff_store.fault_of('change_id_invalid', v_base || '.change_id', p_ordinal);
  end if;

  if v_id = any (p_used) then
    return patchdiff_store.fault_of('change_id_duplicate', v_base || '.change_id', p_ordinal, v_id);
  end if;

  v_type := coalesce(jsonb_typeof(p_item -> 'rationale'), 'null');
  if v_type not in ('string', 'null') or (v_type = 'string' and patchdiff_store.is_blank(p_item ->> 'rationale')) then
    return patchdiff_store.fault_of('rationale_invalid', v_base || '.rationale', p_ordinal, v_id);
  end if;

  if char_length(p_item ->> 'rationale') > 4096 then
    return patchdiff_store.fault_of('rationale_too_long', v_base || '.rationale', p_ordinal, v_id);
  end if;

  if p_item -> 'risk' not in ('null', '"low"', '"medium"', '"high"') then
    return patchdiff_store.fault_of('risk_invalid', v_base || '.risk', p_ordinal, v_id);
  end if;

  if char_length(p_item ->> 'match') > 65536 then
    return patchdiff_store.fault_of('match_too_long', v_base || '.match', p_ordinal, v_id);
  end if;

  if v_op = 'replace_all'
    and (char_length(p_item ->> 'replace') > 1000000 or octet_length(p_item ->> 'replace') > 1048576)
  then
    return patchdiff_store.fault_of('replacement_too_large', 'replacement', p_ordinal, v_id);
  end if;

  return null;
end;
$$;

comment on function patchdiff_store.decode_item(jsonb, integer, integer, text, text[]) is
  'The first protocol fault of one edit or operation, or all null when it decodes.';
--! EndIncluded patchdiff_store/decode_item.sql
--! Included patchdiff_store/decode_record.sql
-- Decodes a record that parses: P1 to P8 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- p_malformed names the code of the first of attempt, parent and source that is malformed, which P2 has between the
-- guards and the format; those three travel beside the record.
create or replace function patchdiff_store.decode_record (
  p_record jsonb,
  p_target uuid,
  p_malformed text
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_format text := patchdiff_store.protocol_of(p_record);
  v_container text := case v_format when 'patchdiff-tx/1' then 'edits' else 'operations' end;
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
  );
  if v_unknown is not null then
    return patchdiff_store.fault_of('unknown_field', left(v_unknown, 64));
  end if;

  if jsonb_typeof(p_record -> 'intent') is distinct from 'string' or patchdiff_store.is_blank(p_record ->> 'intent') then
    return patchdiff_store.fault_of('intent_invalid', 'intent');
  end if;

  if char_length(p_record ->> 'intent') > 4096 then
    return patchdiff_store.fault_of('intent_too_long', 'intent');
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

comment on function patchdiff_store.decode_record(jsonb, uuid, text) is
  'The first protocol fault of a record, or all null when it decodes.';
--! EndIncluded patchdiff_store/decode_record.sql
--! Included patchdiff_store/non_finite_fault.sql
-- The fault of a record in which a number that is not finite stands as the string "Infinity" or "-Infinity", as records
-- keep it (docs/spec/decoding.md): read as the number again, when the caller claims the reason that this reading gives;
-- else p_fault as it is. A caller gains nothing by it but the rejection of its own submission.
create or replace function patchdiff_store.non_finite_fault (
  p_fault patchdiff_store.fault,
  p_payload text,
  p_target uuid,
  p_malformed text,
  p_claimed_reason text
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
    p_malformed
  );
  return case when v_fault.failure_reason = p_claimed_reason then v_fault else p_fault end;
end;
$$;

comment on function patchdiff_store.non_finite_fault(patchdiff_store.fault, text, uuid, text, text) is
  'The fault of a record when the strings that stand for numbers are read as numbers, if that is what is claimed.';
--! EndIncluded patchdiff_store/non_finite_fault.sql
--! Included patchdiff_store/diagnostic_of.sql
-- The evidence stored with a rejection (docs/spec/decoding.md, "Evidence"): compact JSON, members in the contract's
-- order. p_attempt carries the verdict, p_fault the path, the context and its own members, p_members whatever
-- follows them (raw values, claim), as JSON text with a comma in front of each.
create or replace function patchdiff_store.diagnostic_of (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_fault patchdiff_store.fault,
  p_members text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return concat(
    '{"failure_code":"', p_attempt.failure_code,
    '","format":"', p_attempt.protocol_version,
    '","validation_stage":"', p_attempt.validation_stage,
    '","retryable":', patchdiff_store.is_retryable(p_attempt.failure_reason, p_attempt.validation_stage)::text,
    ',"requires_new_submission":true,"decided_by":"', p_attempt.decided_by, '"',
    case
      when p_fault.path is not null
        or (p_fault.validation_stage = 'protocol_validation' and p_fault.failure_code <> 'text_not_encodable')
        then ',"path":' || coalesce(to_json(p_fault.path)::text, 'null')
    end,
    ',"ordinal":' || p_fault.ordinal,
    ',"failure_context":{"source":"',
    case p_fault.prior_changes when 0 then 'canonical_target' else 'intermediate_buffer' end,
    '","prior_changes":', p_fault.prior_changes,
    ',"version":', p_attempt.before_version,
    ',"hash":"', p_attempt.before_hash,
    '","kind":"', p_fault.context_kind,
    '","start":', p_fault.context_start,
    ',"end":', p_fault.context_start + char_length(p_fault.context_text),
    ',"total_chars":', p_fault.context_total,
    ',"text":', to_json(p_fault.context_text),
    '}', p_fault.evidence, p_members, '}'
  );
end;
$$;

comment on function patchdiff_store.diagnostic_of(patchdiff_store.append_only_pdcp_logs, patchdiff_store.fault, text) is
  'The evidence stored with a rejection, as JSON text in the contract''s order.';
--! EndIncluded patchdiff_store/diagnostic_of.sql
--! Included patchdiff_store/ascii_json.sql
-- JSON text with every character above U+007F written as \uXXXX (lower-case hexadecimal, a surrogate pair above U+FFFF).
-- Such characters stand only inside strings, so the value stays the same. Linear in the text.
create or replace function patchdiff_store.ascii_json (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if octet_length(p_json) = char_length(p_json) then
    return p_json;
  end if;

  return (
    select string_agg(
      case
        when octet_length(c.letter) = 1 then c.letter
        when octet_length(c.letter) < 4 then '\u' || lpad(to_hex(ascii(c.letter)), 4, '0')
        else '\u' || to_hex(55296 + (ascii(c.letter) - 65536) / 1024)
          || '\u' || to_hex(56320 + (ascii(c.letter) - 65536) % 1024)
      end,
      '' order by c.position
    )
    from string_to_table(p_json, null) with ordinality as c(letter, position)
  );
end;
$$;

comment on function patchdiff_store.ascii_json(text) is
  'The same JSON text with every character above U+007F written as a \uXXXX escape.';
--! EndIncluded patchdiff_store/ascii_json.sql
--! Included patchdiff_store/is_json_object.sql
-- Whether a text is a JSON object by syntax alone (escapes of text that cannot be stored are allowed).
-- Null when it nests too deeply to tell.
create or replace function patchdiff_store.is_json_object (
  p_text text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  return p_text is json object;
exception
  when statement_too_complex then
    if patchdiff_store.nests_beyond(p_text, 64) then
      return null;
    end if;

    -- Raises again: the caller has used the stack up.
    return p_text is json object;
end;
$$;

comment on function patchdiff_store.is_json_object(text) is
  'Whether the text is a JSON object by syntax; null when it nests too deeply to tell.';
--! EndIncluded patchdiff_store/is_json_object.sql
--! Included patchdiff_store/mark_unencodable.sql
-- JSON text in which every \u0000 and lone surrogate escape is replaced by U+E000, u and its four digits, so that jsonb
-- can read the rest. U+E000 itself becomes U+E000, e: nothing has to be searched for a free mark, so it is linear, and
-- raw_member can turn it back. Two control characters, which JSON never holds as they are, stand in between
-- for an escaped backslash and for the backslashes of a whole pair.
create or replace function patchdiff_store.mark_unencodable (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  v_text := replace(replace(p_json, U&'\E000', U&'\E000e'), '\\', E'\x01');
  v_text := regexp_replace(
    v_text,
    '\\(u[dD][89abAB][0-9a-fA-F]{2})\\(u[dD][c-fC-F][0-9a-fA-F]{2})',
    E'\x02\\1\x02\\2',
    'g'
  );
  v_text := regexp_replace(v_text, '\\(u(0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', U&'\E000\\1', 'g');
  -- chr(92): the migration tool takes a quote after a backslash for part of the text.
  return replace(replace(v_text, E'\x02', chr(92)), E'\x01', '\\');
end;
$$;

comment on function patchdiff_store.mark_unencodable(text) is
  'JSON text in which escapes that PostgreSQL text cannot hold are marked, reversibly.';
--! EndIncluded patchdiff_store/mark_unencodable.sql
--! Included patchdiff_store/runtime_version_of.sql
-- The frozen profile under which a record is judged and recorded (docs/spec/decoding.md). Total: it answers for any value.
create or replace function patchdiff_store.runtime_version_of (
  p_record jsonb
)
  returns text
  language plpgsql
  immutable
as $$
begin
  case patchdiff_store.protocol_of(p_record)
    when 'patchdiff-tx/2' then
      if jsonb_typeof(p_record -> 'operations') = 'array' and exists (
        select from jsonb_array_elements(p_record -> 'operations') as e(item)
        where jsonb_typeof(e.item) = 'object'
          and e.item -> 'op' = '"span"'
          and (
            coalesce(jsonb_typeof(e.item -> 'expected_before'), 'null') <> 'null'
            or coalesce(jsonb_typeof(e.item -> 'expected_after'), 'null') <> 'null'
          )
      ) then
        return 'patchdiff-mvp-0.5.0';
      end if;

      return 'patchdiff-mvp-0.3.0';
    when 'patchdiff-tx/3' then
      return 'patchdiff-mvp-0.4.0';
    else
      return 'patchdiff-mvp-0.2.2';
  end case;
end;
$$;

comment on function patchdiff_store.runtime_version_of(jsonb) is 'The runtime profile under which a record is recorded.';
--! EndIncluded patchdiff_store/runtime_version_of.sql
--! Included patchdiff_store/sha256_hex.sql
-- SHA-256 of bytes as 64 lower-case hexadecimal digits, the form in which every hash is stored and compared.
create or replace function patchdiff_store.sha256_hex (
  p_bytes bytea
)
  returns text
  language sql
  immutable
as $$
  select encode(sha256(p_bytes), 'hex')
$$;

comment on function patchdiff_store.sha256_hex(bytea) is 'SHA-256 of the bytes as 64 lower-case hexadecimal digits.';
--! EndIncluded patchdiff_store/sha256_hex.sql
--! Included patchdiff_store/envelope_of.sql
-- How a payload that is no plain record is stored (docs/spec/decoding.md, "What the procedure wraps"): an envelope for
-- text that PostgreSQL cannot hold, in the payload or in p_raw_metadata, and one for a payload that is too large, too
-- deep or too long. All null for a plain record. Raises PD101 for what is no JSON object and PD102 for a number
-- outside numeric, because no row could hold them as evidence of a submission.
create or replace function patchdiff_store.envelope_of (
  p_payload text,
  p_record jsonb,
  p_parent text,
  p_raw_metadata jsonb
)
  returns patchdiff_store.envelope
  language plpgsql
  immutable
as $$
declare
  v_envelope patchdiff_store.envelope;
  v_inputs text;
  v_hash text;
  v_items jsonb;
begin
  if coalesce(jsonb_typeof(p_record) = 'object', patchdiff_store.is_json_object(p_payload)) is false then
    raise exception 'the payload is not a JSON object'
      using errcode = 'PD101',
            detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
            hint = 'send one JSON object as p_payload';
  end if;

  if (p_record is null and patchdiff_store.holds_unencodable(p_payload)) or exists (
    select from jsonb_each_text(p_raw_metadata) as m(name, value)
    where patchdiff_store.holds_unencodable(m.value)
  ) then
    v_envelope.record := coalesce(
      p_record,
      patchdiff_store.payload_json(patchdiff_store.mark_unencodable(p_payload))
    );
    v_inputs := '{"parent_pdcp_log_id":'
      || coalesce(p_raw_metadata ->> 'parent_pdcp_log_id', patchdiff_store.ascii_json(to_json(p_parent)::text), 'null')
      || ',"record":' || patchdiff_store.ascii_json(p_payload) || '}';
    v_envelope.evidence_format := 'patchdiff-invalid-input/1';
    v_envelope.evidence_sha256 := patchdiff_store.sha256_hex(convert_to(v_inputs, 'UTF8'));
    v_envelope.failure_code := 'text_not_encodable';
    v_envelope.stored := '{"evidence_format":"patchdiff-invalid-input/1","inputs":' || to_json(v_inputs)::text
      || ',"protocol_version":' || to_json(patchdiff_store.protocol_of(v_envelope.record))::text
      || ',"runtime_version":' || to_json(patchdiff_store.runtime_version_of(v_envelope.record))::text || '}';
    return v_envelope;
  end if;

  v_items := p_record -> case patchdiff_store.protocol_of(p_record) when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_envelope.failure_code := case
    when octet_length(p_payload) > 4194304 then 'payload_too_large'
    when patchdiff_store.nests_beyond(p_payload, 64) then 'payload_too_deep'
    when p_record is null then null
    when jsonb_typeof(v_items) = 'array' then case when jsonb_array_length(v_items) > 2000 then 'too_many_operations' end
  end;

  if v_envelope.failure_code is null then
    if p_record is null then
      raise exception 'the payload holds a number that cannot be represented'
        using errcode = 'PD102',
              detail = json_build_object('argument', 'p_payload', 'bytes', octet_length(p_payload))::text,
              hint = 'send numbers within the range of numeric; the formats themselves use integers only';
    end if;

    return null;
  end if;

  v_hash := patchdiff_store.sha256_hex(convert_to(p_payload, 'UTF8'));
  v_envelope.record := p_record;
  v_envelope.evidence_format := 'patchdiff-oversized-input/1';
  v_envelope.evidence_sha256 := v_hash;
  v_envelope.stored := '{"bytes":' || octet_length(p_payload) || ',"evidence_format":"patchdiff-oversized-input/1","prefix":'
    || to_json(left(p_payload, 256))::text || ',"sha256":"' || v_hash || '"}';
  return v_envelope;
end;
$$;

comment on function patchdiff_store.envelope_of(text, jsonb, text, jsonb) is
  'The envelope under which a payload that is no plain record is stored; all null for a plain record.';
--! EndIncluded patchdiff_store/envelope_of.sql
--! Included patchdiff_store/guard_fault.sql
-- The fault of a guard that the locked row does not meet, version before hash. Guards that are null take no part;
-- at least one of them differs.
create or replace function patchdiff_store.guard_fault (
  p_attempt patchdiff_store.append_only_pdcp_logs
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  if p_attempt.expected_target_version <> p_attempt.before_version then
    v_fault := patchdiff_store.fault_of('target_version_mismatch', p_words => jsonb_build_object(
      'expected', p_attempt.expected_target_version, 'actual', p_attempt.before_version));
    v_fault.evidence := concat(
      ',"expected":', p_attempt.expected_target_version, ',"actual":', p_attempt.before_version);
  else
    v_fault := patchdiff_store.fault_of('target_hash_mismatch');
    v_fault.evidence := concat(
      ',"expected":"', p_attempt.expected_current_hash, '","actual":"', p_attempt.before_hash, '"');
  end if;

  return v_fault;
end;
$$;

comment on function patchdiff_store.guard_fault(patchdiff_store.append_only_pdcp_logs) is
  'The fault of a guard that the locked row does not meet.';
--! EndIncluded patchdiff_store/guard_fault.sql
--! Included patchdiff_store/head_of_content.sql
-- The first 256 code points of a target's stored content; reads no more of it than that.
create or replace function patchdiff_store.head_of_content (
  p_target uuid
)
  returns text
  language sql
  stable
as $$
  select substr(t.current_content, 1, 256)
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff_store.head_of_content(uuid) is 'The first 256 code points of a target''s stored content.';
--! EndIncluded patchdiff_store/head_of_content.sql
--! Included patchdiff_store/canonical_record.sql
-- The canonical JSON of a record in the one shape an acceptance can have: the known top-level fields, both guard keys,
-- no null members below. p_items is the items' canonical JSON (read_operations), null for tx/3, whose one replacement
-- is p_replacement. A payload that equals it byte for byte has exactly these keys, these types, no duplicates, no 1e2.
-- Numbers are cut to 20 digits, so that nothing nested can slip through in their place.
create or replace function patchdiff_store.canonical_record (
  p_record jsonb,
  p_items text,
  p_replacement text
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{',
    case when p_record ->> 'format' = 'patchdiff-tx/1' then '"edits":' || p_items || ',' end,
    '"expected_current_hash":', coalesce(to_json(p_record ->> 'expected_current_hash')::text, 'null'),
    ',"expected_target_version":', coalesce(left(p_record ->> 'expected_target_version', 20), 'null'),
    ',"format":', to_json(p_record ->> 'format'),
    ',"intent":', to_json(p_record ->> 'intent'),
    case p_record ->> 'format'
      when 'patchdiff-tx/2' then ',"operations":' || p_items
      when 'patchdiff-tx/3' then ',"operations":[{"op":"replace_all","replace":'
    end,
    -- In pieces of its own: joined to something else it would be copied once more, and it may be the whole document.
    to_json(p_replacement),
    case p_record ->> 'format' when 'patchdiff-tx/3' then '}]' end,
    ',"target_file_id":', to_json(p_record ->> 'target_file_id'),
    '}'
  )
$$;

comment on function patchdiff_store.canonical_record(jsonb, text, text) is
  'Canonical JSON of a record in the one shape an acceptance can have, explicit null members excepted.';
--! EndIncluded patchdiff_store/canonical_record.sql
--! Included patchdiff_store/canonical_object.sql
-- Canonical JSON of one flat object: keys by code point, no spaces; nested values must be given in p_nested, by key,
-- as canonical JSON. Null when a nested value is not given.
create or replace function patchdiff_store.canonical_object (
  p_object jsonb,
  p_nested jsonb default '{}'
)
  returns text
  language sql
  stable
as $$
  select case
    when bool_and(v.member is not null) then '{' || string_agg(v.member, ',' order by e.key collate "C") || '}'
  end
  from jsonb_each(p_object) as e(key, value)
  cross join lateral (
    select to_json(e.key)::text || ':' || case jsonb_typeof(e.value)
      when 'string' then to_json(e.value #>> '{}')::text
      when 'object' then p_nested ->> e.key
      when 'array' then p_nested ->> e.key
      else e.value::text
    end as member
  ) as v
$$;

comment on function patchdiff_store.canonical_object(jsonb, jsonb) is
  'Canonical JSON of a flat object; nested values are given as canonical JSON by key.';
--! EndIncluded patchdiff_store/canonical_object.sql
--! Included patchdiff_store/is_canonical.sql
-- Whether a payload that decodes is its own canonical JSON, explicit null members included: what canonical_record
-- does not cover. Both guard keys must be there.
create or replace function patchdiff_store.is_canonical (
  p_payload text,
  p_record jsonb
)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_container text := case p_record ->> 'format' when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_items text;
begin
  if not p_record ?& array['expected_current_hash', 'expected_target_version'] then
    return false;
  end if;

  select '[' || string_agg(patchdiff_store.canonical_object(i.item), ',' order by i.position) || ']'
  into v_items
  from jsonb_array_elements(p_record -> v_container) with ordinality as i(item, position);

  return coalesce(
    patchdiff_store.canonical_object(p_record, jsonb_build_object(v_container, v_items)) = p_payload,
    false
  );
end;
$$;

comment on function patchdiff_store.is_canonical(text, jsonb) is
  'Whether the payload of a record that decodes equals its canonical JSON byte for byte.';
--! EndIncluded patchdiff_store/is_canonical.sql
--! Included patchdiff_store/is_sound.sql
-- Whether a payload is, byte for byte, the canonical record of a submission that decodes, without explicit null members:
-- the hot path, in which decode_record has nothing to find. False whenever anything is unusual; never null. Types come
-- first: a number such as 1e131071 is short in JSON and long as text.
create or replace function patchdiff_store.is_sound (
  p_payload text,
  p_record jsonb,
  p_target uuid,
  p_items text,
  p_well_formed boolean,
  p_count integer,
  p_replacement text
)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return coalesce(
    octet_length(p_payload) <= 4194304
    and jsonb_typeof(p_record -> 'target_file_id') = 'string'
    and p_record ->> 'target_file_id' ~ '\A[0-9a-fA-F-]{36}\Z'
    and lower(p_record ->> 'target_file_id') = p_target::text
    and (
      patchdiff_store.guard_version(p_record) is not null
      or (
        patchdiff_store.guard_hash(p_record) is not null
        and coalesce(p_record -> 'expected_target_version', 'null') = 'null'
      )
    )
    and (
      coalesce(p_record -> 'expected_current_hash', 'null') = 'null'
      or patchdiff_store.guard_hash(p_record) is not null
    )
    and jsonb_typeof(p_record -> 'intent') = 'string'
    and not patchdiff_store.is_blank(p_record ->> 'intent')
    and char_length(p_record ->> 'intent') <= 4096
    and case
      when p_replacement is null then coalesce(p_well_formed, false) and p_count <= 2000
      -- No text has more code points than bytes, and counting those of a large one is slow.
      else octet_length(p_replacement) <= 1000000
        or (octet_length(p_replacement) <= 1048576 and char_length(p_replacement) <= 1000000)
    end
    and patchdiff_store.canonical_record(p_record, p_items, p_replacement) = p_payload,
    false
  );
end;
$$;

comment on function patchdiff_store.is_sound(text, jsonb, uuid, text, boolean, integer, text) is
  'Whether a payload is the canonical record of a submission that decodes; false when in doubt.';
--! EndIncluded patchdiff_store/is_sound.sql
--! Included patchdiff_store/key_conflict.sql
-- The fault of a request key that already stands for another request, with its evidence. A key that belongs to a SAVE
-- names no attempt.
create or replace function patchdiff_store.key_conflict (
  p_key patchdiff_store.request_keys,
  p_client_request_id text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault := patchdiff_store.fault_of('request_key_conflict');
begin
  v_fault.evidence := concat(
    ',"existing_pdcp_log_id":', coalesce((
      select to_json(a.pdcp_log_id)::text
      from patchdiff_store.append_only_pdcp_logs as a
      where a.target_file_id = p_key.target_file_id
      and a.log_sequence = p_key.log_sequence
    ), 'null'),
    ',"submitted_client_request_id":', to_json(left(p_client_request_id, 256)),
    ',"submitted_client_request_id_truncated":', (char_length(p_client_request_id) > 256)::text
  );
  return v_fault;
end;
$$;

comment on function patchdiff_store.key_conflict(patchdiff_store.request_keys, text) is
  'The fault of a request key that already stands for another request.';
--! EndIncluded patchdiff_store/key_conflict.sql
--! Included patchdiff_store/raw_member.sql
-- A member of a JSON object as the ASCII JSON text in which it was written, cut to 1,024 characters; null when the
-- object does not have it or nests too deeply to be read. For members that do not fit their column.
create or replace function patchdiff_store.raw_member (
  p_json text,
  p_name text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_value text;
begin
  -- Cut first: every two characters of marked text give at least one of the answer.
  v_value := left((patchdiff_store.mark_unencodable(p_json)::json -> p_name)::text, 2048);
  v_value := replace(replace(v_value, U&'\E000u', '\u'), U&'\E000e', U&'\E000');
  return left(patchdiff_store.ascii_json(v_value), 1024);
exception
  when statement_too_complex then
    return null;
end;
$$;

comment on function patchdiff_store.raw_member(text, text) is
  'A member of a JSON object as ASCII JSON text of at most 1024 characters.';
--! EndIncluded patchdiff_store/raw_member.sql
--! Included patchdiff_store/raw_values.sql
-- The values of a submission that fit no column, as members of the diagnostic: ASCII JSON of each as a string, at most
-- 1,024 characters, a comma in front of each. p_attempt says by its null columns which values did not fit.
create or replace function patchdiff_store.raw_values (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_record jsonb,
  p_client_request_id text,
  p_parent text,
  p_attempt_number integer,
  p_source text,
  p_raw_metadata jsonb
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return (
    select string_agg(',"raw_' || v.name || '":' || to_json(left(v.value, 1024))::text, '' order by v.position)
    from (values
      (1, 'client_request_id', coalesce(
        p_raw_metadata ->> 'client_request_id',
        case when p_client_request_id !~ '\A[\x21-\x7E]{1,128}\Z'
          then patchdiff_store.ascii_json(to_json(p_client_request_id)::text) end
      )),
      (2, 'parent_pdcp_log_id', coalesce(
        p_raw_metadata ->> 'parent_pdcp_log_id',
        case when p_attempt.parent_pdcp_log_id is null then patchdiff_store.ascii_json(to_json(p_parent)::text) end
      )),
      (3, 'attempt', coalesce(p_raw_metadata ->> 'attempt', case when p_attempt_number < 1 then p_attempt_number::text end)),
      (4, 'source', coalesce(
        p_raw_metadata ->> 'source',
        case when p_attempt.submission_source is null then patchdiff_store.ascii_json(to_json(p_source)::text) end
      )),
      (5, 'expected_target_version', case
        when p_attempt.expected_target_version is null and coalesce(p_record -> 'expected_target_version', 'null') <> 'null'
          then patchdiff_store.raw_member(p_payload, 'expected_target_version')
      end),
      (6, 'expected_current_hash', case
        when p_attempt.expected_current_hash is null and coalesce(p_record -> 'expected_current_hash', 'null') <> 'null'
          then patchdiff_store.raw_member(p_payload, 'expected_current_hash')
      end)
    ) as v(position, name, value)
    where v.value is not null
  );
end;
$$;

comment on function patchdiff_store.raw_values(
  patchdiff_store.append_only_pdcp_logs, text, jsonb, text, text, integer, text, jsonb
) is 'The values of a submission that fit no column, as members of the diagnostic.';
--! EndIncluded patchdiff_store/raw_values.sql
--! Included patchdiff_store/lf.sql
-- The canonical form of a text: CRLF and lone CR become LF. Text without CR comes back as it is.
create or replace function patchdiff_store.lf (
  p_text text
)
  returns text
  language sql
  immutable
as $$
  select case
    when strpos(p_text, E'\r') = 0 then p_text
    else replace(replace(p_text, E'\r\n', E'\n'), E'\r', E'\n')
  end
$$;

comment on function patchdiff_store.lf(text) is 'Canonical text: CRLF and lone CR become LF.';
--! EndIncluded patchdiff_store/lf.sql
--! Included patchdiff_store/are_readable_items.sql
-- Whether the items of a record may be read as text: an array of at most 2,000 objects in a payload of at most 4 MiB,
-- whose members are strings, booleans, nulls and integers of the protocol. Anything else is a fault (decode_record
-- names it), and could be text of any length: 1e131071 is eight bytes of JSON and 131,072 digits.
create or replace function patchdiff_store.are_readable_items (
  p_payload text,
  p_items jsonb
)
  returns boolean
  language sql
  immutable
as $$
  select coalesce(
    octet_length(p_payload) <= 4194304
    and jsonb_typeof(p_items) = 'array'
    and jsonb_array_length(p_items) <= 2000
    and not jsonb_path_exists(
      p_items,
      'strict $[*].* ? (@.type() == "object" || @.type() == "array"
        || @.type() == "number" && (@ < 0 || @ > 9007199254740991 || @.floor() != @))',
      silent => true
    ),
    false
  )
$$;

comment on function patchdiff_store.are_readable_items(text, jsonb) is
  'Whether the items of a record are few, flat and hold no number that is longer as text.';
--! EndIncluded patchdiff_store/are_readable_items.sql
--! Included patchdiff_store/canonical_item.sql
-- The canonical JSON of one flat item of a record, null members left out: its known members by name. Equality with the
-- payload's own text proves types, key order and the absence of other keys. Numbers are cut to 20 digits, so that nothing
-- nested slips through in their place.
create or replace function patchdiff_store.canonical_item (
  p_item jsonb
)
  returns text
  language sql
  stable
as $$
  select concat(
    '{',
    '"anchor_after":' || to_json(p_item ->> 'anchor_after')::text || ',',
    '"anchor_before":' || to_json(p_item ->> 'anchor_before')::text || ',',
    '"change_id":' || to_json(p_item ->> 'change_id')::text || ',',
    '"end":' || left(p_item ->> 'end', 20) || ',',
    '"expected_after":' || to_json(p_item ->> 'expected_after')::text || ',',
    '"expected_before":' || to_json(p_item ->> 'expected_before')::text || ',',
    '"expected_text":' || to_json(p_item ->> 'expected_text')::text || ',',
    '"match":' || to_json(p_item ->> 'match')::text || ',',
    '"occurrence_index":' || left(p_item ->> 'occurrence_index', 20) || ',',
    '"op":' || to_json(p_item ->> 'op')::text || ',',
    '"rationale":' || to_json(p_item ->> 'rationale')::text || ',',
    '"replace":' || to_json(p_item ->> 'replace')::text,
    ',"risk":' || to_json(p_item ->> 'risk')::text,
    ',"start":' || left(p_item ->> 'start', 20),
    '}'
  )
$$;

comment on function patchdiff_store.canonical_item(jsonb) is
  'The canonical JSON of one flat item of a record, null members left out.';
--! EndIncluded patchdiff_store/canonical_item.sql
--! Included patchdiff_store/is_well_formed.sql
-- Whether one item of a record passes the decoder as far as its common members go (docs/spec/decoding.md, I1 to I12 but
-- for selectors, span offsets and the uniqueness of ids). Never null; nothing raises, whatever the item is.
create or replace function patchdiff_store.is_well_formed (
  p_item jsonb,
  p_format text
)
  returns boolean
  language sql
  immutable
as $$
  select coalesce(
    p_item ->> 'replace' is not null
    and case p_format when 'patchdiff-tx/1' then not p_item ? 'op' else p_item ->> 'op' in ('match', 'span') end
    and (p_item ->> 'change_id' is null or p_item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z')
    and (p_item ->> 'rationale' is null or not patchdiff_store.is_blank(p_item ->> 'rationale'))
    and coalesce(char_length(p_item ->> 'rationale'), 0) <= 4096
    and (p_item ->> 'risk' is null or p_item ->> 'risk' in ('low', 'medium', 'high'))
    and case p_item ->> 'op' when 'span' then p_item ->> 'expected_text' is not null
      else p_item ->> 'match' <> '' and char_length(p_item ->> 'match') <= 65536 end,
    false
  )
$$;

comment on function patchdiff_store.is_well_formed(jsonb, text) is
  'Whether one item of a record passes the decoder as far as its common members go.';
--! EndIncluded patchdiff_store/is_well_formed.sql
--! Included patchdiff_store/read_plain_item.sql
-- read_operations for the commonest record: one plain match, without selectors. Null for any other item. A
-- query with aggregates costs more than all the work on one item; plain expressions do not.
create or replace function patchdiff_store.read_plain_item (
  p_item jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  stable
as $$
declare
  v_operations patchdiff_store.operations;
  v_canonical text := patchdiff_store.canonical_item(p_item);
begin
  -- A CR shows as an escape in JSON.
  if p_item ?| '{op,occurrence_index,anchor_before,anchor_after,start,end,expected_text,expected_before,expected_after}'
    or strpos(v_canonical, '\r') > 0
  then
    return null;
  end if;

  v_operations.canonical := '[' || v_canonical || ']';
  v_operations.well_formed := patchdiff_store.is_well_formed(p_item, p_format);
  v_operations.operation := array['match'];
  v_operations.change_id := array[coalesce(p_item ->> 'change_id', 'chg_001')];
  v_operations.rationale := array[p_item ->> 'rationale'];
  v_operations.risk := array[p_item ->> 'risk'];
  v_operations.matched := array[p_item ->> 'match'];
  v_operations.replacement := array[p_item ->> 'replace'];
  return v_operations;
end;
$$;

comment on function patchdiff_store.read_plain_item(jsonb, text) is
  'The one item of a record as operations, when it is a plain match without selectors; else null.';
--! EndIncluded patchdiff_store/read_plain_item.sql
--! Included patchdiff_store/read_operations.sql
-- The items of a tx/1 or tx/2 record as parallel arrays, with their canonical JSON and the verdict whether the decoder
-- would pass them all (docs/spec/decoding.md, I1 to I12; ids default by position). Nothing here raises, whatever
-- the items are; decode_record names the fault when well_formed is false.
-- canonical leaves null members out (canonical_item).
-- This is the hot path: one query for what every item has, one more for what only spans and selectors have.
create or replace function patchdiff_store.read_operations (
  p_items jsonb,
  p_format text
)
  returns patchdiff_store.operations
  language plpgsql
  stable
as $$
declare
  v_operations patchdiff_store.operations;
  v_has_more boolean;
  v_is_well_formed boolean;
begin
  if jsonb_array_length(p_items) = 1 then
    v_operations := patchdiff_store.read_plain_item(p_items -> 0, p_format);
    if v_operations.canonical is not null then
      return v_operations;
    end if;
  end if;

  select
    string_agg(patchdiff_store.canonical_item(i.item), ','),
    bool_and(patchdiff_store.is_well_formed(i.item, p_format)),
    bool_or(i.item ?| '{op,occurrence_index,anchor_before,anchor_after,start,end,expected_text,expected_before,expected_after}'),
    array_agg(coalesce(i.item ->> 'op', 'match')),
    array_agg(coalesce(
      i.item ->> 'change_id',
      'chg_' || lpad(i.position::text, greatest(3, length(i.position::text)), '0')
    )),
    array_agg(i.item ->> 'rationale'),
    array_agg(i.item ->> 'risk'),
    array_agg(case i.item ->> 'op' when 'span' then i.item ->> 'expected_text' else i.item ->> 'match' end),
    array_agg(i.item ->> 'replace')
  into
    v_operations.canonical, v_operations.well_formed, v_has_more, v_operations.operation, v_operations.change_id,
    v_operations.rationale, v_operations.risk, v_operations.matched, v_operations.replacement
  from (
    select e.item, e.position
    from jsonb_array_elements(p_items) with ordinality as e(item, position)
    order by e.position
  ) as i;

  if v_has_more then
    select
      bool_and(case i.item ->> 'op'
        when 'span' then
          not i.item ?| '{match,occurrence_index,anchor_before,anchor_after}'
          and patchdiff_store.integer_of(i.item -> 'start', 0) is not null
          and patchdiff_store.integer_of(i.item -> 'end', 0) is not null
          and i.item ->> 'expected_before' is distinct from ''
          and i.item ->> 'expected_after' is distinct from ''
        else
          not i.item ?| '{start,end,expected_text,expected_before,expected_after}'
          and (
            i.item ->> 'occurrence_index' is null
            or patchdiff_store.integer_of(i.item -> 'occurrence_index', 1) is not null
          )
          and i.item ->> 'anchor_before' is distinct from ''
          and i.item ->> 'anchor_after' is distinct from ''
      end),
      array_agg(patchdiff_store.integer_of(i.item -> 'occurrence_index', 1)),
      array_agg(patchdiff_store.lf(i.item ->> 'anchor_before')),
      array_agg(patchdiff_store.lf(i.item ->> 'anchor_after')),
      array_agg(patchdiff_store.integer_of(i.item -> 'start', 0)),
      array_agg(patchdiff_store.integer_of(i.item -> 'end', 0)),
      array_agg(patchdiff_store.lf(i.item ->> 'expected_before')),
      array_agg(patchdiff_store.lf(i.item ->> 'expected_after'))
    into
      v_is_well_formed, v_operations.occurrence_index, v_operations.anchor_before, v_operations.anchor_after,
      v_operations.span_start, v_operations.span_end, v_operations.expected_before, v_operations.expected_after
    from (
      select e.item
      from jsonb_array_elements(p_items) with ordinality as e(item, position)
      order by e.position
    ) as i;
    v_operations.well_formed := v_operations.well_formed and v_is_well_formed;
  end if;

  if v_operations.well_formed and cardinality(v_operations.operation) > 1 then
    v_operations.well_formed := cardinality(v_operations.operation) = (
      select count(distinct c.id) from unnest(v_operations.change_id) as c(id)
    );
  end if;

  -- A CR shows as an escape in JSON.
  if strpos(v_operations.canonical, '\r') > 0 then
    v_operations.matched := array(
      select patchdiff_store.lf(t.text) from unnest(v_operations.matched) with ordinality as t(text, position)
      order by t.position
    );
    v_operations.replacement := array(
      select patchdiff_store.lf(t.text) from unnest(v_operations.replacement) with ordinality as t(text, position)
      order by t.position
    );
  end if;

  v_operations.canonical := '[' || v_operations.canonical || ']';
  return v_operations;
end;
$$;

comment on function patchdiff_store.read_operations(jsonb, text) is
  'The edits or operations of a record as parallel arrays, with their canonical JSON.';
--! EndIncluded patchdiff_store/read_operations.sql
--! Included patchdiff_store/changes_of.sql
-- The changes of an accepted attempt as JSON, from its ledger rows, in order of application: what changes_json said
-- when it was accepted.
create or replace function patchdiff_store.changes_of (
  p_target uuid,
  p_log_sequence bigint
)
  returns json
  language sql
  stable
as $$
  select json_agg(f)
  from (
    select
      l.apply_ordinal as ordinal, l.change_id, l.operation,
      l.derived_json -> 'span_start' as span_start, l.derived_json -> 'span_end' as span_end,
      l.derived_json -> 'matched_chars' as matched_chars, l.derived_json -> 'replacement_chars' as replacement_chars,
      l.derived_json -> 'matched_sha256' as matched_sha256, l.derived_json -> 'replacement_sha256' as replacement_sha256
    from patchdiff_store.append_only_manifest_ledger as l
    where l.target_file_id = p_target
    and l.log_sequence = p_log_sequence
    order by l.apply_ordinal
  ) as f
$$;

comment on function patchdiff_store.changes_of(uuid, bigint) is
  'The changes of an accepted attempt with their facts, as JSON.';
--! EndIncluded patchdiff_store/changes_of.sql
--! Included patchdiff_store/receipt_of.sql
-- The receipt of a recorded attempt on a locked target. Its own versions, hashes and evidence come from the row; what is
-- called current is the target's as it stands now. p_after_version and p_after_hash null: the target did not move.
create or replace function patchdiff_store.receipt_of (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.append_only_pdcp_logs,
  p_changes json,
  p_context text
)
  returns patchdiff.commit_receipt
  language plpgsql
  immutable
as $$
declare
  v_receipt patchdiff.commit_receipt;
begin
  v_receipt.outcome := p_row.status;
  v_receipt.deduplicated := false;
  v_receipt.pdcp_log_id := p_row.pdcp_log_id;
  v_receipt.log_sequence := p_row.log_sequence;
  v_receipt.before_version := p_row.before_version;
  v_receipt.after_version := p_row.after_version;
  v_receipt.before_hash := p_row.before_hash;
  v_receipt.after_hash := p_row.after_hash;
  v_receipt.current_version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.validation_stage := p_row.validation_stage;
  v_receipt.decided_by := p_row.decided_by;
  v_receipt.failure_reason := p_row.failure_reason;
  v_receipt.failure_code := p_row.failure_code;
  v_receipt.failure_detail := p_row.failure_detail;
  v_receipt.failed_change_id := p_row.failed_change_id;
  v_receipt.request_fingerprint := p_row.request_fingerprint;
  v_receipt.created_at := p_row.created_at;
  v_receipt.changes := p_changes;
  v_receipt.warnings := p_row.warnings;
  v_receipt.diagnostic := p_row.diagnostic_json;
  if p_row.status = 'rejected' then
    v_receipt.current_context := concat(
      '{"version":', p_locked.version,
      ',"hash":"', p_locked.current_hash,
      '","start":0,"end":', char_length(p_context),
      ',"total_chars":', p_locked.content_chars,
      ',"text":', to_json(p_context),
      '}'
    )::json;
  end if;

  return v_receipt;
end;
$$;

comment on function patchdiff_store.receipt_of(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, json, text
) is 'The receipt of a recorded attempt on a locked target.';
--! EndIncluded patchdiff_store/receipt_of.sql
--! Included patchdiff_store/recall_attempt.sql
-- The receipt of the attempt that a request key stands for, as it was recorded, with deduplicated true. Only what is
-- called current, and the context beside it, is of the moment. The caller holds the target's lock.
create or replace function patchdiff_store.recall_attempt (
  p_locked patchdiff_store.locked_target,
  p_log_sequence bigint
)
  returns patchdiff.commit_receipt
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_receipt patchdiff.commit_receipt;
begin
  select a.*
  into strict v_row
  from patchdiff_store.append_only_pdcp_logs as a
  where a.target_file_id = p_locked.target_file_id
  and a.log_sequence = p_log_sequence;

  v_receipt := patchdiff_store.receipt_of(
    p_locked,
    v_row,
    case v_row.status when 'accepted' then patchdiff_store.changes_of(p_locked.target_file_id, p_log_sequence) end,
    case v_row.status when 'rejected' then patchdiff_store.head_of_content(p_locked.target_file_id) end
  );
  v_receipt.deduplicated := true;
  return v_receipt;
end;
$$;

comment on function patchdiff_store.recall_attempt(patchdiff_store.locked_target, bigint) is
  'The receipt of a recorded attempt, deduplicated.';
--! EndIncluded patchdiff_store/recall_attempt.sql
--! Included patchdiff_store/representable_json.sql
-- ASCII-escaped canonical JSON as canonical JSON: every escape above U+007F becomes its character, \u0000 and the other
-- control characters stay escapes. Null when the text holds a lone surrogate, which no canonical JSON can. The whole
-- text is quoted as one JSON string in which only those escapes are left to be read: linear, whatever it holds.
create or replace function patchdiff_store.representable_json (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  -- \x01 stands for an escaped backslash, \x02 for the backslash of an escape to be read: JSON holds neither as it is.
  v_text := regexp_replace(replace(p_json, '\\', E'\x01'), '\\u(?!00[0-7])', E'\x02u', 'g');
  -- chr(92): the migration tool takes a quote after a backslash for part of the text.
  v_text := replace(replace(v_text, chr(92), '\\'), '"', '\"');
  v_text := replace(replace(v_text, E'\x02', chr(92)), E'\x01', '\\\\');
  return patchdiff_store.payload_json('"' || v_text || '"') #>> '{}';
end;
$$;

comment on function patchdiff_store.representable_json(text) is
  'ASCII-escaped canonical JSON as canonical JSON, or null when it holds a lone surrogate.';
--! EndIncluded patchdiff_store/representable_json.sql
--! Included patchdiff_store/record_fingerprint.sql
-- What a request key stands for when the record is stored as it is: SHA-256 of the canonical JSON of the six parts of
-- identity. Guards that are malformed are null in it; the payload's hash tells them apart. p_parent is JSON text.
create or replace function patchdiff_store.record_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_parent text
)
  returns text
  language sql
  immutable
as $$
  select patchdiff_store.sha256_hex(convert_to(concat(
    '{"expected_current_hash":', coalesce(to_json(p_attempt.expected_current_hash)::text, 'null'),
    ',"expected_target_version":', coalesce(p_attempt.expected_target_version::text, 'null'),
    ',"parent_pdcp_log_id":', coalesce(p_parent, 'null'),
    ',"pdcp_content_hash":"', p_attempt.pdcp_content_hash,
    '","protocol_version":"', p_attempt.protocol_version,
    '","target_file_id":"', p_attempt.target_file_id, '"}'
  ), 'UTF8'))
$$;

comment on function patchdiff_store.record_fingerprint(patchdiff_store.append_only_pdcp_logs, text) is
  'SHA-256 of what a request key stands for when the record is stored as it is.';
--! EndIncluded patchdiff_store/record_fingerprint.sql
--! Included patchdiff_store/earlier_fingerprint.sql
-- What a rule older than the envelopes identified a wrapped submission by: the fingerprint of its record as plain
-- canonical JSON, in which \u0000 is an ordinary escape. For comparison with a stored key only (docs/spec/decoding.md,
-- "Keys stored by older rules"). Null when record or parent holds a lone surrogate: nothing older could store that.
-- p_attempt is the row of the wrapped submission, p_parent the parent as it takes part in identity.
create or replace function patchdiff_store.earlier_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_parent text,
  p_raw_metadata jsonb
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_attempt patchdiff_store.append_only_pdcp_logs := p_attempt;
  v_record text := patchdiff_store.representable_json(p_payload);
  v_raw text := p_raw_metadata ->> 'parent_pdcp_log_id';
  v_parent text := to_json(p_parent)::text;
begin
  -- A string with NUL is a parent as supplied; any other raw value is no string, or too long to be one.
  if left(v_raw, 1) = '"' and patchdiff_store.holds_unencodable(v_raw) then
    v_parent := patchdiff_store.representable_json(v_raw);
    if v_parent is null then
      return null;
    end if;
  end if;

  v_attempt.pdcp_content_hash := patchdiff_store.sha256_hex(convert_to(v_record, 'UTF8'));
  return case when v_record is not null then patchdiff_store.record_fingerprint(v_attempt, v_parent) end;
end;
$$;

comment on function patchdiff_store.earlier_fingerprint(
  patchdiff_store.append_only_pdcp_logs, text, text, jsonb
) is 'What an older rule identified a wrapped submission by, or null.';
--! EndIncluded patchdiff_store/earlier_fingerprint.sql
--! Included patchdiff_store/stored_fingerprint.sql
-- The fingerprint of a recorded attempt whose rule stored none: that of its payload as the plain record it is, with the
-- parent that its row names. For comparison with a stored key only; null for an envelope and for what is no record.
create or replace function patchdiff_store.stored_fingerprint (
  p_target uuid,
  p_log_sequence bigint
)
  returns text
  language plpgsql
  stable
as $$
declare
  v_row patchdiff_store.append_only_pdcp_logs;
  v_record jsonb;
begin
  select a.*
  into strict v_row
  from patchdiff_store.append_only_pdcp_logs as a
  where a.target_file_id = p_target
  and a.log_sequence = p_log_sequence;

  v_record := patchdiff_store.payload_json(patchdiff_store.mark_unencodable(v_row.pdcp_content));
  if not coalesce(v_record ? 'format', false) then
    return null;
  end if;

  v_row.expected_target_version := patchdiff_store.guard_version(v_record);
  v_row.expected_current_hash := patchdiff_store.guard_hash(v_record);
  return patchdiff_store.record_fingerprint(v_row, to_json(v_row.parent_pdcp_log_id)::text);
end;
$$;

comment on function patchdiff_store.stored_fingerprint(uuid, bigint) is
  'The fingerprint of a recorded attempt whose rule stored none, from its payload.';
--! EndIncluded patchdiff_store/stored_fingerprint.sql
--! Included patchdiff_store/request_fingerprint.sql
-- The identity of a request (docs/spec/decoding.md): SHA-256 of the canonical JSON of what its key stands for. Guards
-- that are malformed count as null; the payload's hash tells them apart. For a wrapped payload, the envelope's.
create or replace function patchdiff_store.request_fingerprint (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_parent text,
  p_evidence_format text,
  p_evidence_sha256 text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_evidence_format is null then
    return patchdiff_store.record_fingerprint(p_attempt, to_json(p_parent)::text);
  end if;

  return patchdiff_store.sha256_hex(convert_to(concat(
    '{"evidence_domain":"', p_evidence_format,
    '","evidence_sha256":"', p_evidence_sha256,
    '","target_file_id":"', p_attempt.target_file_id, '"}'
  ), 'UTF8'));
end;
$$;

comment on function patchdiff_store.request_fingerprint(patchdiff_store.append_only_pdcp_logs, text, text, text) is
  'SHA-256 of what a request key stands for.';
--! EndIncluded patchdiff_store/request_fingerprint.sql
--! Included patchdiff_store/stale_receipt.sql
-- The answer to a caller that evaluated other content than the target holds, or none: the current content, version and
-- hash, nothing written. The content is passed in after it was re-hashed.
create or replace function patchdiff_store.stale_receipt (
  p_locked patchdiff_store.locked_target,
  p_fingerprint text,
  p_content bytea
)
  returns patchdiff.commit_receipt
  language plpgsql
  immutable
as $$
declare
  v_receipt patchdiff.commit_receipt;
begin
  v_receipt.outcome := 'stale_base';
  v_receipt.deduplicated := false;
  v_receipt.current_version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.decided_by := 'database';
  v_receipt.request_fingerprint := p_fingerprint;
  v_receipt.current_content := convert_from(p_content, 'UTF8');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.stale_receipt(patchdiff_store.locked_target, text, bytea) is
  'The answer to a caller that evaluated other content than the target holds.';
--! EndIncluded patchdiff_store/stale_receipt.sql
--! Included patchdiff_store/common_run.sql
-- How many bytes from p_from on equal the bytes p_distance further on: the rest of a run with that period.
-- Gallops, then halves, so it costs a small multiple of the answer.
create or replace function patchdiff_store.common_run (
  p_hay bytea,
  p_from integer,
  p_distance integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_limit integer := octet_length(p_hay) - p_from - p_distance;
  v_same integer := 0;
  v_step integer := 64;
begin
  loop
    v_step := least(v_step, v_limit - v_same);
    exit when v_step <= 0
      or substring(p_hay from p_from + v_same + 1 for v_step)
        <> substring(p_hay from p_from + p_distance + v_same + 1 for v_step);
    v_same := v_same + v_step;
    v_step := v_step * 2;
  end loop;

  while v_step > 1 loop
    v_step := v_step / 2 + v_step % 2;
    if v_same + v_step <= v_limit
      and substring(p_hay from p_from + v_same + 1 for v_step)
        = substring(p_hay from p_from + p_distance + v_same + 1 for v_step)
    then
      v_same := v_same + v_step;
    end if;
  end loop;

  while v_same < v_limit and get_byte(p_hay, p_from + v_same) = get_byte(p_hay, p_from + p_distance + v_same) loop
    v_same := v_same + 1;
  end loop;

  return v_same;
end;
$$;

comment on function patchdiff_store.common_run(bytea, integer, integer) is
  'How many bytes from an offset on equal those a distance further on.';
--! EndIncluded patchdiff_store/common_run.sql
--! Included patchdiff_store/next_long_occurrence.sql
-- next_occurrence for a needle of more than 512 bytes: a probe of 256 bytes is searched for, then the whole compared.
-- Periodic text would make that quadratic, so the probe is taken where the needle's period breaks; a needle that is
-- periodic throughout is found by measuring runs, and a run that is too short is skipped whole (its chunks repeat only
-- in phase, so no start inside it can reach further).
create or replace function patchdiff_store.next_long_occurrence (
  p_hay bytea,
  p_needle bytea,
  p_from integer,
  p_to integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_length integer := octet_length(p_needle);
  v_period integer := position(substring(p_needle from 1 for 128) in substring(p_needle from 2 for 255));
  v_probe_at integer := 0;
  v_probe bytea;
  v_at integer := p_from;
  v_run integer;
begin
  if v_period > 0 then
    v_run := patchdiff_store.common_run(p_needle, 0, v_period) + v_period;
    if v_run < v_length then
      v_period := 0;
      v_probe_at := least(greatest(v_run - 128, 0), v_length - 256);
    end if;
  end if;

  v_probe := substring(p_needle from v_probe_at + 1 for 256);
  loop
    v_at := patchdiff_store.next_occurrence(p_hay, v_probe, v_at + v_probe_at, p_to + v_probe_at) - v_probe_at;
    exit when v_at is null;

    if v_period > 0 then
      v_run := patchdiff_store.common_run(p_hay, v_at, v_period) + v_period;
      if v_run >= v_length then
        return v_at;
      end if;

      v_at := greatest(v_at + 1, v_at + v_run - 255);
    elsif substring(p_hay from v_at + 1 for v_length) = p_needle then
      return v_at;
    else
      v_at := v_at + 1;
    end if;
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.next_long_occurrence(bytea, bytea, integer, integer) is
  'next_occurrence for needles of more than 512 bytes.';
--! EndIncluded patchdiff_store/next_long_occurrence.sql
--! Included patchdiff_store/next_occurrence.sql
-- The byte offset of the first occurrence of a needle whose start lies in p_from … p_to, or null. UTF-8 is
-- self-synchronising, so an occurrence in bytes is one in code points. Windows grow from a kilobyte to a megabyte:
-- position() cannot be interrupted, so no one call may take long. Long needles go by next_long_occurrence.
create or replace function patchdiff_store.next_occurrence (
  p_hay bytea,
  p_needle bytea,
  p_from integer,
  p_to integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_length integer := octet_length(p_needle);
  v_to integer := least(p_to, octet_length(p_hay) - v_length);
  v_from integer := greatest(p_from, 0);
  v_window integer := 1024;
  v_at integer;
begin
  if v_length > 512 then
    return patchdiff_store.next_long_occurrence(p_hay, p_needle, v_from, v_to);
  end if;

  while v_from <= v_to loop
    v_window := least(v_window, v_to - v_from + 1);
    v_at := position(p_needle in substring(p_hay from v_from + 1 for v_window - 1 + v_length));
    if v_at > 0 then
      return v_from + v_at - 1;
    end if;

    v_from := v_from + v_window;
    v_window := least(v_window * 4, 1048576);
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.next_occurrence(bytea, bytea, integer, integer) is
  'Byte offset of the first occurrence whose start lies between two offsets, or null.';
--! EndIncluded patchdiff_store/next_occurrence.sql
--! Included patchdiff_store/is_absent.sql
-- Whether a text does not occur in another. strpos on text is several times faster than position() on bytea, but
-- quadratic on periodic text and not to be interrupted, so it never gets more than 64 bytes: a longer needle is probed
-- by its last 24 code points and only then searched for in windows.
create or replace function patchdiff_store.is_absent (
  p_hay text,
  p_needle text
)
  returns boolean
  language plpgsql
  immutable
as $$
begin
  if octet_length(p_needle) <= 64 then
    return strpos(p_hay, p_needle) = 0;
  end if;

  return strpos(p_hay, right(p_needle, 24)) = 0
    or patchdiff_store.next_occurrence(convert_to(p_hay, 'UTF8'), convert_to(p_needle, 'UTF8'), 0, 2147483647) is null;
end;
$$;

comment on function patchdiff_store.is_absent(text, text) is 'Whether a text does not occur in another.';
--! EndIncluded patchdiff_store/is_absent.sql
--! Included patchdiff_store/last_occurrence.sql
-- The byte offset of the last occurrence of a needle (overlapping ones count), or null. Windows grow from the end;
-- inside the first that holds one, halving finds the last.
create or replace function patchdiff_store.last_occurrence (
  p_hay bytea,
  p_needle bytea
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_to integer := octet_length(p_hay) - octet_length(p_needle);
  v_window integer := 4096;
  v_found integer;
  v_middle integer;
  v_later integer;
begin
  while v_to >= 0 loop
    v_found := patchdiff_store.next_occurrence(p_hay, p_needle, v_to - v_window + 1, v_to);
    exit when v_found is not null;
    v_to := v_to - v_window;
    v_window := least(v_window * 4, 1048576);
  end loop;

  while v_found < v_to loop
    v_middle := v_found + (v_to - v_found + 1) / 2;
    v_later := patchdiff_store.next_occurrence(p_hay, p_needle, v_middle, v_to);
    if v_later is null then
      v_to := v_middle - 1;
    else
      v_found := v_later;
    end if;
  end loop;

  return v_found;
end;
$$;

comment on function patchdiff_store.last_occurrence(bytea, bytea) is
  'Byte offset of the last occurrence, overlapping ones included, or null.';
--! EndIncluded patchdiff_store/last_occurrence.sql
--! Included patchdiff_store/scan_occurrences.sql
-- Counts the occurrences of a needle (overlapping ones too) whose start lies in p_from … p_to, and stops at p_limit.
-- hits is the count, last the byte offset of the last one counted. Where equal distances repeat, the text is
-- periodic and the whole run is counted at once, so 'aaaa…' costs no more than other text.
create or replace function patchdiff_store.scan_occurrences (
  p_hay bytea,
  p_needle bytea,
  p_from integer,
  p_to integer,
  p_limit bigint,
  out hits bigint,
  out last integer
)
  language plpgsql
  immutable
as $$
declare
  v_length integer := octet_length(p_needle);
  v_to integer := least(p_to, octet_length(p_hay) - v_length);
  v_from integer;
  v_near integer;
  v_next integer;
  v_distance integer;
  v_before integer;
  v_more bigint;
begin
  hits := 0;
  while hits < p_limit loop
    -- The next one is mostly near: a small piece is looked at before a search in windows is called.
    v_from := greatest(coalesce(last + 1, p_from), 0);
    exit when v_from > v_to;
    v_near := least(256, v_to - v_from + 1);
    v_next := v_from - 1
      + nullif(position(p_needle in substring(p_hay from v_from + 1 for v_near - 1 + v_length)), 0);
    v_next := coalesce(v_next, patchdiff_store.next_occurrence(p_hay, p_needle, v_from + v_near, v_to));
    exit when v_next is null;
    v_before := v_distance;
    v_distance := v_next - last;
    hits := hits + 1;
    last := v_next;

    -- The run is measured from the occurrence before: only then can none hide between two steps.
    if v_distance = v_before then
      v_more := least(
        (patchdiff_store.common_run(p_hay, last - v_distance, v_distance) - v_length) / v_distance,
        (v_to - last) / v_distance,
        p_limit - hits
      );
      if v_more > 0 then
        hits := hits + v_more;
        last := last + (v_more * v_distance)::integer;
      end if;
    end if;
  end loop;
end;
$$;

comment on function patchdiff_store.scan_occurrences(bytea, bytea, integer, integer, bigint) is
  'Counts overlapping occurrences between two offsets up to a limit, and tells where the last one counted starts.';
--! EndIncluded patchdiff_store/scan_occurrences.sql
--! Included patchdiff_store/nth_occurrence.sql
-- The byte offset of the p_nth occurrence of a needle (overlapping ones count, the first is 1), or null.
-- A number beyond every possible occurrence is answered without a search.
create or replace function patchdiff_store.nth_occurrence (
  p_hay bytea,
  p_needle bytea,
  p_nth bigint
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_scan record;
begin
  if p_nth > octet_length(p_hay) - octet_length(p_needle) + 1 then
    return null;
  end if;

  v_scan := patchdiff_store.scan_occurrences(p_hay, p_needle, 0, octet_length(p_hay), p_nth);
  return case when v_scan.hits = p_nth then v_scan.last end;
end;
$$;

comment on function patchdiff_store.nth_occurrence(bytea, bytea, bigint) is
  'Byte offset of the n-th occurrence, overlapping ones included, or null.';
--! EndIncluded patchdiff_store/nth_occurrence.sql
--! Included patchdiff_store/prefix_chars.sql
-- Code points before byte p_at of a buffer, counted from the nearest known place: the start, a checkpoint
-- (p_mark_bytes = p_mark_chars) or the end (p_bytes = p_chars). In an ASCII buffer they are the bytes.
-- length(bytea, 'UTF8') is 2.5 times faster than char_length.
create or replace function patchdiff_store.prefix_chars (
  p_buffer bytea,
  p_at integer,
  p_mark_bytes integer,
  p_mark_chars integer,
  p_bytes integer,
  p_chars integer
)
  returns integer
  language plpgsql
  immutable
as $$
begin
  if p_bytes = p_chars then
    return p_at;
  elsif p_at >= p_mark_bytes then
    if p_bytes - p_at < p_at - p_mark_bytes then
      return p_chars - length(substring(p_buffer from p_at + 1), 'UTF8');
    end if;

    return p_mark_chars + length(substring(p_buffer from p_mark_bytes + 1 for p_at - p_mark_bytes), 'UTF8');
  elsif p_at < p_mark_bytes - p_at then
    return length(substring(p_buffer from 1 for p_at), 'UTF8');
  end if;

  return p_mark_chars - length(substring(p_buffer from p_at + 1 for p_mark_bytes - p_at), 'UTF8');
end;
$$;

comment on function patchdiff_store.prefix_chars(bytea, integer, integer, integer, integer, integer) is
  'Code points before a byte offset of a buffer, counted from the nearest known place.';
--! EndIncluded patchdiff_store/prefix_chars.sql
--! Included patchdiff_store/is_only_at.sql
-- Whether a text that stands at byte p_start of a buffer occurs nowhere else between bytes p_low and p_high: not before
-- its last character and not after its first. strpos on text, because position() on bytea takes five times as long;
-- is_absent says why not for long texts, and is only called for those, because a call costs more than a short search.
create or replace function patchdiff_store.is_only_at (
  p_buffer bytea,
  p_text text,
  p_start integer,
  p_low integer,
  p_high integer
)
  returns boolean
  language sql
  stable
as $$
  select case
    when octet_length(p_text) <= 64 then
      strpos(convert_from(substring(
        p_buffer from p_low + 1 for p_start + octet_length(p_text) - octet_length(right(p_text, 1)) - p_low
      ), 'UTF8'), p_text) = 0
      and strpos(convert_from(substring(
        p_buffer from p_start + octet_length(left(p_text, 1)) + 1 for p_high - p_start - octet_length(left(p_text, 1))
      ), 'UTF8'), p_text) = 0
    else
      patchdiff_store.is_absent(convert_from(substring(
        p_buffer from p_low + 1 for p_start + octet_length(p_text) - octet_length(right(p_text, 1)) - p_low
      ), 'UTF8'), p_text)
      and patchdiff_store.is_absent(convert_from(substring(
        p_buffer from p_start + octet_length(left(p_text, 1)) + 1 for p_high - p_start - octet_length(left(p_text, 1))
      ), 'UTF8'), p_text)
  end
$$;

comment on function patchdiff_store.is_only_at(bytea, text, integer, integer, integer) is
  'Whether a text at a byte offset of a buffer occurs nowhere else between two others.';
--! EndIncluded patchdiff_store/is_only_at.sql
--! Included patchdiff_store/walk_of.sql
-- The start of a walk: what operations say by themselves, wherever they apply. Positions, content and hash are the walk's own.
create or replace function patchdiff_store.walk_of (
  p_operations patchdiff_store.operations
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
begin
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  select
    array_agg(length(t.old, 'UTF8')),
    array_agg(length(t.new, 'UTF8')),
    array_agg(octet_length(t.old)),
    array_agg(octet_length(t.new)),
    array_agg(patchdiff_store.sha256_hex(t.old)),
    array_agg(patchdiff_store.sha256_hex(t.new))
  into
    v_walk.matched_chars, v_walk.replacement_chars, v_walk.deleted_bytes, v_walk.inserted_bytes, v_walk.matched_sha256,
    v_walk.replacement_sha256
  from (
    select convert_to(o.matched, 'UTF8') as old, convert_to(o.replacement, 'UTF8') as new
    from unnest(p_operations.matched, p_operations.replacement) with ordinality as o(matched, replacement, position)
    order by o.position
    offset 0
  ) as t;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_of(patchdiff_store.operations) is
  'The start of a walk: what operations say by themselves, wherever they apply.';
--! EndIncluded patchdiff_store/walk_of.sql
--! Included patchdiff_store/walk_single.sql
-- walk_claimed for the commonest submission: one match without selectors, at the start a caller claims. Null when the claim
-- does not hold. No loop and no arrays to index, and the content is never copied but where it must be.
create or replace function patchdiff_store.walk_single (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_start integer
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_text text := p_operations.matched[1];
  v_old bytea := convert_to(v_text, 'UTF8');
  v_new bytea := convert_to(p_operations.replacement[1], 'UTF8');
  v_length integer := octet_length(v_old);
  v_bytes integer := octet_length(p_content);
  v_old_chars integer := length(v_old, 'UTF8');
  v_new_chars integer := length(v_new, 'UTF8');
  v_start_chars integer := p_start;
begin
  if p_start < 0 or p_start > v_bytes - v_length or substring(p_content from p_start + 1 for v_length) <> v_old
    or v_bytes - v_length + octet_length(v_new) > 16777216
    or not patchdiff_store.is_only_at(p_content, v_text, p_start, 0, v_bytes)
  then
    return null;
  end if;

  if v_bytes <> p_chars then
    v_start_chars := patchdiff_store.prefix_chars(p_content, p_start, 0, 0, v_bytes, p_chars);
  end if;

  v_walk.after_content := overlay(p_content placing v_new from p_start + 1 for v_length);
  v_walk.after_chars := p_chars - v_old_chars + v_new_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  v_walk.span_start := array[v_start_chars];
  v_walk.span_end := array[v_start_chars + v_old_chars];
  v_walk.matched_chars := array[v_old_chars];
  v_walk.replacement_chars := array[v_new_chars];
  v_walk.matched_sha256 := array[patchdiff_store.sha256_hex(v_old)];
  v_walk.replacement_sha256 := array[patchdiff_store.sha256_hex(v_new)];
  v_walk.start_byte := array[p_start];
  v_walk.deleted_bytes := array[v_length];
  v_walk.inserted_bytes := array[octet_length(v_new)];
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_single(bytea, integer, patchdiff_store.operations, integer) is
  'The walk of one match without selectors at a claimed start; null when the claim does not hold.';
--! EndIncluded patchdiff_store/walk_single.sql
--! Included patchdiff_store/walk_each.sql
-- The exact walk of walk_claimed: one operation after the other, each against the buffer that the ones before it left.
-- p_starts are as many byte offsets as there are operations. Null when anything does not hold.
create or replace function patchdiff_store.walk_each (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_starts integer[]
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk := patchdiff_store.walk_of(p_operations);
  v_buffer bytea;
  v_bytes integer := octet_length(p_content);
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_count integer := cardinality(p_operations.operation);
  v_operation text[] := p_operations.operation;
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_index bigint[] := p_operations.occurrence_index;
  v_anchor_before text[] := p_operations.anchor_before;
  v_anchor_after text[] := p_operations.anchor_after;
  v_from bigint[] := p_operations.span_start;
  v_to bigint[] := p_operations.span_end;
  v_before text[] := p_operations.expected_before;
  v_after text[] := p_operations.expected_after;
  v_starts integer[] := p_starts;
  v_span_start integer[];
  v_span_end integer[];
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
  v_deleted integer[] := v_walk.deleted_bytes;
  v_inserted integer[] := v_walk.inserted_bytes;
  v_text text;
  v_old bytea;
  v_length integer;
  v_start integer;
  v_start_chars integer;
  v_old_chars integer;
  v_low integer;
  v_high integer;
  v_context bytea;
begin
  v_buffer := p_content;
  for v_i in 1..v_count loop
    v_start := v_starts[v_i];
    v_text := v_matched[v_i];
    v_old := convert_to(v_text, 'UTF8');
    v_length := v_deleted[v_i];
    v_old_chars := v_matched_chars[v_i];

    if v_start < 0 or v_start > v_bytes - v_length or substring(v_buffer from v_start + 1 for v_length) <> v_old then
      return null;
    end if;

    if v_operation[v_i] = 'match' then
      v_low := 0;
      v_high := v_bytes;
      if v_anchor_before[v_i] is not null then
        v_context := convert_to(v_anchor_before[v_i], 'UTF8');
        v_low := patchdiff_store.next_occurrence(v_buffer, v_context, 0, v_start) + octet_length(v_context);
        if v_low is null or v_low > v_start then
          return null;
        end if;
      end if;

      if v_anchor_after[v_i] is not null then
        v_high := patchdiff_store.last_occurrence(v_buffer, convert_to(v_anchor_after[v_i], 'UTF8'));
        if v_high is null or v_high < v_start + v_length then
          return null;
        end if;
      end if;

      if (case
        when v_index[v_i] is null then not patchdiff_store.is_only_at(v_buffer, v_text, v_start, v_low, v_high)
        else patchdiff_store.nth_occurrence(v_buffer, v_old, v_index[v_i]) is distinct from v_start
      end) then
        return null;
      end if;

      v_start_chars := case
        when v_bytes = v_chars then v_start
        else patchdiff_store.prefix_chars(v_buffer, v_start, v_mark_bytes, v_mark_chars, v_bytes, v_chars)
      end;
    else
      if v_from[v_i] > v_to[v_i] or v_to[v_i] > v_chars or v_to[v_i] - v_from[v_i] <> v_old_chars
        or (v_start < v_bytes and get_byte(v_buffer, v_start) & 192 = 128)
      then
        return null;
      end if;

      v_start_chars :=
        patchdiff_store.prefix_chars(v_buffer, v_start, v_mark_bytes, v_mark_chars, v_bytes, v_chars);
      if v_start_chars <> v_from[v_i] then
        return null;
      end if;

      if v_before[v_i] is not null then
        v_context := convert_to(v_before[v_i], 'UTF8');
        if octet_length(v_context) > v_start
          or substring(v_buffer from v_start - octet_length(v_context) + 1 for octet_length(v_context)) <> v_context
        then
          return null;
        end if;
      end if;

      if v_after[v_i] is not null then
        v_context := convert_to(v_after[v_i], 'UTF8');
        if substring(v_buffer from v_start + v_length + 1 for octet_length(v_context)) <> v_context then
          return null;
        end if;
      end if;
    end if;

    v_buffer := overlay(v_buffer placing convert_to(v_replacement[v_i], 'UTF8') from v_start + 1 for v_length);
    v_bytes := v_bytes - v_length + v_inserted[v_i];
    v_chars := v_chars - v_old_chars + v_replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
    v_span_start[v_i] := v_start_chars;
    v_span_end[v_i] := v_start_chars + v_old_chars;
  end loop;

  if v_bytes > 16777216 then
    return null;
  end if;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_each(bytea, integer, patchdiff_store.operations, integer[]) is
  'The exact walk of walk_claimed, operation by operation; null when anything does not hold.';
--! EndIncluded patchdiff_store/walk_each.sql
--! Included patchdiff_store/is_intact.sql
-- Whether a target's content is what its row and its head say: it hashes to the stored hash, and version and hash are
-- those of the latest accepted attempt. Asked in every acceptance and before any stale_base, never skipped for speed.
create or replace function patchdiff_store.is_intact (
  p_locked patchdiff_store.locked_target,
  p_content bytea
)
  returns boolean
  language sql
  stable
as $$
  select patchdiff_store.sha256_hex(p_content) = p_locked.current_hash
    and p_locked.version = p_locked.accepted_version
    and p_locked.current_hash = p_locked.accepted_hash
    and length(p_content, 'UTF8') = p_locked.content_chars
    and octet_length(p_content) = p_locked.content_bytes
$$;

comment on function patchdiff_store.is_intact(patchdiff_store.locked_target, bytea) is
  'Whether a target''s content is what its row and its head say.';
--! EndIncluded patchdiff_store/is_intact.sql
--! Included patchdiff_store/walk_masked.sql
-- The fast path of walk_claimed for several matches of a big document: plain matches of at most 512 bytes without
-- selectors, in ascending order, further apart than two of the longest. The content is cut at the edits and joined with
-- U+0001, once, so each uniqueness check is one strpos that must miss: no copy of the buffer an edit. Occurrences
-- that touch an edited place are looked for in small windows: old text for later edits, new text for earlier ones.
-- Null for anything unusual, a wrong claim included; then the exact loop decides.
create or replace function patchdiff_store.walk_masked (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_starts integer[]
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk := patchdiff_store.walk_of(p_operations);
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_starts integer[] := p_starts;
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
  v_deleted integer[] := v_walk.deleted_bytes;
  v_inserted integer[] := v_walk.inserted_bytes;
  v_count integer := cardinality(p_operations.matched);
  v_bytes integer := octet_length(p_content);
  v_is_ascii boolean := octet_length(p_content) = p_chars;
  v_widest integer;
  v_old bytea;
  v_length integer;
  v_start integer;
  v_left bytea;
  v_right bytea;
  v_end integer := 0;
  v_end_chars integer := 0;
  v_shift integer := 0;
  v_shift_chars integer := 0;
  v_olds bytea := '';
  v_news bytea := '';
  v_from integer;
  v_is_absent boolean;
  v_piece_start integer[];
  v_piece_length integer[];
  v_place integer[];
  v_news_end integer[];
  v_span_start integer[];
  v_span_end integer[];
begin
  select max(octet_length(m.text))
  into v_widest
  from unnest(v_matched) as m(text)
  having bool_and(strpos(m.text, E'\x01') = 0);
  if v_widest is null or v_widest > 512 or p_operations.span_start is not null then
    return null;
  end if;

  for v_i in 1..v_count loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_length := v_deleted[v_i];
    if v_starts[v_i] not between 0 and 33554432 then
      return null;
    end if;

    v_start := v_starts[v_i] - v_shift;
    if v_start < 0 or v_start > v_bytes - v_length
      or (v_i > 1 and v_start < v_end + 2 * v_widest)
      or substring(p_content from v_start + 1 for v_length) <> v_old
    then
      return null;
    end if;

    v_piece_start[v_i] := v_end;
    v_piece_length[v_i] := v_start - v_end;
    v_left := substring(
      p_content from greatest(v_start - v_widest + 1, 0) + 1 for v_start - greatest(v_start - v_widest + 1, 0));
    v_right := substring(p_content from v_start + v_length + 1 for v_widest - 1);
    v_place[v_i] := octet_length(v_olds) + octet_length(v_left) + 1;
    v_olds := v_olds || v_left || v_old || v_right || '\x01';
    v_news := v_news || v_left || convert_to(v_replacement[v_i], 'UTF8') || v_right || '\x01';
    v_news_end[v_i] := octet_length(v_news);

    v_end_chars := v_end_chars + case
      when v_is_ascii then v_start - v_end
      else length(substring(p_content from v_end + 1 for v_start - v_end), 'UTF8')
    end;
    v_span_start[v_i] := v_end_chars + v_shift_chars;
    v_end := v_start + v_length;
    v_end_chars := v_end_chars + v_matched_chars[v_i];
    v_span_end[v_i] := v_end_chars + v_shift_chars;
    v_shift := v_shift + v_inserted[v_i] - v_length;
    v_shift_chars := v_shift_chars + v_replacement_chars[v_i] - v_matched_chars[v_i];
  end loop;

  if v_bytes + v_shift > 16777216 then
    return null;
  end if;

  for v_i in 1..v_count loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_from := v_place[v_i] - least(v_place[v_i] - 1, v_widest - 1);
    if v_i > 1 then
      v_from := greatest(v_from, v_place[v_i - 1] + v_deleted[v_i - 1]);
    end if;

    if position(v_old in substring(v_olds from v_from)) <> v_place[v_i] - v_from + 1
      or position(v_old in substring(v_olds from v_place[v_i] + 1)) > 0
      or (v_i > 1 and position(v_old in substring(v_news from 1 for v_news_end[v_i - 1])) > 0)
    then
      return null;
    end if;
  end loop;

  -- Both texts are made and searched inside the query: a variable would copy them.
  select
    not exists (select from unnest(v_matched) as m(text) where not patchdiff_store.is_absent(j.masked, m.text)),
    j.after
  into v_is_absent, v_walk.after_content
  from (
    select
      convert_from(string_agg(p.piece, '\x01'::bytea), 'UTF8') as masked,
      string_agg(p.piece || p.new, ''::bytea) as after
    from (
      select
        substring(p_content from k.start + 1 for k.length) as piece,
        coalesce(convert_to(k.replacement, 'UTF8'), '') as new
      from unnest(v_piece_start || v_end, v_piece_length || v_bytes - v_end, v_replacement) with ordinality
        as k(start, length, replacement, position)
      order by k.position
      offset 0
    ) as p
    offset 0
  ) as j;
  if not v_is_absent then
    return null;
  end if;

  v_walk.after_chars := p_chars + v_shift_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_masked(bytea, integer, patchdiff_store.operations, integer[]) is
  'The fast path of walk_claimed for ascending plain matches that lie apart; null for anything else.';
--! EndIncluded patchdiff_store/walk_masked.sql
--! Included patchdiff_store/walk_claimed.sql
-- Applies the operations of a decoded record at the starts a caller claims, believing none of them: every start, match,
-- expected text, selector and uniqueness is checked, in order, against the buffer as it stands. Anything that does not
-- hold gives null, and walk_found then derives the truth. p_starts are byte offsets, one an operation.
-- walk_each does it; one plain match goes by walk_single and many edits of a big document by walk_masked, which give the same.
create or replace function patchdiff_store.walk_claimed (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_starts integer[]
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_count integer := cardinality(p_operations.operation);
begin
  if array_lower(p_starts, 1) is distinct from 1
    or array_ndims(p_starts) <> 1
    or cardinality(p_starts) <> v_count
    or array_position(p_starts, null) is not null
  then
    return null;
  end if;

  -- read_operations leaves these arrays null when no item is a span or has a selector.
  if p_operations.span_start is null then
    if v_count = 1 then
      return patchdiff_store.walk_single(p_content, p_chars, p_operations, p_starts[1]);
    elsif v_count > 2 and octet_length(p_content)::bigint * v_count >= 1000000 then
      v_walk := patchdiff_store.walk_masked(p_content, p_chars, p_operations, p_starts);
      if v_walk.after_content is not null then
        return v_walk;
      end if;
    end if;
  end if;

  return patchdiff_store.walk_each(p_content, p_chars, p_operations, p_starts);
end;
$$;

comment on function patchdiff_store.walk_claimed(bytea, integer, patchdiff_store.operations, integer[]) is
  'Applies operations at claimed starts and checks every claim; null when anything does not hold.';
--! EndIncluded patchdiff_store/walk_claimed.sql
--! Included patchdiff_store/consumer_of.sql
-- The position of the first change of a walk after which a text no longer occurs, by applying the walk's changes again.
-- The text must occur in the content and not after the last change.
create or replace function patchdiff_store.consumer_of (
  p_content bytea,
  p_needle bytea,
  p_walk patchdiff_store.walk,
  p_replacement text[]
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_buffer bytea := p_content;
begin
  for v_i in 1..cardinality(p_walk.start_byte) loop
    v_buffer := overlay(
      v_buffer placing convert_to(p_replacement[v_i], 'UTF8')
      from p_walk.start_byte[v_i] + 1 for p_walk.deleted_bytes[v_i]
    );
    if patchdiff_store.next_occurrence(v_buffer, p_needle, 0, 2147483647) is null then
      return v_i;
    end if;
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.consumer_of(bytea, bytea, patchdiff_store.walk, text[]) is
  'Position of the first change of a walk after which a text no longer occurs.';
--! EndIncluded patchdiff_store/consumer_of.sql
--! Included patchdiff_store/cut_context.sql
-- Puts the surroundings of a failure into a fault: at most 256 code points of the buffer that failed, from its head
-- (p_point null) or around a point, with the count of changes applied before (docs/spec/decoding.md, failure_context).
create or replace function patchdiff_store.cut_context (
  p_fault patchdiff_store.fault,
  p_buffer bytea,
  p_chars integer,
  p_prior_changes integer,
  p_point bigint
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault := p_fault;
begin
  v_fault.prior_changes := p_prior_changes;
  v_fault.context_kind := case when p_point is null then 'prefix' else 'window' end;
  v_fault.context_start := least(greatest(0, coalesce(p_point, 0) - 128), greatest(0, p_chars - 256));
  if p_point is null then
    v_fault.context_start := 0;
  end if;

  v_fault.context_total := p_chars;
  v_fault.context_text := substr(convert_from(p_buffer, 'UTF8'), v_fault.context_start + 1, 256);
  return v_fault;
end;
$$;

comment on function patchdiff_store.cut_context(patchdiff_store.fault, bytea, integer, integer, bigint) is
  'A fault with at most 256 code points of the buffer that failed.';
--! EndIncluded patchdiff_store/cut_context.sql
--! Included patchdiff_store/candidates_evidence.sql
-- The occurrences of a text whose start lies in p_from … p_to, as evidence: the first five, and their count up to 1,000.
-- JSON members with a comma in front, in the contract's order; numbers are code points, the index counts all occurrences.
create or replace function patchdiff_store.candidates_evidence (
  p_buffer bytea,
  p_needle bytea,
  p_from integer,
  p_to integer,
  out evidence text,
  out count bigint,
  out first_chars integer
)
  language plpgsql
  immutable
as $$
declare
  v_index bigint;
  v_at integer := p_from - 1;
  v_length integer := octet_length(p_needle);
  v_start integer;
  v_before text;
  v_shown text[] := '{}';
begin
  v_index := (patchdiff_store.scan_occurrences(p_buffer, p_needle, 0, p_from - 1, 2147483647)).hits;
  count := (patchdiff_store.scan_occurrences(p_buffer, p_needle, p_from, p_to, 1000)).hits;

  for v_position in 1..least(count, 5) loop
    v_at := patchdiff_store.next_occurrence(p_buffer, p_needle, v_at + 1, p_to);
    v_before := convert_from(substring(p_buffer from 1 for v_at), 'UTF8');
    v_start := char_length(v_before);
    first_chars := coalesce(first_chars, v_start);
    v_shown := v_shown || concat(
      '{"occurrence_index":', v_index + v_position,
      ',"start":', v_start,
      ',"end":', v_start + length(p_needle, 'UTF8'),
      ',"line":', 1 + octet_length(v_before) - octet_length(replace(v_before, E'\n', '')),
      ',"before":', to_json(right(v_before, 40)),
      ',"after":', to_json(left(convert_from(substring(p_buffer from v_at + v_length + 1), 'UTF8'), 40)),
      '}'
    );
  end loop;

  evidence := concat(
    ',"exact_candidates":[', array_to_string(v_shown, ','), '],"candidate_count":', count,
    case when count >= 1000 then ',"candidate_count_capped":true' end
  );
end;
$$;

comment on function patchdiff_store.candidates_evidence(bytea, bytea, integer, integer) is
  'The first five occurrences in a range and their count, as members of the diagnostic.';
--! EndIncluded patchdiff_store/candidates_evidence.sql
--! Included patchdiff_store/resolve_match.sql
-- Where a match applies in a buffer, found without any claim: exactly one occurrence that the selectors leave. start is
-- its byte offset; else code says why there is none and evidence, count and point_chars explain it (count and
-- point_chars only for candidates). Selectors are conjunctive; the anchors come to one interval.
create or replace function patchdiff_store.resolve_match (
  p_buffer bytea,
  p_needle bytea,
  p_index bigint,
  p_anchor_before text,
  p_anchor_after text,
  out start integer,
  out code text,
  out evidence text,
  out count bigint,
  out point_chars integer
)
  language plpgsql
  immutable
as $$
declare
  v_bytes integer := octet_length(p_buffer);
  v_length integer := octet_length(p_needle);
  v_first integer;
  v_low integer := 0;
  v_last integer;
  v_anchor bytea;
  v_shown record;
begin
  v_first := patchdiff_store.next_occurrence(p_buffer, p_needle, 0, v_bytes);
  if v_first is null then
    code := 'match_absent';
    return;
  end if;

  v_last := v_bytes - v_length;
  if p_anchor_before is not null then
    v_anchor := convert_to(p_anchor_before, 'UTF8');
    v_low := patchdiff_store.next_occurrence(p_buffer, v_anchor, 0, v_bytes) + octet_length(v_anchor);
  end if;

  if p_anchor_after is not null then
    v_last := patchdiff_store.last_occurrence(p_buffer, convert_to(p_anchor_after, 'UTF8')) - v_length;
  end if;

  if v_low is not null and v_last is not null then
    if p_index is not null then
      start := patchdiff_store.nth_occurrence(p_buffer, p_needle, p_index);
      if start not between v_low and v_last then
        start := null;
      end if;
    else
      start := case when v_low <= v_first and v_first <= v_last then v_first
        else patchdiff_store.next_occurrence(p_buffer, p_needle, v_low, v_last) end;
      if patchdiff_store.next_occurrence(p_buffer, p_needle, start + 1, v_last) is not null then
        code := 'match_ambiguous';
      end if;
    end if;
  end if;

  if start is null then
    code := 'selector_excludes_all';
    v_shown := patchdiff_store.candidates_evidence(p_buffer, p_needle, 0, v_bytes);
  elsif code is not null then
    v_shown := patchdiff_store.candidates_evidence(p_buffer, p_needle, v_low, v_last);
    start := null;
  else
    return;
  end if;

  evidence := v_shown.evidence;
  count := v_shown.count;
  point_chars := v_shown.first_chars;
end;
$$;

comment on function patchdiff_store.resolve_match(bytea, bytea, bigint, text, text) is
  'The byte offset at which a match applies, or why it does not, with evidence.';
--! EndIncluded patchdiff_store/resolve_match.sql
--! Included patchdiff_store/prefix_bytes.sql
-- Bytes before code point p_at of a buffer: the inverse of prefix_chars, and like it counted from the nearest known
-- place: the start, a checkpoint (p_mark_bytes = p_mark_chars) or the end (p_bytes = p_chars). 0 <= p_at <= p_chars.
-- A code point has at most four bytes, so a piece of four times the distance, cut at whole code points, is enough.
create or replace function patchdiff_store.prefix_bytes (
  p_buffer bytea,
  p_at integer,
  p_mark_bytes integer,
  p_mark_chars integer,
  p_bytes integer,
  p_chars integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_from integer := 0;
  v_to integer := p_bytes;
  v_skip integer := p_at;
begin
  if p_bytes = p_chars then
    return p_at;
  elsif p_at = p_chars then
    return p_bytes;
  end if;

  if p_at >= p_mark_chars and p_at - p_mark_chars <= p_chars - p_at then
    v_from := p_mark_bytes;
    v_skip := p_at - p_mark_chars;
  elsif p_at >= p_mark_chars then
    v_skip := p_at - p_chars;
  elsif p_mark_chars - p_at < p_at then
    v_to := p_mark_bytes;
    v_skip := p_at - p_mark_chars;
  end if;

  -- v_skip counts forward from v_from, or, when negative, back from v_to. A byte 10xxxxxx goes on with a code point.
  if v_skip >= 0 then
    v_to := least(v_to, v_from + 4::bigint * v_skip)::integer;
    while v_to < p_bytes and get_byte(p_buffer, v_to) & 192 = 128 loop
      v_to := v_to + 1;
    end loop;

    return v_from + octet_length(left(convert_from(substring(p_buffer from v_from + 1 for v_to - v_from), 'UTF8'), v_skip));
  end if;

  v_from := greatest(0, v_to + 4::bigint * v_skip)::integer;
  while get_byte(p_buffer, v_from) & 192 = 128 loop
    v_from := v_from + 1;
  end loop;

  return v_to - octet_length(right(convert_from(substring(p_buffer from v_from + 1 for v_to - v_from), 'UTF8'), -v_skip));
end;
$$;

comment on function patchdiff_store.prefix_bytes(bytea, integer, integer, integer, integer, integer) is
  'Bytes before a code point of a buffer, counted from the nearest known place.';
--! EndIncluded patchdiff_store/prefix_bytes.sql
--! Included patchdiff_store/span_holds.sql
-- Whether a span applies to a buffer: exactly when span_fault finds nothing, which also explains it, but without reading
-- the buffer as text. p_number is the operation's position, p_start the byte offset of its start.
create or replace function patchdiff_store.span_holds (
  p_buffer bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_number integer,
  p_start integer
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_from bigint := p_operations.span_start[p_number];
  v_to bigint := p_operations.span_end[p_number];
  v_text bytea := convert_to(p_operations.matched[p_number], 'UTF8');
  v_before bytea := convert_to(coalesce(p_operations.expected_before[p_number], ''), 'UTF8');
  v_after bytea := convert_to(coalesce(p_operations.expected_after[p_number], ''), 'UTF8');
  v_end integer := p_start + octet_length(v_text);
begin
  return v_from <= v_to
    and v_to <= p_chars
    and v_to - v_from = length(v_text, 'UTF8')
    and substring(p_buffer from p_start + 1 for octet_length(v_text)) = v_text
    and octet_length(v_before) <= p_start
    and substring(p_buffer from p_start - octet_length(v_before) + 1 for octet_length(v_before)) = v_before
    and substring(p_buffer from v_end + 1 for octet_length(v_after)) = v_after;
end;
$$;

comment on function patchdiff_store.span_holds(bytea, integer, patchdiff_store.operations, integer, integer) is
  'Whether a span applies to a buffer; span_fault says why not.';
--! EndIncluded patchdiff_store/span_holds.sql
--! Included patchdiff_store/span_fault.sql
-- What stands against a span of a buffer: bounds, then the expected text and its neighbours, in the contract's order.
-- All null when it applies. p_number is the operation's position; every offset is in code points.
create or replace function patchdiff_store.span_fault (
  p_buffer bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_number integer
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_path text := 'operations[' || (p_number - 1) || ']';
  v_id text := p_operations.change_id[p_number];
  v_start bigint := p_operations.span_start[p_number];
  v_end bigint := p_operations.span_end[p_number];
  v_text text;
  v_fault patchdiff_store.fault;
  v_check record;
begin
  if v_start > v_end or v_end > p_chars then
    v_fault := patchdiff_store.fault_of('span_out_of_bounds', null, p_number, v_id,
      jsonb_build_object('path', v_path, 'start', v_start, 'end', v_end, 'total', p_chars));
    return patchdiff_store.cut_context(v_fault, p_buffer, p_chars, p_number - 1, least(v_start, p_chars));
  end if;

  v_text := convert_from(p_buffer, 'UTF8');
  for v_check in
    select c.field, c.expected, substr(v_text, c.from_chars + 1, c.to_chars - c.from_chars) as actual
    from (values
      (1, 'expected_text', p_operations.matched[p_number], v_start::integer, v_end::integer),
      (2, 'expected_before', p_operations.expected_before[p_number],
        greatest(0, v_start::integer - char_length(p_operations.expected_before[p_number])), v_start::integer),
      (3, 'expected_after', p_operations.expected_after[p_number],
        v_end::integer, least(p_chars, v_end::integer + char_length(p_operations.expected_after[p_number])))
    ) as c(position, field, expected, from_chars, to_chars)
    where c.expected is not null
    order by c.position
  loop
    if v_check.actual <> v_check.expected then
      v_fault := patchdiff_store.fault_of('span_expected_text_mismatch', v_path || '.' || v_check.field, p_number, v_id);
      v_fault.evidence := concat(
        ',"near_miss_query":', to_json(left(v_check.expected, 256)),
        ',"actual_text":', to_json(left(v_check.actual, 256))
      );
      return patchdiff_store.cut_context(v_fault, p_buffer, p_chars, p_number - 1, v_start);
    end if;
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.span_fault(bytea, integer, patchdiff_store.operations, integer) is
  'What stands against applying a span to a buffer, or all null.';
--! EndIncluded patchdiff_store/span_fault.sql
--! Included patchdiff_store/walk_found.sql
-- Applies the operations of a decoded record and finds every place itself: the database's own reading, used wherever no
-- claim is to be believed (rejections, contradicted claims, calls without a runtime). The first operation that does
-- not apply decides the fault, with its evidence; then the rest of the walk says nothing.
create or replace function patchdiff_store.walk_found (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_container text
)
  returns patchdiff_store.walk
  language plpgsql
  immutable
as $$
declare
  v_walk patchdiff_store.walk;
  v_buffer bytea := p_content;
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_old bytea;
  v_new bytea;
  v_start integer;
  v_start_chars integer;
  v_place record;
  v_by integer;
begin
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;

  for v_i in 1..cardinality(p_operations.operation) loop
    v_old := convert_to(p_operations.matched[v_i], 'UTF8');
    v_new := convert_to(p_operations.replacement[v_i], 'UTF8');

    if p_operations.operation[v_i] = 'span' then
      v_start_chars := least(p_operations.span_start[v_i], v_chars);
      v_start := patchdiff_store.prefix_bytes(
        v_buffer, v_start_chars, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      if not patchdiff_store.span_holds(v_buffer, v_chars, p_operations, v_i, v_start) then
        v_walk.fault := patchdiff_store.span_fault(v_buffer, v_chars, p_operations, v_i);
        return v_walk;
      end if;
    else
      v_place := patchdiff_store.resolve_match(
        v_buffer, v_old, p_operations.occurrence_index[v_i], p_operations.anchor_before[v_i], p_operations.anchor_after[v_i]);
      v_start := v_place.start;
      if v_place.code = 'match_absent' and v_i > 1
        and patchdiff_store.next_occurrence(p_content, v_old, 0, 2147483647) is not null
      then
        v_by := patchdiff_store.consumer_of(p_content, v_old, v_walk, p_operations.replacement);
        v_place.code := 'sequential_match_invalid';
        v_place.point_chars := least(v_walk.span_start[v_by], v_chars);
        v_place.evidence := concat(
          ',"consumed_match":{"change_id":', to_json(p_operations.change_id[v_by]), ',"ordinal":', v_by,
          ',"span_start":', v_walk.span_start[v_by], ',"span_end":', v_walk.span_end[v_by], '}'
        );
      end if;

      if v_start is null then
        v_walk.fault := patchdiff_store.cut_context(
          patchdiff_store.fault_of(v_place.code, null, v_i, p_operations.change_id[v_i], jsonb_build_object(
            'path', p_container || '[' || (v_i - 1) || '].match',
            'change_id', p_operations.change_id[v_by],
            'count', case when v_place.count >= 1000 then 'at least 1000' else v_place.count::text end
          )),
          v_buffer, v_chars, v_i - 1, v_place.point_chars
        );
        v_walk.fault.evidence := concat(
          v_place.evidence,
          case when v_place.count is null then ',"near_miss_query":' || to_json(left(p_operations.matched[v_i], 256))::text end
        );
        return v_walk;
      end if;

      v_start_chars := patchdiff_store.prefix_chars(
        v_buffer, v_start, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
    end if;

    v_buffer := overlay(v_buffer placing v_new from v_start + 1 for octet_length(v_old));
    v_walk.span_start[v_i] := v_start_chars;
    v_walk.span_end[v_i] := v_start_chars + length(v_old, 'UTF8');
    v_walk.matched_chars[v_i] := length(v_old, 'UTF8');
    v_walk.replacement_chars[v_i] := length(v_new, 'UTF8');
    v_walk.start_byte[v_i] := v_start;
    v_walk.deleted_bytes[v_i] := octet_length(v_old);
    v_walk.inserted_bytes[v_i] := octet_length(v_new);
    v_walk.matched_sha256[v_i] := patchdiff_store.sha256_hex(v_old);
    v_walk.replacement_sha256[v_i] := patchdiff_store.sha256_hex(v_new);
    v_chars := v_chars - v_walk.matched_chars[v_i] + v_walk.replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
  end loop;

  if octet_length(v_buffer) > 16777216 then
    v_walk.fault := patchdiff_store.cut_context(
      patchdiff_store.fault_of('result_too_large'), v_buffer, v_chars, cardinality(p_operations.operation), null);
    return v_walk;
  end if;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_found(bytea, integer, patchdiff_store.operations, text) is
  'Applies operations and finds every place itself; the first fault with its evidence, or the result.';
--! EndIncluded patchdiff_store/walk_found.sql
--! Included patchdiff_store/walk_replacement.sql
-- The walk of a tx/3: one replace_all over the whole content. Always applies; its facts are those of the two texts.
create or replace function patchdiff_store.walk_replacement (
  p_locked patchdiff_store.locked_target,
  p_replacement text
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
begin
  v_walk.after_content := convert_to(patchdiff_store.lf(p_replacement), 'UTF8');
  v_walk.after_chars := length(v_walk.after_content, 'UTF8');
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.change_id := array['chg_001'];
  v_walk.operation := array['replace_all'];
  v_walk.rationale := array[null::text];
  v_walk.risk := array['low'];
  v_walk.span_start := array[0];
  v_walk.span_end := array[p_locked.content_chars];
  v_walk.matched_chars := array[p_locked.content_chars];
  v_walk.replacement_chars := array[v_walk.after_chars];
  v_walk.matched_sha256 := array[p_locked.current_hash];
  v_walk.replacement_sha256 := array[v_walk.after_hash];
  v_walk.start_byte := array[0];
  v_walk.deleted_bytes := array[p_locked.content_bytes];
  v_walk.inserted_bytes := array[octet_length(v_walk.after_content)];
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_replacement(patchdiff_store.locked_target, text) is
  'The walk of a whole-document replacement.';
--! EndIncluded patchdiff_store/walk_replacement.sql
--! Included patchdiff_store/warnings_of.sql
-- The warnings of an accepted walk, as JSON text, or null when there are none. The two no-op codes are derived from the
-- walk; the other two are advice that only the caller can give, and count when they name a change of the walk.
-- In order of application, within a change in the contract's order, no_op_transaction last.
create or replace function patchdiff_store.warnings_of (
  p_walk patchdiff_store.walk,
  p_before_hash text,
  p_claimed json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_matched text[] := p_walk.matched_sha256;
  v_replacement text[] := p_walk.replacement_sha256;
  v_is_quiet boolean := coalesce(p_claimed::text, '[]') = '[]' and p_walk.after_hash <> p_before_hash;
begin
  for v_i in 1..cardinality(v_matched) loop
    exit when not v_is_quiet;
    v_is_quiet := v_matched[v_i] <> v_replacement[v_i];
  end loop;

  if v_is_quiet then
    return null;
  end if;

  return (
    select '[' || string_agg(
      concat('{"code":"', w.code, '","change_id":', coalesce(to_json(w.change_id)::text, 'null'), '}'),
      ',' order by w.position, w.rank
    ) || ']'
    from (
      select c.position, 1 as rank, 'no_op_change' as code, c.change_id
      from unnest(p_walk.change_id, p_walk.matched_sha256, p_walk.replacement_sha256)
        with ordinality as c(change_id, matched, replacement, position)
      where c.matched = c.replacement
      union
      select array_position(p_walk.change_id, a.warning ->> 'change_id'), r.rank, r.code, a.warning ->> 'change_id'
      from json_array_elements(p_claimed) as a(warning)
      join (values (2, 'occurrence_index_basis_shift'), (3, 'grapheme_boundary_split')) as r(rank, code)
        on r.code = a.warning ->> 'code'
      where a.warning ->> 'change_id' = any (p_walk.change_id)
      union
      select 2147483647, 4, 'no_op_transaction', null
      where p_walk.after_hash = p_before_hash
    ) as w
  );
end;
$$;

comment on function patchdiff_store.warnings_of(patchdiff_store.walk, text, json) is
  'The warnings of an accepted walk as JSON text, or null.';
--! EndIncluded patchdiff_store/warnings_of.sql
--! Included patchdiff_store/commit_submission.sql
-- Judges one submission to one target under the target's lock and records the outcome: the whole of commit_attempt but
-- its argument checks, for every entry point. p_verdict is the caller's claim: accepted, rejected, none, or derive when
-- there is no runtime and the database finds every place itself (no base is compared then).
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
  p_raw_metadata jsonb
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

  v_is_sound := patchdiff_store.is_sound(
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
    v_row.warnings := patchdiff_store.warnings_of(v_walk, v_locked.current_hash, p_warnings)::json;
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
  uuid, text, text, text, integer, text, json, text, text, integer[], text, text, json, jsonb
) is 'Judges one submission under the target''s lock and records the outcome.';
--! EndIncluded patchdiff_store/commit_submission.sql
--! Included patchdiff_store/lock_target.sql
-- Takes the target: its row, then its head row, both for no key update, and returns what is narrow in the two.
-- First in the lock order everywhere; a caller that takes two targets takes them in ascending id.
-- Null when there is no such target. Two statements, hence two snapshots: the head is read after the wait for the
-- target is over, so what comes back is the latest committed state; at REPEATABLE READ a target that moved since the
-- snapshot raises 40001. Every field is named: plpgsql.extra_errors of the caller's session would refuse to fill half a row.
-- Callers read whatever else they decide on in a later statement than this call.
create or replace function patchdiff_store.lock_target (
  p_target uuid
)
  returns patchdiff_store.locked_target
  language plpgsql
  volatile
as $$
declare
  v_locked patchdiff_store.locked_target;
begin
  select
    t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_bytes,
    -- What a damaged row says of its own text must hold: counted when the recorded size is not the text's (a toasted
    -- text's size is read without the text).
    case octet_length(t.current_content) when t.content_bytes then t.content_chars else char_length(t.current_content) end,
    t.workspace_tracked,
    t.workspace_root_identity,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.created_at
  into
    v_locked.target_file_id,
    v_locked.display_name,
    v_locked.version,
    v_locked.current_hash,
    v_locked.content_bytes,
    v_locked.content_chars,
    v_locked.workspace_tracked,
    v_locked.workspace_root_identity,
    v_locked.workspace_path,
    v_locked.last_synced_disk_sha256,
    v_locked.last_synced_version,
    v_locked.source_bom,
    v_locked.created_at
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
  for no key update;

  if not found then
    return null;
  end if;

  select
    h.log_sequence,
    h.ledger_sequence,
    h.snapshot_sequence,
    h.publication_sequence,
    h.chain_sequence,
    h.open_cycle,
    h.accepted_version,
    h.accepted_hash,
    h.chain_head
  into strict
    v_locked.log_sequence,
    v_locked.ledger_sequence,
    v_locked.snapshot_sequence,
    v_locked.publication_sequence,
    v_locked.chain_sequence,
    v_locked.open_cycle,
    v_locked.accepted_version,
    v_locked.accepted_hash,
    v_locked.chain_head
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
  for no key update;

  return v_locked;
end;
$$;

comment on function patchdiff_store.lock_target(uuid) is
  'Locks a target row and then its head row and returns their narrow columns, or null when there is no such target.';
--! EndIncluded patchdiff_store/lock_target.sql
--! Included patchdiff_store/raise_target_not_found.sql
-- Raises that there is no such target (PD104): one wording for every routine that cannot answer with an outcome.
create or replace function patchdiff_store.raise_target_not_found (
  p_target uuid
)
  returns void
  language plpgsql
  stable
as $$
begin
  raise exception 'no target %', p_target
    using errcode = 'PD104',
          detail = json_build_object('target_file_id', p_target)::text,
          hint = 'list the targets and use one of their ids';
end;
$$;

comment on function patchdiff_store.raise_target_not_found(uuid) is 'Raises PD104 for an unknown target.';
--! EndIncluded patchdiff_store/raise_target_not_found.sql
--! Included patchdiff_store/check_digest.sql
-- Refuses an argument that is no SHA-256 in lowercase hexadecimal digits, or null where one is required (PD100).
create or replace function patchdiff_store.check_digest (
  p_argument text,
  p_value text,
  p_required boolean
)
  returns void
  language plpgsql
  immutable
as $$
begin
  if (p_value is null and p_required) or p_value collate "C" !~ '\A[0-9a-f]{64}\Z' then
    raise exception '%: 64 lowercase hexadecimal digits', p_argument
      using errcode = 'PD100',
            detail = json_build_object('argument', p_argument, 'rule', '64 lowercase hexadecimal digits')::text,
            hint = 'send the SHA-256 as hexadecimal text';
  end if;
end;
$$;

comment on function patchdiff_store.check_digest(text, text, boolean) is
  'Refuses an argument that is no SHA-256 as lowercase hexadecimal text.';
--! EndIncluded patchdiff_store/check_digest.sql
--! Included patchdiff_store/check_claim.sql
-- Refuses a JSON argument that is stored as the caller's claim (actor, detail of an outcome) when it is larger than 8192
-- bytes, so that a row stays narrow whatever a caller says, or holds an escape that no PostgreSQL text can (\u0000, a lone
-- surrogate): json keeps it as it is, and whoever reads it with ->> later, a view included, gets an error (PD100).
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
  'Refuses a JSON claim of the caller that is larger than 8192 bytes or cannot be read as text.';
--! EndIncluded patchdiff_store/check_claim.sql
--! Included patchdiff_store/check_save.sql
-- Refuses malformed arguments of the calls that save (PD100): the target's id, the two guards, the request key.
create or replace function patchdiff_store.check_save (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_client_request_id text
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
    v_argument := 'p_target';
    v_rule := 'a target id is required';
  elsif p_expected_version not between 0 and 9007199254740991 then
    v_argument := 'p_expected_version';
    v_rule := 'an integer from 0 to 9007199254740991';
  elsif p_client_request_id collate "C" !~ '\A[\x21-\x7E]{1,128}\Z' then
    v_argument := 'p_client_request_id';
    v_rule := '1 to 128 visible ASCII characters without spaces';
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'correct the argument and call again';
  end if;

  perform patchdiff_store.check_digest('p_expected_hash', p_expected_hash, false);
end;
$$;

comment on function patchdiff_store.check_save(uuid, bigint, text, text) is
  'Refuses malformed arguments of the calls that save.';
--! EndIncluded patchdiff_store/check_save.sql
--! Included patchdiff_store/check_creation.sql
-- Refuses malformed arguments of a creation: name, content, workspace facts (PD100), and content over 16777216 bytes
-- of UTF-8 after LF canonicalisation (PD107). A workspace path is relative to the root and stays below it by syntax alone;
-- what links on the disk make of it is for whoever opens the file. A NUL never gets here: jsonb refuses it (22P05).
create or replace function patchdiff_store.check_creation (
  p_display_name text,
  p_content text,
  p_workspace jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_bytes integer;
  v_fault text;
begin
  v_fault := case
    when p_display_name is null or octet_length(p_display_name) not between 1 and 1024
      then 'p_display_name: 1 to 1024 bytes of text are required'
    when p_content is null then 'p_content: a text is required'
    when p_workspace is null then null
    when jsonb_typeof(p_workspace) <> 'object' then 'p_workspace: an object is required'
    when exists (
      select
      from unnest(array['root', 'path', 'root_device', 'root_inode']) as k (name)
      where coalesce(jsonb_typeof(p_workspace -> k.name), '') <> 'string' or p_workspace ->> k.name = ''
    ) then 'p_workspace: root, path, root_device and root_inode are required strings'
    when octet_length(p_workspace ->> 'root') > 4096 or octet_length(p_workspace ->> 'path') > 4096
      then 'p_workspace: root and path have at most 4096 bytes each'
    when octet_length(p_workspace ->> 'root_device') > 64 or octet_length(p_workspace ->> 'root_inode') > 64
      then 'p_workspace: root_device and root_inode have at most 64 bytes each'
    when p_workspace ->> 'path' ~ '(\A|/)(\.{0,2})(/|\Z)'
      then 'p_workspace: path is relative to the root, without empty, "." and ".." parts'
  end;
  if v_fault is not null then
    raise exception '%', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', split_part(v_fault, ':', 1), 'rule', v_fault)::text,
            hint = 'correct the argument and call again';
  end if;

  perform patchdiff_store.check_digest('p_workspace.disk_sha256', p_workspace ->> 'disk_sha256', false);

  -- A pair CR LF becomes one byte, a lone CR stays one.
  v_bytes := octet_length(replace(p_content, e'\r\n', e'\n'));
  if v_bytes > 16777216 then
    raise exception 'the content has % bytes, the limit is 16777216', v_bytes
      using errcode = 'PD107',
            detail = json_build_object('bytes', v_bytes, 'limit', 16777216)::text,
            hint = 'split the document';
  end if;
end;
$$;

comment on function patchdiff_store.check_creation(text, text, jsonb) is
  'Refuses malformed or oversized arguments of a creation.';
--! EndIncluded patchdiff_store/check_creation.sql
--! Included patchdiff_store/page_limit.sql
-- The size of a page: 50 when not given, at most 200. Refuses less than 1 (PD100).
create or replace function patchdiff_store.page_limit (
  p_limit integer
)
  returns integer
  language plpgsql
  immutable
as $$
begin
  if p_limit < 1 then
    raise exception 'p_limit: an integer of at least 1'
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_limit', 'rule', 'an integer of at least 1')::text,
            hint = 'leave it out for 50 entries';
  end if;
  return least(coalesce(p_limit, 50), 200);
end;
$$;

comment on function patchdiff_store.page_limit(integer) is 'The size of a page: 50 when not given, at most 200.';
--! EndIncluded patchdiff_store/page_limit.sql
--! Included patchdiff_store/genesis_hash.sql
-- What the first row of a target's chain links to: it binds the chain to the target's id, so that the rows of one
-- target cannot be passed off as another's.
create or replace function patchdiff_store.genesis_hash (
  p_target uuid
)
  returns bytea
  language sql
  stable
as $$
  select sha256(convert_to('patchdiff-chain/1:' || p_target::text, 'UTF8'))
$$;

comment on function patchdiff_store.genesis_hash(uuid) is 'The hash that the first row of a target''s chain links to.';
--! EndIncluded patchdiff_store/genesis_hash.sql
--! Included patchdiff_store/snapshot_encoding.sql
-- The bytes of a snapshot that its row_hash covers: record_send of the columns in this order, text as UTF-8 bytes, so
-- nothing of TimeZone, DateStyle or client_encoding shows. The content stands for itself by content_hash, which
-- verify_target recomputes. It inlines, so the content is not read.
create or replace function patchdiff_store.snapshot_encoding (
  p_row patchdiff_store.target_snapshots
)
  returns bytea
  language sql
  stable
as $$
  select pg_catalog.record_send(row(
    p_row.target_file_id,
    p_row.chain_sequence,
    p_row.hash_version,
    p_row.snapshot_sequence,
    p_row.snapshot_id,
    p_row.created_at,
    p_row.version,
    p_row.editing_cycle,
    pg_catalog.convert_to(p_row.kind, 'UTF8'),
    pg_catalog.convert_to(p_row.content_hash, 'UTF8'),
    pg_catalog.convert_to(p_row.source_sha256, 'UTF8'),
    pg_catalog.convert_to(p_row.client_request_id, 'UTF8'),
    pg_catalog.convert_to(p_row.request_fingerprint::pg_catalog.text, 'UTF8'),
    pg_catalog.convert_to(p_row.db_session_user, 'UTF8'),
    pg_catalog.convert_to(p_row.db_application_name, 'UTF8'),
    pg_catalog.convert_to(p_row.db_client_addr, 'UTF8'),
    p_row.db_transaction_id,
    pg_catalog.convert_to(p_row.actor::pg_catalog.text, 'UTF8')
  ))
$$;

comment on function patchdiff_store.snapshot_encoding(patchdiff_store.target_snapshots) is
  'The bytes of a snapshot row that its row_hash covers, in chain format 1.';
--! EndIncluded patchdiff_store/snapshot_encoding.sql
--! Included patchdiff_store/append_snapshot.sql
-- Appends a snapshot of a target's current content, opens the editing cycle that begins with it, and advances the head.
-- The caller holds the lock and passes what lock_target answered, and the request key of the SAVE with its fingerprint,
-- of which the row keeps both or none; answers the row with its content left null.
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
  v_row.hash_version := 1;
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
  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.snapshot_encoding(v_row));

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
--! Included patchdiff_store/append_publication.sql
-- Appends one row about the publication of a target and advances the head. The caller holds the lock, passes what
-- lock_target answered, and has filled in what is particular to the row; the rest (sequence, identity of the
-- connection, links of the chain) is filled in here.
create or replace function patchdiff_store.append_publication (
  p_locked patchdiff_store.locked_target,
  p_row patchdiff_store.workspace_publications
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_row patchdiff_store.workspace_publications := p_row;
begin
  v_row.target_file_id := p_locked.target_file_id;
  v_row.publication_sequence := p_locked.publication_sequence + 1;
  v_row.publication_id := gen_random_uuid();
  v_row.created_at := clock_timestamp();
  v_row.chain_sequence := p_locked.chain_sequence + 1;
  v_row.hash_version := 1;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  v_row.row_hash := sha256(v_row.prev_hash || patchdiff_store.publication_encoding(v_row));

  insert into patchdiff_store.workspace_publications values (v_row.*);

  update patchdiff_store.target_heads as h
  set publication_sequence = v_row.publication_sequence,
      chain_sequence = v_row.chain_sequence,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row;
end;
$$;

comment on function patchdiff_store.append_publication(patchdiff_store.locked_target, patchdiff_store.workspace_publications) is
  'Appends an intent or an outcome of a publication of the locked target.';
--! EndIncluded patchdiff_store/append_publication.sql
--! Included patchdiff_store/source_facts.sql
-- The facts about a document's line endings as it was imported, for the column source_line_endings: eight members, whatever
-- else was sent. Given facts must be what the content says (PD100): as many line ends of all kinds as the canonical text
-- has, the style and lengths that follow from them, and the digest of the source wherever the content tells its bytes,
-- which is everywhere but in mixed line ends. Without given facts the text as sent is the source, and they are counted.
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
    end, 'UTF8');
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
            hint = 'send {"line_endings": {style, lf, crlf, cr, normalized, source_code_points, source_utf8_bytes, source_sha256}, "bom": false}, or null';
  end if;

  return v_facts;
end;
$$;

comment on function patchdiff_store.source_facts(jsonb, text, text) is
  'Facts about the line endings of an imported document, checked when given and counted when not.';
--! EndIncluded patchdiff_store/source_facts.sql
--! Included patchdiff_store/bind_target.sql
-- Binds a target to a file of a workspace: one target a file, one file a target. Repeating the binding it already has
-- changes nothing. Refuses PD109 when the file belongs to another target or the target to another file (or to none:
-- an existing target is bound only by creation). The primary key decides between two that bind at once.
create or replace function patchdiff_store.bind_target (
  p_target uuid,
  p_workspace jsonb
)
  returns void
  language plpgsql
  volatile
as $$
declare
  v_bound uuid;
begin
  insert into patchdiff_store.workspace_bindings (
    file_key, workspace_root, workspace_path, target_file_id, root_device, root_inode, bound_at
  )
  select
    patchdiff_store.file_key(t.workspace_root_identity, t.workspace_path), t.workspace_root_identity, t.workspace_path, t.target_file_id, p_workspace ->> 'root_device',
    p_workspace ->> 'root_inode', clock_timestamp()
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_target
  and t.workspace_root_identity = p_workspace ->> 'root'
  and t.workspace_path = p_workspace ->> 'path'
  on conflict do nothing;

  select b.target_file_id
  into v_bound
  from patchdiff_store.workspace_bindings as b
  where b.file_key = patchdiff_store.file_key(p_workspace ->> 'root', p_workspace ->> 'path');
  if v_bound is distinct from p_target then
    raise exception 'the file is not bound to target %', p_target
      using errcode = 'PD109',
            detail = json_build_object('target_file_id', p_target, 'bound_target_file_id', v_bound)::text,
            hint = 'use the target that the file is bound to, or leave the workspace out';
  end if;
end;
$$;

comment on function patchdiff_store.bind_target(uuid, jsonb) is
  'Binds a target to its workspace file, one target a file.';
--! EndIncluded patchdiff_store/bind_target.sql
--! Included patchdiff_store/divergence.sql
-- The fault of a locked target whose content is not what its row and its head say: target_diverged. Every field null:
-- it is. Asked before content becomes a checkpoint or the bytes of a file, never skipped for speed.
create or replace function patchdiff_store.divergence (
  p_locked patchdiff_store.locked_target
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault;
  v_content_hash text;
begin
  select patchdiff_store.sha256_hex(convert_to(t.current_content, 'UTF8'))
  into v_content_hash
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_locked.target_file_id;
  if v_content_hash = p_locked.current_hash
    and p_locked.accepted_version = p_locked.version
    and p_locked.accepted_hash = p_locked.current_hash
  then
    return null;
  end if;

  v_fault.validation_stage := 'commit_guard';
  v_fault.failure_reason := 'target_diverged';
  v_fault.failure_code := 'content_diverged';
  v_fault.failure_detail := 'the stored content does not match its recorded hash; nothing was applied';
  return v_fault;
end;
$$;

comment on function patchdiff_store.divergence(patchdiff_store.locked_target) is
  'The fault of a locked target whose content is not what its row and head say, or null.';
--! EndIncluded patchdiff_store/divergence.sql
--! Included patchdiff_store/save_fault.sql
-- What stands against saving a locked target: the version guard, the hash guard, then content that does not hash to
-- what the row and the head say (so that corrupt content never becomes a checkpoint). Every field null: nothing.
create or replace function patchdiff_store.save_fault (
  p_locked patchdiff_store.locked_target,
  p_expected_version bigint,
  p_expected_hash text
)
  returns patchdiff_store.fault
  language plpgsql
  stable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault.validation_stage := 'precondition_guard';
  if p_expected_version <> p_locked.version then
    v_fault.failure_reason := 'target_version_mismatch';
    v_fault.failure_code := 'target_version_mismatch';
    v_fault.failure_detail :=
      format('the target is at version %s, not %s; read it again', p_locked.version, p_expected_version);
    return v_fault;
  end if;

  if p_expected_hash <> p_locked.current_hash then
    v_fault.failure_reason := 'target_hash_mismatch';
    v_fault.failure_code := 'target_hash_mismatch';
    v_fault.failure_detail := 'the content''s hash is not the expected one; read it again';
    return v_fault;
  end if;

  return patchdiff_store.divergence(p_locked);
end;
$$;

comment on function patchdiff_store.save_fault(patchdiff_store.locked_target, bigint, text) is
  'The guard or the divergence that stands against saving a locked target, or null.';
--! EndIncluded patchdiff_store/save_fault.sql
--! Included patchdiff_store/save_fingerprint.sql
-- The identity of what a SAVE's request key stands for: SHA-256 of canonical JSON in a domain of its own, so that a
-- submission and a SAVE never share one.
create or replace function patchdiff_store.save_fingerprint (
  p_target uuid,
  p_expected_version bigint,
  p_expected_hash text,
  p_sync_workspace boolean
)
  returns text
  language sql
  stable
as $$
  select encode(sha256(convert_to(format(
    '{"expected_current_hash":%s,"expected_target_version":%s,"request_domain":"patchdiff-save/1","sync_workspace":%s,"target_file_id":"%s"}',
    coalesce(to_json(p_expected_hash)::text, 'null'),
    coalesce(p_expected_version::text, 'null'),
    p_sync_workspace::text,
    p_target
  ), 'UTF8')), 'hex')
$$;

comment on function patchdiff_store.save_fingerprint(uuid, bigint, text, boolean) is
  'The identity of what a SAVE''s request key stands for.';
--! EndIncluded patchdiff_store/save_fingerprint.sql
--! Included patchdiff_store/save_answer.sql
-- A SAVE's receipt about a locked target, for a given outcome and fault; the caller adds ids of what it wrote.
create or replace function patchdiff_store.save_answer (
  p_locked patchdiff_store.locked_target,
  p_outcome text,
  p_fault patchdiff_store.fault
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
as $$
declare
  v_receipt patchdiff.save_receipt;
begin
  v_receipt.outcome := p_outcome;
  v_receipt.deduplicated := false;
  v_receipt.failure_reason := p_fault.failure_reason;
  v_receipt.failure_code := p_fault.failure_code;
  v_receipt.failure_detail := p_fault.failure_detail;
  v_receipt.version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.editing_cycle := p_locked.open_cycle;
  v_receipt.created_at := clock_timestamp();
  v_receipt.chain_sequence := p_locked.chain_sequence;
  v_receipt.chain_head := encode(p_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.save_answer(patchdiff_store.locked_target, text, patchdiff_store.fault) is
  'A SAVE''s receipt about a locked target.';
--! EndIncluded patchdiff_store/save_answer.sql
--! Included patchdiff_store/recall_save.sql
-- What a SAVE's request key already stands for on a locked target: the receipt as recorded, with deduplicated true;
-- a rejection when the key stands for something else, another publication included, which is not recorded; null when the
-- key is new or absent. p_publication_id: the publication that is being closed, null when a SAVE begins.
-- Called in a later statement than the lock, so that it sees what was committed during the wait.
create or replace function patchdiff_store.recall_save (
  p_locked patchdiff_store.locked_target,
  p_client_request_id text,
  p_fingerprint text,
  p_publication_id uuid default null
)
  returns patchdiff.save_receipt
  language plpgsql
  volatile
as $$
declare
  v_key patchdiff_store.request_keys;
  v_fault patchdiff_store.fault;
  v_receipt patchdiff.save_receipt;
begin
  select k.*
  into v_key
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_locked.target_file_id
  and k.client_request_id = p_client_request_id;
  if not found then
    return null;
  end if;

  v_receipt := json_populate_record(v_receipt, v_key.save_receipt);
  if v_key.kind = 'save'
    and v_key.request_fingerprint = p_fingerprint
    and (p_publication_id is null or v_receipt.publication_id = p_publication_id)
  then
    v_receipt.deduplicated := true;
    return v_receipt;
  end if;

  v_fault.failure_reason := 'context_invalid';
  v_fault.failure_code := 'request_key_conflict';
  v_fault.failure_detail := 'this client_request_id already stands for another request; send a new key';
  return patchdiff_store.save_answer(p_locked, 'rejected', v_fault);
end;
$$;

comment on function patchdiff_store.recall_save(patchdiff_store.locked_target, text, text, uuid) is
  'The outcome that a SAVE''s request key already stands for, or null.';
--! EndIncluded patchdiff_store/recall_save.sql
--! Included patchdiff_store/remember_save.sql
-- Records a SAVE's receipt under its request key, if it has one, for ever. The caller holds the target's lock and has
-- found the key to be new. The head is written too, even when nothing in it changes: at REPEATABLE READ a caller whose
-- snapshot does not see the key then fails at the lock (40001) and not at the key.
create or replace function patchdiff_store.remember_save (
  p_target uuid,
  p_client_request_id text,
  p_fingerprint text,
  p_receipt patchdiff.save_receipt
)
  returns void
  language sql
  volatile
as $$
  insert into patchdiff_store.request_keys (
    target_file_id, client_request_id, kind, request_fingerprint, save_receipt, created_at
  )
  select p_target, p_client_request_id, 'save', p_fingerprint, row_to_json(p_receipt), clock_timestamp()
  where p_client_request_id is not null;

  update patchdiff_store.target_heads as h
  set chain_sequence = h.chain_sequence
  where h.target_file_id = p_target
  and p_client_request_id is not null
$$;

comment on function patchdiff_store.remember_save(uuid, text, text, patchdiff.save_receipt) is
  'Records a SAVE''s receipt under its request key.';
--! EndIncluded patchdiff_store/remember_save.sql
--! Included patchdiff_store/publication_answer.sql
-- A publication's receipt about a locked target; the intent's id is added by the caller.
create or replace function patchdiff_store.publication_answer (
  p_locked patchdiff_store.locked_target,
  p_outcome text,
  p_fault patchdiff_store.fault
)
  returns patchdiff.publication_receipt
  language plpgsql
  stable
as $$
declare
  v_receipt patchdiff.publication_receipt;
begin
  v_receipt.outcome := p_outcome;
  v_receipt.failure_reason := p_fault.failure_reason;
  v_receipt.failure_code := p_fault.failure_code;
  v_receipt.failure_detail := p_fault.failure_detail;
  v_receipt.version := p_locked.version;
  v_receipt.current_hash := p_locked.current_hash;
  v_receipt.workspace_root := p_locked.workspace_root_identity;
  v_receipt.workspace_path := p_locked.workspace_path;
  v_receipt.last_synced_disk_sha256 := p_locked.last_synced_disk_sha256;
  v_receipt.chain_sequence := p_locked.chain_sequence;
  v_receipt.chain_head := encode(p_locked.chain_head, 'hex');
  return v_receipt;
end;
$$;

comment on function patchdiff_store.publication_answer(patchdiff_store.locked_target, text, patchdiff_store.fault) is
  'A publication''s receipt about a locked target.';
--! EndIncluded patchdiff_store/publication_answer.sql
--! Included patchdiff_store/publication_moved.sql
-- Why a version rendered for publication is no longer the one to publish: the target is not bound to a file, it moved
-- to another version or content, or the digest that the disk should have is another one. Null: nothing moved.
create or replace function patchdiff_store.publication_moved (
  p_locked patchdiff_store.locked_target,
  p_version bigint,
  p_content_hash text,
  p_expected_disk_sha256 text
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault.validation_stage := 'precondition_guard';
  if not p_locked.workspace_tracked then
    v_fault.failure_reason := 'not_workspace_bound';
    v_fault.failure_code := 'not_workspace_bound';
    v_fault.failure_detail := 'the target is not bound to a workspace file; save it without publication';
  elsif p_locked.version <> p_version then
    v_fault.failure_reason := 'target_version_mismatch';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := format('the target is at version %s, not %s; read it again', p_locked.version, p_version);
  elsif p_locked.current_hash <> p_content_hash then
    v_fault.failure_reason := 'target_hash_mismatch';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the content''s hash is not the expected one; read it again';
  elsif p_locked.last_synced_disk_sha256 is distinct from p_expected_disk_sha256 then
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the file was last synced with another digest than the expected one';
  else
    return null;
  end if;
  return v_fault;
end;
$$;

comment on function patchdiff_store.publication_moved(patchdiff_store.locked_target, bigint, text, text) is
  'Why a rendered version is no longer the one to publish, or null.';
--! EndIncluded patchdiff_store/publication_moved.sql
--! Included patchdiff_store/intent_moved.sql
-- Why a publication intent no longer stands on a locked target: what was rendered is not what is to be published now, or
-- the target belongs to another file. Every field null: it stands.
create or replace function patchdiff_store.intent_moved (
  p_locked patchdiff_store.locked_target,
  p_intent patchdiff_store.workspace_publications
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
begin
  v_fault := patchdiff_store.publication_moved(
    p_locked, p_intent.version, p_intent.content_hash, p_intent.expected_disk_sha256);
  if v_fault.failure_reason is null and (
    p_intent.workspace_root_identity <> p_locked.workspace_root_identity or p_intent.workspace_path <> p_locked.workspace_path
  ) then
    v_fault.validation_stage := 'precondition_guard';
    v_fault.failure_reason := 'workspace_drift';
    v_fault.failure_code := 'publication_moved';
    v_fault.failure_detail := 'the target was bound to another file since the publication was opened';
  end if;
  return v_fault;
end;
$$;

comment on function patchdiff_store.intent_moved(
  patchdiff_store.locked_target, patchdiff_store.workspace_publications
) is 'Why a publication intent no longer stands, or null.';
--! EndIncluded patchdiff_store/intent_moved.sql
--! Included patchdiff_store/publication_intent.sql
-- The intent of a publication, which has one id per target. Refuses PD108 when there is none. The caller holds the
-- target's lock when it decides on the answer.
create or replace function patchdiff_store.publication_intent (
  p_target uuid,
  p_publication_id uuid
)
  returns patchdiff_store.workspace_publications
  language plpgsql
  volatile
as $$
declare
  v_intent patchdiff_store.workspace_publications;
begin
  select p.*
  into v_intent
  from patchdiff_store.workspace_publications as p
  where p.target_file_id = p_target
  and p.publication_id = p_publication_id
  and p.kind = 'intent';
  if not found then
    raise exception 'no publication intent % of target %', p_publication_id, p_target
      using errcode = 'PD108',
            detail = json_build_object('target_file_id', p_target, 'publication_id', p_publication_id)::text,
            hint = 'open a publication and use the id it answers';
  end if;
  return v_intent;
end;
$$;

comment on function patchdiff_store.publication_intent(uuid, uuid) is
  'The intent of a publication; PD108 when there is none.';
--! EndIncluded patchdiff_store/publication_intent.sql
--! Included patchdiff_store/check_outcome.sql
-- Refuses malformed arguments of the call that closes an intent (PD100): the outcome's name, a detail that is no object,
-- a file called published that holds other bytes than announced, a key that is not the intent's.
create or replace function patchdiff_store.check_outcome (
  p_intent patchdiff_store.workspace_publications,
  p_outcome text,
  p_observed_disk_sha256 text,
  p_detail json,
  p_client_request_id text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if coalesce(p_outcome, '') not in ('published', 'rejected', 'superseded') then
    v_argument := 'p_outcome';
    v_rule := 'published, rejected or superseded';
  elsif json_typeof(p_detail) <> 'object' then
    v_argument := 'p_detail';
    v_rule := 'an object or null';
  elsif p_outcome = 'published' and p_observed_disk_sha256 <> p_intent.written_sha256 then
    v_argument := 'p_observed_disk_sha256';
    v_rule := 'the digest that the intent announced, or null; the file holds other bytes and is not published';
  elsif p_client_request_id <> coalesce(p_intent.client_request_id, '') then
    v_argument := 'p_client_request_id';
    v_rule := 'the key that the intent was opened with, or null';
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'say what became of the file';
  end if;
end;
$$;

comment on function patchdiff_store.check_outcome(patchdiff_store.workspace_publications, text, text, json, text) is
  'Refuses malformed arguments of the call that closes a publication intent.';
--! EndIncluded patchdiff_store/check_outcome.sql
--! Included patchdiff_store/check_publication_open.sql
-- Refuses to close an intent twice, or to call it published when a later one was published already: then the bytes on
-- the disk are not this intent's (PD110). The caller holds the target's lock.
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
--! Included patchdiff_store/checkpoint_publication.sql
-- What a finished publication changes beside its own row: the synced digest and version, and the checkpoint. Answers
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
  v_newest record;
  v_snapshot patchdiff_store.target_snapshots;
begin
  update patchdiff_store.cloud_target_files as t
  set last_synced_disk_sha256 = p_intent.written_sha256,
      last_synced_version = p_intent.version,
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
--! Included patchdiff_store/apply_attempt.sql
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
  v_items := coalesce(v_payload -> 'edits', v_payload -> 'operations');

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
--! EndIncluded patchdiff_store/apply_attempt.sql
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
  v_current bigint;
  v_version bigint;
  v_buffer bytea;
  v_hash text;
  v_attempt record;
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

  select s.version, convert_to(s.content, 'UTF8'), s.content_hash
  into v_version, v_buffer, v_hash
  from patchdiff_store.target_snapshots as s
  where s.target_file_id = p_target and s.version <= coalesce(p_version, v_current)
  order by s.version desc, s.snapshot_sequence desc
  limit 1;

  for v_attempt in
    select l.log_sequence, l.after_version, l.after_hash
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    and l.status = 'accepted'
    and l.after_version > v_version
    and l.after_version <= coalesce(p_version, v_current)
    order by l.after_version
  loop
    exit when v_attempt.after_version <> v_version + 1;
    v_buffer := patchdiff_store.apply_attempt(v_buffer, p_target, v_attempt.log_sequence);
    v_version := v_attempt.after_version;
    v_hash := v_attempt.after_hash;
  end loop;

  if v_version is distinct from coalesce(p_version, v_current)
    or patchdiff_store.sha256_hex(v_buffer) is distinct from v_hash
  then
    raise exception 'version % of target % cannot be reconstructed', coalesce(p_version, v_current), p_target
      using errcode = 'PD106',
            detail = json_build_object('target_file_id', p_target, 'version', coalesce(p_version, v_current))::text,
            hint = 'select * from patchdiff_audit.verify_target(target) names the rows that contradict each other';
  end if;
  return convert_from(v_buffer, 'UTF8');
end;
$$;

comment on function patchdiff_store.reconstruct(uuid, bigint) is
  'A target''s content at a version, checked against the recorded hash.';
--! EndIncluded patchdiff_store/reconstruct.sql
--! Included patchdiff_store/import_encoding.sql
-- The bytes that the row_hash of an attempt brought in by its owner covers after attempt_encoding: when it was brought in
-- (chain format 2). Nothing for an attempt that was recorded as it happened (format 1), so that the two cannot be
-- exchanged. No search_path setting, so that it inlines.
create or replace function patchdiff_store.import_encoding (
  p_row patchdiff_store.append_only_pdcp_logs
)
  returns bytea
  language sql
  stable
as $$
  select case p_row.hash_version
    when 2 then pg_catalog.record_send(row(p_row.imported_at))
    else ''::pg_catalog.bytea
  end
$$;

comment on function patchdiff_store.import_encoding(patchdiff_store.append_only_pdcp_logs) is
  'The further bytes that the row_hash of an attempt brought in by its owner covers.';
--! EndIncluded patchdiff_store/import_encoding.sql
--! Included patchdiff_store/verify_chain.sql
-- The chain of a target: sequence without gap, every row hashing to its row_hash, every prev_hash the hash before,
-- the last one the head, and a noted head (if given) still where it was. Hashes of attempts cover their ledger rows, and of
-- those brought in by the owner (format 2) also when that was.
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
      s.prev_hash,
      s.row_hash,
      sha256(s.prev_hash || patchdiff_store.snapshot_encoding(s))
    from patchdiff_store.target_snapshots as s
    where s.target_file_id = p_target
    union all
    select
      'workspace_publications',
      'publication_sequence=' || p.publication_sequence,
      p.chain_sequence,
      p.hash_version,
      p.prev_hash,
      p.row_hash,
      sha256(p.prev_hash || patchdiff_store.publication_encoding(p))
    from patchdiff_store.workspace_publications as p
    where p.target_file_id = p_target
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
      ('hash_version', 'the row is of an unknown chain format', o.hash_version <> 1 and (o.hash_version <> 2 or o.table_name <> 'append_only_pdcp_logs')),
      ('row_hash', 'the row, or a ledger row of it, is not what was hashed', o.hash_version in (1, 2) and o.row_hash <> o.computed),
      ('chain_sequence', 'the chain has a gap or a repetition before this row', o.chain_sequence <> o.sequence_before + 1),
      ('prev_hash', 'the row does not link to the row before it', o.prev_hash <> o.hash_before)
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
-- and hashes linked, payload hash, the columns that an accepted payload states, editing cycle, number of ledger rows.
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
      l.before_hash,
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
        o.payload is not null and o.payload ->> 'expected_current_hash' is distinct from o.expected_current_hash)
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
        o.item ->> 'risk', case when o.protocol_version = 'patchdiff-tx/3' then 'low' end))
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
-- file, and the published hash that which the history records for the version.
create or replace function patchdiff_store.verify_publications (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  with ordered as (
    select
      p.publication_sequence,
      p.kind,
      p.content_hash,
      lag(p.publication_sequence, 1, 0::bigint) over publications as sequence_before,
      i.publication_id as intent,
      row(p.version, p.content_hash, p.written_sha256, p.written_bytes, p.workspace_root_identity, p.workspace_path)
        is not distinct from
        row(i.version, i.content_hash, i.written_sha256, i.written_bytes, i.workspace_root_identity, i.workspace_path)
        as same_as_intent,
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
    where p.target_file_id = p_target
    window publications as (order by p.publication_sequence)
  )
  select 'workspace_publications', 'publication_sequence=' || o.publication_sequence, f.column_name, f.problem
  from ordered as o
  cross join lateral (
    values
      ('publication_sequence', 'publications are missing before this one', o.publication_sequence <> o.sequence_before + 1),
      ('intent_publication_id', 'closes no earlier intent', o.kind <> 'intent' and o.intent is null),
      ('written_sha256', 'not what the intent announced', o.kind <> 'intent' and o.intent is not null and not o.same_as_intent),
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
-- The request keys of submissions of a target: a key and its attempt agree in both directions.
create or replace function patchdiff_store.verify_keys (
  p_target uuid
)
  returns setof patchdiff_store.finding
  language sql
  stable
as $$
  select 'request_keys', 'client_request_id=' || k.client_request_id, 'log_sequence', 'names no attempt with this key and fingerprint'
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_target
  and k.kind = 'submission'
  and not exists (
    select
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = k.target_file_id
    and l.log_sequence = k.log_sequence
    and l.client_request_id = k.client_request_id
    and l.request_fingerprint is not distinct from k.request_fingerprint
  )
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
  'What is wrong with the request keys of a target''s submissions; no rows when nothing is.';
--! EndIncluded patchdiff_store/verify_keys.sql
--! Included patchdiff_store/verify_save_keys.sql
-- The request keys of SAVEs of a target. A receipt names a link of the chain, and what it says of a snapshot is so. Where a
-- SAVE appended the row that settled its key (checkpointed, published, a rejected publication), row and key agree in both
-- directions, and the row is chained. An unchanged SAVE and one rejected by its guards append nothing: of such a key only
-- what its receipt says can be checked, and its removal shows nowhere.
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
      select
        k.save_receipt ->> 'outcome' as outcome,
        k.save_receipt ->> 'version' as version,
        k.save_receipt ->> 'current_hash' as current_hash,
        k.save_receipt ->> 'snapshot_id' as snapshot_id,
        k.save_receipt ->> 'publication_id' as publication_id,
        k.save_receipt ->> 'chain_sequence' as chain_sequence,
        k.save_receipt ->> 'chain_head' as chain_head
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
  )
  select 'request_keys', 'client_request_id=' || k.client_request_id, f.column_name, f.problem
  from keys as k
  left join patchdiff_store.target_snapshots as s
    on s.target_file_id = p_target and s.snapshot_id::text = k.snapshot_id
  left join settled as w
    on w.client_request_id = k.client_request_id
    and w.outcome = k.outcome
    and w.chain_sequence::text = k.chain_sequence
  cross join lateral (
    values
      ('save_receipt', 'its chain head is no link of the chain', not exists (
        select
        from links as l
        where l.chain_sequence::text = k.chain_sequence and encode(l.row_hash, 'hex') = k.chain_head
      )),
      ('save_receipt', 'not what its snapshot says', k.outcome in ('checkpointed', 'unchanged') and (
        s.version::text is distinct from k.version or s.content_hash is distinct from k.current_hash
      )),
      ('save_receipt', 'no row of a SAVE under this key says so',
        (
          k.outcome in ('checkpointed', 'published')
          or k.publication_id is not null
          or exists (select from settled as z where z.client_request_id = k.client_request_id)
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
  ) as s
  cross join lateral (
    select length(s.matched, 'UTF8') as matched_chars, length(s.replacement, 'UTF8') as replacement_chars
  ) as n
  cross join lateral (
    values
      ('start_byte', 'the text there is not the one that the payload matched', s.expected is not null and s.matched <> s.expected),
      ('start_byte', 'not where the payload''s span begins', p_item ? 'start' and s.span_start::text <> p_item ->> 'start'),
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
--! Included patchdiff_store/verify_attempt_replay.sql
-- The ledger rows of one accepted attempt, each against the buffer it was applied to. Stops at a splice that does not
-- fit; positions that cut a character in two are one such.
create or replace function patchdiff_store.verify_attempt_replay (
  p_buffer bytea,
  p_target uuid,
  p_log_sequence bigint
)
  returns setof patchdiff_store.finding
  language plpgsql
  stable
as $$
declare
  v_buffer bytea := p_buffer;
  v_items jsonb;
  v_change patchdiff_store.append_only_manifest_ledger;
begin
  select coalesce(p.payload -> 'edits', p.payload -> 'operations')
  into v_items
  from patchdiff_store.append_only_pdcp_logs as l
  cross join lateral (select patchdiff_store.payload_json(l.pdcp_content) as payload) as p
  where l.target_file_id = p_target and l.log_sequence = p_log_sequence;

  for v_change in
    select g.*
    from patchdiff_store.append_only_manifest_ledger as g
    where g.target_file_id = p_target and g.log_sequence = p_log_sequence
    order by g.apply_ordinal
  loop
    if v_change.start_byte < 0
      or v_change.deleted_bytes < 0
      or v_change.start_byte::bigint + v_change.deleted_bytes > octet_length(v_buffer)
      or v_items -> (v_change.ordinal - 1) ->> 'replace' is null
    then
      return next row('append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, 'start_byte',
        'the splice does not fit the content')::patchdiff_store.finding;
      return;
    end if;

    return query
    select 'append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, f.column_name, f.problem
    from patchdiff_store.verify_splice(v_buffer, v_change, v_items -> (v_change.ordinal - 1)) as f;

    v_buffer := overlay(
      v_buffer
      placing convert_to(patchdiff_store.lf(v_items -> (v_change.ordinal - 1) ->> 'replace'), 'UTF8')
      from v_change.start_byte + 1
      for v_change.deleted_bytes
    );
  end loop;
exception
  when data_exception then
    return next row('append_only_manifest_ledger', 'ledger_sequence=' || v_change.ledger_sequence, 'start_byte',
      'the splice cuts a character in two')::patchdiff_store.finding;
end;
$$;

comment on function patchdiff_store.verify_attempt_replay(bytea, uuid, bigint) is
  'What is wrong with the ledger rows of one accepted attempt, given the content before it.';
--! EndIncluded patchdiff_store/verify_attempt_replay.sql
--! Included patchdiff_store/verify_replay.sql
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
--! EndIncluded patchdiff_store/verify_replay.sql
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

  if not v_row and not v_head
    and not exists (select from patchdiff_store.target_snapshots as s where s.target_file_id = p_target)
    and not exists (select from patchdiff_store.append_only_pdcp_logs as l where l.target_file_id = p_target)
  then
    perform patchdiff_store.raise_target_not_found(p_target);
  end if;

  if not v_row then
    return next row('cloud_target_files', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  if not v_head then
    return next row('target_heads', 'target_file_id=' || p_target, null, 'the row is missing')::patchdiff_store.finding;
  end if;
  return query select f.* from patchdiff_store.verify_chain(p_target, p_noted_sequence, lower(p_noted_hash)) as f;
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
--! Included patchdiff_store/observe_target.sql
-- What lock_target returns (its expressions, too), without a lock: the narrow columns of a target and its head in one committed state; null when
-- there is no such target. For answers that promise nothing: whatever is written must lock.
create or replace function patchdiff_store.observe_target (
  p_target uuid
)
  returns patchdiff_store.locked_target
  language plpgsql
  stable
as $$
declare
  v_observed patchdiff_store.locked_target;
begin
  select
    t.target_file_id,
    t.display_name,
    t.version,
    t.current_hash,
    t.content_bytes,
    case octet_length(t.current_content) when t.content_bytes then t.content_chars else char_length(t.current_content) end,
    t.workspace_tracked,
    t.workspace_root_identity,
    t.workspace_path,
    t.last_synced_disk_sha256,
    t.last_synced_version,
    t.source_bom,
    t.created_at,
    h.log_sequence,
    h.ledger_sequence,
    h.snapshot_sequence,
    h.publication_sequence,
    h.chain_sequence,
    h.open_cycle,
    h.accepted_version,
    h.accepted_hash,
    h.chain_head
  into
    v_observed.target_file_id,
    v_observed.display_name,
    v_observed.version,
    v_observed.current_hash,
    v_observed.content_bytes,
    v_observed.content_chars,
    v_observed.workspace_tracked,
    v_observed.workspace_root_identity,
    v_observed.workspace_path,
    v_observed.last_synced_disk_sha256,
    v_observed.last_synced_version,
    v_observed.source_bom,
    v_observed.created_at,
    v_observed.log_sequence,
    v_observed.ledger_sequence,
    v_observed.snapshot_sequence,
    v_observed.publication_sequence,
    v_observed.chain_sequence,
    v_observed.open_cycle,
    v_observed.accepted_version,
    v_observed.accepted_hash,
    v_observed.chain_head
  from patchdiff_store.cloud_target_files as t
  join patchdiff_store.target_heads as h on h.target_file_id = t.target_file_id
  where t.target_file_id = p_target;

  if not found then
    return null;
  end if;

  return v_observed;
end;
$$;

comment on function patchdiff_store.observe_target(uuid) is
  'The narrow columns of a target and its head without a lock, or null when there is no such target.';
--! EndIncluded patchdiff_store/observe_target.sql
--! Included patchdiff/preview_facts.sql
-- What a submission would find beside its own payload, for a preview: the row that its guards are judged against, whether
-- the stored content is what row and head say, the head of that content, whether the parent is a rejected attempt of the
-- target, and what the request key stands for. One row, or none when there is no such target.
-- Takes no lock and writes nothing: one committed state, which may have moved on before anything is submitted.
-- content_chars is what the locked row would say and counted_chars the truth; they differ only in a damaged row.
-- key_fingerprint is null where a rule older than fingerprints stored the key and its payload gives none.
-- key_kind: submission, save, or null for a key that is new or absent. key_pdcp_log_id is null for a SAVE.
create or replace function patchdiff.preview_facts (
  p_target uuid,
  p_parent uuid default null,
  p_client_request_id text default null
)
  returns table (
    version bigint,
    current_hash text,
    content_chars integer,
    counted_chars integer,
    content_head text,
    is_intact boolean,
    is_parent boolean,
    key_kind text,
    key_fingerprint text,
    key_pdcp_log_id uuid
  )
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_observed patchdiff_store.locked_target := patchdiff_store.observe_target(p_target);
begin
  return query
  select
    t.version,
    t.current_hash::text,
    v_observed.content_chars,
    char_length(t.current_content),
    patchdiff_store.head_of_content(p_target),
    patchdiff_store.is_intact(v_observed, convert_to(t.current_content, 'UTF8')),
    exists (
      select
      from patchdiff_store.append_only_pdcp_logs as a
      where a.target_file_id = p_target
      and a.pdcp_log_id = p_parent
      and a.status = 'rejected'
    ),
    k.kind,
    coalesce(
      k.request_fingerprint::text,
      case k.kind when 'submission' then patchdiff_store.stored_fingerprint(p_target, k.log_sequence) end
    ),
    l.pdcp_log_id
  from patchdiff_store.cloud_target_files as t
  left join patchdiff_store.request_keys as k
    on k.target_file_id = t.target_file_id and k.client_request_id = p_client_request_id
  left join patchdiff_store.append_only_pdcp_logs as l
    on l.target_file_id = k.target_file_id and l.log_sequence = k.log_sequence
  where t.target_file_id = p_target;
end;
$$;

comment on function patchdiff.preview_facts(uuid, uuid, text) is
  'What a submission would find beside its own payload, without a lock.';
--! EndIncluded patchdiff/preview_facts.sql
--! Included patchdiff/preview_recovery.sql
-- The receipt that a submission with this request key would recover, as commit_attempt would return it now: one row, or
-- none when the key belongs to no submission of the target. Takes no lock and writes nothing.
create or replace function patchdiff.preview_recovery (
  p_target uuid,
  p_client_request_id text
)
  returns setof patchdiff.commit_receipt
  language plpgsql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
declare
  v_log_sequence bigint;
begin
  select k.log_sequence
  into v_log_sequence
  from patchdiff_store.request_keys as k
  where k.target_file_id = p_target
  and k.client_request_id = p_client_request_id
  and k.kind = 'submission';

  if found then
    return next patchdiff_store.recall_attempt(patchdiff_store.observe_target(p_target), v_log_sequence);
  end if;
end;
$$;

comment on function patchdiff.preview_recovery(uuid, text) is
  'The receipt that a submission with this request key would recover, without a lock.';
--! EndIncluded patchdiff/preview_recovery.sql
--! Included patchdiff_store/import_profile.sql
-- The frozen table of runtime profiles, as far as replay of a recorded attempt depends on it, by (protocol, runtime):
-- the same as src/transaction/profiles.ts. All null for a pair that is not legal. patchdiff-observed-batch/1 is not in
-- it: its decoder does not exist, so nothing of it can be verified.
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
--! Included patchdiff_store/import_item_fault.sql
-- What stands against reading one recorded edit or operation under its profile: I1 to I11 of docs/spec/decoding.md without
-- the limits on fresh submissions, the first fault wins; code null when there is none. p_change_id is the item's id,
-- null when it has no legal one; p_is_duplicate says whether an earlier item has the same.
create or replace function patchdiff_store.import_item_fault (
  p_item jsonb,
  p_ordinal integer,
  p_count integer,
  p_protocol_version text,
  p_has_adjacency boolean,
  p_change_id text,
  p_is_duplicate boolean,
  out code text,
  out path text
)
  language plpgsql
  immutable
as $$
declare
  v_base text := case p_protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end || '[' || (p_ordinal - 1) || ']';
  v_op text := 'match';
  v_name text;
  v_type text;
begin
  path := v_base;
  if jsonb_typeof(p_item) <> 'object' then
    code := 'not_an_object';
    return;
  end if;

  if p_protocol_version <> 'patchdiff-tx/1' then
    v_type := coalesce(jsonb_typeof(p_item -> 'op'), 'null');
    v_op := p_item ->> 'op';
    code := case
      when v_type = 'null' then 'field_missing'
      when v_type <> 'string' then 'field_type'
      when p_protocol_version = 'patchdiff-tx/3' and (v_op <> 'replace_all' or p_count > 1) then 'op_unknown'
      when p_protocol_version = 'patchdiff-tx/2' and v_op = 'replace_all' then 'replace_all_refused'
      when p_protocol_version = 'patchdiff-tx/2' and v_op not in ('match', 'span') then 'op_unknown'
    end;
    if code is not null then
      path := v_base || '.op';
      return;
    end if;
  end if;

  foreach v_name in array case v_op
    when 'match' then array['match', 'replace']
    when 'span' then array['start', 'end', 'expected_text', 'replace']
    else array['replace']
  end loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    code := case
      when v_type = 'null' then 'field_missing'
      when v_type <> case when v_name in ('start', 'end') then 'number' else 'string' end then 'field_type'
      when v_type = 'number' and patchdiff_store.integer_of(p_item -> v_name, 0) is null then 'integer_invalid'
      when v_name = 'match' and p_item -> v_name = '""' then 'match_empty'
    end;
    if code is not null then
      path := v_base || '.' || v_name;
      return;
    end if;
  end loop;

  foreach v_name in array case
    when v_op = 'span' and p_has_adjacency then array['expected_before', 'expected_after']
    when v_op = 'match' then array['occurrence_index', 'anchor_before', 'anchor_after']
    else '{}'::text[]
  end loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    code := case
      when v_type = 'null' then null
      when v_op = 'span' and v_type <> 'string' then 'field_type'
      when v_op = 'span' and p_item -> v_name = '""' then 'expected_context_empty'
      when v_name = 'occurrence_index' and patchdiff_store.integer_of(p_item -> v_name, 1) is null then 'selector_malformed'
      when v_op = 'match' and v_name <> 'occurrence_index' and (v_type <> 'string' or p_item -> v_name = '""')
        then 'selector_malformed'
    end;
    if code is not null then
      path := v_base || '.' || v_name;
      return;
    end if;
  end loop;

  -- An explicit null means absent: it is no unknown field where adjacency is not known.
  select min(k.name collate "C")
  into v_name
  from jsonb_each(p_item) as k(name, value)
  where not (
    k.name = any (case v_op
      when 'match' then array['match', 'replace', 'change_id', 'rationale', 'risk', 'occurrence_index', 'anchor_before', 'anchor_after']
      when 'span' then array['start', 'end', 'expected_text', 'replace', 'change_id', 'rationale', 'risk']
      else array['replace']
    end)
    or (k.name = 'op' and p_protocol_version <> 'patchdiff-tx/1')
    or (v_op = 'span' and k.name in ('expected_before', 'expected_after') and (p_has_adjacency or k.value = 'null'))
  );

  v_type := coalesce(jsonb_typeof(p_item -> 'rationale'), 'null');
  select f.code, v_base || '.' || f.name
  into code, path
  from (values
    (1, 'unknown_field', left(v_name, 64), v_name is not null),
    (2, 'change_id_invalid', 'change_id', p_change_id is null),
    (3, 'change_id_duplicate', 'change_id', p_is_duplicate),
    (4, 'rationale_invalid', 'rationale', case v_type
      when 'null' then false
      when 'string' then patchdiff_store.is_blank(p_item ->> 'rationale')
      else true
    end),
    (5, 'risk_invalid', 'risk', coalesce(p_item -> 'risk' not in ('null', '"low"', '"medium"', '"high"'), false))
  ) as f(position, code, name, is_broken)
  where f.is_broken
  order by f.position
  limit 1;
end;
$$;

comment on function patchdiff_store.import_item_fault(jsonb, integer, integer, text, boolean, text, boolean) is
  'What stands against reading one recorded edit or operation under its profile; null when nothing does.';
--! EndIncluded patchdiff_store/import_item_fault.sql
--! Included patchdiff_store/import_record_fault.sql
-- What stands against reading a recorded payload under its profile: P1 to P8 of docs/spec/decoding.md without the limits
-- on fresh submissions, the first fault wins; code null when it decodes. The same as decodeRecord of src/transaction with
-- fresh = false. p_record is null for a payload that jsonb cannot hold.
create or replace function patchdiff_store.import_record_fault (
  p_record jsonb,
  p_target uuid,
  p_protocol_version text,
  p_has_historical_ids boolean,
  p_has_adjacency boolean,
  out code text,
  out path text
)
  language plpgsql
  immutable
as $$
declare
  v_container text := case p_protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_version jsonb := nullif(p_record -> 'expected_target_version', 'null');
  v_hash jsonb := nullif(p_record -> 'expected_current_hash', 'null');
  v_items jsonb := p_record -> v_container;
  v_unknown text;
  v_ids text[];
  v_duplicate bigint;
  v_item record;
begin
  if jsonb_typeof(p_record) is distinct from 'object' then
    code := 'not_an_object';
    return;
  end if;

  select min(k.name collate "C")
  into v_unknown
  from jsonb_object_keys(p_record) as k(name)
  where k.name not in (
    'expected_current_hash', 'expected_target_version', 'format', 'intent', 'target_file_id', v_container
  );

  select f.code, f.path
  into code, path
  from (values
    (1, 'guard_missing', null, v_version is null and v_hash is null),
    (2, 'guard_malformed', 'expected_target_version', v_version is not null and patchdiff_store.guard_version(p_record) is null),
    (3, 'guard_malformed', 'expected_current_hash', v_hash is not null and patchdiff_store.guard_hash(p_record) is null),
    (4, 'unknown_format', 'format', p_record -> 'format' is distinct from to_jsonb(p_protocol_version)),
    (5, 'target_mismatch', 'target_file_id', case jsonb_typeof(p_record -> 'target_file_id')
      when 'string' then lower(p_record ->> 'target_file_id') <> p_target::text
      else true
    end),
    (6, 'manifest_missing', v_container, jsonb_typeof(v_items) is distinct from 'array' or v_items = '[]'),
    (7, 'unknown_field', left(v_unknown, 64), v_unknown is not null),
    (8, 'intent_invalid', 'intent', case jsonb_typeof(p_record -> 'intent')
      when 'string' then patchdiff_store.is_blank(p_record ->> 'intent')
      else true
    end)
  ) as f(position, code, path, is_broken)
  where f.is_broken
  order by f.position
  limit 1;
  if code is not null then
    return;
  end if;

  v_ids := array(
    select case coalesce(jsonb_typeof(nullif(i.item -> 'change_id', 'null')), 'absent')
      when 'absent' then 'chg_' || lpad(i.position::text, greatest(3, length(i.position::text)), '0')
      when 'string' then case
        when p_has_historical_ids or i.item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z' then i.item ->> 'change_id'
      end
    end
    from jsonb_array_elements(v_items) with ordinality as i(item, position)
    order by i.position
  );
  select min(d.position)
  into v_duplicate
  from (
    select i.position, row_number() over (partition by i.id order by i.position) as nth
    from unnest(v_ids) with ordinality as i(id, position)
    where i.id is not null
  ) as d
  where d.nth > 1;

  for v_item in
    select i.item, i.position::integer, jsonb_array_length(v_items) as count
    from jsonb_array_elements(v_items) with ordinality as i(item, position)
    order by i.position
  loop
    select f.code, f.path
    into code, path
    from patchdiff_store.import_item_fault(
      v_item.item, v_item.position, v_item.count, p_protocol_version, p_has_adjacency, v_ids[v_item.position],
      v_item.position = v_duplicate
    ) as f;
    exit when code is not null;
  end loop;

  if code is null then
    path := null;
  end if;
end;
$$;

comment on function patchdiff_store.import_record_fault(jsonb, uuid, text, boolean, boolean) is
  'What stands against reading a recorded payload under its profile; null when it decodes.';
--! EndIncluded patchdiff_store/import_record_fault.sql
--! Included patchdiff_store/import_match_start.sql
-- Where a recorded match applied in a buffer under its profile: start is its byte offset, else code says why there is none.
-- overlapping: every occurrence counts, else they are counted left to right without overlap. Where selectors do not
-- bind a single match, a text that occurs once is the place whatever they say.
create or replace function patchdiff_store.import_match_start (
  p_buffer bytea,
  p_needle bytea,
  p_index bigint,
  p_anchor_before text,
  p_anchor_after text,
  p_overlapping boolean,
  p_selectors_on_single boolean,
  out start integer,
  out code text
)
  language plpgsql
  immutable
as $$
declare
  v_bytes integer := octet_length(p_buffer);
  v_length integer := octet_length(p_needle);
  v_at integer := patchdiff_store.next_occurrence(p_buffer, p_needle, 0, v_bytes);
  v_number bigint := 0;
  v_anchor bytea;
  v_low integer := 0;
  v_last integer := v_bytes - v_length;
begin
  if v_at is null then
    code := 'match_absent';
    return;
  end if;

  if not p_selectors_on_single
    and patchdiff_store.next_occurrence(
      p_buffer, p_needle, v_at + case when p_overlapping then 1 else v_length end, v_bytes) is null
  then
    start := v_at;
    return;
  end if;

  if p_overlapping then
    select r.start, r.code
    into start, code
    from patchdiff_store.resolve_match(p_buffer, p_needle, p_index, p_anchor_before, p_anchor_after) as r;
    return;
  end if;

  if p_anchor_before is not null then
    v_anchor := convert_to(p_anchor_before, 'UTF8');
    v_low := patchdiff_store.next_occurrence(p_buffer, v_anchor, 0, v_bytes) + octet_length(v_anchor);
  end if;

  if p_anchor_after is not null then
    v_last := patchdiff_store.last_occurrence(p_buffer, convert_to(p_anchor_after, 'UTF8')) - v_length;
  end if;

  while v_at <= v_last and (p_index is null or v_number < p_index) and code is null loop
    v_number := v_number + 1;
    if v_at >= v_low and (p_index is null or v_number = p_index) then
      code := case when start is not null then 'match_ambiguous' end;
      start := v_at;
    end if;

    v_at := patchdiff_store.next_occurrence(p_buffer, p_needle, v_at + v_length, v_bytes);
  end loop;

  if code is not null then
    start := null;
  elsif start is null then
    code := 'selector_excludes_all';
  end if;
end;
$$;

comment on function patchdiff_store.import_match_start(bytea, bytea, bigint, text, text, boolean, boolean) is
  'The byte offset at which a recorded match applied under its profile, or why it does not.';
--! EndIncluded patchdiff_store/import_match_start.sql
--! Included patchdiff_store/walk_profile.sql
-- Applies the operations of a recorded attempt under the semantics of its profile and finds every place itself: walk_found
-- for profiles that are no longer recorded, without evidence and without a limit on the result. Of the first operation
-- that does not apply, the fault holds code and path.
create or replace function patchdiff_store.walk_profile (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_container text,
  p_overlapping boolean,
  p_selectors_on_single boolean
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk := patchdiff_store.walk_of(p_operations);
  v_buffer bytea := p_content;
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_operation text[] := p_operations.operation;
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_old bytea;
  v_new bytea;
  v_start integer;
  v_start_chars integer;
  v_code text;
  v_starts integer[];
  v_span_start integer[];
  v_span_end integer[];
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
begin
  for v_i in 1..cardinality(v_operation) loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_new := convert_to(v_replacement[v_i], 'UTF8');

    if v_operation[v_i] = 'span' then
      v_start_chars := least(p_operations.span_start[v_i], v_chars);
      v_start := patchdiff_store.prefix_bytes(
        v_buffer, v_start_chars, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      v_code := case
        when p_operations.span_start[v_i] > p_operations.span_end[v_i] or p_operations.span_end[v_i] > v_chars
          then 'span_out_of_bounds'
        when not patchdiff_store.span_holds(v_buffer, v_chars, p_operations, v_i, v_start)
          then 'span_expected_text_mismatch'
      end;
    else
      select m.start, m.code
      into v_start, v_code
      from patchdiff_store.import_match_start(
        v_buffer, v_old, p_operations.occurrence_index[v_i], p_operations.anchor_before[v_i],
        p_operations.anchor_after[v_i], p_overlapping, p_selectors_on_single
      ) as m;
      if v_code is null then
        v_start_chars := patchdiff_store.prefix_chars(
          v_buffer, v_start, v_mark_bytes, v_mark_chars, octet_length(v_buffer), v_chars);
      elsif v_code = 'match_absent' and v_i > 1
        and patchdiff_store.next_occurrence(p_content, v_old, 0, octet_length(p_content)) is not null
      then
        v_code := 'sequential_match_invalid';
      end if;
    end if;

    if v_code is not null then
      v_walk.fault.failure_code := v_code;
      v_walk.fault.path := p_container || '[' || (v_i - 1) || ']';
      return v_walk;
    end if;

    v_buffer := overlay(v_buffer placing v_new from v_start + 1 for octet_length(v_old));
    v_starts[v_i] := v_start;
    v_span_start[v_i] := v_start_chars;
    v_span_end[v_i] := v_start_chars + v_matched_chars[v_i];
    v_chars := v_chars - v_matched_chars[v_i] + v_replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
  end loop;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_profile(bytea, integer, patchdiff_store.operations, text, boolean, boolean) is
  'Applies the operations of a recorded attempt under the semantics of its profile.';
--! EndIncluded patchdiff_store/walk_profile.sql
--! Included patchdiff_store/import_evidence.sql
-- The identity of a recorded payload that was wrapped (docs/spec/decoding.md): the format of its envelope and the hash
-- that its fingerprint is made of. All null for a plain record; an empty format for a payload that names an envelope
-- and is not, byte for byte, what the wrapping makes.
create or replace function patchdiff_store.import_evidence (
  p_payload text,
  p_record jsonb,
  out evidence_format text,
  out evidence_sha256 text
)
  language plpgsql
  immutable
as $$
declare
  v_whole text;
begin
  -- Every record of a submission has a format.
  if p_record ? 'format' or p_record ->> 'evidence_format' is null then
    return;
  end if;

  evidence_format := p_record ->> 'evidence_format';
  if evidence_format = 'patchdiff-invalid-input/1' and patchdiff_store.is_json_object(p_record ->> 'inputs') then
    evidence_sha256 := patchdiff_store.sha256_hex(convert_to(p_record ->> 'inputs', 'UTF8'));
    v_whole := '{"evidence_format":"patchdiff-invalid-input/1","inputs":' || to_json(p_record ->> 'inputs')::text
      || ',"protocol_version":' || to_json(p_record ->> 'protocol_version')::text
      || ',"runtime_version":' || to_json(p_record ->> 'runtime_version')::text || '}';
  elsif evidence_format = 'patchdiff-oversized-input/1' and p_record ->> 'sha256' ~ '\A[0-9a-f]{64}\Z' then
    evidence_sha256 := p_record ->> 'sha256';
    v_whole := '{"bytes":' || left(p_record ->> 'bytes', 20) || ',"evidence_format":"patchdiff-oversized-input/1","prefix":'
      || to_json(p_record ->> 'prefix')::text || ',"sha256":"' || evidence_sha256 || '"}';
  end if;

  if v_whole is distinct from p_payload then
    evidence_format := '';
    evidence_sha256 := '';
  end if;
end;
$$;

comment on function patchdiff_store.import_evidence(text, jsonb) is
  'Format and hash of the evidence in a recorded payload that was wrapped; null for a plain record.';
--! EndIncluded patchdiff_store/import_evidence.sql
--! Included patchdiff_store/refuse_import.sql
-- Refuses to bring in an attempt that its own replay does not confirm (PD112). p_check names the check in the words of
-- replay (docs/spec/import.md), p_facts what it saw.
create or replace function patchdiff_store.refuse_import (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_check text,
  p_rule text,
  p_facts jsonb default '{}'
)
  returns void
  language plpgsql
  immutable
as $$
begin
  raise exception 'attempt % cannot be brought in: %', p_attempt.pdcp_log_id, p_rule
    using errcode = 'PD112',
          detail = (jsonb_build_object(
            'target_file_id', p_attempt.target_file_id,
            'pdcp_log_id', p_attempt.pdcp_log_id,
            'check', p_check,
            'rule', p_rule
          ) || p_facts)::text,
          hint = 'correct the attempt from its source, or end the history of the target before it';
end;
$$;

comment on function patchdiff_store.refuse_import(patchdiff_store.append_only_pdcp_logs, text, text, jsonb) is
  'Refuses to bring in an attempt that its own replay does not confirm.';
--! EndIncluded patchdiff_store/refuse_import.sql
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
    (3, not coalesce(isfinite(p_attempt.created_at) and p_attempt.created_at <= p_attempt.imported_at, false),
      'p_created_at', 'a finite time that is not in the future'),
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
        or patchdiff_store.holds_unencodable(left(p_attempt.diagnostic_json::text, 65536)),
      'p_diagnostic', 'an object of at most 65536 bytes without NUL and lone surrogates, or null'),
    (21, not v_is_accepted and p_attempt.warnings is not null, 'p_warnings', 'null for a rejected attempt'),
    (22, patchdiff_store.are_warnings(p_attempt.warnings) is false, 'p_warnings',
      'an array of at most 6000 objects with code and change_id, or null')
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
--! Included patchdiff_store/check_import_place.sql
-- Refuses an attempt that is not the next one of a locked target: one that is there already, or whose key is (PD113); one
-- behind an attempt that the service recorded itself, before the time of the attempt before it, or that starts from
-- another version (PD111). Only the last attempt is looked at: what comes before it passed here as well.
create or replace function patchdiff_store.check_import_place (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs
)
  returns void
  language plpgsql
  stable
as $$
declare
  v_last record;
  v_rule text;
begin
  v_rule := case
    when exists (
      select from patchdiff_store.append_only_pdcp_logs as l where l.pdcp_log_id = p_attempt.pdcp_log_id
    ) then 'pdcp_log_id'
    when exists (
      select
      from patchdiff_store.request_keys as k
      where k.target_file_id = p_attempt.target_file_id
      and k.client_request_id = p_attempt.client_request_id
    ) then 'client_request_id'
  end;
  if v_rule is not null then
    raise exception 'the % of attempt % is taken', v_rule, p_attempt.pdcp_log_id
      using errcode = 'PD113',
            detail = json_build_object(
              'target_file_id', p_attempt.target_file_id, 'pdcp_log_id', p_attempt.pdcp_log_id, 'taken', v_rule)::text,
            hint = 'skip the attempt when it was brought in before; nothing of it can be replaced';
  end if;

  select l.created_at, l.imported_at
  into v_last
  from patchdiff_store.append_only_pdcp_logs as l
  where l.target_file_id = p_attempt.target_file_id
  and l.log_sequence = p_locked.log_sequence;

  v_rule := case
    when found and v_last.imported_at is null then 'the target has attempts that were not brought in'
    when found and v_last.created_at > p_attempt.created_at then 'the attempt before it is later'
    when p_attempt.before_version <> p_locked.version then 'it does not start from the current version'
  end;
  if v_rule is not null then
    raise exception 'attempt % is not the next one: %', p_attempt.pdcp_log_id, v_rule
      using errcode = 'PD111',
            detail = json_build_object(
              'target_file_id', p_attempt.target_file_id, 'pdcp_log_id', p_attempt.pdcp_log_id, 'rule', v_rule,
              'log_sequence', p_locked.log_sequence, 'current_version', p_locked.version)::text,
            hint = 'bring in a history from its first attempt in its own order, before anything is submitted to the target';
  end if;
end;
$$;

comment on function patchdiff_store.check_import_place(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs
) is 'Refuses an attempt that is not the next one of a target.';
--! EndIncluded patchdiff_store/check_import_place.sql
--! Included patchdiff_store/check_import_rejection.sql
-- Refuses a rejected attempt that is none (PD112): reason, stage and code that do not belong together, a protocol that is
-- not the payload's, a target that moved, a mismatch of guards that there was not, a key where none is kept, and a
-- payload that is neither a JSON object nor a whole envelope. That the submission deserved its rejection is not judged.
create or replace function patchdiff_store.check_import_rejection (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_record jsonb,
  p_evidence_format text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_reason text := p_attempt.failure_reason;
  v_check text;
  v_rule text;
begin
  select c.checked, c.rule
  into v_check, v_rule
  from (values
    (1, 'after_version', 'a rejection keeps the version',
      p_attempt.after_version <> p_attempt.before_version),
    (2, 'after_hash', 'a rejection keeps the content',
      p_attempt.after_hash <> p_attempt.before_hash),
    (3, 'protocol', 'no legal pair of protocol and runtime', case p_attempt.protocol_version
      when 'unknown' then p_attempt.runtime_version <> 'patchdiff-mvp-0.2.2'
      else (patchdiff_store.import_profile(p_attempt.protocol_version, p_attempt.runtime_version)).overlapping_matches is null
    end),
    (4, 'decode', 'the payload is no JSON object',
      patchdiff_store.is_json_object(p_payload) is not true),
    (5, 'decode', 'the payload names an envelope and is none', p_evidence_format = ''),
    (6, 'protocol', 'not the format of the payload', case
      when p_evidence_format = 'patchdiff-invalid-input/1' then
        p_record ->> 'protocol_version' <> p_attempt.protocol_version
        or p_record ->> 'runtime_version' <> p_attempt.runtime_version
      when p_evidence_format is null then patchdiff_store.protocol_of(p_record) <> p_attempt.protocol_version
    end),
    (7, 'outcome', 'no such reason at this stage', (p_attempt.validation_stage, v_reason) not in (
      ('precondition_guard', 'context_invalid'),
      ('precondition_guard', 'target_version_mismatch'),
      ('precondition_guard', 'target_hash_mismatch'),
      ('protocol_validation', 'manifest_missing'),
      ('protocol_validation', 'manifest_invalid'),
      ('protocol_validation', 'block_malformed'),
      ('protocol_validation', 'context_missing'),
      ('protocol_validation', 'context_invalid'),
      ('protocol_validation', 'disambiguation_invalid'),
      ('protocol_validation', 'target_encoding_invalid'),
      ('transaction_applicability', 'manifest_invalid'),
      ('transaction_applicability', 'match_absent'),
      ('transaction_applicability', 'match_ambiguous'),
      ('transaction_applicability', 'disambiguation_invalid'),
      ('transaction_applicability', 'sequential_match_invalid'),
      ('transaction_applicability', 'span_out_of_bounds'),
      ('transaction_applicability', 'span_expected_text_mismatch'),
      ('commit_guard', 'target_diverged'),
      ('commit_guard', 'context_invalid')
    )),
    (8, 'outcome', 'the code is not one of this reason at this stage', p_attempt.failure_code is not null and not exists (
      select
      from patchdiff_store.failure_words(p_attempt.failure_code) as w
      where w.stage = p_attempt.validation_stage and w.reason = v_reason
    )),
    (9, 'outcome', 'text that can be stored was not rejected for its encoding',
      p_evidence_format = 'patchdiff-invalid-input/1'
      and v_reason not in ('target_encoding_invalid', 'context_invalid')),
    (10, 'outcome', 'the guard of the payload holds',
      (v_reason = 'target_version_mismatch' and p_attempt.expected_target_version is not distinct from p_attempt.before_version)
      or (v_reason = 'target_hash_mismatch' and p_attempt.expected_current_hash is not distinct from p_attempt.before_hash)),
    (11, 'client_request_id', 'such a rejection keeps no key',
      p_attempt.client_request_id is not null
      and p_attempt.failure_code in ('request_key_conflict', 'invalid_client_request_id', 'claim_mismatch'))
  ) as c(position, checked, rule, fails)
  where c.fails
  order by c.position
  limit 1;

  if v_check is not null then
    perform patchdiff_store.refuse_import(p_attempt, v_check, v_rule);
  end if;
end;
$$;

comment on function patchdiff_store.check_import_rejection(
  patchdiff_store.append_only_pdcp_logs, text, jsonb, text
) is 'Refuses a rejected attempt whose outcome and payload are not those of one.';
--! EndIncluded patchdiff_store/check_import_rejection.sql
--! Included patchdiff_store/import_walk.sql
-- Replays one recorded acceptance on a locked target: legal pair, decoding, guards, application and result, each as
-- recorded, or refused (PD112). The stored content must be what row and head say (PD106). No limit on fresh submissions
-- applies. Answers the walk with the new content and the facts.
create or replace function patchdiff_store.import_walk (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_record jsonb
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_profile record;
  v_fault record;
  v_container text := case p_attempt.protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end;
  v_content bytea;
  v_walk patchdiff_store.walk;
begin
  select p.*
  into v_profile
  from patchdiff_store.import_profile(p_attempt.protocol_version, p_attempt.runtime_version) as p;
  if v_profile.overlapping_matches is null then
    perform patchdiff_store.refuse_import(p_attempt, 'protocol', 'no legal pair of protocol and runtime', jsonb_build_object(
      'protocol_version', p_attempt.protocol_version, 'runtime_version', p_attempt.runtime_version));
  end if;

  if p_attempt.after_version <> p_attempt.before_version + 1 then
    perform patchdiff_store.refuse_import(p_attempt, 'after_version', 'an acceptance raises the version by one');
  end if;

  v_fault := patchdiff_store.import_record_fault(
    p_record, p_attempt.target_file_id, p_attempt.protocol_version, v_profile.historical_change_ids,
    v_profile.span_adjacency);
  if v_fault.code is not null then
    perform patchdiff_store.refuse_import(p_attempt, 'decode', 'the payload does not decode under its profile',
      jsonb_build_object('failure_code', v_fault.code, 'path', v_fault.path));
  end if;

  if p_attempt.expected_target_version <> p_attempt.before_version
    or p_attempt.expected_current_hash <> p_attempt.before_hash
  then
    perform patchdiff_store.refuse_import(p_attempt, 'guards', 'its own guards do not hold');
  end if;

  select convert_to(t.current_content, 'UTF8')
  into strict v_content
  from patchdiff_store.cloud_target_files as t
  where t.target_file_id = p_attempt.target_file_id;
  if not patchdiff_store.is_intact(p_locked, v_content) then
    raise exception 'the stored content of target % is not what its history says', p_attempt.target_file_id
      using errcode = 'PD106',
            detail = json_build_object('target_file_id', p_attempt.target_file_id, 'version', p_locked.version)::text,
            hint = 'select * from patchdiff_audit.verify_target(target) names the rows that contradict each other';
  end if;

  v_walk := case p_attempt.protocol_version
    when 'patchdiff-tx/3' then patchdiff_store.walk_replacement(p_locked, p_record #>> '{operations,0,replace}')
    else patchdiff_store.walk_profile(
      v_content, p_locked.content_chars,
      patchdiff_store.read_operations(p_record -> v_container, p_attempt.protocol_version),
      v_container, v_profile.overlapping_matches, v_profile.selectors_on_single_match
    )
  end;
  if v_walk.after_content is null then
    perform patchdiff_store.refuse_import(p_attempt, 'apply', 'the payload does not apply to the content',
      jsonb_build_object('failure_code', (v_walk.fault).failure_code, 'path', (v_walk.fault).path));
  end if;

  if v_walk.after_hash <> p_attempt.after_hash then
    perform patchdiff_store.refuse_import(p_attempt, 'after_hash', 'the result has another hash', jsonb_build_object(
      'recorded', p_attempt.after_hash, 'derived', v_walk.after_hash));
  end if;

  if exists (
    select
    from json_array_elements(p_attempt.warnings) as w(warning)
    where coalesce(not w.warning ->> 'code' in (
        'no_op_change', 'no_op_transaction', 'occurrence_index_basis_shift', 'grapheme_boundary_split'), true)
      or not coalesce(w.warning ->> 'change_id' = any (v_walk.change_id), true)
  ) then
    perform patchdiff_store.refuse_import(p_attempt, 'warnings', 'a warning of no known code, or of no change of the attempt');
  end if;

  return v_walk;
end;
$$;

comment on function patchdiff_store.import_walk(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, jsonb
) is 'Replays one recorded acceptance on a locked target, or refuses it.';
--! EndIncluded patchdiff_store/import_walk.sql
--! Included patchdiff_store/import_ledger.sql
-- The ledger rows of an attempt that is brought in: what its replay derived, in order of application.
create or replace function patchdiff_store.import_ledger (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_ledger_sequence bigint,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns patchdiff_store.append_only_manifest_ledger[]
  language sql
  stable
as $$
  select array_agg(
    patchdiff_store.ledger_row(
      p_attempt, p_ledger_sequence + c.ordinal, c.ordinal::integer, p_intent, c.change_id, c.operation, c.rationale,
      c.risk, c.span_start, c.span_end, c.matched_chars, c.replacement_chars, c.matched_sha256, c.replacement_sha256,
      c.start_byte, c.deleted_bytes, c.inserted_bytes)
    order by c.ordinal
  )
  from unnest(
    p_walk.change_id, p_walk.operation, p_walk.rationale, p_walk.risk, p_walk.span_start, p_walk.span_end,
    p_walk.matched_chars, p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256,
    p_walk.start_byte, p_walk.deleted_bytes, p_walk.inserted_bytes
  ) with ordinality as c(
    change_id, operation, rationale, risk, span_start, span_end, matched_chars, replacement_chars,
    matched_sha256, replacement_sha256, start_byte, deleted_bytes, inserted_bytes, ordinal
  )
$$;

comment on function patchdiff_store.import_ledger(
  patchdiff_store.append_only_pdcp_logs, bigint, text, patchdiff_store.walk
) is 'The ledger rows of an attempt that is brought in.';
--! EndIncluded patchdiff_store/import_ledger.sql
--! Included patchdiff_store/append_import.sql
-- Appends one attempt that its owner brings in, with its ledger rows and request key, and advances head and chain: the
-- sibling of append_attempt that keeps the recorded id and time. The caller holds the target's lock and has verified
-- the row. What the database knows itself is the importer's. Refuses a key that no index can hold (PD100).
create or replace function patchdiff_store.append_import (
  p_locked patchdiff_store.locked_target,
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_payload text,
  p_intent text,
  p_walk patchdiff_store.walk
)
  returns bigint
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
  v_row.hash_version := 2;
  v_row.editing_cycle := p_locked.open_cycle;
  v_row.db_session_user := session_user;
  v_row.db_application_name := current_setting('application_name');
  v_row.db_client_addr := host(inet_client_addr());
  v_row.db_transaction_id := pg_current_xact_id()::text::bigint;
  v_row.prev_hash := p_locked.chain_head;
  v_row.change_count := coalesce(cardinality(p_walk.change_id), 0);
  v_ledger := patchdiff_store.import_ledger(v_row, p_locked.ledger_sequence, p_intent, p_walk);
  v_bytes := (
    select string_agg(patchdiff_store.ledger_encoding(l), ''::bytea order by l.ledger_sequence) from unnest(v_ledger) as l
  );
  v_row.row_hash := sha256(
    v_row.prev_hash || patchdiff_store.attempt_encoding(v_row) || patchdiff_store.import_encoding(v_row)
    || coalesce(v_bytes, ''));
  v_row.pdcp_content := p_payload;

  if v_row.client_request_id is not null then
    begin
      insert into patchdiff_store.request_keys (
        target_file_id, client_request_id, kind, request_fingerprint, log_sequence, created_at
      )
      values (
        v_row.target_file_id, v_row.client_request_id, 'submission', v_row.request_fingerprint, v_row.log_sequence,
        v_row.created_at
      );
    exception
      when program_limit_exceeded then
        raise exception 'p_client_request_id: text that an index can hold'
          using errcode = 'PD100',
                detail = json_build_object(
                  'argument', 'p_client_request_id', 'bytes', octet_length(v_row.client_request_id))::text,
                hint = 'bring the attempt in without its key; no database of this kind held such a key';
    end;
  end if;

  insert into patchdiff_store.append_only_pdcp_logs values (v_row.*);
  insert into patchdiff_store.append_only_manifest_ledger
  select l.* from unnest(v_ledger) as l;

  update patchdiff_store.target_heads as h
  set log_sequence = v_row.log_sequence,
      ledger_sequence = p_locked.ledger_sequence + v_row.change_count,
      chain_sequence = v_row.chain_sequence,
      accepted_version = case v_row.status when 'accepted' then v_row.after_version else h.accepted_version end,
      accepted_hash = case v_row.status when 'accepted' then v_row.after_hash else h.accepted_hash end,
      chain_head = v_row.row_hash
  where h.target_file_id = v_row.target_file_id;

  return v_row.log_sequence;
end;
$$;

comment on function patchdiff_store.append_import(
  patchdiff_store.locked_target, patchdiff_store.append_only_pdcp_logs, text, text, patchdiff_store.walk
) is 'Appends one attempt that its owner brings in, and advances head and chain.';
--! EndIncluded patchdiff_store/append_import.sql
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
--! Included patchdiff_audit/attempts.sql
-- Every attempt, accepted and rejected, without its payload. Filter by target_file_id and log_sequence for a page.
-- imported_at is null for an attempt that was recorded as it happened; of one that its owner brought in, the db_ columns
-- are the importer's.
-- Three members of the actor have columns of their own, null where its text could not be read: no row may spoil a page.
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
  l.imported_at
from patchdiff_store.append_only_pdcp_logs as l
cross join lateral (
  select case when pg_input_is_valid(l.actor::text, 'jsonb') then l.actor end as actor
) as r;

comment on view patchdiff_audit.attempts is 'Every attempt, accepted and rejected, without its payload.';
--! EndIncluded patchdiff_audit/attempts.sql
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
--! Included patchdiff_store/target_head.sql
-- target_state without the content, which no page of targets may read: in the columns of patchdiff.target_state too.
create or replace view patchdiff_store.target_head as
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
  t.log_sequence,
  t.ledger_sequence,
  t.snapshot_sequence,
  t.publication_sequence,
  t.open_cycle,
  t.chain_sequence,
  t.chain_head,
  null::text as current_content
from patchdiff_store.target_state as t;

comment on view patchdiff_store.target_head is 'A target with its head and without its content.';
--! EndIncluded patchdiff_store/target_head.sql
--! Included patchdiff/read_head.sql
-- One target without its content: one row, or none when there is no such target. No lock, and never the long text.
create or replace function patchdiff.read_head (
  p_target uuid
)
  returns setof patchdiff.target_state
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select t.*
  from patchdiff_store.target_head as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_head(uuid) is 'A target without its content.';
--! EndIncluded patchdiff/read_head.sql
--! Included patchdiff/read_target.sql
-- One target with its content: one row, or none when there is no such target. No lock: one committed state.
create or replace function patchdiff.read_target (
  p_target uuid
)
  returns setof patchdiff.target_state
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select t.*
  from patchdiff_store.target_state as t
  where t.target_file_id = p_target
$$;

comment on function patchdiff.read_target(uuid) is 'A target with its content.';
--! EndIncluded patchdiff/read_target.sql
--! Included patchdiff/list_targets.sql
-- A page of targets, newest first, without content. p_filter: part of a name or workspace path, compared without case.
-- The cursor is the created_at and target_file_id of the last row seen, both or none; targets created meanwhile never enter a
-- running traversal. Answers one row more than the limit (default 50, at most 200) when there are more.
create or replace function patchdiff.list_targets (
  p_filter text default null,
  p_limit integer default null,
  p_after_created_at timestamptz default null,
  p_after_target uuid default null
)
  returns setof patchdiff.target_state
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select t.*
  from patchdiff_store.target_head as t
  where (t.created_at, t.target_file_id) < (
    coalesce(p_after_created_at, 'infinity'::timestamptz),
    coalesce(p_after_target, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
  )
  and (
    p_filter is null
    or strpos(lower(t.display_name), lower(p_filter)) > 0
    or strpos(lower(t.workspace_path), lower(p_filter)) > 0
  )
  order by t.created_at desc, t.target_file_id desc
  limit patchdiff_store.page_limit(p_limit) + 1
$$;

comment on function patchdiff.list_targets(text, integer, timestamptz, uuid) is
  'A page of targets, newest first, filtered by part of a name or path.';
--! EndIncluded patchdiff/list_targets.sql
--! Included patchdiff/read_recent_changes.sql
-- The last accepted attempts that led to a version, newest first, with what takes each of them back: the payload and the code
-- point at which each change began in the buffer as it stood then. At most 8 attempts, 1 MiB of payload and 4,000
-- changes, and none from the first one on that replaced the whole text: what that took away is not in its payload.
-- Only a hint is made of it, so an unknown target or version simply answers nothing. No lock.
create or replace function patchdiff.read_recent_changes (
  p_target uuid,
  p_version bigint,
  p_limit integer default null
)
  returns table (
    pdcp_log_id uuid,
    protocol_version text,
    runtime_version text,
    before_version bigint,
    after_version bigint,
    before_hash text,
    span_starts integer[],
    pdcp_content text
  )
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  with recent as (
    select l.*
    from patchdiff_store.append_only_pdcp_logs as l
    where l.target_file_id = p_target
    and l.status = 'accepted'
    and l.after_version <= p_version
    order by l.after_version desc
    limit least(greatest(coalesce(p_limit, 8), 1), 8)
  ),
  bounded as (
    select
      r.*,
      sum(octet_length(r.pdcp_content)) over newer as bytes,
      sum(r.change_count) over newer as changes,
      bool_or(r.protocol_version = 'patchdiff-tx/3') over newer as replaced
    from recent as r
    window newer as (order by r.after_version desc)
  )
  select
    b.pdcp_log_id,
    b.protocol_version,
    b.runtime_version,
    b.before_version,
    b.after_version,
    b.before_hash,
    array(
      select (g.derived_json ->> 'span_start')::integer
      from patchdiff_store.append_only_manifest_ledger as g
      where g.target_file_id = b.target_file_id and g.log_sequence = b.log_sequence
      order by g.apply_ordinal
    ),
    b.pdcp_content
  from bounded as b
  where b.bytes <= 1048576
  and b.changes <= 4000
  and not b.replaced
  order by b.after_version desc
$$;

comment on function patchdiff.read_recent_changes(uuid, bigint, integer) is
  'The last accepted attempts that led to a version, newest first, with what takes each of them back.';
--! EndIncluded patchdiff/read_recent_changes.sql

grant execute on function patchdiff.read_recent_changes(uuid, bigint, integer) to patchdiff_writer;
grant select on patchdiff_store.target_head to patchdiff_auditor;

grant execute on all routines in schema patchdiff to patchdiff_writer;
reset role;
select patchdiff_guard.guard_ddl(true);
