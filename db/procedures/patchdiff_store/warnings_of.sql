-- The warnings of an accepted walk, as JSON text, or null when there are none. The two no-op codes are derived from the
-- walk; the other two are advice that only the caller can give, and count when they name a change of the walk.
-- In order of application, within a change in the contract's order, no_op_transaction last.
create or replace function patchdiff_store.warnings_of (
  p_walk patchdiff_store.walk,
  p_before_hash text,
  p_claimed json
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_matched text[] := p_walk.matched_sha256;
  v_replacement text[] := p_walk.replacement_sha256;
  v_is_quiet boolean := coalesce(p_claimed::text, '[]') = '[]' and p_walk.after_hash <> p_before_hash;
begin
  for v_i in 1..cardinality(v_matched) loop
    exit when not v_is_quiet;
    v_is_quiet := v_matched[v_i] <> v_replacement[v_i];
  end loop;

  if v_is_quiet then
    return null;
  end if;

  return (
    select '[' || string_agg(
      concat('{"code":"', w.code, '","change_id":', coalesce(to_json(w.change_id)::text, 'null'), '}'),
      ',' order by w.position, w.rank
    ) || ']'
    from (
      select c.position, 1 as rank, 'no_op_change' as code, c.change_id
      from unnest(p_walk.change_id, p_walk.matched_sha256, p_walk.replacement_sha256)
        with ordinality as c(change_id, matched, replacement, position)
      where c.matched = c.replacement
      union
      select array_position(p_walk.change_id, a.warning ->> 'change_id'), r.rank, r.code, a.warning ->> 'change_id'
      from json_array_elements(p_claimed) as a(warning)
      join (values (2, 'occurrence_index_basis_shift'), (3, 'grapheme_boundary_split')) as r(rank, code)
        on r.code = a.warning ->> 'code'
      where a.warning ->> 'change_id' = any (p_walk.change_id)
      union
      select 2147483647, 4, 'no_op_transaction', null
      where p_walk.after_hash = p_before_hash
    ) as w
  );
end;
$$;

comment on function patchdiff_store.warnings_of(patchdiff_store.walk, text, json) is
  'The warnings of an accepted walk as JSON text, or null.';
