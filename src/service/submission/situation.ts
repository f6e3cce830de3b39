import { codePointLength } from '../../text/index.ts';
import type { NearMiss, NearMissAnswer } from '../../nearmiss/index.ts';
import { member } from '../../transaction/index.ts';
import type { JsonObject } from '../../transaction/index.ts';

/** What a step may lean on: everything of it stands in the answer itself or was sent by the caller. */
export interface Situation {
  /** The right shape of a misshaped argument (./wrong-shape.ts), or null. */
  shape: string | null;
  /** The tool's arguments as sent. */
  args: JsonObject;
  /** The evidence of the rejection. */
  diagnostic: JsonObject;
  /** Response only; null unless they were searched for. */
  nearMisses: NearMissAnswer | null;
}

/** A rejected attempt keeps its key, so a corrected submission under the same one would be a conflict. */
export const A_NEW_KEY = 'a new client_request_id';
export const NEW_KEY = `with ${A_NEW_KEY}`;

/** Code points after which evidence cuts a text: one of this length may have been longer. */
export const CUT = 256;
/** Candidates that evidence shows at most. */
export const SHOWN_CANDIDATES = 5;

export const textOf = (diagnostic: JsonObject, name: string): string => {
  const value = member(diagnostic, name);
  return typeof value === 'string' ? value : '';
};
export const isCut = (text: string): boolean => codePointLength(text) >= CUT;
/** A hit may be longer than the query that found it, and is shown cut. */
export const isCutHit = ({ start, end, text }: NearMiss): boolean => codePointLength(text) < end - start;
const contextOf = (diagnostic: JsonObject): JsonObject => (member(diagnostic, 'failure_context') ?? {}) as JsonObject;
/** Earlier changes of the submission made the text in which it failed: no read or search shows that text. */
export const isIntermediate = (diagnostic: JsonObject): boolean => contextOf(diagnostic)['source'] === 'intermediate_buffer';
export const isEmptied = (diagnostic: JsonObject): boolean => contextOf(diagnostic)['total_chars'] === 0;
