-- The items of a payload in submitted order: edits, operations, or the operations of a bundle's groups. An operation of a bundle has
-- the evidence of its scope beside it (member scope), and the start of a span counts from the document's first code point.
create or replace function patchdiff_store.items_of (
  p_payload jsonb
)
  returns jsonb
  language sql
  immutable
as $$
  select case
    when p_payload ->> 'format' is distinct from 'patchdiff-observed-batch/1'
      then coalesce(p_payload -> 'edits', p_payload -> 'operations')
    when jsonb_typeof(p_payload -> 'groups') = 'array' then (
      select jsonb_agg(
        o.item || jsonb_build_object('scope', p_payload #> array['observation', 'scopes', (g.position - 1)::text])
          || case
            when jsonb_typeof(o.item -> 'start') = 'number' then jsonb_build_object(
              'start',
              (o.item -> 'start')::numeric + (p_payload #>> array['observation', 'scopes', (g.position - 1)::text, 'start'])::numeric
            )
            else '{}'
          end
        order by g.position, o.position
      )
      from jsonb_array_elements(p_payload -> 'groups') with ordinality as g(item, position)
      cross join lateral jsonb_array_elements(
        case jsonb_typeof(g.item -> 'operations') when 'array' then g.item -> 'operations' end
      ) with ordinality as o(item, position)
    )
  end
$$;

comment on function patchdiff_store.items_of(jsonb) is 'The items of a payload in submitted order.';
