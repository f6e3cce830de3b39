import type { JsonObject } from '../../transaction/index.ts';
import { invalidArgument, notFound } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import type { Context } from '../common/context.ts';
import { headFields, soundness } from '../common/held-content.ts';
import { languageOf, listingOf, readingFields } from './scope-listing.ts';
import type { ListedScope } from './scope-listing.ts';
import type { CallOptions } from '../common/types.ts';

const DEFAULT_RESULTS = 100;
const MAX_RESULTS = 500;
const MAX_KIND = 64;
const MAX_NAME = 1024;

function described(scope: ListedScope): JsonObject {
  const { scopeId, kind, name, path, start, end, first_line, last_line, sha256, parentId } = scope;
  return {
    scope_id: scopeId,
    kind,
    name,
    qualified_path: path,
    start,
    end,
    first_line,
    last_line,
    sha256,
    parent_scope_id: parentId,
    has_errors: scope.has_errors,
  };
}

/** Why a page is empty although the document has scopes, and how to get some; null: it is not. */
function nothingShown(all: readonly ListedScope[], wanted: readonly ListedScope[], shown: number): string | null {
  if (shown > 0 || all.length === 0) return null;
  if (wanted.length > 0) return `start_scope lies behind the last scope: list again with a start_scope from 1 to ${String(wanted.length)}.`;
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort().join(', ');
  return `No scope passes the filters: the document has ${String(all.length)}, of kind ${kinds}. List again with other filters, or with none.`;
}

/** The scopes of the text as it stands, in order of their start, outer before inner; filters leave some, a page shows some of those. */
export async function listScopes(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const id = reader.uuid('target_file_id');
  const language = languageOf(reader);
  const kind = reader.optionalText('kind', MAX_KIND);
  const name = reader.optionalText('name', MAX_NAME);
  const path = reader.optionalText('path', MAX_NAME);
  const first = reader.integer('start_scope', 1, 1);
  const most = reader.clamped('max_results', DEFAULT_RESULTS, MAX_RESULTS);
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  const listing = await listingOf(context, id, language, options);
  if (listing === null) return notFound(id);
  const wanted = listing.scopes.filter(
    (scope) =>
      (kind === null || scope.kind === kind) && (name === null || scope.name === name) && (path === null || scope.path.includes(path)),
  );
  const page = wanted.slice(first - 1, first - 1 + most);
  const next = first + page.length;
  const empty = nothingShown(listing.scopes, wanted, page.length);
  const truncated = page.length > 0 && next <= wanted.length;
  return {
    ...headFields(id, listing.held),
    ...readingFields(listing),
    scope_count: wanted.length,
    returned_count: page.length,
    start_scope: first,
    scopes: page.map(described),
    truncated,
    next_scope_index: truncated ? next : null,
    ...(empty === null ? {} : { next_step: empty }),
    ...soundness(listing.held),
  };
}
