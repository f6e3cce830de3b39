-- How many bytes two texts have in common at their beginnings. Gallops, then halves, so it costs a small multiple of the
-- answer.
create or replace function patchdiff_store.common_prefix (
  p_one bytea,
  p_other bytea
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_limit integer := least(octet_length(p_one), octet_length(p_other));
  v_same integer := 0;
  v_step integer := 64;
begin
  loop
    v_step := least(v_step, v_limit - v_same);
    if v_step <= 0 then
      return v_same;
    end if;

    exit when substring(p_one from v_same + 1 for v_step) <> substring(p_other from v_same + 1 for v_step);
    v_same := v_same + v_step;
    v_step := v_step * 2;
  end loop;

  -- The next v_step bytes differ somewhere.
  while v_step > 1 loop
    if substring(p_one from v_same + 1 for v_step / 2) = substring(p_other from v_same + 1 for v_step / 2) then
      v_same := v_same + v_step / 2;
      v_step := v_step - v_step / 2;
    else
      v_step := v_step / 2;
    end if;
  end loop;

  return v_same;
end;
$$;

comment on function patchdiff_store.common_prefix(bytea, bytea) is
  'How many bytes two texts have in common at their beginnings.';
