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
