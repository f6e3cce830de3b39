-- Whether a span applies to a buffer: exactly when span_fault finds nothing, which also explains it, but without reading
-- the buffer as text. p_number is the operation's position, p_start the byte offset of its start.
create or replace function patchdiff_store.span_holds (
  p_buffer bytea,
  p_chars integer,
  p_operations patchdiff_store.operations,
  p_number integer,
  p_start integer
)
  returns boolean
  language plpgsql
  immutable
as $$
declare
  v_from bigint := p_operations.span_start[p_number];
  v_to bigint := p_operations.span_end[p_number];
  v_text bytea := convert_to(p_operations.matched[p_number], 'UTF8');
  v_before bytea := convert_to(coalesce(p_operations.expected_before[p_number], ''), 'UTF8');
  v_after bytea := convert_to(coalesce(p_operations.expected_after[p_number], ''), 'UTF8');
  v_end integer := p_start + octet_length(v_text);
begin
  return v_from <= v_to
    and v_to <= p_chars
    and v_to - v_from = length(v_text, 'UTF8')
    and substring(p_buffer from p_start + 1 for octet_length(v_text)) = v_text
    and octet_length(v_before) <= p_start
    and substring(p_buffer from p_start - octet_length(v_before) + 1 for octet_length(v_before)) = v_before
    and substring(p_buffer from v_end + 1 for octet_length(v_after)) = v_after;
end;
$$;

comment on function patchdiff_store.span_holds(bytea, integer, patchdiff_store.operations, integer, integer) is
  'Whether a span applies to a buffer; span_fault says why not.';
