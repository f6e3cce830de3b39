export { explainRemoval } from './earlier.ts';
export type { EarlierRemoval } from './earlier.ts';
export { findNearMisses } from './find.ts';
export type { Consumer, ExpectedSpan, Explanation, ExplanationKind, NearMiss, NearMissAnswer, NearMissOptions } from './types.ts';
