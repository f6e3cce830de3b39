-- A JSON number as a record holds it (docs/spec/decoding.md): an integer of the protocol's domain as it is written, any other as
-- the shortest decimal that reads back as the same double, in the form of ECMAScript, so that every caller's record of
-- the same value has the same bytes. Null for null. A number beyond every double raises PD102: nothing could hold it as a number.
create or replace function patchdiff_store.number_json (
  p_argument text,
  p_number text
)
  returns text
  language plpgsql
  immutable
  -- The shortest form is what the server's default gives, and any session may have another.
  set extra_float_digits = '1'
as $$
declare
  v_parts text[];
  v_digits text;
  -- The value is 0.<digits> times ten to this power.
  v_power numeric;
  v_rounded text;
  v_shown text;
begin
  if p_number is null or p_number ~ '\A(0|-?[1-9][0-9]{0,14})\Z' then
    return p_number;
  end if;

  v_parts := regexp_match(p_number, '\A(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?\Z');
  v_digits := ltrim(v_parts[2] || coalesce(v_parts[3], ''), '0');
  if v_digits = '' then
    return '0';
  end if;

  begin
    v_parts := regexp_match(p_number::float8::text, '\A(-?)([0-9]+)(?:\.([0-9]+))?(?:e([-+][0-9]+))?\Z');
  exception
    when numeric_value_out_of_range then
      v_power := length(v_digits) - length(coalesce(v_parts[3], '')) + left(coalesce(v_parts[4], '0'), 1000)::numeric;
      if v_power < 0 then
        return '0';
      end if;

      raise exception '%: a number lies beyond double precision', p_argument
        using errcode = 'PD102',
              detail = json_build_object('argument', p_argument, 'number', left(p_number, 64))::text,
              hint = 'send integers; the formats use no other numbers';
  end;

  v_digits := ltrim(v_parts[2] || coalesce(v_parts[3], ''), '0');
  v_power := length(v_digits) - length(coalesce(v_parts[3], '')) + coalesce(v_parts[4], '0')::integer;
  v_digits := rtrim(v_digits, '0');

  -- The server shows digits that lie strictly inside what reads back as the double; fewer on the very edge of it do too.
  for v_kept in 1..length(v_digits) - 1 loop
    v_rounded := round(v_digits::numeric, v_kept - length(v_digits))::text;
    continue when concat(v_rounded, 'e', v_power - length(v_digits))::numeric > 1.7976931348623157e308;
    if concat(v_parts[1], v_rounded, 'e', v_power - length(v_digits))::float8 = p_number::float8 then
      v_power := v_power + length(v_rounded) - length(v_digits);
      v_digits := rtrim(v_rounded, '0');
      exit;
    end if;
  end loop;

  v_shown := case
    when v_power between length(v_digits) and 21 then rpad(v_digits, v_power::integer, '0')
    when v_power between 1 and 21 then left(v_digits, v_power::integer) || '.' || substr(v_digits, v_power::integer + 1)
    when v_power between -5 and 0 then '0.' || repeat('0', -v_power::integer) || v_digits
    else concat(
      left(v_digits, 1), '.' || nullif(substr(v_digits, 2), ''), 'e', case when v_power > 0 then '+' end, v_power - 1)
  end;
  return v_parts[1] || v_shown;
end;
$$;

comment on function patchdiff_store.number_json(text, text) is
  'A JSON number as a record holds it: the shortest decimal of the same double.';
