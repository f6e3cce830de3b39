-- Refuses to take over a file that the call does not describe (PD100): no workspace facts, unknown line endings, or a digest of
-- the disk that is not that of the text with its endings and its byte order mark.
create or replace function patchdiff_store.check_adoption (
  p_workspace jsonb,
  p_facts jsonb,
  p_runs jsonb
)
  returns void
  language plpgsql
  immutable
as $$
declare
  v_argument text;
  v_rule text;
begin
  if p_workspace ->> 'disk_sha256' is null then
    v_argument := 'p_workspace';
    v_rule := 'an object with root, path, root_device, root_inode and disk_sha256';
  elsif p_facts is null then
    v_argument := 'p_source';
    v_rule := 'the line endings of the file, or null when the text as sent is all of it';
  elsif p_facts ->> 'style' = 'mixed' and p_runs is null then
    v_argument := 'p_source';
    v_rule := 'the ending of each line where they are mixed (eol_runs), or null when the text as sent is all of it';
  elsif p_workspace ->> 'disk_sha256' <> p_facts ->> 'source_sha256' then
    v_argument := 'p_workspace.disk_sha256';
    v_rule := 'the digest of the text with its line endings and its byte order mark';
  else
    return;
  end if;

  raise exception '%: %', v_argument, v_rule
    using errcode = 'PD100',
          detail = json_build_object('argument', v_argument, 'rule', v_rule)::text,
          hint = 'read the file again and send what it holds';
end;
$$;

comment on function patchdiff_store.check_adoption(jsonb, jsonb, jsonb) is
  'Refuses to take over a file that the call does not describe.';
