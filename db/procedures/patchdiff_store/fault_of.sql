-- One fault by its code: reason, stage and sentence come from one table, the same as in src/transaction.
-- p_words fills the sentence's {names}; {path} is p_path unless the words name one. The words are the caller's text,
-- so a sentence is filled in one pass and never searched again.
create or replace function patchdiff_store.fault_of (
  p_code text,
  p_path text default null,
  p_ordinal integer default null,
  p_change_id text default null,
  p_words jsonb default '{}'
)
  returns patchdiff_store.fault
  language plpgsql
  immutable
as $$
declare
  v_fault patchdiff_store.fault;
  v_words jsonb := jsonb_build_object('path', p_path) || p_words;
begin
  v_fault.failure_code := p_code;
  v_fault.path := p_path;
  v_fault.ordinal := p_ordinal;
  v_fault.failed_change_id := p_change_id;
  v_fault.prior_changes := 0;
  v_fault.evidence := '';

  select w.stage, w.reason, w.words
  into strict v_fault.validation_stage, v_fault.failure_reason, v_fault.failure_detail
  from patchdiff_store.failure_words(p_code) as w;

  select string_agg(
    case when p.position = 1 then p.piece
      else (v_words ->> split_part(p.piece, '}', 1)) || substr(p.piece, strpos(p.piece, '}') + 1)
    end,
    '' order by p.position
  )
  into v_fault.failure_detail
  from string_to_table(v_fault.failure_detail, '{') with ordinality as p(piece, position);

  return v_fault;
end;
$$;

comment on function patchdiff_store.fault_of(text, text, integer, text, jsonb) is
  'A fault of this code with its reason, stage and sentence.';
