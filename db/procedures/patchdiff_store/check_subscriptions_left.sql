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
