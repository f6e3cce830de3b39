-- What the first row of a target's chain links to: it binds the chain to the target's id, so that the rows of one
-- target cannot be passed off as another's.
create or replace function patchdiff_store.genesis_hash (
  p_target uuid
)
  returns bytea
  language sql
  stable
as $$
  select sha256(convert_to('patchdiff-chain/1:' || p_target::text, 'UTF8'))
$$;

comment on function patchdiff_store.genesis_hash(uuid) is 'The hash that the first row of a target''s chain links to.';
