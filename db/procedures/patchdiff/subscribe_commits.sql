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
