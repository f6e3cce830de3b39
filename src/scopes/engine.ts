import { createHash } from 'node:crypto';
import { isEncodable } from '../text/index.ts';
import { pinnedGrammars, RUNTIME } from './grammars.ts';
import type { Answer } from './job.ts';
import { languageNamed, languageOf, type Language } from './language.ts';
import type { Discovery, FallbackReason, Undiscovered } from './types.ts';
import { WorkerHost } from './worker-host.ts';

/** Versions of what reads without a grammar: another answer for the same text is another version. */
const OWN_READERS = {
  markdown: { name: 'patchdiff-markdown', version: '1' },
  regions: { name: 'patchdiff-regions', version: '1' },
} as const;
const NO_ERRORS = { count: 0, first: null } as const;

export interface ScopeEngineOptions {
  /** Scopes that answers kept for repetition may hold together; 0 keeps none. */
  readonly cachedScopes?: number;
}

export interface ScopeRequest {
  readonly text: string;
  /** Decides when given: a language of ours or a common other name of one. */
  readonly language?: string | undefined;
  /** Else the file's name or path decides, or its first line. */
  readonly path?: string | undefined;
}

export interface ScopeEngine {
  /**
   * The scopes of a text. Never rejects. Same text, same language: same answer, and while it is kept the very same frozen object.
   */
  discover(request: ScopeRequest): Promise<Discovery | Undiscovered>;
  /** Ends the thread and forgets what was kept; what is still asked is answered `closed`. An idle engine keeps no process alive. */
  close(): Promise<void>;
  /** Threads started so far: one more after each crash, each large text, and each minute of idleness. */
  readonly threads: number;
}

/** An engine with a thread and a cache of its own; the thread starts with the first text. */
export function createScopeEngine({ cachedScopes = 100_000 }: ScopeEngineOptions = {}): ScopeEngine {
  const host = new WorkerHost();
  const grammars = pinnedGrammars();
  const kept = new Kept(cachedScopes);
  const running = new Map<string, Promise<Discovery | Undiscovered>>();
  let closed = false;

  async function read(text: string, language: Language | null): Promise<Discovery | Undiscovered> {
    const grammar = (language === null ? undefined : grammars.get(language)) ?? null;
    const answer = language === null ? null : await host.run({ text, language, sha256: grammar?.sha256 ?? null });
    if (language !== null && answer === null) return { ok: false, reason: 'closed' };
    if (answer?.ok === true) {
      const parser = language === 'markdown' ? OWN_READERS.markdown : RUNTIME;
      return discovery(answer, { language, parser, grammar, fallback: false, fallback_reason: null });
    }
    const reason: FallbackReason = answer?.reason ?? 'unknown_language';
    const regions = await host.run({ text, language: null, sha256: null });
    if (regions === null) return { ok: false, reason: 'closed' };
    const shown: Answer = regions.ok ? regions : { ok: true, scopes: [], errors: NO_ERRORS };
    return discovery(shown, { language, parser: OWN_READERS.regions, grammar: null, fallback: true, fallback_reason: reason });
  }

  return {
    get threads() {
      return host.threads;
    },
    async discover({ text, language: wanted, path }) {
      if (closed) return { ok: false, reason: 'closed' };
      if (!isEncodable(text)) return { ok: false, reason: 'invalid_text' };
      const language = wanted === undefined ? languageOf(path ?? '', text) : languageNamed(wanted);
      const key = `${createHash('sha256').update(text, 'utf8').digest('hex')} ${language ?? ''}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      const asked =
        running.get(key) ??
        read(text, language).then((result) => {
          running.delete(key);
          if (result.ok && !closed) kept.add(key, result);
          return result;
        });
      running.set(key, asked);
      return asked;
    },
    async close() {
      closed = true;
      kept.clear();
      await host.close();
    },
  };
}

function discovery(answer: Answer & { ok: true }, about: Omit<Discovery, 'ok' | 'has_errors' | 'errors' | 'scopes'>): Discovery {
  answer.scopes.forEach((scope) => Object.freeze(scope));
  Object.freeze(answer.scopes);
  return Object.freeze({ ok: true, ...about, has_errors: answer.errors.count > 0, errors: answer.errors, scopes: answer.scopes });
}

/** Reasons that lie in the machine or the installation, not in the text: it is asked again. */
const PASSING: ReadonlySet<FallbackReason | null> = new Set(['parser_trapped', 'parser_unavailable']);

/** Answers, the one used longest ago forgotten first. */
class Kept {
  readonly #limit: number;
  readonly #answers = new Map<string, Discovery>();
  #scopes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Discovery | undefined {
    const found = this.#answers.get(key);
    if (found !== undefined) {
      this.#answers.delete(key);
      this.#answers.set(key, found);
    }
    return found;
  }

  add(key: string, answer: Discovery): void {
    if (PASSING.has(answer.fallback_reason)) return;
    const weight = sizeOf(answer);
    if (weight > this.#limit) return;
    this.#answers.set(key, answer);
    this.#scopes += weight;
    for (const [oldest, old] of this.#answers) {
      if (this.#scopes <= this.#limit) break;
      this.#answers.delete(oldest);
      this.#scopes -= sizeOf(old);
    }
  }

  clear(): void {
    this.#answers.clear();
    this.#scopes = 0;
  }
}

/** An answer without scopes takes room too. */
function sizeOf({ scopes }: Discovery): number {
  return scopes.length + 10;
}
