-- The scopes of an observation, cut from the bytes of its content: text, digest, byte offsets, lines and id are computed here, kind,
-- name, path and range are the caller's. p_before: observed scopes of the target before these. Positions are code points, lines count from 1.
-- They come by ascending start, so that places are counted from the one before and the whole costs one reading of the content.
create or replace function patchdiff_store.cut_scopes (
  p_observation patchdiff_store.scope_observations,
  p_content bytea,
  p_chars integer,
  p_scopes jsonb,
  p_before bigint
)
  returns setof patchdiff_store.observed_scopes
  language plpgsql
  stable
as $$
declare
  v_bytes integer := octet_length(p_content);
  v_mark_chars integer := 0;
  v_mark_bytes integer := 0;
  v_line integer := 1;
  v_between text;
  v_scope record;
  v_row patchdiff_store.observed_scopes;
begin
  for v_scope in
    select
      s.position::integer as ordinal,
      s.scope ->> 'kind' as kind,
      s.scope ->> 'name' as name,
      s.scope ->> 'qualified_path' as qualified_path,
      (s.scope ->> 'start')::integer as start_char,
      (s.scope ->> 'end')::integer as end_char
    from jsonb_array_elements(p_scopes) with ordinality as s(scope, position)
    order by start_char, s.position
  loop
    v_row.target_file_id := p_observation.target_file_id;
    v_row.observation_sequence := p_observation.observation_sequence;
    v_row.scope_sequence := p_before + v_scope.ordinal;
    v_row.ordinal := v_scope.ordinal;
    v_row.start_char := v_scope.start_char;
    v_row.end_char := v_scope.end_char;
    v_row.start_byte := patchdiff_store.prefix_bytes(p_content, v_scope.start_char, v_mark_bytes, v_mark_chars, v_bytes, p_chars);
    v_row.end_byte := patchdiff_store.prefix_bytes(p_content, v_scope.end_char, v_row.start_byte, v_scope.start_char, v_bytes, p_chars);
    v_row.kind := v_scope.kind;
    v_row.name := v_scope.name;
    v_row.qualified_path := v_scope.qualified_path;
    v_row.scope_text := convert_from(substring(p_content from v_row.start_byte + 1 for v_row.end_byte - v_row.start_byte), 'UTF8');
    v_row.scope_sha256 := patchdiff_store.sha256_hex(convert_to(v_row.scope_text, 'UTF8'));
    v_between := convert_from(substring(p_content from v_mark_bytes + 1 for v_row.start_byte - v_mark_bytes), 'UTF8');
    v_line := v_line + octet_length(v_between) - octet_length(replace(v_between, e'\n', ''));
    v_mark_chars := v_row.start_char;
    v_mark_bytes := v_row.start_byte;
    v_row.first_line := v_line;
    -- The line of the last code point: a line end belongs to the line it ends.
    v_row.last_line := v_row.first_line + octet_length(v_row.scope_text)
      - octet_length(replace(v_row.scope_text, e'\n', '')) - (right(v_row.scope_text, 1) = e'\n')::integer;
    v_row.scope_id := patchdiff_store.scope_id_of(
      p_observation.target_file_id, p_observation.content_hash, p_observation.grammar_name, p_observation.grammar_version,
      v_row.kind, v_row.start_char, v_row.end_char);
    return next v_row;
  end loop;
end;
$$;

comment on function patchdiff_store.cut_scopes(patchdiff_store.scope_observations, bytea, integer, jsonb, bigint) is
  'The scopes of an observation, cut from the bytes of its content.';
