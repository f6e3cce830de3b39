-- The change id of an item: the one given when it is valid, the default of its position when none is given, else null.
create or replace function patchdiff_store.change_id_of (
  p_item jsonb,
  p_ordinal integer
)
  returns text
  language sql
  immutable
as $$
  select case
    when jsonb_typeof(p_item) <> 'object' then null
    when coalesce(jsonb_typeof(p_item -> 'change_id'), 'null') = 'null'
      then 'chg_' || lpad(p_ordinal::text, greatest(3, length(p_ordinal::text)), '0')
    when jsonb_typeof(p_item -> 'change_id') = 'string' and p_item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z'
      then p_item ->> 'change_id'
  end
$$;

comment on function patchdiff_store.change_id_of(jsonb, integer) is
  'The change id of an item, given or by position; null when the given one is malformed.';
