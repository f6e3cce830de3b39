import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, test } from 'vitest';

import { RawPipe, STUB } from './support/raw-pipe.ts';

const pipes: RawPipe[] = [];

function open(env: Record<string, string> = {}): RawPipe {
  const pipe = new RawPipe(STUB, [], env);
  pipes.push(pipe);
  return pipe;
}

afterEach(() => {
  for (const pipe of pipes.splice(0)) pipe.kill();
});

async function ready(env: Record<string, string> = {}): Promise<RawPipe> {
  const pipe = open(env);
  await pipe.initialize();
  return pipe;
}

const slow = (milliseconds: number) => ({ text: 'slow', context_chars: milliseconds });

function startCall(pipe: RawPipe, id: number, args: unknown): void {
  pipe.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'patchdiff_find_occurrences', arguments: args } });
}

describe('the end of the input', () => {
  test('ends the process, with exit code 0', async () => {
    const pipe = await ready();
    pipe.child.stdin.end();
    expect(await pipe.exit(2_000)).toEqual({ code: 0, signal: null });
  });

  test('before any message ends it too', async () => {
    const pipe = open();
    pipe.child.stdin.end();
    expect(await pipe.exit()).toEqual({ code: 0, signal: null });
    expect(pipe.lines).toEqual([]);
  });

  test('lets a running call finish and answer', async () => {
    const pipe = await ready();
    startCall(pipe, 1, slow(300));
    pipe.child.stdin.end();
    expect((await pipe.reply((reply) => reply.id === 1)).result).toBeDefined();
    expect((await pipe.exit(2_000)).code).toBe(0);
  });

  test('cancels a call that takes too long, and ends all the same', async () => {
    const pipe = await ready();
    startCall(pipe, 1, slow(60_000));
    pipe.child.stdin.end();
    expect((await pipe.exit(8_000)).code).toBe(0);
    expect(pipe.stderr).toContain('stub: cancelled');
  });

  test('leaves a last line without its newline unread', async () => {
    const pipe = await ready();
    const seen = pipe.lines.length;
    pipe.write('{"jsonrpc":"2.0","id":5,"method":"ping"}');
    pipe.child.stdin.end();
    expect((await pipe.exit(2_000)).code).toBe(0);
    expect(pipe.lines.length).toBe(seen);
  });
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends an idle server at once', async (signal) => {
    const pipe = await ready();
    pipe.child.kill(signal);
    expect(await pipe.exit(2_000)).toEqual({ code: 0, signal: null });
    expect(pipe.stderr).toContain('stub: over');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s cancels running calls', async (signal) => {
    const pipe = await ready();
    startCall(pipe, 1, slow(60_000));
    await pipe.request(2, 'ping');
    pipe.child.kill(signal);
    expect((await pipe.exit(2_000)).code).toBe(0);
    expect(pipe.stderr).toContain('stub: cancelled');
  });

  test('SIGTERM ends a server whose host does not read', async () => {
    const pipe = await ready();
    pipe.child.stdout.pause();
    for (let id = 1; id <= 4; id += 1) startCall(pipe, id, { text: 'big', context_chars: 2_000_000 });
    await sleep(500);
    pipe.child.kill('SIGTERM');
    await once(pipe.child, 'exit');
    expect(pipe.child.exitCode).toBe(0);
  });
});

describe('a host that goes away', () => {
  test('a closed stdout ends the process at the next answer', async () => {
    const pipe = await ready();
    pipe.child.stdout.destroy();
    pipe.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect((await pipe.exit(3_000)).code).toBe(0);
  });

  test('all pipes closed at once', async () => {
    const pipe = await ready({ PATCHDIFF_LOG_LEVEL: 'debug' });
    startCall(pipe, 1, slow(200));
    pipe.child.stdout.destroy();
    pipe.child.stderr.destroy();
    pipe.child.stdin.end();
    await once(pipe.child, 'exit');
    expect(pipe.child.exitCode).toBe(0);
  });

  test('the starter is killed: the server does not outlive it', async () => {
    const starter = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: ['pipe', 'pipe', 'inherit'] });
         child.stdout.once('data', () => process.stdout.write(child.pid + '\\n'));
         child.stdin.write(${JSON.stringify('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')});
         setInterval(() => {}, 1000);`,
        ...STUB,
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const [text] = (await once(starter.stdout.setEncoding('utf8'), 'data')) as [string];
    const server = Number(text);
    expect(isAlive(server)).toBe(true);
    starter.kill('SIGKILL');
    for (let waited = 0; isAlive(server) && waited < 5_000; waited += 50) await sleep(50);
    expect(isAlive(server)).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('stdout', () => {
  test('carries protocol only, whatever a library prints, at every log level', async () => {
    const pipe = await ready({ PATCHDIFF_LOG_LEVEL: 'debug' });
    const reply = await pipe.call(1, 'patchdiff_read_target', { start: 1 });
    expect(reply.result).toBeDefined();
    pipe.write('not json\n');
    await pipe.reply((candidate) => candidate.error?.code === -32700);
    pipe.child.stdin.end();
    await pipe.exit();
    expect(() => pipe.replies()).not.toThrow();
    expect(pipe.stderr).toContain('a stray line of a library');
    expect(pipe.stderr).toContain('patchdiff info: ready');
  });

  test('stays empty until the host has said something', async () => {
    const pipe = open({ PATCHDIFF_LOG_LEVEL: 'debug' });
    await pipe.until(() => (pipe.stderr.includes('ready') ? true : undefined));
    await sleep(200);
    expect(pipe.lines).toEqual([]);
  });
});

describe('calls', () => {
  test('a cancelled call is cancelled in the service and not answered', async () => {
    const pipe = await ready();
    startCall(pipe, 1, slow(60_000));
    await pipe.request(2, 'ping');
    pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'changed my mind' } });
    await pipe.until(() => (pipe.stderr.includes('stub: cancelled') ? true : undefined));
    await pipe.request(3, 'ping');
    expect(pipe.replies().some((reply) => reply.id === 1)).toBe(false);
    pipe.child.stdin.end();
    expect((await pipe.exit(2_000)).code).toBe(0);
  });

  test('cancelling what does not run changes nothing', async () => {
    const pipe = await ready();
    pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    pipe.send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    expect((await pipe.request(1, 'ping')).result).toBeDefined();
  });

  test('run beside each other and answer in any order', async () => {
    const pipe = await ready();
    startCall(pipe, 1, slow(400));
    startCall(pipe, 2, slow(1));
    await pipe.reply((reply) => reply.id === 1);
    expect(pipe.replies().map((reply) => reply.id)).toEqual(['init', 2, 1]);
  });

  test('end at their time limit, listening or not', async () => {
    const pipe = await ready({ STUB_CALL_LIMIT_MS: '300' });
    for (const [id, args] of [slow(60_000), { text: 'deaf', context_chars: 1_500 }].entries()) {
      const reply = await pipe.call(id, 'patchdiff_find_occurrences', args);
      expect(reply.result?.['isError']).toBe(true);
      expect(failure(reply)).toMatchObject({ status: 'error', code: 'call_timed_out', outcome_unknown: true });
    }
  });

  test('a failure of the outside world is isError with code, words and next step, and no structure', async () => {
    const pipe = await ready();
    const reply = await pipe.call(1, 'patchdiff_find_occurrences', { text: 'database' });
    expect(reply.result?.['isError']).toBe(true);
    expect(reply.result).not.toHaveProperty('structuredContent');
    expect(failure(reply)).toEqual({
      status: 'error',
      code: 'database_unreachable',
      message: 'the database cannot be reached',
      next_step: 'Start it.',
      outcome_unknown: false,
    });
  });

  test('a defect says so without its words, which go to the log', async () => {
    const pipe = await ready();
    const reply = await pipe.call(1, 'patchdiff_find_occurrences', { text: 'defect' });
    expect(failure(reply)).toMatchObject({ code: 'internal_error', outcome_unknown: true });
    expect(JSON.stringify(reply)).not.toContain('secret words');
    expect(pipe.stderr).toContain('secret words');
  });

  test('progress is told to who asked for it', async () => {
    const pipe = await ready();
    pipe.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'patchdiff_find_occurrences', arguments: { text: 'progress' }, _meta: { progressToken: 'p1' } },
    });
    const note = await pipe.reply((reply) => reply.method === 'notifications/progress');
    expect(note.params).toEqual({ progressToken: 'p1', progress: 1, total: 2, message: 'half' });
    await pipe.call(2, 'patchdiff_find_occurrences', { text: 'progress' });
    expect(pipe.replies().filter((reply) => reply.method === 'notifications/progress').length).toBe(1);
  });

  test('the text of a result is the JSON of its structure', async () => {
    const pipe = await ready();
    const { result } = await pipe.call(1, 'patchdiff_find_occurrences', { text: 'ä\u2028\ud800' });
    const [content] = result?.['content'] as [{ type: string; text: string }];
    expect(content.type).toBe('text');
    expect(JSON.parse(content.text)).toEqual(result?.['structuredContent']);
  });
});

function failure(reply: { result?: Record<string, unknown> }): unknown {
  const [content] = reply.result?.['content'] as [{ text: string }];
  return JSON.parse(content.text);
}

describe('the actor', () => {
  test('is who the host says it is, who the operator says acts, and the session', async () => {
    const pipe = await ready({ PATCHDIFF_ACTOR: 'night\u0007 shift' });
    const first = await pipe.call(1, 'patchdiff_read_target', {});
    const second = await pipe.call(2, 'patchdiff_read_target', {});
    const { actor } = first.result?.['structuredContent'] as { actor: Record<string, string> };
    expect(actor).toEqual({
      host: 'raw-host',
      host_version: '1.2.3',
      agent: 'night\u{FFFD} shift',
      session: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      via: 'mcp',
    });
    expect(second.result?.['structuredContent']).toMatchObject({ actor });
  });

  test('a host name that PostgreSQL could not hold is made storable and bounded', async () => {
    const pipe = open();
    const clientInfo = { name: `\ud800\0${'😀'.repeat(300)}`, version: '1' };
    await pipe.request('init', 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const reply = await pipe.call(1, 'patchdiff_read_target', {});
    const { actor } = reply.result?.['structuredContent'] as { actor: { host: string } };
    expect(actor.host).toBe(`\u{FFFD}\u{FFFD}${'😀'.repeat(198)}`);
  });
});
