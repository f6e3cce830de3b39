-- The changes of an accepted walk as they stand in its receipt: JSON, in order of application.
create or replace function patchdiff_store.changes_json (
  p_walk patchdiff_store.walk
)
  returns json
  language plpgsql
  stable
as $$
begin
  if p_walk.ordinal is not null then
    return (
      select json_agg(f order by f.apply_ordinal)
      from (
        select
          c.ordinal, c.change_id, c.operation, c.span_start, c.span_end, c.matched_chars, c.replacement_chars,
          c.matched_sha256, c.replacement_sha256, c.apply_ordinal, c.scope_id, c.scope_span_start, c.scope_span_end
        from unnest(
          p_walk.ordinal, p_walk.change_id, p_walk.operation, p_walk.span_start, p_walk.span_end, p_walk.matched_chars,
          p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256, p_walk.scope_id,
          p_walk.scope_span_start, p_walk.scope_span_end
        ) with ordinality as c(
          ordinal, change_id, operation, span_start, span_end, matched_chars, replacement_chars, matched_sha256,
          replacement_sha256, scope_id, scope_span_start, scope_span_end, apply_ordinal
        )
      ) as f
    );
  end if;

  if cardinality(p_walk.change_id) = 1 then
    return json_build_array(json_build_object(
      'ordinal', 1, 'change_id', p_walk.change_id[1], 'operation', p_walk.operation[1], 'span_start', p_walk.span_start[1],
      'span_end', p_walk.span_end[1], 'matched_chars', p_walk.matched_chars[1],
      'replacement_chars', p_walk.replacement_chars[1], 'matched_sha256', p_walk.matched_sha256[1],
      'replacement_sha256', p_walk.replacement_sha256[1]
    ));
  end if;

  return (
    select json_agg(f)
    from (
      select
        c.ordinal, c.change_id, c.operation, c.span_start, c.span_end, c.matched_chars, c.replacement_chars,
        c.matched_sha256, c.replacement_sha256
      from unnest(
        p_walk.change_id, p_walk.operation, p_walk.span_start, p_walk.span_end, p_walk.matched_chars,
        p_walk.replacement_chars, p_walk.matched_sha256, p_walk.replacement_sha256
      ) with ordinality as c(
        change_id, operation, span_start, span_end, matched_chars, replacement_chars, matched_sha256,
        replacement_sha256, ordinal
      )
      order by c.ordinal
    ) as f
  );
end;
$$;

comment on function patchdiff_store.changes_json(patchdiff_store.walk) is
  'The changes of an accepted walk with their facts, as JSON.';
