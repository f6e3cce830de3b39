/**
 * PL/pgSQL helpers of patchdiff_store that do without `set search_path`: it costs about a microsecond a call, and these are called
 * for each operation of a submission. Each carries its reason, and names everything of ours in full.
 */
export const SEARCH_PATH_EXEMPT: Readonly<Record<string, string>> = {
  'patchdiff_store.is_absent': 'called twice a change in the walk',
  'patchdiff_store.prefix_chars': 'called once a change in the walk',
};
