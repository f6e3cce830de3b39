/**
 * Routines of patchdiff_store that something other than a routine of ours calls (the owner by hand, a check, a default, an index), so
 * that each closes its own search_path. Trigger functions need no entry.
 */
export const ENTERED_HELPERS: Readonly<Record<string, string>> = {
  'patchdiff_store.import_attempt': 'the owner brings in a history by hand',
};
