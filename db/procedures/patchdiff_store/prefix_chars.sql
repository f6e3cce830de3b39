-- Code points before byte p_at of a buffer, counted from the nearest known place: the start, a checkpoint
-- (p_mark_bytes = p_mark_chars) or the end (p_bytes = p_chars). In an ASCII buffer they are the bytes.
-- length(bytea, 'UTF8') is 2.5 times faster than char_length.
create or replace function patchdiff_store.prefix_chars (
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
begin
  if p_bytes = p_chars then
    return p_at;
  elsif p_at >= p_mark_bytes then
    if p_bytes - p_at < p_at - p_mark_bytes then
      return p_chars - length(substring(p_buffer from p_at + 1), 'UTF8');
    end if;

    return p_mark_chars + length(substring(p_buffer from p_mark_bytes + 1 for p_at - p_mark_bytes), 'UTF8');
  elsif p_at < p_mark_bytes - p_at then
    return length(substring(p_buffer from 1 for p_at), 'UTF8');
  end if;

  return p_mark_chars - length(substring(p_buffer from p_at + 1 for p_mark_bytes - p_at), 'UTF8');
end;
$$;

comment on function patchdiff_store.prefix_chars(bytea, integer, integer, integer, integer, integer) is
  'Code points before a byte offset of a buffer, counted from the nearest known place.';
