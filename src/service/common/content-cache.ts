import { CodePointIndex, lineStarts } from '../../text/index.ts';

/** One version of a target's content, as this process evaluates it. */
export class CachedContent {
  readonly version: number;
  /** SHA-256 recomputed from `content`, never the column. */
  readonly hash: string;
  readonly content: string;
  #index: CodePointIndex | null = null;
  #lines: readonly number[] | null = null;

  constructor(version: number, hash: string, content: string) {
    this.version = version;
    this.hash = hash;
    this.content = content;
  }

  /** Built on first use, then kept as long as the content. */
  get index(): CodePointIndex {
    return (this.#index ??= new CodePointIndex(this.content));
  }

  /** Units at which the lines begin; kept likewise. */
  get lines(): readonly number[] {
    return (this.#lines ??= lineStarts(this.content));
  }

  /** Memory it holds, roughly: two bytes a UTF-16 unit. */
  get bytes(): number {
    return 2 * this.content.length + 512;
  }
}

/**
 * The latest content of each target this process has seen, and the one before it (only to explain failed matches).
 * Least recently used targets go first once the byte bound is passed; one entry larger than the bound is not kept.
 * Never an authority: the procedure compares hashes under the lock.
 */
export class ContentCache {
  readonly #bound: number;
  readonly #entries = new Map<string, { current: CachedContent; previous: CachedContent | null }>();
  #bytes = 0;

  constructor(boundBytes: number) {
    this.#bound = boundBytes;
  }

  get(targetFileId: string): CachedContent | null {
    const entry = this.#entries.get(targetFileId);
    if (entry === undefined) return null;
    this.#entries.delete(targetFileId);
    this.#entries.set(targetFileId, entry);
    return entry.current;
  }

  previous(targetFileId: string): CachedContent | null {
    return this.#entries.get(targetFileId)?.previous ?? null;
  }

  /** Replaces the target's content, unless what is held is newer (answers may arrive out of order). */
  put(targetFileId: string, content: CachedContent): void {
    const held = this.#entries.get(targetFileId);
    if (held !== undefined && held.current.version > content.version) return;
    this.drop(targetFileId);
    if (content.bytes > this.#bound) return;
    const before = held?.current.hash === content.hash ? held.previous : (held?.current ?? null);
    const previous = before !== null && before.bytes + content.bytes <= this.#bound ? before : null;
    this.#entries.set(targetFileId, { current: content, previous });
    this.#bytes += content.bytes + (previous?.bytes ?? 0);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#bound) break;
      this.drop(oldest);
    }
  }

  /** As `put`, for content that came from under the lock: it is right even when its version is lower (a restored database). */
  replace(targetFileId: string, content: CachedContent): void {
    const held = this.#entries.get(targetFileId);
    if (held !== undefined && held.current.version > content.version) this.drop(targetFileId);
    this.put(targetFileId, content);
  }

  drop(targetFileId: string): void {
    const entry = this.#entries.get(targetFileId);
    if (entry === undefined) return;
    this.#entries.delete(targetFileId);
    this.#bytes -= entry.current.bytes + (entry.previous?.bytes ?? 0);
  }
}
