-- The facts about a document's line endings as it was imported, for the column source_line_endings: eight members, whatever
-- else was sent. Given facts must be what the content says (PD100): as many line ends of all kinds as the canonical text
-- has, the style and lengths that follow from them, and the digest of the source wherever the content tells its bytes:
-- in a uniform style, and in mixed line ends when their runs (eol_runs) are given too, which must be what the counts say.
-- Without given facts the text as sent is the source, and they are counted.
-- An explicit null in place of the facts stays null: unknown.
create or replace function patchdiff_store.source_facts (
  p_source jsonb,
  p_sent text,
  p_canonical text
)
  returns jsonb
  language plpgsql
  immutable
as $$
declare
  v_given jsonb := p_source -> 'line_endings';
  v_runs jsonb := nullif(p_source -> 'eol_runs', 'null');
  v_bom boolean := p_source -> 'bom' = 'true'::jsonb;
  v_line_ends bigint := length(p_canonical) - length(replace(p_canonical, e'\n', ''));
  v_crlf bigint;
  v_cr bigint;
  v_lf bigint;
  v_style text;
  v_source bytea;
  v_facts jsonb;
  v_fault text;
begin
  v_fault := case
    when p_source is null then null
    when jsonb_typeof(p_source) <> 'object' then 'an object is required'
    when coalesce(jsonb_typeof(p_source -> 'bom'), 'boolean') <> 'boolean' then 'bom: a boolean is required'
    when coalesce(jsonb_typeof(v_given), 'null') not in ('null', 'object') then 'line_endings: an object is required'
    when v_runs is not null and coalesce(v_given ->> 'style', '') <> 'mixed' then 'eol_runs: only where line ends are mixed'
    when v_runs is not null then 'eol_runs: ' || patchdiff_store.eol_runs_fault(v_runs, v_line_ends)
  end;
  if v_fault is null and p_source is not null and coalesce(jsonb_typeof(v_given), 'null') = 'null' then
    return null;
  end if;

  if p_source is null then
    v_crlf := (length(p_sent) - length(replace(p_sent, e'\r\n', ''))) / 2;
    v_cr := length(p_sent) - length(replace(p_sent, e'\r', '')) - v_crlf;
    v_lf := v_line_ends - v_crlf - v_cr;
  else
    v_crlf := patchdiff_store.integer_of(v_given -> 'crlf', 0);
    v_cr := patchdiff_store.integer_of(v_given -> 'cr', 0);
    v_lf := patchdiff_store.integer_of(v_given -> 'lf', 0);
    v_fault := coalesce(v_fault, case
      when v_lf is null or v_crlf is null or v_cr is null then 'line_endings: lf, crlf and cr are required integers'
      when v_lf + v_crlf + v_cr <> v_line_ends
        then 'line_endings: the counts do not add up to the line ends of the content'
    end);
  end if;

  if v_fault is null then
    v_style := case
      when v_line_ends = 0 then 'none'
      when v_lf = v_line_ends then 'lf'
      when v_crlf = v_line_ends then 'crlf'
      when v_cr = v_line_ends then 'cr'
      else 'mixed'
    end;
    v_source := convert_to(case
      when p_source is null then p_sent
      when v_style = 'crlf' then replace(p_canonical, e'\n', e'\r\n')
      when v_style = 'cr' then replace(p_canonical, e'\n', e'\r')
      when v_style <> 'mixed' then p_canonical
      when v_runs is not null then patchdiff_store.restored_text(p_canonical, v_runs)
    end, 'UTF8');
    if v_runs is not null and v_source is null then
      v_fault := 'eol_runs: a CR stands right before an LF, which is one CRLF';
    end if;
    if v_bom then
      v_source := decode('efbbbf', 'hex') || v_source;
    end if;
    v_facts := jsonb_build_object(
      'style', v_style,
      'lf', v_lf,
      'crlf', v_crlf,
      'cr', v_cr,
      'normalized', v_crlf + v_cr > 0,
      'source_code_points', length(p_canonical) + v_crlf + coalesce(v_bom, false)::integer,
      'source_utf8_bytes', octet_length(p_canonical) + v_crlf + 3 * coalesce(v_bom, false)::integer,
      'source_sha256', coalesce(encode(sha256(v_source), 'hex'), v_given ->> 'source_sha256')
    );
    v_fault := case
      when v_fault is not null then v_fault
      when coalesce(v_facts ->> 'source_sha256', '') !~ '\A[0-9a-f]{64}\Z'
        then 'line_endings.source_sha256: 64 lowercase hexadecimal digits'
      when p_source is not null then (
        select format('line_endings.%s: the content says %s', f.key, f.value)
        from jsonb_each(v_facts) as f
        where v_given -> f.key is distinct from f.value
        order by f.key
        limit 1
      )
    end;
  end if;

  if v_fault is not null then
    raise exception 'p_source: %', v_fault
      using errcode = 'PD100',
            detail = json_build_object('argument', 'p_source', 'rule', v_fault)::text,
            hint = 'send {"line_endings": {style, lf, crlf, cr, normalized, source_code_points, source_utf8_bytes, source_sha256}, "bom": false, "eol_runs": null}, or null';
  end if;

  return v_facts;
end;
$$;

comment on function patchdiff_store.source_facts(jsonb, text, text) is
  'Facts about the line endings of an imported document, checked when given and counted when not.';
