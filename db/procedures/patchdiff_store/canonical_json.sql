-- Canonical JSON of any value (docs/spec/decoding.md): names by code point, no spaces, numbers as records hold them. The text
-- must hold no escape that PostgreSQL text cannot (mark_unencodable takes them out). p_argument names the caller's
-- argument in a refusal: of a name that an object has twice (PD100), where whoever reads it would have to guess which
-- of two values is meant, and of a number beyond double precision (PD102).
create or replace function patchdiff_store.canonical_json (
  p_argument text,
  p_value json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
  v_repeated text;
begin
  case json_typeof(p_value)
    when 'object' then
      select
        '{' || coalesce(string_agg(m.text, ',' order by m.name collate "C"), '') || '}',
        min(m.name) filter (where m.count > 1)
      into v_text, v_repeated
      from (
        select
          e.name,
          count(*) over (partition by e.name) as count,
          to_json(e.name)::text || ':' || case json_typeof(e.value)
            when 'string' then to_json(e.value #>> '{}')::text
            else patchdiff_store.canonical_json(p_argument, e.value)
          end as text
        from json_each(p_value) as e(name, value)
      ) as m;
      if v_repeated is not null then
        raise exception '%: an object has the member % twice', p_argument, to_json(left(v_repeated, 64))
          using errcode = 'PD100',
                detail = json_build_object(
                  'argument', p_argument, 'rule', 'no object with the same member twice', 'member', left(v_repeated, 64)
                )::text,
                hint = 'send each member once';
      end if;
    when 'array' then
      select '[' || coalesce(string_agg(patchdiff_store.canonical_json(p_argument, e.value), ',' order by e.position), '') || ']'
      into v_text
      from json_array_elements(p_value) with ordinality as e(value, position);
    when 'string' then
      v_text := to_json(p_value #>> '{}')::text;
    when 'number' then
      v_text := patchdiff_store.number_json(p_argument, btrim(p_value::text, e' \t\r\n'));
    else
      v_text := btrim(p_value::text, e' \t\r\n');
  end case;

  return v_text;
end;
$$;

comment on function patchdiff_store.canonical_json(text, json) is
  'Canonical JSON of any value without escapes that PostgreSQL text cannot hold.';
