import { observeScopes as record } from '../../db/calls/observe-scopes.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { languageOf, listingOf, readingFields } from './scope-listing.ts';
import type { ListedScope, ScopeListing } from './scope-listing.ts';
import type { CallOptions } from '../common/types.ts';

const MAX_SCOPES = 100;
/** Code points of text in one answer. */
const TEXT_BUDGET = 100_000;
/** The text may move between reading it and recording what was seen; whoever keeps losing that race is told. */
const MAX_ROUNDS = 3;
const ID = /^[0-9a-f]{32}$/;
const IDS_RULE = `1 to ${String(MAX_SCOPES)} scope ids (32 hexadecimal digits), each once, as patchdiff_list_scopes returned them`;

const LIST_AGAIN = 'List the scopes again (patchdiff_list_scopes) and observe with the scope_ids of that answer.';

function refused(code: string, detail: string, next: string, facts: JsonObject = {}): JsonObject {
  return { status: 'refused', failure_code: code, detail, next_step: next, ...facts };
}

function readIds(reader: ArgumentReader): string[] {
  const ids = reader.list('scope_ids', IDS_RULE, MAX_SCOPES, (value) => typeof value === 'string' && ID.test(value)) as string[];
  const again = ids.findIndex((id, index) => ids.indexOf(id) !== index);
  if (again >= 0)
    reader.refuse('scope_ids', IDS_RULE, `Leave scope_ids[${String(again)}] out, which stands before it already, and send the call again.`);
  return ids;
}

/** The asked scopes in the order asked, or the refusal. */
function chosen(listing: ScopeListing, ids: readonly string[], at: JsonObject): ListedScope[] | JsonObject {
  const byId = new Map(listing.scopes.map((scope) => [scope.scopeId, scope]));
  const unknown = ids.filter((id) => !byId.has(id));
  if (unknown.length > 0) {
    const detail = `${String(unknown.length)} of the scope_ids are no scopes of the text as it is now`;
    return refused('scope_unknown', detail, LIST_AGAIN, { ...at, unknown_scope_ids: unknown });
  }
  const scopes = ids.map((id) => byId.get(id)!);
  const total = scopes.reduce((sum, { start, end }) => sum + end - start, 0);
  if (total <= TEXT_BUDGET) return scopes;
  const detail = `the scopes have ${String(total)} characters of text, more than the ${String(TEXT_BUDGET)} of one answer`;
  return refused('observation_too_large', detail, 'Observe fewer scopes, or the smaller ones inside them.', { ...at, total_chars: total });
}

/**
 * Records what the caller is about to edit: the exact texts of some scopes, under one bundle id. The texts of the answer are those
 * that the database cut from its own content and stored.
 */
export async function observeScopes(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const ids = readIds(reader);
  const language = languageOf(reader);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  let at: JsonObject = { target_file_id: id };
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const listing = await listingOf(context, id, language, options);
    if (listing === null) return notFound(id);
    const { head, content } = listing.held;
    at = { target_file_id: id, version: head.version, current_hash: head.current_hash };
    const scopes = chosen(listing, ids, at);
    if (!Array.isArray(scopes)) return scopes;
    const reading = readingFields(listing);
    const row = await record(
      context.database,
      {
        targetFileId: id,
        expectedVersion: head.version,
        expectedHash: content.hash,
        language: listing.discovery.language,
        grammar: JSON.stringify(reading['grammar']),
        hasErrors: listing.discovery.has_errors,
        scopes: JSON.stringify(scopes.map(({ kind, name, path, start, end }) => ({ kind, name, qualified_path: path, start, end }))),
        actor: context.actor,
      },
      options,
    );
    if (row.outcome === 'not_found') return notFound(id);
    if (row.outcome === 'diverged') {
      const next = 'Stop editing this target: an operator must run `patchdiff verify`, which names the damaged row, and restore it.';
      return refused('content_diverged', 'the stored content does not match its recorded hash; nothing was recorded', next, at);
    }
    if (row.outcome === 'observed')
      return { status: 'observed', bundle_id: row.bundle_id, ...at, ...reading, scopes: row.scopes as JsonValue };
  }
  return refused('target_moved', 'the document kept changing while it was observed; nothing was recorded', LIST_AGAIN, at);
}
