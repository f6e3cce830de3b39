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
