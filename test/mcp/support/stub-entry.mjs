// A server process without a database: the real border and process life of dist/, over a service that only answers. The
// name of the called method and the arguments come back, so that a test sees exactly what the border handed on.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { createLog } from '../../../dist/mcp/log.js';
import { createServer } from '../../../dist/mcp/server.js';
import { claimStdout, serveConnection } from '../../../dist/mcp/stdio.js';

const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

const write = claimStdout(process);
const log = createLog(process.stderr, process.env.PATCHDIFF_LOG_LEVEL ?? 'warn');

function answer(method, actor) {
  return async (...parameters) => {
    const options = parameters.at(-1);
    const args = parameters.at(-2);
    console.log('a stray line of a library');
    if (args.text === 'defect') throw new Error('secret words of a defect');
    if (args.text === 'database') {
      throw Object.assign(new Error('the database cannot be reached'), {
        code: 'database_unreachable',
        next: 'Start it.',
        outcomeUnknown: false,
      });
    }
    if (args.text === 'deaf') await sleep(args.context_chars);
    if (args.text === 'slow') {
      try {
        await sleep(args.context_chars, undefined, { signal: options.signal });
      } catch (error) {
        process.stderr.write('stub: cancelled\n');
        throw error;
      }
    }
    if (args.text === 'progress') options.onProgress?.(1, 2, 'half');
    if (args.text === 'big') return { status: 'ok', text: 'x'.repeat(args.context_chars) };
    return { status: 'ok', method, actor, seen: shape(args) };
  };
}

// Long texts come back as their hash. Arguments may be too deep for JSON.stringify: then their depth is what comes back.
function shape(args) {
  try {
    return JSON.parse(JSON.stringify(args, (_, value) => (typeof value === 'string' && value.length > 1_000_000 ? sha256(value) : value)));
  } catch {
    let depth = 0;
    for (let at = args; typeof at === 'object' && at !== null; at = Object.values(at).at(-1)) depth += 1;
    return { depth };
  }
}

const serviceFor = (actor) => new Proxy({}, { get: (_, method) => answer(method, actor) });

await serveConnection({
  host: process,
  write,
  log,
  createServer: () =>
    createServer({
      serviceFor,
      profile: process.env.STUB_PROFILE ?? 'full',
      responseMode: 'detailed',
      agent: process.env.PATCHDIFF_ACTOR,
      version: '0.0.0',
      log,
      callLimitMs: Number(process.env.STUB_CALL_LIMIT_MS ?? 30_000),
    }),
});
process.stderr.write('stub: over\n');
