import type { Language } from './language.ts';
import type { FallbackReason, Scope, SyntaxErrors } from './types.ts';

/** One text for the worker. */
export interface Job {
  readonly text: string;
  /** Null asks for plain regions. */
  readonly language: Language | null;
  /** Digest that the grammar must have; null where none takes part. */
  readonly sha256: string | null;
}

/** What the worker posts back for each job, in their order. */
export type Answer =
  | { readonly ok: true; readonly scopes: readonly Scope[]; readonly errors: SyntaxErrors }
  | { readonly ok: false; readonly reason: FallbackReason };
