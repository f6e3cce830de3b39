-- Canonical text with its own ending at every line, as its file holds it after the byte order mark. Null when it would be
-- read back as another text: where a CR stands right before an LF. The runs are such as eol_runs_fault finds nothing wrong
-- with for this text.
create or replace function patchdiff_store.restored_text (
  p_content text,
  p_runs jsonb
)
  returns text
  language sql
  immutable
as $$
  select case when replace(replace(f.restored, e'\r\n', e'\n'), e'\r', e'\n') = p_content then f.restored end
  from (
    select coalesce(string_agg(l.line || coalesce(l.ending, ''), '' order by l.place), '') as restored
    from unnest(
      string_to_array(p_content, e'\n'),
      array(
        select case r.run ->> 0 when 'lf' then e'\n' when 'crlf' then e'\r\n' else e'\r' end
        from jsonb_array_elements(p_runs) with ordinality as r (run, place)
        cross join lateral generate_series(1, (r.run ->> 1)::bigint) as n
        order by r.place
      )
    ) with ordinality as l (line, ending, place)
  ) as f
$$;

comment on function patchdiff_store.restored_text(text, jsonb) is
  'Canonical text with its own ending at every line, or null when that is not to be read back.';
