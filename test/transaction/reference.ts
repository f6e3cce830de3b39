import { createHash } from 'node:crypto';

/** Hex SHA-256 of a text's UTF-8. */
export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

interface Operation {
  op?: string;
  match?: string;
  replace: string;
  occurrence_index?: number;
  anchor_before?: string;
  anchor_after?: string;
  start?: number;
  end?: number;
  expected_text?: string;
  expected_before?: string;
  expected_after?: string;
}

export type ReferenceResult =
  | { code: string; ordinal: number; consumer?: number; candidates?: number[]; buffer: string; facts: Record<string, unknown>[] }
  | { content: string; facts: Record<string, unknown>[]; starts: number[] };

const lf = (text: string): string[] => [...text.replace(/\r\n/g, '\n').replace(/\r/g, '\n')];
const bytes = (points: string[]): number => Buffer.byteLength(points.join(''));
const equals = (left: string[], right: string[]): boolean => left.length === right.length && left.every((point, at) => point === right[at]);

function occurrences(text: string[], wanted: string[]): number[] {
  const found: number[] = [];
  for (let at = 0; at + wanted.length <= text.length; at += 1) if (equals(text.slice(at, at + wanted.length), wanted)) found.push(at);
  return found;
}

/**
 * The applier read literally from the contract, on arrays of code points: slow, and shares no line with the product.
 * Operations are a decoded record's (profile of today).
 */
export function applyReference(content: string, operations: Operation[]): ReferenceResult {
  let text = lf(content);
  const start = text;
  const facts: Record<string, unknown>[] = [];
  const starts: number[] = [];
  const history: string[][] = [];
  for (const [position, operation] of operations.entries()) {
    const ordinal = position + 1;
    const replacement = lf(operation.replace);
    const failed = (code: string, more: object = {}): ReferenceResult => ({ code, ordinal, buffer: text.join(''), facts, ...more });
    let from = 0;
    let to = text.length;
    const kind = operation.op ?? 'match';
    if (kind === 'match') {
      const wanted = lf(operation.match ?? '');
      const all = occurrences(text, wanted);
      if (all.length === 0) {
        const consumer = history.findIndex((after) => occurrences(after, wanted).length === 0);
        return occurrences(start, wanted).length > 0 && position > 0
          ? failed('sequential_match_invalid', { consumer: consumer + 1 })
          : failed('match_absent');
      }
      const before = operation.anchor_before === undefined ? null : lf(operation.anchor_before);
      const after = operation.anchor_after === undefined ? null : lf(operation.anchor_after);
      const left = all.filter(
        (at, rank) =>
          (operation.occurrence_index === undefined || rank + 1 === operation.occurrence_index) &&
          (before === null || occurrences(text, before).some((anchor) => anchor + before.length <= at)) &&
          (after === null || occurrences(text, after).some((anchor) => anchor >= at + wanted.length)),
      );
      if (left.length === 0) return failed('selector_excludes_all', { candidates: all });
      if (left.length > 1) return failed('match_ambiguous', { candidates: left });
      from = left[0] as number;
      to = from + wanted.length;
    } else if (kind === 'span') {
      from = operation.start ?? 0;
      to = operation.end ?? 0;
      if (from > to || to > text.length) return failed('span_out_of_bounds');
      const before = lf(operation.expected_before ?? '');
      const after = lf(operation.expected_after ?? '');
      const fits =
        equals(text.slice(from, to), lf(operation.expected_text ?? '')) &&
        before.length <= from &&
        equals(text.slice(from - before.length, from), before) &&
        equals(text.slice(to, to + after.length), after);
      if (!fits) return failed('span_expected_text_mismatch');
    }
    const matched = text.slice(from, to);
    starts.push(bytes(text.slice(0, from)));
    facts.push({
      ordinal,
      change_id: `chg_${String(ordinal).padStart(3, '0')}`,
      operation: kind,
      span_start: from,
      span_end: to,
      matched_chars: matched.length,
      replacement_chars: replacement.length,
      matched_sha256: sha256(matched.join('')),
      replacement_sha256: sha256(replacement.join('')),
    });
    text = [...text.slice(0, from), ...replacement, ...text.slice(to)];
    history.push(text);
  }
  return { content: text.join(''), facts, starts };
}
