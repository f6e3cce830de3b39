-- Decodes one edit or operation: I1 to I13 of docs/spec/decoding.md, the first fault wins, all null when there is none.
-- A value is read as text only once it is known to be a string: 1e131071 is short in JSON and long as text.
-- p_ordinal counts from 1, p_count is the number of items, p_used the change ids of the items before.
create or replace function patchdiff_store.decode_item (
  p_item jsonb,
  p_ordinal integer,
  p_count integer,
  p_format text,
  p_used text[]
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_base text := case p_format when 'patchdiff-tx/1' then 'edits' else 'operations' end || '[' || (p_ordinal - 1) || ']';
  v_id text := patchdiff_store.change_id_of(p_item, p_ordinal);
  v_op text := 'match';
  v_required text[];
  v_optional text[];
  v_name text;
  v_type text;
begin
  if jsonb_typeof(p_item) <> 'object' then
    return patchdiff_store.fault_of('not_an_object', v_base, p_ordinal);
  end if;

  if p_format <> 'patchdiff-tx/1' then
    v_type := coalesce(jsonb_typeof(p_item -> 'op'), 'null');
    if v_type = 'null' then
      return patchdiff_store.fault_of('field_missing', v_base || '.op', p_ordinal, v_id);
    elsif v_type <> 'string' then
      return patchdiff_store.fault_of('field_type', v_base || '.op', p_ordinal, v_id, '{"type": "a string"}');
    end if;

    v_op := p_item ->> 'op';
    if p_format = 'patchdiff-tx/3' and v_op <> 'replace_all' then
      return patchdiff_store.fault_of('op_unknown', v_base || '.op', p_ordinal, v_id,
        '{"rule": "exactly one replace_all"}');
    elsif p_format = 'patchdiff-tx/3' and p_count > 1 then
      return patchdiff_store.fault_of('op_unknown', 'operations[1]', p_ordinal, v_id,
        '{"rule": "exactly one replace_all"}');
    elsif p_format = 'patchdiff-tx/2' and v_op = 'replace_all' then
      return patchdiff_store.fault_of('replace_all_refused', v_base || '.op', p_ordinal, v_id);
    elsif p_format = 'patchdiff-tx/2' and v_op not in ('match', 'span') then
      return patchdiff_store.fault_of('op_unknown', v_base || '.op', p_ordinal, v_id, '{"rule": "one of match, span"}');
    end if;
  end if;

  case v_op
    when 'match' then
      v_required := array['match', 'replace'];
      v_optional := array['change_id', 'rationale', 'risk', 'occurrence_index', 'anchor_before', 'anchor_after'];
    when 'span' then
      v_required := array['start', 'end', 'expected_text', 'replace'];
      v_optional := array['change_id', 'rationale', 'risk', 'expected_before', 'expected_after'];
    else
      v_required := array['replace'];
      v_optional := '{}';
  end case;

  foreach v_name in array v_required loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    if v_type = 'null' then
      return patchdiff_store.fault_of('field_missing', v_base || '.' || v_name, p_ordinal, v_id);
    elsif v_name in ('start', 'end') and v_type <> 'number' then
      return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "an integer"}');
    elsif v_name in ('start', 'end') and patchdiff_store.integer_of(p_item -> v_name, 0) is null then
      return patchdiff_store.fault_of('integer_invalid', v_base || '.' || v_name, p_ordinal, v_id);
    elsif v_name not in ('start', 'end') and v_type <> 'string' then
      return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "a string"}');
    elsif v_name = 'match' and p_item -> v_name = '""' then
      return patchdiff_store.fault_of('match_empty', v_base || '.' || v_name, p_ordinal, v_id);
    end if;
  end loop;

  if v_op = 'span' then
    foreach v_name in array array['expected_before', 'expected_after'] loop
      v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
      if v_type = 'null' then
        continue;
      elsif v_type <> 'string' then
        return patchdiff_store.fault_of('field_type', v_base || '.' || v_name, p_ordinal, v_id, '{"type": "a string"}');
      elsif p_item -> v_name = '""' then
        return patchdiff_store.fault_of('expected_context_empty', v_base || '.' || v_name, p_ordinal, v_id);
      end if;
    end loop;
  end if;

  if v_op = 'match' then
    if coalesce(p_item -> 'occurrence_index', 'null') <> 'null'
      and patchdiff_store.integer_of(p_item -> 'occurrence_index', 1) is null
    then
      return patchdiff_store.fault_of('selector_malformed', v_base || '.occurrence_index', p_ordinal, v_id,
        '{"rule": "an integer from 1 to 9007199254740991"}');
    end if;

    foreach v_name in array array['anchor_before', 'anchor_after'] loop
      if p_item -> v_name = '""' or jsonb_typeof(p_item -> v_name) not in ('string', 'null') then
        return patchdiff_store.fault_of('selector_malformed', v_base || '.' || v_name, p_ordinal, v_id,
          '{"rule": "a non-empty string"}');
      end if;
    end loop;
  end if;

  select min(k.name collate "C")
  into v_name
  from jsonb_object_keys(p_item) as k(name)
  where not k.name = any (v_required || v_optional)
  and not (k.name = 'op' and p_format <> 'patchdiff-tx/1');
  if v_name is not null then
    return patchdiff_store.fault_of('unknown_field', v_base || '.' || left(v_name, 64), p_ordinal, v_id);
  end if;

  if v_id is null then
    return patchdiff_store.fault_of('change_id_invalid', v_base || '.change_id', p_ordinal);
  end if;

  if v_id = any (p_used) then
    return patchdiff_store.fault_of('change_id_duplicate', v_base || '.change_id', p_ordinal, v_id);
  end if;

  v_type := coalesce(jsonb_typeof(p_item -> 'rationale'), 'null');
  if v_type not in ('string', 'null') or (v_type = 'string' and patchdiff_store.is_blank(p_item ->> 'rationale')) then
    return patchdiff_store.fault_of('rationale_invalid', v_base || '.rationale', p_ordinal, v_id);
  end if;

  if char_length(p_item ->> 'rationale') > 4096 then
    return patchdiff_store.fault_of('rationale_too_long', v_base || '.rationale', p_ordinal, v_id);
  end if;

  if p_item -> 'risk' not in ('null', '"low"', '"medium"', '"high"') then
    return patchdiff_store.fault_of('risk_invalid', v_base || '.risk', p_ordinal, v_id);
  end if;

  if char_length(p_item ->> 'match') > 65536 then
    return patchdiff_store.fault_of('match_too_long', v_base || '.match', p_ordinal, v_id);
  end if;

  if v_op = 'replace_all'
    and (char_length(p_item ->> 'replace') > 1000000 or octet_length(p_item ->> 'replace') > 1048576)
  then
    return patchdiff_store.fault_of('replacement_too_large', 'replacement', p_ordinal, v_id);
  end if;

  return null;
end;
$$;

comment on function patchdiff_store.decode_item(jsonb, integer, integer, text, text[]) is
  'The first protocol fault of one edit or operation, or all null when it decodes.';
