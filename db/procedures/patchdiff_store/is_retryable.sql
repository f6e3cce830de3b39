-- Whether a new proposal from a fresh read can succeed after this rejection. The one list that every layer shares.
create or replace function patchdiff_store.is_retryable (
  p_reason text,
  p_stage text
)
  returns boolean
  language sql
  immutable
as $$
  select case p_reason
    when 'disambiguation_invalid' then p_stage = 'transaction_applicability'
    else p_reason in (
      'target_version_mismatch', 'target_hash_mismatch', 'target_diverged', 'match_absent', 'match_ambiguous',
      'sequential_match_invalid', 'span_out_of_bounds', 'span_expected_text_mismatch'
    )
  end
$$;

comment on function patchdiff_store.is_retryable(text, text) is
  'Whether a new proposal from a fresh read can succeed after a rejection of this reason at this stage.';
