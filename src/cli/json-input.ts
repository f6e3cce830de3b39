import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../service/common/types.ts';
import { readJsonObject } from '../service/submission/strict-json.ts';
import { EXIT, ExitError } from './exit.ts';
import type { Host } from './output.ts';

/** As long as one message over MCP may be: the largest legal document, with every line end and quote of it escaped. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The one JSON object in a file, or on stdin when the name is "-". What cannot be taken as it is written is refused with its place. */
export async function readJsonInput(host: Host, name: string): Promise<JsonObject> {
  const shown = name === '-' ? 'stdin' : name;
  const stream = name === '-' ? host.stdin : createReadStream(path.resolve(host.cwd, name));
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > MAX_BYTES) throw new ExitError(EXIT.usage, `${shown}: longer than ${MAX_BYTES} bytes`);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof ExitError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ExitError(EXIT.workspace, code === 'ENOENT' ? `there is no file ${shown}` : `${shown} cannot be read: ${message}`);
  }
  const read = readJsonObject(Buffer.concat(parts, bytes));
  if (!read.ok) throw new ExitError(EXIT.usage, `${shown}: ${read.words}`);
  return read.value;
}
