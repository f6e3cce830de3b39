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
