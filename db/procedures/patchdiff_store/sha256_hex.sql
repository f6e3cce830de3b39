-- SHA-256 of bytes as 64 lower-case hexadecimal digits, the form in which every hash is stored and compared.
create or replace function patchdiff_store.sha256_hex (
  p_bytes bytea
)
  returns text
  language sql
  immutable
as $$
  select encode(sha256(p_bytes), 'hex')
$$;

comment on function patchdiff_store.sha256_hex(bytea) is 'SHA-256 of the bytes as 64 lower-case hexadecimal digits.';
