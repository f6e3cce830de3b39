-- Whether a text can be the source of a submission: not blank, at most 256 code points. Null for null.
create or replace function patchdiff_store.is_source (
  p_source text
)
  returns boolean
  language sql
  immutable
as $$
  select not patchdiff_store.is_blank(p_source) and char_length(p_source) <= 256
$$;

comment on function patchdiff_store.is_source(text) is
  'Whether a text can be the source of a submission: not blank and at most 256 code points.';
