-- Bytes before code point p_at of a buffer: the inverse of prefix_chars, and like it counted from the nearest known
-- place: the start, a checkpoint (p_mark_bytes = p_mark_chars) or the end (p_bytes = p_chars). 0 <= p_at <= p_chars.
-- A code point has at most four bytes, so a piece of four times the distance, cut at whole code points, is enough.
create or replace function patchdiff_store.prefix_bytes (
  p_buffer bytea,
  p_at integer,
  p_mark_bytes integer,
  p_mark_chars integer,
  p_bytes integer,
  p_chars integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_from integer := 0;
  v_to integer := p_bytes;
  v_skip integer := p_at;
begin
  if p_bytes = p_chars then
    return p_at;
  elsif p_at = p_chars then
    return p_bytes;
  end if;

  if p_at >= p_mark_chars and p_at - p_mark_chars <= p_chars - p_at then
    v_from := p_mark_bytes;
    v_skip := p_at - p_mark_chars;
  elsif p_at >= p_mark_chars then
    v_skip := p_at - p_chars;
  elsif p_mark_chars - p_at < p_at then
    v_to := p_mark_bytes;
    v_skip := p_at - p_mark_chars;
  end if;

  -- v_skip counts forward from v_from, or, when negative, back from v_to. A byte 10xxxxxx goes on with a code point.
  if v_skip >= 0 then
    v_to := least(v_to, v_from + 4::bigint * v_skip)::integer;
    while v_to < p_bytes and get_byte(p_buffer, v_to) & 192 = 128 loop
      v_to := v_to + 1;
    end loop;

    return v_from + octet_length(left(convert_from(substring(p_buffer from v_from + 1 for v_to - v_from), 'UTF8'), v_skip));
  end if;

  v_from := greatest(0, v_to + 4::bigint * v_skip)::integer;
  while get_byte(p_buffer, v_from) & 192 = 128 loop
    v_from := v_from + 1;
  end loop;

  return v_to - octet_length(right(convert_from(substring(p_buffer from v_from + 1 for v_to - v_from), 'UTF8'), -v_skip));
end;
$$;

comment on function patchdiff_store.prefix_bytes(bytea, integer, integer, integer, integer, integer) is
  'Bytes before a code point of a buffer, counted from the nearest known place.';
