/**
 * Hot helpers of patchdiff_store that do without `set search_path`: the setting keeps SQL functions from being inlined
 * and costs a PL/pgSQL function about a microsecond a call. Each name carries the reason; their names are written in full instead.
 */
export const SEARCH_PATH_EXEMPT: Readonly<Record<string, string>> = {};
