-- ASCII-escaped canonical JSON as canonical JSON: every escape above U+007F becomes its character, \u0000 and the other
-- control characters stay escapes. Null when the text holds a lone surrogate, which no canonical JSON can. The whole
-- text is quoted as one JSON string in which only those escapes are left to be read: linear, whatever it holds.
create or replace function patchdiff_store.representable_json (
  p_json text
)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_text text;
begin
  -- \x01 stands for an escaped backslash, \x02 for the backslash of an escape to be read: JSON holds neither as it is.
  v_text := regexp_replace(replace(p_json, '\\', E'\x01'), '\\u(?!00[0-7])', E'\x02u', 'g');
  -- chr(92): the migration tool takes a quote after a backslash for part of the text.
  v_text := replace(replace(v_text, chr(92), '\\'), '"', '\"');
  v_text := replace(replace(v_text, E'\x02', chr(92)), E'\x01', '\\\\');
  return patchdiff_store.payload_json('"' || v_text || '"') #>> '{}';
end;
$$;

comment on function patchdiff_store.representable_json(text) is
  'ASCII-escaped canonical JSON as canonical JSON, or null when it holds a lone surrogate.';
