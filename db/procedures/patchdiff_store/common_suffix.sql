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
