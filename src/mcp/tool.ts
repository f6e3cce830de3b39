import type { CallOptions, JsonObject, Service } from '../service/common/types.ts';
import type { InputSchema, OutputSchema } from './schema.ts';

export interface ToolAnnotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}

/** One tool as it is advertised and run. */
export interface ToolDefinition {
  /** At most 40 characters, of a-z and underscore. */
  name: string;
  title: string;
  /** When to use it, key facts first, every bound in words. With the example's line at most 1,500 characters. */
  summary: string;
  annotations: ToolAnnotations;
  inputSchema: InputSchema;
  outputSchema: OutputSchema;
  /** Arguments that work as they stand when the examples of all tools of a profile run in their order on an empty database; a bundle's own id is random. */
  example: JsonObject;
  /** True when the work grows with a history or a file, so that the time limit of one call does not apply. */
  long: boolean;
  /** Hands the arguments on as they came: the service judges them. */
  run: (service: Service, args: JsonObject, options: CallOptions) => Promise<JsonObject>;
}

export const READ_ONLY: ToolAnnotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Adds to a target and its history and never takes away: every earlier text stays reconstructible. */
export const APPENDS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** The description as hosts see it. */
export function describe(tool: ToolDefinition): string {
  return `${tool.summary}\nExample: ${JSON.stringify(tool.example)}`;
}
