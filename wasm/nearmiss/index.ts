// What the host sees. The text and the windows lie at `textAt()` and beyond; `src/nearmiss/wasm.ts` is the only caller.
import { DISTANCES, QUERY, TEXT } from './memory';

export { compact } from './text';
export { forget, prepare } from './query';
export { computed, scan } from './scan';
export { distances, start } from './single';

export function queryAt(): usize {
  return QUERY;
}
export function distancesAt(): usize {
  return DISTANCES;
}
export function textAt(): usize {
  return TEXT;
}
