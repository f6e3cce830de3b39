-- The walk of a tx/3: one replace_all over the whole content. Always applies; its facts are those of the two texts.
create or replace function patchdiff_store.walk_replacement (
  p_locked patchdiff_store.locked_target,
  p_replacement text
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
begin
  v_walk.after_content := convert_to(patchdiff_store.lf(p_replacement), 'UTF8');
  v_walk.after_chars := length(v_walk.after_content, 'UTF8');
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.change_id := array['chg_001'];
  v_walk.operation := array['replace_all'];
  v_walk.rationale := array[null::text];
  v_walk.risk := array['low'];
  v_walk.span_start := array[0];
  v_walk.span_end := array[p_locked.content_chars];
  v_walk.matched_chars := array[p_locked.content_chars];
  v_walk.replacement_chars := array[v_walk.after_chars];
  v_walk.matched_sha256 := array[p_locked.current_hash];
  v_walk.replacement_sha256 := array[v_walk.after_hash];
  v_walk.start_byte := array[0];
  v_walk.deleted_bytes := array[p_locked.content_bytes];
  v_walk.inserted_bytes := array[octet_length(v_walk.after_content)];
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_replacement(patchdiff_store.locked_target, text) is
  'The walk of a whole-document replacement.';
