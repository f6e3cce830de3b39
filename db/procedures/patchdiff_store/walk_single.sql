-- walk_claimed for the commonest submission: one match without selectors, at the start a caller claims. Null when the claim
-- does not hold. No loop and no arrays to index, and the content is never copied but where it must be.
create or replace function patchdiff_store.walk_single (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_start integer
)
  returns patchdiff_store.walk
  language plpgsql
  stable
as $$
declare
  v_walk patchdiff_store.walk;
  v_text text := p_operations.matched[1];
  v_old bytea := convert_to(v_text, 'UTF8');
  v_new bytea := convert_to(p_operations.replacement[1], 'UTF8');
  v_length integer := octet_length(v_old);
  v_bytes integer := octet_length(p_content);
  v_old_chars integer := length(v_old, 'UTF8');
  v_new_chars integer := length(v_new, 'UTF8');
  v_start_chars integer := p_start;
begin
  if p_start < 0 or p_start > v_bytes - v_length or substring(p_content from p_start + 1 for v_length) <> v_old
    or v_bytes - v_length + octet_length(v_new) > 16777216
    or not patchdiff_store.is_only_at(p_content, v_text, p_start, 0, v_bytes)
  then
    return null;
  end if;

  if v_bytes <> p_chars then
    v_start_chars := patchdiff_store.prefix_chars(p_content, p_start, 0, 0, v_bytes, p_chars);
  end if;

  v_walk.after_content := overlay(p_content placing v_new from p_start + 1 for v_length);
  v_walk.after_chars := p_chars - v_old_chars + v_new_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  v_walk.span_start := array[v_start_chars];
  v_walk.span_end := array[v_start_chars + v_old_chars];
  v_walk.matched_chars := array[v_old_chars];
  v_walk.replacement_chars := array[v_new_chars];
  v_walk.matched_sha256 := array[patchdiff_store.sha256_hex(v_old)];
  v_walk.replacement_sha256 := array[patchdiff_store.sha256_hex(v_new)];
  v_walk.start_byte := array[p_start];
  v_walk.deleted_bytes := array[v_length];
  v_walk.inserted_bytes := array[octet_length(v_new)];
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_single(bytea, integer, patchdiff_store.operations, integer) is
  'The walk of one match without selectors at a claimed start; null when the claim does not hold.';
