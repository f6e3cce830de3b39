import type { Observation } from '../../transaction/index.ts';

/** Observations kept; of each one the texts are left out. */
const MOST = 256;

/** The observations that this process has read: none ever changes. The least recently used go first. */
export class BundleCache {
  readonly #kept = new Map<string, Observation>();

  get(targetFileId: string, bundleId: string): Observation | null {
    const key = `${targetFileId} ${bundleId}`;
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  put(targetFileId: string, observation: Observation): void {
    this.#kept.set(`${targetFileId} ${observation.bundle_id}`, observation);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
  }
}
