import { encodeCanonical } from './encode.ts';
import type { JsonObject, Sha256 } from './json.ts';
import type { ScopeEvidence } from './types.ts';

/** The parser's grammar. `version` and `sha256` are its words. */
export interface Grammar {
  name: string;
  version: string;
  sha256: string | null;
}

/** A scope as an observation holds it; one that is read may tell more of it (lines, text). */
export type ObservedScope = ScopeEvidence;

/** What was observed of a target in one call, as the database keeps it. */
export interface Observation {
  bundle_id: string;
  /** Of the content that was observed. */
  version: number;
  content_hash: string;
  editing_cycle: number;
  /** Null: none was told, and the scopes are plain regions. */
  language: string | null;
  grammar: Grammar;
  scopes: readonly ObservedScope[];
}

/** The content a scope was found in. */
export interface ScopeOrigin {
  /** Canonical lower-case UUID. */
  targetFileId: string;
  /** Hex SHA-256 of the content. */
  contentHash: string;
  grammar: Pick<Grammar, 'name' | 'version'>;
}

/** The id of a scope: a digest of where it was found, what it is and its range in code points. It holds without being stored. */
export function scopeIdOf(
  { targetFileId, contentHash, grammar }: ScopeOrigin,
  { kind, start, end }: Pick<ObservedScope, 'kind' | 'start' | 'end'>,
  sha256: Sha256,
): string {
  const identity = {
    content_hash: contentHash,
    end,
    grammar: `${grammar.name}@${grammar.version}`,
    kind,
    start,
    target_file_id: targetFileId,
  };
  return sha256(encodeCanonical(identity)).slice(0, 32);
}

/** The evidence that a bundle's record keeps of a scope. */
export function evidenceOf({ end, kind, name, qualified_path, scope_id, sha256, start }: ObservedScope): ScopeEvidence & JsonObject {
  return { end, kind, name, qualified_path, scope_id, sha256, start };
}
