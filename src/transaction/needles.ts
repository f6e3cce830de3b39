import type { PieceBuffer } from './buffer.ts';

/** Units of a seed. Shorter texts are not indexed. */
const SEED = 8;
const BASE = 0x01000193;
/** BASE ** (SEED - 1): the weight of a seed's first unit. */
const FIRST_WEIGHT = Array.from({ length: SEED - 1 }).reduce<number>((power) => Math.imul(power, BASE), 1);
const MOST_BITS = 22;
/** Counts stop here. */
const SATURATED = 0xffff;
/** A seed that stands in more places than this is no use: such a text is left to plain search. */
const MOST_PLACES = 64;
/** Seeds of one text that are weighed against each other. */
const MOST_WEIGHED = 256;

interface Seed {
  hash: number;
  /** Units from the text's start to the seed. */
  offset: number;
}

/**
 * Finds the occurrences of many known texts in a buffer under splices without reading the buffer again for each: the starting
 * text is read twice in all, a splice costs its replacement, a look-up costs the places of the text's rarest seed (8 units).
 * Look-ups compare with the buffer itself, so a stale or colliding place can only cost time.
 */
export class NeedleIndex {
  readonly #buffer: PieceBuffer;
  readonly #seeds = new Map<string, Seed>();
  /** Addresses of each seed's first unit. A set: where text repeats, a splice can put the same seed behind the same unit again. */
  readonly #places = new Map<number, Set<number>>();
  readonly #flags: Uint8Array;
  /** Tables have a power of two of slots, about as many as the text has units. */
  readonly #mask: number;

  /** `buffer` must not have been spliced yet. */
  constructor(buffer: PieceBuffer, texts: Iterable<string>) {
    this.#buffer = buffer;
    const mask = 2 ** Math.min(MOST_BITS, 32 - Math.clz32(buffer.units)) - 1;
    const counts = countSeeds(buffer.text(), mask);
    this.#mask = mask;
    this.#flags = new Uint8Array(mask + 1);
    for (const text of texts) {
      const seed = rarestSeed(text, counts);
      if (seed === null) continue;
      this.#seeds.set(text, seed);
      this.#places.set(seed.hash, new Set());
      this.#flags[seed.hash & mask] = 1;
    }
    this.#collect(buffer.text(), (unit) => unit);
  }

  /** Starts of all occurrences in the buffer as it stands, in units, ascending; null when the text is not indexed. */
  find(text: string): number[] | null {
    const seed = this.#seeds.get(text);
    const places = seed === undefined ? undefined : this.#places.get(seed.hash);
    if (seed === undefined || places === undefined || places.size > 4 * MOST_PLACES) return null;
    return this.#buffer
      .unitsOf(places)
      .map((unit) => unit - seed.offset)
      .filter((start) => start >= 0 && this.#buffer.slice(start, start + text.length) === text);
  }

  /** To be told after each splice: where it was and how long its replacement is, in units. */
  noteSplice(unit: number, replacementUnits: number): void {
    const from = Math.max(0, unit - SEED + 1);
    this.#collect(this.#buffer.slice(from, unit + replacementUnits + SEED - 1), (inside) => this.#buffer.addressOf(from + inside));
  }

  #collect(text: string, addressOf: (unit: number) => number): void {
    const flags = this.#flags;
    const mask = this.#mask;
    const places = this.#places;
    eachSeed(text, (hash, unit) => {
      if (flags[hash & mask] === 1) places.get(hash)?.add(addressOf(unit));
    });
  }
}

function rarestSeed(text: string, counts: Uint16Array): Seed | null {
  let best: Seed | null = null;
  let least = MOST_PLACES + 1;
  eachSeed(text.slice(0, MOST_WEIGHED + SEED - 1), (hash, offset) => {
    const count = counts[hash & (counts.length - 1)] ?? 0;
    if (count >= least) return;
    least = count;
    best = { hash, offset };
  });
  return best;
}

/** How often each slot's seeds stand in a text. */
function countSeeds(text: string, mask: number): Uint16Array {
  const counts = new Uint16Array(mask + 1);
  eachSeed(text, (hash) => {
    const slot = hash & mask;
    const count = counts[slot] as number;
    if (count < SATURATED) counts[slot] = count + 1;
  });
  return counts;
}

/** Visits the hash of every 8 units of a text, with the unit at which they begin. */
function eachSeed(text: string, visit: (hash: number, unit: number) => void): void {
  let hash = 0;
  for (let unit = 0; unit < SEED - 1 && unit < text.length; unit += 1) hash = (Math.imul(hash, BASE) + text.charCodeAt(unit)) | 0;
  for (let last = SEED - 1; last < text.length; last += 1) {
    hash = (Math.imul(hash, BASE) + text.charCodeAt(last)) | 0;
    visit(hash, last - SEED + 1);
    hash = (hash - Math.imul(text.charCodeAt(last - SEED + 1), FIRST_WEIGHT)) | 0;
  }
}
