-- Refuses malformed arguments of the call that closes an intent (PD100): the outcome's name, a detail that is no object,
-- a file called published that holds other bytes than announced, a key that is not the intent's.
create or replace function patchdiff_store.check_outcome (
  p_intent patchdiff_store.workspace_publications,
  p_outcome text,
  p_observed_disk_sha256 text,
  p_detail json,
  p_client_request_id text
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if coalesce(p_outcome, '') not in ('published', 'rejected', 'superseded') then
    v_argument := 'p_outcome';
    v_rule := 'published, rejected or superseded';
  elsif json_typeof(p_detail) <> 'object' then
    v_argument := 'p_detail';
    v_rule := 'an object or null';
  elsif p_outcome = 'published' and p_observed_disk_sha256 <> p_intent.written_sha256 then
    v_argument := 'p_observed_disk_sha256';
    v_rule := 'the digest that the intent announced, or null; the file holds other bytes and is not published';
  elsif p_client_request_id <> coalesce(p_intent.client_request_id, '') then
    v_argument := 'p_client_request_id';
    v_rule := 'the key that the intent was opened with, or null';
  end if;

  if v_argument is not null then
    raise exception '%: %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = 'say what became of the file';
  end if;
end;
$$;

comment on function patchdiff_store.check_outcome(patchdiff_store.workspace_publications, text, text, json, text) is
  'Refuses malformed arguments of the call that closes a publication intent.';
