import { createTarget } from '../../db/calls/create-target.ts';
import type { CreateTarget, TargetReceiptRow } from '../../db/calls/create-target.ts';
import { findBinding } from '../../db/calls/find-binding.ts';
import { readHead } from '../../db/calls/read-head.ts';
import { DatabaseError } from '../../db/sqlstate.ts';
import { canonicalize, isEncodable, utf8Length } from '../../text/index.ts';
import type { JsonObject, JsonValue } from '../../transaction/index.ts';
import { importFile, resolvePath, withLease } from '../../workspace/index.ts';
import type { ImportedFile, Workspace } from '../../workspace/index.ts';
import { adoptFromDisk } from './adopt-disk.ts';
import { invalidArgument } from '../common/answers.ts';
import { ArgumentReader } from '../common/arguments.ts';
import { CachedContent } from '../common/content-cache.ts';
import type { Context } from '../common/context.ts';
import { boundButMissing, boundElsewhere, describe, drifted, refused, workspaceFacts } from './import-answers.ts';
import type { WorkspaceImport } from './import-answers.ts';
import { closeOwnIntents } from './own-intents.ts';
import { sha256 } from '../common/sha256.ts';
import type { CallOptions } from '../common/types.ts';

const MAX_NAME_BYTES = 1024;
const NAME_RULE = 'a string of 1 to 1024 bytes of UTF-8, in valid Unicode without NUL';
const ONLY_ADOPTING = 'only together with adopt_disk: true';
const CONTENT_RULE = 'the text of the document: a string in valid Unicode without NUL';

/** The receipt, or the refusal as an answer. Keeps a fresh target's content for the first submission. */
async function create(context: Context, call: CreateTarget, options: CallOptions): Promise<TargetReceiptRow | JsonObject> {
  try {
    const receipt = await createTarget(context.database, call, options);
    const content = canonicalize(call.content);
    const hash = sha256(content);
    if (receipt.version === 0 && receipt.current_hash === hash) {
      context.cache.put(receipt.target_file_id, new CachedContent(0, hash, content));
    }
    return receipt;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'refused' || error.code === 'bad_call') throw error;
    return refused(error.code, error.message, (error.detail ?? {}) as Record<string, JsonValue>);
  }
}

async function createAndDescribe(context: Context, call: CreateTarget, options: CallOptions): Promise<JsonObject> {
  const made = await create(context, call, options);
  if (!('outcome' in made)) return made;
  const { outcome, target_file_id: id } = made as TargetReceiptRow;
  return describe(context, outcome, id, options);
}

function importCall(context: Context, workspace: Workspace, file: ImportedFile, asked: WorkspaceImport): CreateTarget {
  return {
    targetFileId: asked.targetFileId,
    displayName: asked.displayName ?? (utf8Length(file.path) <= MAX_NAME_BYTES ? file.path : (file.path.split('/').at(-1) ?? file.path)),
    content: file.content,
    source: JSON.stringify({ line_endings: file.lineEndings, bom: file.bom, eol_runs: file.eolRuns }),
    workspace: workspaceFacts(workspace, file.path, file.diskSha256),
    actor: context.actor,
  };
}

/** A file that is bound already: the same target while the disk has the synced bytes, also after an interrupted SAVE; else drift. */
async function existing(
  context: Context,
  workspace: Workspace,
  file: ImportedFile,
  asked: WorkspaceImport,
  options: CallOptions,
): Promise<JsonObject | null> {
  const binding = await findBinding(context.database, workspace.facts.root, file.path, options);
  if (binding === null) return null;
  const id = binding.target_file_id;
  if (asked.targetFileId !== null && asked.targetFileId !== id) {
    return boundElsewhere(asked, id);
  }
  if (binding.last_synced_disk_sha256 === file.diskSha256) return describe(context, 'existing', id, options);
  const leased = await withLease(workspace, file.path, () => closeOwnIntents(context, workspace, id, file.path, options));
  if (!leased.ok) return refused(leased.code, leased.message, leased.facts);
  const now = await readHead(context.database, id, options);
  if (now?.last_synced_disk_sha256 === file.diskSha256) return describe(context, 'existing', id, options);
  return drifted(id, file, now);
}

async function importFromWorkspace(
  context: Context,
  workspace: Workspace,
  asked: WorkspaceImport,
  options: CallOptions,
): Promise<JsonObject> {
  options.onProgress?.(0, 2, 'reading the file');
  const file = await importFile(workspace, asked.path);
  if (!file.ok) {
    const bound = file.code === 'path_not_found' ? await boundButMissing(context, workspace, asked, options) : null;
    return bound ?? refused(file.code, file.message, file.facts);
  }
  options.onProgress?.(1, 2, 'storing the text');
  const found = await existing(context, workspace, file, asked, options);
  if (found !== null) return found;
  const answer = await createAndDescribe(context, importCall(context, workspace, file, asked), options);
  // Two imports at once: the one that came second finds the binding of the first.
  if (answer['failure_code'] !== 'file_bound_elsewhere') return answer;
  return (await existing(context, workspace, file, asked, options)) ?? answer;
}

/** No tool makes directories. */
const NO_DIRECTORY =
  'Send the call again with a path whose directory exists, or have the directory created, then send the same call again.';

/** A file that does not exist yet, from given text: the first SAVE with sync_workspace writes it. */
async function startFile(
  context: Context,
  workspace: Workspace,
  asked: WorkspaceImport,
  content: string,
  options: CallOptions,
): Promise<JsonObject> {
  const location = await resolvePath(workspace, asked.path);
  if (!location.ok) {
    const answer = refused(location.code, location.message, location.facts);
    return location.code === 'path_not_found' ? { ...answer, next_step: NO_DIRECTORY } : answer;
  }
  if (location.present) return refused('file_exists', 'a file stands at this path already; it is never replaced', { path: location.path });
  const elsewhere = async (): Promise<JsonObject | null> => {
    const binding = await findBinding(context.database, workspace.facts.root, location.path, options);
    return binding === null || binding.target_file_id === asked.targetFileId ? null : boundElsewhere(asked, binding.target_file_id);
  };
  const bound = await elsewhere();
  if (bound !== null) return bound;
  const answer = await createAndDescribe(
    context,
    {
      targetFileId: asked.targetFileId,
      displayName: asked.displayName ?? location.name,
      content,
      source: null,
      workspace: workspaceFacts(workspace, location.path, null),
      actor: context.actor,
    },
    options,
  );
  // Two starts at once: the one that came second was refused under an id that never was.
  return answer['failure_code'] === 'file_bound_elsewhere' ? ((await elsewhere()) ?? answer) : answer;
}

/** Any text, as long as it is sent as one: length is the procedure's business. */
function readContent(reader: ArgumentReader): string | null {
  const content = reader.rawText('content');
  if (content !== null && !isEncodable(content)) reader.refuse('content', CONTENT_RULE);
  return content;
}

function readName(reader: ArgumentReader): string | null {
  const name = reader.rawText('display_name');
  if (name !== null && (name === '' || utf8Length(name) > MAX_NAME_BYTES || !isEncodable(name))) reader.refuse('display_name', NAME_RULE);
  return name;
}

/**
 * Puts a document under authority: `content` + `display_name`, or a workspace file (`from_workspace` + `path`; with `content` too, a
 * file that does not exist yet; with `adopt_disk`, of a file that drifted, its text for the target it is bound to). Safe to repeat
 * under a chosen target_file_id, and for one file as long as the disk is in sync.
 */
export async function initializeTarget(context: Context, args: unknown, options: CallOptions = {}): Promise<JsonObject> {
  const reader = new ArgumentReader(args);
  const fromWorkspace = reader.flag('from_workspace', false);
  const targetFileId = reader.optionalUuid('target_file_id');
  const displayName = readName(reader);
  const content = readContent(reader);
  const path = reader.rawText('path');
  const adopts = reader.flag('adopt_disk', false);
  const guards = {
    expectedVersion: reader.integer('expected_target_version', null, 0),
    expectedHash: reader.optionalHash('expected_current_hash'),
  };
  if (fromWorkspace && path === null) reader.refuse('path', 'with from_workspace, the path of the file relative to the workspace root');
  if (!fromWorkspace && path !== null) reader.refuse('path', 'only together with from_workspace: true');
  if (!fromWorkspace && content === null) reader.refuse('content', CONTENT_RULE);
  if (!fromWorkspace && displayName === null) reader.refuse('display_name', NAME_RULE);
  if (adopts) {
    if (!fromWorkspace) reader.refuse('adopt_disk', 'only together with from_workspace: true');
    if (content !== null) reader.refuse('content', 'left out with adopt_disk: the text is read from the file');
  } else {
    if (guards.expectedVersion !== null) reader.refuse('expected_target_version', ONLY_ADOPTING);
    if (guards.expectedHash !== null) reader.refuse('expected_current_hash', ONLY_ADOPTING);
  }
  reader.end();
  if (reader.fault !== null) return invalidArgument(reader.fault);
  if (!fromWorkspace) {
    const call = {
      targetFileId,
      displayName: displayName ?? '',
      content: content ?? '',
      source: null,
      workspace: null,
      actor: context.actor,
    };
    return createAndDescribe(context, call, options);
  }
  if (context.openWorkspace === null) return refused('workspace_unavailable', 'the server was started without a workspace');
  const workspace = await context.openWorkspace();
  if (!workspace.ok) return refused(workspace.code, workspace.message, workspace.facts);
  const asked: WorkspaceImport = { targetFileId, displayName, path: path ?? '' };
  if (adopts) return adoptFromDisk(context, workspace, asked, guards, options);
  return content === null
    ? importFromWorkspace(context, workspace, asked, options)
    : startFile(context, workspace, asked, content, options);
}
