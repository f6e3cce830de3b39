-- Undoes mark_unencodable on canonical JSON that was made from marked text: every mark becomes its escape again, in lower case as
-- ASCII-escaped canonical JSON has it, and the rest of the characters above U+007F become escapes too.
create or replace function patchdiff_store.unmark_unencodable (
  p_marked text
)
  returns text
  language plpgsql
  immutable
as $$
begin
  return (
    select string_agg(
      case
        when p.position = 1 then patchdiff_store.ascii_json(p.piece)
        when left(p.piece, 1) = 'e' then '\ue000' || patchdiff_store.ascii_json(substr(p.piece, 2))
        else chr(92) || lower(left(p.piece, 5)) || patchdiff_store.ascii_json(substr(p.piece, 6))
      end,
      '' order by p.position
    )
    from string_to_table(p_marked, U&'\E000') with ordinality as p(piece, position)
  );
end;
$$;

comment on function patchdiff_store.unmark_unencodable(text) is
  'Marked canonical JSON as ASCII-escaped canonical JSON.';
