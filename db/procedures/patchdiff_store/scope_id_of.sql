-- The id of a scope: the first 32 hex digits of the SHA-256 of what it is and where, in which text, found by which grammar. A
-- listing computes it without writing anything, and it is the same after a restart.
create or replace function patchdiff_store.scope_id_of (
  p_target uuid,
  p_content_hash text,
  p_grammar_name text,
  p_grammar_version text,
  p_kind text,
  p_start integer,
  p_end integer
)
  returns text
  language sql
  immutable
as $$
  select left(patchdiff_store.sha256_hex(convert_to(concat(
    '{"content_hash":"', p_content_hash,
    '","end":', p_end,
    ',"grammar":', to_json(p_grammar_name || '@' || p_grammar_version),
    ',"kind":', to_json(p_kind),
    ',"start":', p_start,
    ',"target_file_id":"', p_target, '"}'
  ), 'UTF8')), 32)
$$;

comment on function patchdiff_store.scope_id_of(uuid, text, text, text, text, integer, integer) is
  'The id of a scope, a digest of what it is and where.';
