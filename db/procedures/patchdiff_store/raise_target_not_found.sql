-- Raises that there is no such target (PD104): one wording for every routine that cannot answer with an outcome.
create or replace function patchdiff_store.raise_target_not_found (
  p_target uuid
)
  returns void
  language plpgsql
  stable
as $$
begin
  raise exception 'no target %', p_target
    using errcode = 'PD104',
          detail = json_build_object('target_file_id', p_target)::text,
          hint = 'list the targets and use one of their ids';
end;
$$;

comment on function patchdiff_store.raise_target_not_found(uuid) is 'Raises PD104 for an unknown target.';
