-- The fast path of walk_claimed for several matches of a big document: plain matches of at most 512 bytes without
-- selectors, in ascending order, further apart than two of the longest. The content is cut at the edits and joined with
-- U+0001, once, so each uniqueness check is one strpos that must miss: no copy of the buffer an edit. Occurrences
-- that touch an edited place are looked for in small windows: old text for later edits, new text for earlier ones.
-- Null for anything unusual, a wrong claim included; then the exact loop decides.
create or replace function patchdiff_store.walk_masked (
  p_content bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_starts integer[]
)
  returns patchdiff_store.walk
  language plpgsql
  immutable
as $$
declare
  v_walk patchdiff_store.walk;
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_starts integer[] := p_starts;
  v_count integer := cardinality(p_operations.operation);
  v_bytes integer := octet_length(p_content);
  v_is_ascii boolean := octet_length(p_content) = p_chars;
  v_widest integer;
  v_old bytea;
  v_new bytea;
  v_length integer;
  v_old_chars integer;
  v_new_chars integer;
  v_start integer;
  v_left bytea;
  v_right bytea;
  v_piece bytea;
  v_end integer := 0;
  v_end_chars integer := 0;
  v_shift integer := 0;
  v_shift_chars integer := 0;
  v_olds bytea := '';
  v_news bytea := '';
  v_text text;
  v_from integer;
  v_old_bytes bytea[];
  v_kept bytea[];
  v_result bytea[];
  v_place integer[];
  v_news_end integer[];
  v_span_start integer[];
  v_span_end integer[];
  v_matched_chars integer[];
  v_replacement_chars integer[];
  v_deleted integer[];
  v_inserted integer[];
  v_matched_sha256 text[];
  v_replacement_sha256 text[];
begin
  select max(octet_length(t.matched))
  into v_widest
  from unnest(
    p_operations.operation, p_operations.matched, p_operations.occurrence_index,
    p_operations.anchor_before, p_operations.anchor_after
  ) as t(operation, matched, occurrence_index, anchor_before, anchor_after)
  having bool_and(
    t.operation = 'match' and t.occurrence_index is null and t.anchor_before is null and t.anchor_after is null
    and strpos(t.matched, E'\x01') = 0
  );
  if v_widest is null or v_widest > 512 then
    return null;
  end if;

  for v_i in 1..v_count loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_new := convert_to(v_replacement[v_i], 'UTF8');
    v_length := octet_length(v_old);
    if v_starts[v_i] not between 0 and 33554432 then
      return null;
    end if;

    v_start := v_starts[v_i] - v_shift;
    if v_start < 0 or v_start > v_bytes - v_length
      or (v_i > 1 and v_start < v_end + 2 * v_widest)
      or substring(p_content from v_start + 1 for v_length) <> v_old
    then
      return null;
    end if;

    v_old_chars := length(v_old, 'UTF8');
    v_new_chars := length(v_new, 'UTF8');
    v_piece := substring(p_content from v_end + 1 for v_start - v_end);
    v_kept[v_i] := v_piece;
    v_result[2 * v_i - 1] := v_piece;
    v_result[2 * v_i] := v_new;

    v_left := substring(
      p_content from greatest(v_start - v_widest + 1, 0) + 1 for v_start - greatest(v_start - v_widest + 1, 0));
    v_right := substring(p_content from v_start + v_length + 1 for v_widest - 1);
    v_place[v_i] := octet_length(v_olds) + octet_length(v_left) + 1;
    v_olds := v_olds || v_left || v_old || v_right || '\x01';
    v_news := v_news || v_left || v_new || v_right || '\x01';
    v_news_end[v_i] := octet_length(v_news);
    v_old_bytes[v_i] := v_old;

    v_end_chars := v_end_chars + case when v_is_ascii then v_start - v_end else length(v_piece, 'UTF8') end;
    v_span_start[v_i] := v_end_chars + v_shift_chars;
    v_span_end[v_i] := v_end_chars + v_shift_chars + v_old_chars;
    v_matched_chars[v_i] := v_old_chars;
    v_replacement_chars[v_i] := v_new_chars;
    v_deleted[v_i] := v_length;
    v_inserted[v_i] := octet_length(v_new);
    v_matched_sha256[v_i] := patchdiff_store.sha256_hex(v_old);
    v_replacement_sha256[v_i] := patchdiff_store.sha256_hex(v_new);
    v_end := v_start + v_length;
    v_end_chars := v_end_chars + v_old_chars;
    v_shift := v_shift + octet_length(v_new) - v_length;
    v_shift_chars := v_shift_chars + v_new_chars - v_old_chars;
  end loop;

  v_piece := substring(p_content from v_end + 1);
  v_kept[v_count + 1] := v_piece;
  v_result[2 * v_count + 1] := v_piece;
  select convert_from(string_agg(k.piece, '\x01'::bytea order by k.position), 'UTF8')
  into v_text
  from unnest(v_kept) with ordinality as k(piece, position);

  for v_i in 1..v_count loop
    v_old := v_old_bytes[v_i];
    v_from := v_place[v_i] - least(v_place[v_i] - 1, v_widest - 1);
    if v_i > 1 then
      v_from := greatest(v_from, v_place[v_i - 1] + octet_length(v_old_bytes[v_i - 1]));
    end if;

    if not patchdiff_store.is_absent(v_text, v_matched[v_i])
      or position(v_old in substring(v_olds from v_from)) <> v_place[v_i] - v_from + 1
      or position(v_old in substring(v_olds from v_place[v_i] + 1)) > 0
      or (v_i > 1 and position(v_old in substring(v_news from 1 for v_news_end[v_i - 1])) > 0)
    then
      return null;
    end if;
  end loop;

  if v_bytes + v_shift > 16777216 then
    return null;
  end if;

  v_walk.change_id := p_operations.change_id;
  v_walk.operation := p_operations.operation;
  v_walk.rationale := p_operations.rationale;
  v_walk.risk := p_operations.risk;
  v_walk.matched_sha256 := v_matched_sha256;
  v_walk.replacement_sha256 := v_replacement_sha256;
  select string_agg(r.piece, ''::bytea order by r.position)
  into v_walk.after_content
  from unnest(v_result) with ordinality as r(piece, position);
  v_walk.after_chars := p_chars + v_shift_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.matched_chars := v_matched_chars;
  v_walk.replacement_chars := v_replacement_chars;
  v_walk.start_byte := v_starts;
  v_walk.deleted_bytes := v_deleted;
  v_walk.inserted_bytes := v_inserted;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_masked(bytea, integer, patchdiff_store.operations, integer[]) is
  'The fast path of walk_claimed for ascending plain matches that lie apart; null for anything else.';
