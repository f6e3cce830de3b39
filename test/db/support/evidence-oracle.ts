import type { ChangeFact, JsonObject } from '../../../src/transaction/index.ts';
import { applyReference } from '../../transaction/reference.ts';

/** What the contract lets stand in the evidence of a transaction that does not apply, read literally on arrays of code points. */
export interface ExpectedEvidence {
  code: string;
  ordinal: number;
  context: JsonObject;
  /** The members after failure_context. */
  members: JsonObject;
}

const lf = (text: string): string[] => Array.from(text.replace(/\r\n/g, '\n').replace(/\r/g, '\n'));
const starts = (text: string[], at: number, wanted: string[]): boolean => wanted.every((point, offset) => text[at + offset] === point);

/** The start of every occurrence, overlapping ones too. */
export function occurrencesIn(text: string[], wanted: string[]): number[] {
  return text.flatMap((_point, at) => (starts(text, at, wanted) ? [at] : []));
}

function candidates(text: string[], wanted: string[], chosen: readonly number[]): JsonObject {
  const all = occurrencesIn(text, wanted);
  return {
    exact_candidates: chosen.slice(0, 5).map((start) => ({
      occurrence_index: all.indexOf(start) + 1,
      start,
      end: start + wanted.length,
      line: 1 + text.slice(0, start).filter((point) => point === '\n').length,
      before: text.slice(Math.max(0, start - 40), start).join(''),
      after: text.slice(start + wanted.length, start + wanted.length + 40).join(''),
    })),
    candidate_count: Math.min(1_000, chosen.length),
    ...(chosen.length >= 1_000 ? { candidate_count_capped: true } : {}),
  };
}

/** The first of the three texts of a span that is not where it is expected, and what stands there. */
function mismatch(text: string[], operation: JsonObject): JsonObject {
  const { start, end, expected_text, expected_before, expected_after } = operation as Record<string, unknown>;
  const [at, to] = [start as number, end as number];
  const before = lf((expected_before as string | null) ?? '');
  const after = lf((expected_after as string | null) ?? '');
  const checks: [string[], string[]][] = [
    [lf(expected_text as string), text.slice(at, to)],
    [before, text.slice(Math.max(0, at - before.length), at)],
    [after, text.slice(to, to + after.length)],
  ];
  const [expected, actual] = checks.find(([wanted, there]) => wanted.join('') !== there.join(''))!;
  return { near_miss_query: expected.slice(0, 256).join(''), actual_text: actual.slice(0, 256).join('') };
}

/** Null when the operations apply. */
export function expectedEvidence(content: string, operations: JsonObject[]): ExpectedEvidence | null {
  const result = applyReference(content, operations as never);
  if ('content' in result) return null;
  const text = Array.from(result.buffer);
  const operation = operations[result.ordinal - 1]!;
  const wanted = typeof operation['match'] === 'string' ? lf(operation['match']) : [];
  let members: JsonObject = {};
  let point: number | null = null;
  if (result.code === 'match_ambiguous' || result.code === 'selector_excludes_all') {
    members = candidates(text, wanted, result.candidates ?? []);
    point = result.candidates![0]!;
  } else if (result.code === 'span_expected_text_mismatch') {
    members = mismatch(text, operation);
    point = operation['start'] as number;
  } else if (result.code === 'span_out_of_bounds') {
    point = Math.min(operation['start'] as number, text.length);
  } else {
    if (result.consumer !== undefined) {
      const { change_id, ordinal, span_start, span_end } = result.facts[result.consumer - 1] as unknown as ChangeFact;
      members = { consumed_match: { change_id, ordinal, span_start, span_end } };
      point = Math.min(span_start, text.length);
    }
    members = { ...members, near_miss_query: wanted.slice(0, 256).join('') };
  }

  let start = point === null ? 0 : Math.max(0, point - 128);
  while (start > 0 && start + 256 > text.length) start -= 1;
  const shown = text.slice(start, start + 256);
  const context = {
    source: result.ordinal === 1 ? 'canonical_target' : 'intermediate_buffer',
    prior_changes: result.ordinal - 1,
    kind: point === null ? 'prefix' : 'window',
    start,
    end: start + shown.length,
    total_chars: text.length,
    text: shown.join(''),
  };
  return { code: result.code, ordinal: result.ordinal, context, members };
}
