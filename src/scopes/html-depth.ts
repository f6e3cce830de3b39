import { LIMITS } from './limits.ts';

/** A comment, an element of raw text, or a tag; all of it linear. */
const TAG = /<!--|<(\/?)([a-zA-Z][^\s/>]*)/g;
const RAW = new Set(['script', 'style', 'textarea', 'title']);
/** They have no end tag, or may go without one. */
const OPEN_ENDED = new Set(
  'area base body br col colgroup dd dt embed head hr html img input li link meta optgroup option p param rp rt source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
);

/**
 * Whether elements are nested deeper than scopes may be, told from the tags alone: the grammar's scanner copies its stack of open
 * elements at each step, so it must not be asked.
 */
export function tagsAreDeep(text: string): boolean {
  const lower = text.toLowerCase();
  let depth = 0;
  TAG.lastIndex = 0;
  for (let match = TAG.exec(text); match !== null; match = TAG.exec(text)) {
    const name = match[2]?.toLowerCase();
    const close = name === undefined ? '-->' : RAW.has(name) && match[1] === '' ? `</${name}` : null;
    if (close !== null) {
      const end = lower.indexOf(close, TAG.lastIndex);
      if (end < 0) return false;
      TAG.lastIndex = end + close.length;
    } else if (name !== undefined && !OPEN_ENDED.has(name)) {
      depth = match[1] === '' ? depth + 1 : Math.max(0, depth - 1);
      if (depth > LIMITS.scopeDepth) return true;
    }
  }
  return false;
}
