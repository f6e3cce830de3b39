export { canonicalize, isBlank, isEncodable } from './canonical.ts';
export { CodePointIndex, codePointLength, takeCodePoints, utf8Length } from './codepoints.ts';
export { GRAPHEME_WALK, isGraphemeBoundary, isPlainBoundary } from './graphemes.ts';
export { countLineFeeds, lineStarts } from './lines.ts';
export { diffLines } from './line-diff.ts';
export type { LineChange, LineDiff, LineDiffLimits } from './line-diff.ts';
export { countOccurrences, eachOccurrence, firstOccurrence, lastOccurrence, occursIn } from './occurrences.ts';
export type { Visit } from './occurrences.ts';
export { firstInvalidUtf8 } from './utf8.ts';
