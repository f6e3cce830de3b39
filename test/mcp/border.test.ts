import { createHash } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { RawPipe, STUB } from './support/raw-pipe.ts';
import type { Reply } from './support/raw-pipe.ts';

// One session for all: each hostile line also proves that the ones before it did no harm.
let pipe: RawPipe;

beforeAll(async () => {
  pipe = new RawPipe(STUB);
  await pipe.initialize();
});

afterAll(() => pipe.kill());

/** Sends raw bytes as one line and returns the answer; then proves that the session goes on. */
async function answerTo(line: string | Buffer): Promise<Reply> {
  const from = pipe.lines.length;
  pipe.write(line);
  pipe.write('\n');
  const reply = await pipe.reply(() => true, from);
  const ping = await pipe.request(`after-${from}`, 'ping');
  expect(ping.result).toBeDefined();
  return reply;
}

/** Sends raw bytes as one line that must not be answered. */
async function silenceAfter(line: string | Buffer): Promise<void> {
  const from = pipe.lines.length;
  pipe.write(line);
  pipe.write('\n');
  const ping = await pipe.request(`after-${from}`, 'ping');
  expect(ping.result).toBeDefined();
  expect(pipe.lines.length).toBe(from + 1);
}

const NAME = 'name must be a string, the name of a tool';
const ARGUMENTS = 'arguments must be one JSON object, not its text and not a list, or be left out';

const callLine = (argumentsText: string, id = '7'): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"patchdiff_submit_edits","arguments":${argumentsText}}}`;

describe('lines that are no JSON', () => {
  test.each([
    ['a word', 'hello'],
    ['a cut message', '{"jsonrpc":"2.0","id":1,"method":"ping"'],
    ['two messages on one line', '{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}'],
    ['a byte order mark', '\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ['single quotes', "{'jsonrpc':'2.0'}"],
    ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}'],
    ['a raw NUL', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"pi\0ng"}')],
  ])('%s is answered with -32700', async (_, line) => {
    const reply = await answerTo(line);
    expect(reply.id).toBeNull();
    expect(reply.error?.code).toBe(-32700);
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate half', [0xed, 0xa0, 0x80]],
    ['a truncated sequence', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
    ['beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
  ])('bytes that are not UTF-8 (%s) inside a string are refused, not repaired', async (_, bytes) => {
    const [before, after] = callLine('{"intent":"@"}').split('@');
    const line = Buffer.concat([Buffer.from(before ?? ''), Buffer.from(bytes), Buffer.from(after ?? '')]);
    const reply = await answerTo(line);
    expect(reply.id).toBeNull();
    expect(reply.error?.code).toBe(-32700);
  });

  test('binary without a newline, then a newline', async () => {
    const binary = Buffer.alloc(200_000, 0xff);
    const reply = await answerTo(binary);
    expect(reply.error?.code).toBe(-32700);
  });

  test('blank lines and carriage returns are nothing', async () => {
    await silenceAfter('');
    await silenceAfter('  \t ');
    await silenceAfter('\r');
    pipe.write('{"jsonrpc":"2.0","id":"crlf","method":"ping"}\r\n');
    expect((await pipe.reply((reply) => reply.id === 'crlf')).result).toBeDefined();
  });
});

describe('JSON that is no message', () => {
  test.each([
    ['a number', '5', null],
    ['a string', '"ping"', null],
    ['null', 'null', null],
    ['an empty batch', '[]', null],
    ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]', null],
    ['an empty object', '{}', null],
    ['no jsonrpc', '{"id":1,"method":"ping"}', 1],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 1],
    ['no method', '{"jsonrpc":"2.0","id":1}', 1],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":3}', 1],
    ['a method that is null', '{"jsonrpc":"2.0","id":"x","method":null}', 'x'],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', null],
    ['an id that is a boolean', '{"jsonrpc":"2.0","id":true,"method":"ping"}', null],
    ['an id that is a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null],
    ['an id beyond 2^53', '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}', null],
  ])('%s is answered with -32600', async (_, line, id) => {
    const reply = await answerTo(line);
    expect(reply.id).toBe(id);
    expect(reply.error?.code).toBe(-32600);
  });

  test.each([['null'], ['[]'], ['5'], ['"x"'], ['true'], ['[{"name":"patchdiff_list_targets"}]']])(
    'params = %s is answered with -32602, whatever the method',
    async (params) => {
      for (const method of ['tools/call', 'tools/list', 'ping', 'initialize', 'server/discover']) {
        const reply = await answerTo(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
        expect(reply.id).toBe(1);
        expect(reply.error?.code).toBe(-32602);
      }
      await silenceAfter(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`);
    },
  );

  test.each([
    ['tools/list', ',"params":{"cursor":5}', 'cursor'],
    ['tools/list', ',"params":{"cursor":null}', 'cursor'],
    ['initialize', '', 'protocolVersion'],
    ['initialize', ',"params":{"protocolVersion":5,"capabilities":{},"clientInfo":{"name":"x","version":"1"}}', 'protocolVersion'],
    ['initialize', ',"params":{"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":{"name":"x"}}', 'clientInfo'],
  ])('%s%s is answered with -32602 and words, not with the dump of a schema', async (method, params, named) => {
    const { error } = await answerTo(`{"jsonrpc":"2.0","id":1,"method":"${method}"${params}}`);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toMatch(/^Invalid params: /);
    expect(error?.message).toContain(named);
  });

  test.each([
    ['_meta = 5', '{"_meta":5}'],
    ['_meta = []', '{"_meta":[]}'],
    ['a progress token that is an object', '{"_meta":{"progressToken":{}}}'],
  ])('params with %s are answered', async (_, params) => {
    const reply = await answerTo(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${params}}`);
    expect(reply.id).toBe(1);
    expect(reply.error?.code).toBe(-32602);
  });

  test.each([
    ['no params', '', NAME, 'nothing'],
    ['no name', ',"params":{}', NAME, 'nothing'],
    ['name = null', ',"params":{"name":null}', NAME, 'null'],
    ['a name that is a number', ',"params":{"name":5}', NAME, 'integer'],
    ['arguments = null', ',"params":{"name":"patchdiff_list_targets","arguments":null}', ARGUMENTS, 'null'],
    ['arguments = []', ',"params":{"name":"patchdiff_list_targets","arguments":[]}', ARGUMENTS, 'array'],
    ['arguments = 5', ',"params":{"name":"patchdiff_list_targets","arguments":5}', ARGUMENTS, 'integer'],
    ['arguments = true', ',"params":{"name":"patchdiff_list_targets","arguments":true}', ARGUMENTS, 'boolean'],
    ['arguments = a string', ',"params":{"name":"patchdiff_submit_edits","arguments":"{}"}', ARGUMENTS, 'string'],
  ])('tools/call with %s is answered with -32602 and one sentence', async (_, params, rule, kind) => {
    const reply = await answerTo(`{"jsonrpc":"2.0","id":1,"method":"tools/call"${params}}`);
    expect(reply).toMatchObject({ id: 1, error: { code: -32602, message: `Invalid params: ${rule}; got ${kind}` } });
  });

  test.each(['patchdiff_nothing', 'constructor', '__proto__', 'toString', ''])('a tool named "%s" is not found', async (name) => {
    const reply = await answerTo(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }));
    expect(reply).toMatchObject({ id: 1, error: { code: -32602, message: `Tool ${name} not found` } });
  });

  test('a call without arguments has none', async () => {
    const reply = await answerTo('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"patchdiff_list_targets"}}');
    expect(reply.result).toBeDefined();
  });

  test('an unknown method is answered with -32601, an unknown notification with nothing', async () => {
    expect((await answerTo('{"jsonrpc":"2.0","id":1,"method":"no/such"}')).error?.code).toBe(-32601);
    await silenceAfter('{"jsonrpc":"2.0","method":"no/such"}');
  });

  test('members beside the known ones are left aside', async () => {
    const reply = await answerTo('{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}');
    expect(reply.result).toEqual({});
  });

  test.each([
    ['a response nobody asked for', '{"jsonrpc":"2.0","id":99,"result":{}}'],
    ['an error response', '{"jsonrpc":"2.0","id":99,"error":{"code":-1,"message":"no"}}'],
    ['an error response with id null', '{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no"}}'],
    ['a malformed response', '{"jsonrpc":"2.0","id":99,"result":5}'],
  ])('%s is not answered', async (_, line) => {
    await silenceAfter(line);
  });
});

describe('__proto__', () => {
  test.each([
    ['in the arguments', callLine('{"__proto__":{"intent":"x"}}')],
    ['in an edit', callLine('{"edits":[{"match":"a","replace":"b","__proto__":null}]}')],
    ['written with an escape', callLine('{"\\u005f_proto__":1}')],
    ['in params', '{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"__proto__":{}}}'],
    ['in the message', '{"jsonrpc":"2.0","id":7,"method":"tools/list","__proto__":{"params":{}}}'],
  ])('a key %s is refused with -32602', async (_, line) => {
    const reply = await answerTo(line);
    expect(reply.id).toBe(7);
    expect(reply.error?.code).toBe(-32602);
    expect(reply.error?.message).toContain('__proto__');
  });

  test('a key in a notification is dropped', async () => {
    await silenceAfter('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"__proto__":{},"requestId":1}}');
  });

  test('as a value, and its cousins as keys, are ordinary text', async () => {
    const args = { intent: '__proto__', constructor: 'a', prototype: 'b', toString: 'c' };
    const reply = await answerTo(callLine(JSON.stringify(args)));
    expect(reply.result?.['structuredContent']).toMatchObject({ method: 'submit', seen: args });
  });
});

describe('size and depth', () => {
  test('a submission 100,000 levels deep reaches the decoder whole', async () => {
    const depth = 100_000;
    const reply = await answerTo(callLine(`{"edits":${'['.repeat(depth)}${']'.repeat(depth)}}`));
    expect(reply.result?.['structuredContent']).toMatchObject({ seen: { depth: depth + 1 } });
  });

  test('depth outside the arguments is answered too', async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const reply = await answerTo(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":${deep}}}`);
    expect(reply.id).toBe(7);
    const init = await answerTo(
      `{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":${deep},"clientInfo":{"name":"x","version":"1"}}}`,
    );
    expect(init.id).toBe(8);
  });

  test('20 MiB of text in one line arrive whole', async () => {
    const content = 'line of text\n'.repeat(1_650_000);
    const reply = await pipe.call('big', 'patchdiff_initialize_target', { content });
    const sha256 = createHash('sha256').update(content, 'utf8').digest('hex');
    expect(reply.result?.['structuredContent']).toMatchObject({ seen: { content: sha256 } });
  });

  test('a line beyond 64 MiB is refused while it arrives, and the session goes on', async () => {
    const part = Buffer.alloc(1024 * 1024, 0x61);
    for (let i = 0; i < 66; i += 1) pipe.write(part);
    const reply = await answerTo('');
    expect(reply.id).toBeNull();
    expect(reply.error?.code).toBe(-32600);
    expect(reply.error?.message).toContain('67108864');
  });

  test('a message of millions of values is refused before it is parsed', async () => {
    const reply = await answerTo(callLine(`{"edits":[${'[],'.repeat(2_500_000)}1]}`));
    expect(reply.error?.code).toBe(-32600);
    const text = JSON.stringify({ intent: ',[{'.repeat(2_000_000) });
    expect((await answerTo(callLine(text))).result).toBeDefined();
  });

  test('one message may arrive byte by byte', async () => {
    const from = pipe.lines.length;
    for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"é","method":"ping"}\n')) {
      pipe.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await pipe.reply(() => true, from)).id).toBe('é');
  });
});

test('what came through is what was sent: escapes, lone surrogates, big integers as they round', async () => {
  const reply = await answerTo(callLine('{"intent":"\\ud800 \\u0000 \\r\\n é","attempt":9007199254740993,"nothing":null}'));
  const { seen } = reply.result?.['structuredContent'] as { seen: unknown };
  expect(seen).toEqual({ intent: '\ud800 \0 \r\n é', attempt: 9007199254740992, nothing: null });
});
