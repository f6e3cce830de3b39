import { isAbsent, isObject, member } from './json.ts';
import type { JsonObject } from './json.ts';

/** Frozen semantics of one runtime. A row names the profile it ran under, and a profile never changes. */
export interface Profile {
  readonly name: string;
  /** Overlapping occurrences count; else they are counted left to right without overlap. */
  readonly overlappingMatches: boolean;
  /** Selectors are enforced even when the text occurs once. */
  readonly selectorsOnSingleMatch: boolean;
  /** `historical`: any text, kept byte for byte. */
  readonly changeIds: 'historical' | 'strict';
  readonly operations: readonly ('match' | 'span' | 'replace_all' | 'scoped')[];
  /** Spans may carry `expected_before` and `expected_after`. */
  readonly spanAdjacency: boolean;
  /** The protocols a row of this runtime may have been recorded under. */
  readonly protocols: readonly string[];
}

const profile = (value: Profile): Profile =>
  Object.freeze({ ...value, operations: Object.freeze([...value.operations]), protocols: Object.freeze([...value.protocols]) });

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';
const BUNDLE = 'patchdiff-observed-batch/1';

/** All profiles, oldest first. */
export const PROFILES: readonly Profile[] = Object.freeze([
  profile({
    name: 'patchdiff-mvp-0.1.0',
    overlappingMatches: false,
    selectorsOnSingleMatch: false,
    changeIds: 'historical',
    operations: ['match'],
    spanAdjacency: false,
    protocols: [TX1],
  }),
  profile({
    name: 'patchdiff-mvp-0.2.0',
    overlappingMatches: true,
    selectorsOnSingleMatch: false,
    changeIds: 'historical',
    operations: ['match'],
    spanAdjacency: false,
    protocols: [TX1],
  }),
  profile({
    name: 'patchdiff-mvp-0.2.1',
    overlappingMatches: true,
    selectorsOnSingleMatch: false,
    changeIds: 'strict',
    operations: ['match'],
    spanAdjacency: false,
    protocols: [TX1],
  }),
  profile({
    name: 'patchdiff-mvp-0.2.2',
    overlappingMatches: true,
    selectorsOnSingleMatch: true,
    changeIds: 'strict',
    operations: ['match'],
    spanAdjacency: false,
    protocols: [TX1],
  }),
  profile({
    name: 'patchdiff-mvp-0.3.0',
    overlappingMatches: true,
    selectorsOnSingleMatch: true,
    changeIds: 'strict',
    operations: ['match', 'span'],
    spanAdjacency: false,
    protocols: [TX2],
  }),
  profile({
    name: 'patchdiff-mvp-0.4.0',
    overlappingMatches: true,
    selectorsOnSingleMatch: true,
    changeIds: 'strict',
    operations: ['match', 'span', 'replace_all'],
    spanAdjacency: false,
    protocols: [TX2, TX3],
  }),
  profile({
    name: 'patchdiff-mvp-0.5.0',
    overlappingMatches: true,
    selectorsOnSingleMatch: true,
    changeIds: 'strict',
    operations: ['match', 'span'],
    spanAdjacency: true,
    protocols: [TX2],
  }),
  profile({
    name: 'patchdiff-observed-batch-r1',
    overlappingMatches: true,
    selectorsOnSingleMatch: true,
    changeIds: 'strict',
    operations: ['scoped'],
    spanAdjacency: true,
    protocols: [BUNDLE],
  }),
]);

/** The profile of a recorded (protocol, runtime) pair; null when the pair is not legal. */
export function profileFor(protocolVersion: string, runtimeVersion: string): Profile | null {
  return PROFILES.find((known) => known.name === runtimeVersion && known.protocols.includes(protocolVersion)) ?? null;
}

/** The runtime a new record is stored under. Total: it answers for malformed records too. */
export function runtimeVersionFor(record: JsonObject): string {
  switch (member(record, 'format')) {
    case TX2:
      return carriesAdjacency(record) ? 'patchdiff-mvp-0.5.0' : 'patchdiff-mvp-0.3.0';
    case TX3:
      return 'patchdiff-mvp-0.4.0';
    case BUNDLE:
      return 'patchdiff-observed-batch-r1';
    default:
      return 'patchdiff-mvp-0.2.2';
  }
}

/** The profile a new record runs under. */
export function profileOf(record: JsonObject): Profile {
  const name = runtimeVersionFor(record);
  const found = PROFILES.find((known) => known.name === name);
  if (found === undefined) throw new RangeError(`no profile ${name}`);
  return found;
}

function carriesAdjacency(record: JsonObject): boolean {
  const operations = member(record, 'operations');
  return (
    Array.isArray(operations) &&
    operations.some(
      (item) =>
        isObject(item) &&
        member(item, 'op') === 'span' &&
        (!isAbsent(member(item, 'expected_before')) || !isAbsent(member(item, 'expected_after'))),
    )
  );
}
