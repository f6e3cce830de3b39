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
