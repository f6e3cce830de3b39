-- Where the line begins that holds the border before byte p_at: behind the last LF of the bytes before it, or 0.
-- Costs a small multiple of the distance. LATIN1 makes one character of every byte, so that the piece can be reversed.
create or replace function patchdiff_store.line_start (
  p_text bytea,
  p_at integer
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_from integer;
  v_to integer := p_at;
  v_back integer;
  v_step integer := 64;
begin
  while v_to > 0 loop
    v_from := greatest(0, v_to - v_step);
    v_back := strpos(reverse(convert_from(substring(p_text from v_from + 1 for v_to - v_from), 'LATIN1')), chr(10));
    if v_back > 0 then
      return v_to - v_back + 1;
    end if;

    v_to := v_from;
    v_step := v_step * 2;
  end loop;

  return 0;
end;
$$;

comment on function patchdiff_store.line_start(bytea, integer) is 'Where the line begins that a byte offset stands in.';
