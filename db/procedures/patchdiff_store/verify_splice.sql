-- One ledger row against the buffer it was applied to: the splice lies inside, what it replaces is what the payload
-- says, and the recorded facts are those of the buffer. Problems by column; the caller applies the splice itself.
create or replace function patchdiff_store.verify_splice (
  p_buffer bytea,
  p_change patchdiff_store.append_only_manifest_ledger,
  p_item jsonb
)
  returns table (column_name text, problem text)
  language sql
  immutable
as $$
  select f.column_name, f.problem
  from (
    select
      length(substring(p_buffer from 1 for p_change.start_byte), 'UTF8') as span_start,
      substring(p_buffer from p_change.start_byte + 1 for p_change.deleted_bytes) as matched,
      convert_to(patchdiff_store.lf(p_item ->> 'replace'), 'UTF8') as replacement,
      convert_to(patchdiff_store.lf(coalesce(p_item ->> 'match', p_item ->> 'expected_text')), 'UTF8') as expected
    -- Each of them once: a place costs a reading of all that stands before it.
    offset 0
  ) as s
  cross join lateral (
    select length(s.matched, 'UTF8') as matched_chars, length(s.replacement, 'UTF8') as replacement_chars
  ) as n
  cross join lateral (
    values
      ('start_byte', 'the text there is not the one that the payload matched', s.expected is not null and s.matched <> s.expected),
      ('start_byte', 'not where the payload''s span begins', p_item ? 'start' and s.span_start::text <> p_item ->> 'start'),
      ('deleted_bytes', 'not the size of the text that the payload matched',
        s.expected is not null and p_change.deleted_bytes <> octet_length(s.expected)),
      ('deleted_bytes', 'a replacement of the whole does not cover it',
        p_change.operation = 'replace_all' and octet_length(s.matched) <> octet_length(p_buffer)),
      ('inserted_bytes', 'not the size of the replacement', p_change.inserted_bytes is distinct from octet_length(s.replacement)),
      ('derived_json', 'span_start differs', p_change.derived_json ->> 'span_start' is distinct from s.span_start::text),
      ('derived_json', 'span_end differs',
        p_change.derived_json ->> 'span_end' is distinct from (s.span_start + n.matched_chars)::text),
      ('derived_json', 'matched_chars differs', p_change.derived_json ->> 'matched_chars' is distinct from n.matched_chars::text),
      ('derived_json', 'replacement_chars differs',
        p_change.derived_json ->> 'replacement_chars' is distinct from n.replacement_chars::text),
      ('derived_json', 'matched_sha256 differs',
        p_change.derived_json ->> 'matched_sha256' is distinct from patchdiff_store.sha256_hex(s.matched)),
      ('derived_json', 'replacement_sha256 differs',
        p_change.derived_json ->> 'replacement_sha256' is distinct from patchdiff_store.sha256_hex(s.replacement))
  ) as f (column_name, problem, broken)
  where f.broken
$$;

comment on function patchdiff_store.verify_splice(bytea, patchdiff_store.append_only_manifest_ledger, jsonb) is
  'What is wrong with one ledger row, given the buffer it was applied to and its item of the payload.';
