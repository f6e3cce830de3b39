-- The operations of a commit_spans as canonical JSON: each item as sent, in the order sent, with "op":"span" where it
-- names no op. Escapes that no PostgreSQL text can hold make it ASCII-escaped JSON, whose escapes they stay.
-- Refuses what is no array, what is beyond 16777216 bytes or nested beyond 256 levels, and a member given twice (PD100),
-- and a number beyond double precision (PD102); whatever else is wrong with an item is an outcome, not misuse.
create or replace function patchdiff_store.direct_operations (
  p_spans json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_is_encodable boolean := not patchdiff_store.holds_unencodable(p_spans::text);
  v_spans json;
  v_rule text;
  v_operations text;
begin
  v_rule := case
    when p_spans is null or json_typeof(p_spans) <> 'array' then 'a JSON array'
    when octet_length(p_spans::text) > 16777216 then 'JSON of at most 16777216 bytes'
    when patchdiff_store.nests_beyond(p_spans::text, 256) then 'JSON of at most 256 levels'
  end;
  if v_rule is not null then
    raise exception 'p_spans must be %', v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_spans', 'rule', v_rule)::text,
            hint = 'send an array of spans, each an object with start, end, expected_text and replace';
  end if;

  v_spans := p_spans;
  if not v_is_encodable then
    -- Written as an escape the mark itself would be taken for one. An escaped backslash stands aside as in mark_unencodable.
    v_spans := patchdiff_store.mark_unencodable(replace(
      regexp_replace(replace(p_spans::text, '\\', e'\x01'), '\\u[eE]000', U&'\E000', 'g'), e'\x01', '\\'))::json;
  end if;

  select '[' || coalesce(string_agg(
    patchdiff_store.canonical_json('p_spans', case
      when json_typeof(e.item) <> 'object' or e.item -> 'op' is not null then e.item
      else ('{"op":"span"' || regexp_replace(substr(e.item::text, 2), '\A\s*(?!\s|\})', ',') )::json
    end),
    ',' order by e.position
  ), '') || ']'
  into v_operations
  from json_array_elements(v_spans) with ordinality as e(item, position);
  return case when v_is_encodable then v_operations else patchdiff_store.unmark_unencodable(v_operations) end;
end;
$$;

comment on function patchdiff_store.direct_operations(json) is
  'The operations of a commit_spans as canonical JSON, each with its op.';
