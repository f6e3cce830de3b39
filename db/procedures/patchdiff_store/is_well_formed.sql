-- Whether one item of a record passes the decoder as far as its common members go (docs/spec/decoding.md, I1 to I12 but
-- for selectors, span offsets and the uniqueness of ids). Never null; nothing raises, whatever the item is.
create or replace function patchdiff_store.is_well_formed (
  p_item jsonb,
  p_format text
)
  returns boolean
  language sql
  immutable
as $$
  select coalesce(
    p_item ->> 'replace' is not null
    and case p_format when 'patchdiff-tx/1' then not p_item ? 'op' else p_item ->> 'op' in ('match', 'span') end
    and (p_item ->> 'change_id' is null or p_item ->> 'change_id' ~ '\A[A-Za-z0-9_.:-]{1,64}\Z')
    and (p_item ->> 'rationale' is null or not patchdiff_store.is_blank(p_item ->> 'rationale'))
    and coalesce(char_length(p_item ->> 'rationale'), 0) <= 4096
    and (p_item ->> 'risk' is null or p_item ->> 'risk' in ('low', 'medium', 'high'))
    and case p_item ->> 'op' when 'span' then p_item ->> 'expected_text' is not null
      else p_item ->> 'match' <> '' and char_length(p_item ->> 'match') <= 65536 end,
    false
  )
$$;

comment on function patchdiff_store.is_well_formed(jsonb, text) is
  'Whether one item of a record passes the decoder as far as its common members go.';
