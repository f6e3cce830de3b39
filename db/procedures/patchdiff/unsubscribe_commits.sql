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
