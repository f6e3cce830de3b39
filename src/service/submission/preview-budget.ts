import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { jsonBytes } from '../common/json-bytes.ts';
import type { DiffPlan } from './unified-diff.ts';

/** UTF-8 bytes of a whole answer as JSON: the text part of the tool's result. */
export const PREVIEW_BYTES = 32_768;

/** A part of an answer that may be cut. */
export interface Part {
  /** Bytes that it is sure of when not all parts fit; what another part does not use is shared out in the order of the parts. */
  floor: number;
  /** Bytes beside those of its empty form when nothing is left out; may stop counting beyond PREVIEW_BYTES. */
  bytes: number;
  /** Everything there is to leave out, by the names of `omitted`. */
  total: Readonly<Record<string, number>>;
  /** The part within so many bytes beside those of its empty form, and how much of `total` was left out. */
  cut: (room: number) => { value: JsonValue; left: Readonly<Record<string, number>> };
}

/** A list, or the members of an object: cut after the last entry that fits. `name`: what `omitted` calls its entries. */
export function entriesPart(name: string, entries: readonly JsonValue[] | JsonObject, floor: number): Part {
  const members = Array.isArray(entries) ? null : Object.entries(entries as JsonObject).filter(([, value]) => value !== undefined);
  const items = members ?? (entries as readonly JsonValue[]);
  const sizes: number[] = [];
  let bytes = 0;
  for (const item of items) {
    // A member is written without the brackets of its pair, and each entry but one with a comma.
    const size = members === null ? jsonBytes(item as JsonValue) + 1 : jsonBytes(item as JsonValue) - 1;
    sizes.push(size);
    bytes += size;
    if (bytes > PREVIEW_BYTES) break;
  }
  return {
    floor,
    bytes,
    total: { [name]: items.length },
    cut: (room) => {
      let kept = 0;
      for (let used = sizes[0] ?? 0; kept < sizes.length && used <= room; used += sizes[kept] ?? 0) kept += 1;
      const value = members === null ? (items.slice(0, kept) as JsonValue[]) : Object.fromEntries(members.slice(0, kept));
      return { value, left: { [name]: items.length - kept } };
    },
  };
}

export function diffPart(plan: DiffPlan, floor: number): Part {
  const named = ({ hunks, lines, bytes }: { hunks: number; lines: number; bytes: number }): Record<string, number> => ({
    diff_hunks: hunks,
    diff_lines: lines,
    diff_bytes: bytes,
  });
  const most = plan.cut(PREVIEW_BYTES);
  return {
    floor,
    bytes: most.omitted === null ? jsonBytes(most.text) - 2 : PREVIEW_BYTES + 1,
    total: named(plan.total),
    cut: (room) => {
      const { text, omitted } = plan.cut(room);
      return { value: text, left: named(omitted ?? { hunks: 0, lines: 0, bytes: 0 }) };
    },
  };
}

/**
 * The answer that `frame` makes of its parts, within PREVIEW_BYTES. `omitted` is null when nothing was left out, else it counts what
 * was, under the names of all parts. What `frame` adds of its own must be small: nothing of it is cut.
 */
export function withinBudget<Name extends string>(
  parts: Readonly<Record<Name, Part>>,
  frame: (values: Record<Name, JsonValue>, omitted: JsonObject | null) => JsonObject,
): JsonObject {
  const names = Object.keys(parts) as Name[];
  const each = <T>(value: (part: Part, name: Name) => T): Record<Name, T> =>
    Object.fromEntries(names.map((name) => [name, value(parts[name], name)])) as Record<Name, T>;
  const build = (rooms: Record<Name, number>): JsonObject => {
    const cuts = each((part, name) => part.cut(rooms[name]));
    const omitted = Object.assign({}, ...names.map((name) => cuts[name].left)) as Record<string, number>;
    const values = each((_, name) => cuts[name].value);
    return frame(values, Object.values(omitted).some((count) => count > 0) ? omitted : null);
  };

  if (names.reduce((sum, name) => sum + parts[name].bytes, 0) <= PREVIEW_BYTES) {
    const whole = build(each((part) => part.bytes));
    if (jsonBytes(whole) <= PREVIEW_BYTES) return whole;
  }
  const totals = Object.assign({}, ...names.map((name) => parts[name].total)) as Record<string, number>;
  const empty = frame(
    each((part) => part.cut(0).value),
    totals,
  );
  let rest = PREVIEW_BYTES - jsonBytes(empty);
  const rooms = each(() => 0);
  const give = (name: Name, wanted: number): void => {
    const given = Math.max(0, Math.min(wanted, rest));
    rooms[name] += given;
    rest -= given;
  };
  for (const name of names) give(name, Math.min(parts[name].floor, parts[name].bytes));
  for (const name of names) give(name, parts[name].bytes - rooms[name]);
  return build(rooms);
}
