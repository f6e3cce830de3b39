import { validityOf } from '../transaction/index.ts';
import type { Applied, JsonObject, JsonValue } from '../transaction/index.ts';
import type { Held } from './held-content.ts';
import { unifiedDiff } from './unified-diff.ts';

/** Bytes of the whole answer as JSON. */
export const PREVIEW_BYTES = 32_768;
/** Shares of it for facts and warnings; the diff gets what is left. */
const CHANGES_BYTES = 8_192;
const WARNINGS_BYTES = 2_048;
/** For the members named `diff` and `omitted` themselves. */
const MARGIN_BYTES = 256;

function jsonBytes(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** The first items that fit into the budget. */
function fitting<T>(items: readonly T[], budget: number): T[] {
  let used = 2;
  const end = items.findIndex((item) => {
    used += jsonBytes(item as JsonValue) + 1;
    return used > budget;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}

/** The answer for an acceptance, within PREVIEW_BYTES; `omitted` counts what did not fit, and is null when everything did. */
export function previewAccepted(common: JsonObject, held: Held, applied: Applied): JsonObject {
  const changes = fitting(applied.changes, CHANGES_BYTES);
  const warnings = fitting(applied.warnings, WARNINGS_BYTES);
  const answer: JsonObject = {
    ...common,
    validity: { ...validityOf('accepted') },
    after_version: held.head.version + 1,
    after_hash: applied.afterHash,
    evidence: { changes: changes as unknown as JsonValue },
    warnings: warnings as unknown as JsonValue,
  };
  const diff = unifiedDiff(held.content.content, applied.content, PREVIEW_BYTES - jsonBytes(answer) - MARGIN_BYTES);
  const omitted = {
    diff_lines: diff.omitted?.lines ?? 0,
    diff_bytes: diff.omitted?.bytes ?? 0,
    changes: applied.changes.length - changes.length,
    warnings: applied.warnings.length - warnings.length,
  };
  return { ...answer, diff: diff.text, omitted: Object.values(omitted).some((count) => count > 0) ? omitted : null };
}
