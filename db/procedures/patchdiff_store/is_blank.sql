-- Whether a text is empty or only white space. The list is the contract's own, spelt out: \s of PostgreSQL, of
-- JavaScript and of Python all differ. U+FEFF is not in it.
create or replace function patchdiff_store.is_blank (
  p_text text
)
  returns boolean
  language sql
  immutable
as $$
  select btrim(
    p_text,
    U&'\0009\000A\000B\000C\000D\001C\001D\001E\001F\0020\0085\00A0\1680'
    '\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'
  ) = ''
$$;

comment on function patchdiff_store.is_blank(text) is
  'True for a text that is empty or holds only the white space of docs/spec (U+FEFF is not white space).';
