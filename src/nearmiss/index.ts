export { explainDifference } from './explain.ts';
export { findNearMisses } from './find.ts';
export type { Explanation, ExplanationKind, NearMiss, NearMissAnswer, NearMissOptions } from './types.ts';
