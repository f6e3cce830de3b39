-- JSON text with every character above U+007F written as \uXXXX (lower-case hexadecimal, a surrogate pair above U+FFFF).
-- Such characters stand only inside strings, so the value stays the same. Linear in the text.
create or replace function patchdiff_store.ascii_json (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  if octet_length(p_json) = char_length(p_json) then
    return p_json;
  end if;

  return (
    select string_agg(
      case
        when octet_length(c.letter) = 1 then c.letter
        when octet_length(c.letter) < 4 then '\u' || lpad(to_hex(ascii(c.letter)), 4, '0')
        else '\u' || to_hex(55296 + (ascii(c.letter) - 65536) / 1024)
          || '\u' || to_hex(56320 + (ascii(c.letter) - 65536) % 1024)
      end,
      '' order by c.position
    )
    from string_to_table(p_json, null) with ordinality as c(letter, position)
  );
end;
$$;

comment on function patchdiff_store.ascii_json(text) is
  'The same JSON text with every character above U+007F written as a \uXXXX escape.';
