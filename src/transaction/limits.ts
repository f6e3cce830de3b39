/** Admission limits of fresh submissions. Replay never applies them. The procedure holds the same numbers. */
export const LIMITS = Object.freeze({
  /** UTF-8 bytes of the payload as handed over. */
  payloadBytes: 4_194_304,
  /** Nesting; the record's own object is level 1. */
  depth: 64,
  /** Edits or operations. */
  operations: 2_000,
  /** Code points of one `match`, as sent. */
  matchChars: 65_536,
  /** Code points and UTF-8 bytes of a tx/3 replacement, as sent. */
  replacementChars: 1_000_000,
  replacementBytes: 1_048_576,
  /** UTF-8 bytes of a result. */
  resultBytes: 16_777_216,
});
