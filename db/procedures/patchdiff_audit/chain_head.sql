-- The head of a target's chain: note it elsewhere, and verify_target can later prove that nothing before it was
-- rewritten or cut off. One row, or none for an unknown target.
create or replace function patchdiff_audit.chain_head (
  p_target uuid
)
  returns table (chain_sequence bigint, chain_head text)
  language sql
  stable
  security definer
  set search_path = '', pg_temp
  set standard_conforming_strings = 'on'
as $$
  select h.chain_sequence, encode(h.chain_head, 'hex')
  from patchdiff_store.target_heads as h
  where h.target_file_id = p_target
$$;

comment on function patchdiff_audit.chain_head(uuid) is 'The head of a target''s chain: the value to note elsewhere.';
