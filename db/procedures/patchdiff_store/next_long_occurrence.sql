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
