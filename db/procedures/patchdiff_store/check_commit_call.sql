-- Refuses misuse of commit_attempt's own arguments (PD100): what no tool of ours can send and no row should hold. Every
-- judgement about the submission itself is not made here, because a bad submission is an outcome and leaves a row.
create or replace function patchdiff_store.check_commit_call (
  p_target uuid,
  p_payload text,
  p_client_request_id text,
  p_parent text,
  p_attempt integer,
  p_source text,
  p_actor json,
  p_verdict text,
  p_claimed_reason text,
  p_warnings json,
  p_raw_metadata jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_target is not null and p_payload is not null and p_raw_metadata is null
    and (p_verdict in ('accepted', 'none') or (p_verdict = 'rejected' and p_claimed_reason is not null))
    and coalesce(octet_length(p_actor::text), 0) <= 8192
    and coalesce(strpos(p_actor::text, '\u'), 0) = 0
    and coalesce(length(p_actor::text) - length(translate(p_actor::text, '[{', '')), 0) <= 64
    and coalesce(octet_length(p_client_request_id), 0) <= 8192
    and coalesce(octet_length(p_parent), 0) <= 8192
    and coalesce(octet_length(p_source), 0) <= 8192
    and coalesce(p_warnings::text, '[]') = '[]'
  then
    return;
  end if;

  select c.argument, c.rule
  into v_argument, v_rule
  from (values
    (1, p_target is null, 'p_target', 'a uuid'),
    (2, p_payload is null, 'p_payload', 'the record as JSON text'),
    (3, coalesce(p_verdict not in ('accepted', 'rejected', 'none'), true), 'p_verdict', 'accepted, rejected or none'),
    (4, p_verdict = 'rejected' and p_claimed_reason is null, 'p_diagnostic', 'an object with the text failure_reason'),
    (5, octet_length(p_actor::text) > 8192
        or patchdiff_store.holds_unencodable(left(p_actor::text, 8192))
        or patchdiff_store.nests_beyond(left(p_actor::text, 8192), 64),
      'p_actor', 'JSON of at most 8192 bytes and 64 levels without NUL and lone surrogates'),
    (6, octet_length(p_client_request_id) > 8192, 'p_client_request_id', 'text of at most 8192 bytes'),
    (7, octet_length(p_parent) > 8192, 'p_parent', 'text of at most 8192 bytes'),
    (8, octet_length(p_source) > 8192, 'p_source', 'text of at most 8192 bytes'),
    (9, patchdiff_store.are_warnings(p_warnings) is false, 'p_warnings',
      'an array of at most 6000 objects with code and change_id'),
    (10, patchdiff_store.is_raw_metadata(p_raw_metadata, p_client_request_id, p_parent, p_attempt, p_source) is false,
      'p_raw_metadata', 'an object of JSON texts, only for values that do not fit their typed parameter')
  ) as c(position, fails, argument, rule)
  where c.fails
  order by c.position
  limit 1;

  if v_argument is not null then
    raise exception '% must be %', v_argument, v_rule
      using errcode = 'PD100',
            detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
            hint = format('correct %s and call again', v_argument);
  end if;
end;
$$;

comment on function patchdiff_store.check_commit_call(
  uuid, text, text, text, integer, text, json, text, text, json, jsonb
) is 'Refuses misuse of commit_attempt''s own arguments.';
