-- The exact walk of walk_claimed: one operation after the other, each against the buffer that the ones before it left.
-- p_starts are as many byte offsets as there are operations. Null when anything does not hold.
create or replace function patchdiff_store.walk_each (
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
  v_buffer bytea;
  v_bytes integer := octet_length(p_content);
  v_chars integer := p_chars;
  v_mark_bytes integer := 0;
  v_mark_chars integer := 0;
  v_count integer := cardinality(p_operations.operation);
  v_operation text[] := p_operations.operation;
  v_matched text[] := p_operations.matched;
  v_replacement text[] := p_operations.replacement;
  v_index bigint[] := p_operations.occurrence_index;
  v_anchor_before text[] := p_operations.anchor_before;
  v_anchor_after text[] := p_operations.anchor_after;
  v_from bigint[] := p_operations.span_start;
  v_to bigint[] := p_operations.span_end;
  v_before text[] := p_operations.expected_before;
  v_after text[] := p_operations.expected_after;
  v_starts integer[] := p_starts;
  v_span_start integer[];
  v_span_end integer[];
  v_matched_chars integer[] := v_walk.matched_chars;
  v_replacement_chars integer[] := v_walk.replacement_chars;
  v_deleted integer[] := v_walk.deleted_bytes;
  v_inserted integer[] := v_walk.inserted_bytes;
  v_text text;
  v_old bytea;
  v_length integer;
  v_start integer;
  v_start_chars integer;
  v_old_chars integer;
  v_low integer;
  v_high integer;
  v_context bytea;
begin
  v_buffer := p_content;
  for v_i in 1..v_count loop
    v_start := v_starts[v_i];
    v_text := v_matched[v_i];
    v_old := convert_to(v_text, 'UTF8');
    v_length := v_deleted[v_i];
    v_old_chars := v_matched_chars[v_i];

    if v_start < 0 or v_start > v_bytes - v_length or substring(v_buffer from v_start + 1 for v_length) <> v_old then
      return null;
    end if;

    if v_operation[v_i] = 'match' then
      v_low := 0;
      v_high := v_bytes;
      if v_anchor_before[v_i] is not null then
        v_context := convert_to(v_anchor_before[v_i], 'UTF8');
        v_low := patchdiff_store.next_occurrence(v_buffer, v_context, 0, v_start) + octet_length(v_context);
        if v_low is null or v_low > v_start then
          return null;
        end if;
      end if;

      if v_anchor_after[v_i] is not null then
        v_high := patchdiff_store.last_occurrence(v_buffer, convert_to(v_anchor_after[v_i], 'UTF8'));
        if v_high is null or v_high < v_start + v_length then
          return null;
        end if;
      end if;

      if (case
        when v_index[v_i] is null then not patchdiff_store.is_only_at(v_buffer, v_text, v_start, v_low, v_high)
        else patchdiff_store.nth_occurrence(v_buffer, v_old, v_index[v_i]) is distinct from v_start
      end) then
        return null;
      end if;

      v_start_chars := case
        when v_bytes = v_chars then v_start
        else patchdiff_store.prefix_chars(v_buffer, v_start, v_mark_bytes, v_mark_chars, v_bytes, v_chars)
      end;
    else
      if v_from[v_i] > v_to[v_i] or v_to[v_i] > v_chars or v_to[v_i] - v_from[v_i] <> v_old_chars
        or (v_start < v_bytes and get_byte(v_buffer, v_start) & 192 = 128)
      then
        return null;
      end if;

      v_start_chars :=
        patchdiff_store.prefix_chars(v_buffer, v_start, v_mark_bytes, v_mark_chars, v_bytes, v_chars);
      if v_start_chars <> v_from[v_i] then
        return null;
      end if;

      if v_before[v_i] is not null then
        v_context := convert_to(v_before[v_i], 'UTF8');
        if octet_length(v_context) > v_start
          or substring(v_buffer from v_start - octet_length(v_context) + 1 for octet_length(v_context)) <> v_context
        then
          return null;
        end if;
      end if;

      if v_after[v_i] is not null then
        v_context := convert_to(v_after[v_i], 'UTF8');
        if substring(v_buffer from v_start + v_length + 1 for octet_length(v_context)) <> v_context then
          return null;
        end if;
      end if;
    end if;

    v_buffer := overlay(v_buffer placing convert_to(v_replacement[v_i], 'UTF8') from v_start + 1 for v_length);
    v_bytes := v_bytes - v_length + v_inserted[v_i];
    v_chars := v_chars - v_old_chars + v_replacement_chars[v_i];
    v_mark_bytes := v_start;
    v_mark_chars := v_start_chars;
    v_span_start[v_i] := v_start_chars;
    v_span_end[v_i] := v_start_chars + v_old_chars;
  end loop;

  if v_bytes > 16777216 then
    return null;
  end if;

  v_walk.after_content := v_buffer;
  v_walk.after_chars := v_chars;
  v_walk.after_hash := patchdiff_store.sha256_hex(v_buffer);
  v_walk.span_start := v_span_start;
  v_walk.span_end := v_span_end;
  v_walk.start_byte := v_starts;
  return v_walk;
end;
$$;

comment on function patchdiff_store.walk_each(bytea, integer, patchdiff_store.operations, integer[]) is
  'The exact walk of walk_claimed, operation by operation; null when anything does not hold.';
