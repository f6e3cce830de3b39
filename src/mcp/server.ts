import { randomUUID } from 'node:crypto';

import { CLIENT_INFO_META_KEY, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { CallToolResult, JsonSchemaType, JsonSchemaValidator, jsonSchemaValidator, ServerContext } from '@modelcontextprotocol/server';

import type { CallOptions, JsonObject, Service } from '../service/common/types.ts';
import { actorOf } from './actor.ts';
import { instructionsOf } from './instructions.ts';
import type { Log } from './log.ts';
import { toolsOf } from './profiles.ts';
import type { Profile } from './profiles.ts';
import { stepFor } from './profile-words.ts';
import { shorten } from './response-mode.ts';
import type { ResponseMode } from './response-mode.ts';
import { codedFailure, failureResult, outcomeResult, TIMED_OUT } from './result.ts';
import { describe } from './tool.ts';
import type { ToolDefinition } from './tool.ts';

export interface ServerDeps {
  /** A service that stores this claim of who acts; asked once a connection, when its first call comes. */
  serviceFor: (actor: JsonObject) => Service;
  profile: Profile;
  responseMode: ResponseMode;
  /** Claimed actor of the operator's choice. */
  agent: string | undefined;
  version: string;
  log: Log;
  /** Time limit of one call that is not long work, in milliseconds; default 30,000. */
  callLimitMs?: number;
}

/** Our own decoder and argument checks judge every object, so that a bad submission is a durable row: the SDK passes all on. */
const JUDGED_ELSEWHERE: jsonSchemaValidator = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (value) => ({ valid: true, data: value as T, errorMessage: undefined }),
};

/** One server for one connection; no process, no pool, no environment. */
export function createServer(deps: ServerDeps): McpServer {
  const server = new McpServer(
    { name: 'patchdiff', title: 'PatchDIFF', version: deps.version },
    { instructions: instructionsOf(deps.profile), capabilities: { tools: { listChanged: false } } },
  );
  const session = randomUUID();
  let service: Service | undefined;
  const serviceOf = (context: ServerContext): Service => (service ??= deps.serviceFor(claimOf(server, context, session, deps.agent)));
  for (const tool of toolsOf(deps.profile)) {
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: describe(tool),
        annotations: tool.annotations,
        inputSchema: fromJsonSchema<JsonObject>(tool.inputSchema as JsonSchemaType, JUDGED_ELSEWHERE),
        outputSchema: fromJsonSchema<JsonObject>(tool.outputSchema as JsonSchemaType, JUDGED_ELSEWHERE),
      },
      (args, context) => call(deps, tool, serviceOf(context), args, context),
    );
  }
  return server;
}

async function call(
  deps: ServerDeps,
  tool: ToolDefinition,
  service: Service,
  args: JsonObject,
  context: ServerContext,
): Promise<CallToolResult> {
  const limit = tool.long ? null : AbortSignal.timeout(deps.callLimitMs ?? 30_000);
  const cancelled = context.mcpReq.signal;
  const signal = limit === null ? cancelled : AbortSignal.any([cancelled, limit]);
  try {
    const outcome = await orAbort(tool.run(service, args, { signal, ...progressOf(context, deps.log) }), limit);
    return outcomeResult(shorten(stepFor(deps.profile, outcome), deps.responseMode));
  } catch (error) {
    if (limit?.aborted === true) return failureResult(TIMED_OUT);
    if (codedFailure(error) === null)
      deps.log.error(`${tool.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    else deps.log.warn(`${tool.name}: ${String(error)}`);
    return failureResult(error);
  }
}

/** The limit's answer must not wait for work that does not listen to its signal. */
function orAbort<T>(work: Promise<T>, limit: AbortSignal | null): Promise<T> {
  if (limit === null) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('the call reached its time limit'));
    limit.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => limit.removeEventListener('abort', onAbort));
  });
}

/** Progress goes to callers that asked for it; one that cannot be told is no reason to stop the work. */
function progressOf(context: ServerContext, log: Log): Pick<CallOptions, 'onProgress'> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return {};
  return {
    onProgress: (progress, total, message) => {
      const params = { progressToken, progress, message, ...(total === null ? {} : { total }) };
      context.mcpReq
        .notify({ method: 'notifications/progress', params })
        .catch((error: unknown) => log.debug(`progress: ${String(error)}`));
    },
  };
}

/** The 2025 era names the client once, in `initialize`; the 2026 era in every request. */
function claimOf(server: McpServer, context: ServerContext, session: string, agent: string | undefined): JsonObject {
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined;
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only place that keeps the 2025 era's client name
  const named = (envelope?.[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion()) as { name?: unknown; version?: unknown } | undefined;
  return actorOf({
    clientName: typeof named?.name === 'string' ? named.name : undefined,
    clientVersion: typeof named?.version === 'string' ? named.version : undefined,
    agent,
    session,
  });
}
