-- What stands against reading one recorded edit or operation under its profile: I1 to I11 of docs/spec/decoding.md without
-- the limits on fresh submissions, the first fault wins; code null when there is none. p_change_id is the item's id,
-- null when it has no legal one; p_is_duplicate says whether an earlier item has the same.
create or replace function patchdiff_store.import_item_fault (
  p_item jsonb,
  p_ordinal integer,
  p_count integer,
  p_protocol_version text,
  p_has_adjacency boolean,
  p_change_id text,
  p_is_duplicate boolean,
  out code text,
  out path text
)
  language plpgsql
  immutable
as $$
declare
  v_base text := case p_protocol_version when 'patchdiff-tx/1' then 'edits' else 'operations' end || '[' || (p_ordinal - 1) || ']';
  v_op text := 'match';
  v_name text;
  v_type text;
begin
  path := v_base;
  if jsonb_typeof(p_item) <> 'object' then
    code := 'not_an_object';
    return;
  end if;

  if p_protocol_version <> 'patchdiff-tx/1' then
    v_type := coalesce(jsonb_typeof(p_item -> 'op'), 'null');
    v_op := p_item ->> 'op';
    code := case
      when v_type = 'null' then 'field_missing'
      when v_type <> 'string' then 'field_type'
      when p_protocol_version = 'patchdiff-tx/3' and (v_op <> 'replace_all' or p_count > 1) then 'op_unknown'
      when p_protocol_version = 'patchdiff-tx/2' and v_op = 'replace_all' then 'replace_all_refused'
      when p_protocol_version = 'patchdiff-tx/2' and v_op not in ('match', 'span') then 'op_unknown'
    end;
    if code is not null then
      path := v_base || '.op';
      return;
    end if;
  end if;

  foreach v_name in array case v_op
    when 'match' then array['match', 'replace']
    when 'span' then array['start', 'end', 'expected_text', 'replace']
    else array['replace']
  end loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    code := case
      when v_type = 'null' then 'field_missing'
      when v_type <> case when v_name in ('start', 'end') then 'number' else 'string' end then 'field_type'
      when v_type = 'number' and patchdiff_store.integer_of(p_item -> v_name, 0) is null then 'integer_invalid'
      when v_name = 'match' and p_item -> v_name = '""' then 'match_empty'
    end;
    if code is not null then
      path := v_base || '.' || v_name;
      return;
    end if;
  end loop;

  foreach v_name in array case
    when v_op = 'span' and p_has_adjacency then array['expected_before', 'expected_after']
    when v_op = 'match' then array['occurrence_index', 'anchor_before', 'anchor_after']
    else '{}'::text[]
  end loop
    v_type := coalesce(jsonb_typeof(p_item -> v_name), 'null');
    code := case
      when v_type = 'null' then null
      when v_op = 'span' and v_type <> 'string' then 'field_type'
      when v_op = 'span' and p_item -> v_name = '""' then 'expected_context_empty'
      when v_name = 'occurrence_index' and patchdiff_store.integer_of(p_item -> v_name, 1) is null then 'selector_malformed'
      when v_op = 'match' and v_name <> 'occurrence_index' and (v_type <> 'string' or p_item -> v_name = '""')
        then 'selector_malformed'
    end;
    if code is not null then
      path := v_base || '.' || v_name;
      return;
    end if;
  end loop;

  -- An explicit null means absent: it is no unknown field where adjacency is not known.
  select min(k.name collate "C")
  into v_name
  from jsonb_each(p_item) as k(name, value)
  where not (
    k.name = any (case v_op
      when 'match' then array['match', 'replace', 'change_id', 'rationale', 'risk', 'occurrence_index', 'anchor_before', 'anchor_after']
      when 'span' then array['start', 'end', 'expected_text', 'replace', 'change_id', 'rationale', 'risk']
      else array['replace']
    end)
    or (k.name = 'op' and p_protocol_version <> 'patchdiff-tx/1')
    or (v_op = 'span' and k.name in ('expected_before', 'expected_after') and (p_has_adjacency or k.value = 'null'))
  );

  v_type := coalesce(jsonb_typeof(p_item -> 'rationale'), 'null');
  select f.code, v_base || '.' || f.name
  into code, path
  from (values
    (1, 'unknown_field', left(v_name, 64), v_name is not null),
    (2, 'change_id_invalid', 'change_id', p_change_id is null),
    (3, 'change_id_duplicate', 'change_id', p_is_duplicate),
    (4, 'rationale_invalid', 'rationale', case v_type
      when 'null' then false
      when 'string' then patchdiff_store.is_blank(p_item ->> 'rationale')
      else true
    end),
    (5, 'risk_invalid', 'risk', coalesce(p_item -> 'risk' not in ('null', '"low"', '"medium"', '"high"'), false))
  ) as f(position, code, name, is_broken)
  where f.is_broken
  order by f.position
  limit 1;
end;
$$;

comment on function patchdiff_store.import_item_fault(jsonb, integer, integer, text, boolean, text, boolean) is
  'What stands against reading one recorded edit or operation under its profile; null when nothing does.';
