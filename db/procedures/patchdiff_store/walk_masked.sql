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
  stable
as $$
declare
  v_walk patchdiff_store.walk := patchdiff_store.walk_of(p_operations);
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_starts integer[] := p_starts;
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
  v_deleted integer[] := v_walk.deleted_bytes;
  v_inserted integer[] := v_walk.inserted_bytes;
  v_count integer := cardinality(p_operations.matched);
  v_bytes integer := octet_length(p_content);
  v_is_ascii boolean := octet_length(p_content) = p_chars;
  v_widest integer;
  v_old bytea;
  v_length integer;
  v_start integer;
  v_left bytea;
  v_right bytea;
  v_end integer := 0;
  v_end_chars integer := 0;
  v_shift integer := 0;
  v_shift_chars integer := 0;
  v_olds bytea := '';
  v_news bytea := '';
  v_from integer;
  v_is_absent boolean;
  v_piece_start integer[];
  v_piece_length integer[];
  v_place integer[];
  v_news_end integer[];
  v_span_start integer[];
  v_span_end integer[];
begin
  select max(octet_length(m.text))
  into v_widest
  from unnest(v_matched) as m(text)
  having bool_and(strpos(m.text, E'\x01') = 0);
  if v_widest is null or v_widest > 512 or p_operations.span_start is not null then
    return null;
  end if;

  for v_i in 1..v_count loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_length := v_deleted[v_i];
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

    v_piece_start[v_i] := v_end;
    v_piece_length[v_i] := v_start - v_end;
    v_left := substring(
      p_content from greatest(v_start - v_widest + 1, 0) + 1 for v_start - greatest(v_start - v_widest + 1, 0));
    v_right := substring(p_content from v_start + v_length + 1 for v_widest - 1);
    v_place[v_i] := octet_length(v_olds) + octet_length(v_left) + 1;
    v_olds := v_olds || v_left || v_old || v_right || '\x01';
    v_news := v_news || v_left || convert_to(v_replacement[v_i], 'UTF8') || v_right || '\x01';
    v_news_end[v_i] := octet_length(v_news);

    v_end_chars := v_end_chars + case
      when v_is_ascii then v_start - v_end
      else length(substring(p_content from v_end + 1 for v_start - v_end), 'UTF8')
    end;
    v_span_start[v_i] := v_end_chars + v_shift_chars;
    v_end := v_start + v_length;
    v_end_chars := v_end_chars + v_matched_chars[v_i];
    v_span_end[v_i] := v_end_chars + v_shift_chars;
    v_shift := v_shift + v_inserted[v_i] - v_length;
    v_shift_chars := v_shift_chars + v_replacement_chars[v_i] - v_matched_chars[v_i];
  end loop;

  if v_bytes + v_shift > 16777216 then
    return null;
  end if;

  for v_i in 1..v_count loop
    v_old := convert_to(v_matched[v_i], 'UTF8');
    v_from := v_place[v_i] - least(v_place[v_i] - 1, v_widest - 1);
    if v_i > 1 then
      v_from := greatest(v_from, v_place[v_i - 1] + v_deleted[v_i - 1]);
    end if;

    if position(v_old in substring(v_olds from v_from)) <> v_place[v_i] - v_from + 1
      or position(v_old in substring(v_olds from v_place[v_i] + 1)) > 0
      or (v_i > 1 and position(v_old in substring(v_news from 1 for v_news_end[v_i - 1])) > 0)
    then
      return null;
    end if;
  end loop;

  -- Both texts are made and searched inside the query: a variable would copy them.
  select
    not exists (select from unnest(v_matched) as m(text) where not patchdiff_store.is_absent(j.masked, m.text)),
    j.after
  into v_is_absent, v_walk.after_content
  from (
    select
      convert_from(string_agg(p.piece, '\x01'::bytea), 'UTF8') as masked,
      string_agg(p.piece || p.new, ''::bytea) as after
    from (
      select
        substring(p_content from k.start + 1 for k.length) as piece,
        coalesce(convert_to(k.replacement, 'UTF8'), '') as new
      from unnest(v_piece_start || v_end, v_piece_length || v_bytes - v_end, v_replacement) with ordinality
        as k(start, length, replacement, position)
      order by k.position
      offset 0
    ) as p
    offset 0
  ) as j;
  if not v_is_absent then
    return null;
  end if;

  v_walk.after_chars := p_chars + v_shift_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_walk.after_content);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_masked(bytea, integer, patchdiff_store.operations, integer[]) is
  'The fast path of walk_claimed for ascending plain matches that lie apart; null for anything else.';
