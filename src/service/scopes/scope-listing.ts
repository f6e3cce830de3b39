import type { Discovery, Scope } from '../../scopes/index.ts';
import { languageNamed, LANGUAGES } from '../../scopes/index.ts';
import { scopeIdOf } from '../../transaction/index.ts';
import type { Grammar, JsonObject } from '../../transaction/index.ts';
import type { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { heldContent } from '../common/held-content.ts';
import type { Held } from '../common/held-content.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';

/** A scope as it is listed: with its id in this very text, and its parent's. */
export interface ListedScope extends Scope {
  readonly scopeId: string;
  readonly parentId: string | null;
}

/** The scopes of one committed row. */
export interface ScopeListing {
  held: Held;
  discovery: Discovery;
  scopes: readonly ListedScope[];
}

/** The `language` argument; a fault of the reader when it is none of ours. */
export function languageOf(reader: ArgumentReader): string | null {
  const language = reader.rawText('language');
  if (language !== null && languageNamed(language) === null) reader.refuse('language', `one of ${LANGUAGES.join(', ')}`);
  return language;
}

/** Reads the target and finds its scopes; null when there is no such target. Nothing is written. */
export async function listingOf(context: Context, id: string, language: string | null, options: CallOptions): Promise<ScopeListing | null> {
  const held = await heldContent(context, id, options);
  if (held === null) return null;
  const { head, content } = held;
  const discovery = await context.scopes().discover({
    text: content.content,
    language: language ?? undefined,
    path: head.workspace_path ?? head.display_name,
  });
  // A stored text holds neither NUL nor lone surrogates, and the engine is closed after the last service.
  if (!discovery.ok) throw new RangeError(`no scopes: ${discovery.reason}`);
  const origin = { targetFileId: id, contentHash: content.hash, grammar: readerOf(discovery) };
  const ids = discovery.scopes.map((scope) => scopeIdOf(origin, scope, sha256));
  const scopes = discovery.scopes.map((scope, at) => ({
    ...scope,
    scopeId: ids[at]!,
    parentId: scope.parent === null ? null : ids[scope.parent]!,
  }));
  return { held, discovery, scopes };
}

/** What found the scopes, as their ids name it: the grammar, or what reads without one. */
function readerOf({ grammar, parser }: Discovery): Grammar {
  return { name: grammar?.name ?? parser.name, version: grammar?.version ?? parser.version, sha256: grammar?.sha256 ?? null };
}

/** What both answers say of the text's reading. */
export function readingFields({ discovery }: ScopeListing): JsonObject {
  const { language, fallback, fallback_reason, has_errors, errors } = discovery;
  return {
    language,
    grammar: { ...readerOf(discovery) },
    fallback,
    fallback_reason,
    has_errors,
    errors: { count: errors.count, first: errors.first === null ? null : { ...errors.first } },
  };
}
