import { isEncodable } from '../text/index.ts';
import type { JsonValue } from './json.ts';

/**
 * How deep a value nests: 0 for a scalar, 1 for a flat array or object. Iterative; stops at the first level beyond `limit`
 * (so the answer is at most limit + 1).
 */
export function depthOf(value: JsonValue, limit: number): number {
  let deepest = 0;
  const stack: { value: JsonValue | undefined; depth: number }[] = [{ value, depth: 1 }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top.value !== 'object' || top.value === null) continue;
    deepest = Math.max(deepest, top.depth);
    if (deepest > limit) return deepest;
    for (const inner of Object.values(top.value)) {
      if (typeof inner === 'object' && inner !== null) stack.push({ value: inner, depth: top.depth + 1 });
    }
  }
  return deepest;
}

/** True when no string and no key of the value holds a lone surrogate or NUL. Iterative. */
export function isEncodableValue(value: JsonValue | undefined): boolean {
  return everyText(value, isEncodable);
}

/** True when no string and no key of the value holds a lone surrogate: canonical JSON can represent it, NUL as an escape. */
export function isWellFormedValue(value: JsonValue | undefined): boolean {
  return everyText(value, (text) => text.isWellFormed());
}

function everyText(value: JsonValue | undefined, holds: (text: string) => boolean): boolean {
  const stack: (JsonValue | undefined)[] = [value];
  while (stack.length > 0) {
    const top = stack.pop();
    if (typeof top === 'string') {
      if (!holds(top)) return false;
    } else if (Array.isArray(top)) {
      for (const inner of top) stack.push(inner);
    } else if (typeof top === 'object' && top !== null) {
      for (const name of Object.keys(top)) {
        if (!holds(name)) return false;
        stack.push(top[name]);
      }
    }
  }
  return true;
}
