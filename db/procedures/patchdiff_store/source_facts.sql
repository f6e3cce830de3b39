-- The facts about a document's line endings as it was imported, for the column source_line_endings.
-- Given facts are checked against the content as far as it can tell (PD100): shape, digits, and that as many line ends
-- are claimed as the canonical text has. Without given facts the text as sent is the source, and they are counted.
-- An explicit null in place of the facts stays null: unknown.
create or replace function patchdiff_store.source_facts (
  p_source jsonb,
  p_sent text,
  p_canonical text
)
  returns jsonb
  language plpgsql
  immutable
  set search_path = '', pg_temp
as $$
declare
  v_facts jsonb := p_source -> 'line_endings';
  v_line_ends integer := length(p_canonical) - length(replace(p_canonical, e'\n', ''));
  v_crlf integer;
  v_cr integer;
  v_lf integer;
  v_fault text;
begin
  if p_source is null then
    v_crlf := (length(p_sent) - length(replace(p_sent, e'\r\n', ''))) / 2;
    v_cr := length(p_sent) - length(replace(p_sent, e'\r', '')) - v_crlf;
    v_lf := v_line_ends - v_crlf - v_cr;
    return jsonb_build_object(
      'style', case
        when v_line_ends = 0 then 'none'
        when v_lf = v_line_ends then 'lf'
        when v_crlf = v_line_ends then 'crlf'
        when v_cr = v_line_ends then 'cr'
        else 'mixed'
      end,
      'lf', v_lf,
      'crlf', v_crlf,
      'cr', v_cr,
      'normalized', v_crlf + v_cr > 0,
      'source_code_points', length(p_sent),
      'source_utf8_bytes', octet_length(p_sent),
      'source_sha256', encode(sha256(convert_to(p_sent, 'UTF8')), 'hex')
    );
  end if;

  v_fault := case
    when jsonb_typeof(p_source) <> 'object' then 'an object is required'
    when coalesce(jsonb_typeof(p_source -> 'bom'), 'boolean') <> 'boolean' then 'bom: a boolean is required'
    when coalesce(jsonb_typeof(v_facts), 'null') = 'null' then null
    when jsonb_typeof(v_facts) <> 'object' then 'line_endings: an object is required'
    when coalesce(v_facts ->> 'style', '') not in ('lf', 'crlf', 'cr', 'mixed', 'none') then 'line_endings.style: unknown'
    when coalesce(jsonb_typeof(v_facts -> 'normalized'), '') <> 'boolean' then 'line_endings.normalized: a boolean is required'
    when coalesce(v_facts ->> 'source_sha256', '') !~ '\A[0-9a-f]{64}\Z'
      then 'line_endings.source_sha256: 64 lowercase hexadecimal digits are required'
    when exists (
      select
      from unnest(array['lf', 'crlf', 'cr', 'source_code_points', 'source_utf8_bytes']) as k (name)
      where coalesce(v_facts ->> k.name, '') !~ '\A[0-9]{1,9}\Z'
    ) then 'line_endings: lf, crlf, cr, source_code_points and source_utf8_bytes are required integers'
    when (v_facts ->> 'lf')::integer + (v_facts ->> 'crlf')::integer + (v_facts ->> 'cr')::integer <> v_line_ends
      then 'line_endings: the counts do not add up to the line ends of the content'
  end;
  if v_fault is not null then
    raise exception 'p_source: %', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_source', 'rule', v_fault)::text,
            hint = 'send {"line_endings": {style, lf, crlf, cr, normalized, source_code_points, source_utf8_bytes, source_sha256}, "bom": false}, or null';
  end if;

  return nullif(v_facts, 'null'::jsonb);
end;
$$;

comment on function patchdiff_store.source_facts(jsonb, text, text) is
  'Facts about the line endings of an imported document, checked when given and counted when not.';
