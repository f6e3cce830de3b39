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
  /** Code points of `intent` and of one `rationale`. */
  reasonChars: 4_096,
  /** Code points and UTF-8 bytes of a tx/3 replacement, as sent. */
  replacementChars: 1_000_000,
  replacementBytes: 1_048_576,
  /** Code points of `source`. */
  sourceChars: 256,
  /** UTF-8 bytes of a key, a parent or a source that travels as typed text; longer ones travel as raw metadata. */
  metadataBytes: 8_192,
  /** UTF-8 bytes of a result. */
  resultBytes: 16_777_216,
});
