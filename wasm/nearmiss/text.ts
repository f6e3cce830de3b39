// Code points out of UTF-16, in place, and only where surrogates make it necessary.
import { HASH } from './memory';

/** Stands for a code point outside the query that is no plain unit: no query unit is mapped to it. */
const OTHER: u32 = 0xdfff;

function slot(point: u32): u32 {
  return (point * 2654435761) >>> 22;
}

/** The u16 that stands for a query code point made of surrogates, 0 when it has none. */
export function standIn(point: u32): u32 {
  let at = slot(point);
  while (true) {
    const key = load<u32>(HASH + ((<usize>at) << 2));
    if (key == 0) return 0;
    if (key == point) return load<u16>(HASH + 4096 + ((<usize>at) << 1));
    at = (at + 1) & 1023;
  }
}

export function setStandIn(point: u32, value: u32): void {
  let at = slot(point);
  while (load<u32>(HASH + ((<usize>at) << 2)) != 0) at = (at + 1) & 1023;
  store<u32>(HASH + ((<usize>at) << 2), point);
  store<u16>(HASH + 4096 + ((<usize>at) << 1), <u16>value);
}

function hasSurrogate(text: usize, units: i32): bool {
  const mask = i16x8.splat(<i16>0xf800);
  const surrogate = i16x8.splat(<i16>0xd800);
  const end = text + ((<usize>units) << 1);
  let found = i16x8.splat(0);
  for (; text + 16 <= end; text += 16) found = v128.or(found, i16x8.eq(v128.and(v128.load(text), mask), surrogate));
  if (v128.any_true(found)) return true;
  for (; text < end; text += 2) if ((load<u16>(text) & 0xf800) == 0xd800) return true;
  return false;
}

/**
 * Leaves one u16 a code point and returns how many there are. A pair, or a surrogate alone (which counts as one), becomes
 * the stand-in of its code point in the query, or OTHER. Writing never overtakes reading.
 */
export function compact(text: usize, units: i32): i32 {
  if (!hasSurrogate(text, units)) return units;
  const mask = i16x8.splat(<i16>0xf800);
  const surrogate = i16x8.splat(<i16>0xd800);
  const end = text + ((<usize>units) << 1);
  let from = text;
  let to = text;
  while (from < end) {
    if (from + 16 <= end) {
      const eight = v128.load(from);
      if (!v128.any_true(i16x8.eq(v128.and(eight, mask), surrogate))) {
        v128.store(to, eight);
        from += 16;
        to += 16;
        continue;
      }
    }
    const stop = min(from + 16, end);
    while (from < stop) {
      const unit = <u32>load<u16>(from);
      from += 2;
      let value = unit;
      if ((unit & 0xf800) == 0xd800) {
        let point = unit;
        if (unit < 0xdc00 && from < end) {
          const low = <u32>load<u16>(from);
          if ((low & 0xfc00) == 0xdc00) {
            from += 2;
            point = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
          }
        }
        value = standIn(point);
        if (value == 0) value = OTHER;
      }
      store<u16>(to, <u16>value);
      to += 2;
    }
  }
  return <i32>((to - text) >> 1);
}
