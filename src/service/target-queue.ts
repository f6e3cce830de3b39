/**
 * Runs the works of one target one after another, in the order they came, and those of different targets side by side.
 * Many clients of one process on one hot target then each find the cached head current, where optimistic retries
 * would waste most of their round trips. It guards nothing: other processes are held off by the procedure's lock.
 */
export class TargetQueue {
  readonly #tails = new Map<string, Promise<void>>();

  async run<T>(targetFileId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(targetFileId) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(targetFileId, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(targetFileId) === tail) this.#tails.delete(targetFileId);
    }
  }
}
