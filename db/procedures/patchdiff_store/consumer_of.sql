-- The position of the first change of a walk after which a text no longer occurs, by applying the walk's changes again.
-- The text must occur in the content and not after the last change.
create or replace function patchdiff_store.consumer_of (
  p_content bytea,
  p_needle bytea,
  p_walk patchdiff_store.walk,
  p_replacement text[]
)
  returns integer
  language plpgsql
  immutable
as $$
declare
  v_buffer bytea := p_content;
begin
  for v_i in 1..cardinality(p_walk.start_byte) loop
    v_buffer := overlay(
      v_buffer placing convert_to(p_replacement[v_i], 'UTF8')
      from p_walk.start_byte[v_i] + 1 for p_walk.deleted_bytes[v_i]
    );
    if patchdiff_store.next_occurrence(v_buffer, p_needle, 0, 2147483647) is null then
      return v_i;
    end if;
  end loop;

  return null;
end;
$$;

comment on function patchdiff_store.consumer_of(bytea, bytea, patchdiff_store.walk, text[]) is
  'Position of the first change of a walk after which a text no longer occurs.';
