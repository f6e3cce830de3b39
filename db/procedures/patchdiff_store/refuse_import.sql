-- Refuses to bring in an attempt that its own replay does not confirm (PD112). p_check names the check in the words of
-- replay (docs/spec/import.md), p_facts what it saw.
create or replace function patchdiff_store.refuse_import (
  p_attempt patchdiff_store.append_only_pdcp_logs,
  p_check text,
  p_rule text,
  p_facts jsonb default '{}'
)
  returns void
  language plpgsql
  immutable
as $$
begin
  raise exception 'attempt % cannot be brought in: %', p_attempt.pdcp_log_id, p_rule
    using errcode = 'PD112',
          detail = (jsonb_build_object(
            'target_file_id', p_attempt.target_file_id,
            'pdcp_log_id', p_attempt.pdcp_log_id,
            'check', p_check,
            'rule', p_rule
          ) || p_facts)::text,
          hint = 'correct the attempt from its source, or end the history of the target before it';
end;
$$;

comment on function patchdiff_store.refuse_import(patchdiff_store.append_only_pdcp_logs, text, text, jsonb) is
  'Refuses to bring in an attempt that its own replay does not confirm.';
