import { afterAll, beforeAll, expect, test } from 'vitest';

import { STUB, RawPipe } from '../support/raw-pipe.ts';

/* What a host is told of lines that are no message, and of calls that name no tool. */

let pipe: RawPipe;
beforeAll(async () => {
  pipe = new RawPipe(STUB);
  await pipe.initialize();
});
afterAll(() => pipe.kill());

const call = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

const LINES: Readonly<Record<string, string | Buffer>> = {
  'a word': 'hello',
  'a cut message': '{"jsonrpc":"2.0","id":1,',
  'bytes that are not UTF-8': Buffer.from([0x22, 0xff, 0x22]),
  'a batch': '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
  'a number': '5',
  'another version': '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  'no method': '{"jsonrpc":"2.0","id":1}',
  'a method that is a number': '{"jsonrpc":"2.0","id":1,"method":3}',
  'an id that is a fraction': '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  'params that are a list': '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
  'a malformed _meta': '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":5}}',
  'a __proto__ key': call('{"name":"patchdiff_list_targets","arguments":{"__proto__":{}}}'),
  'no name': call('{}'),
  'a name that is a number': call('{"name":5}'),
  'a tool that does not exist': call('{"name":"patchdiff_edit","arguments":{}}'),
  'arguments as text': call('{"name":"patchdiff_submit_edits","arguments":"{}"}'),
  'arguments as a list': call('{"name":"patchdiff_submit_edits","arguments":[]}'),
  'an unknown method': '{"jsonrpc":"2.0","id":1,"method":"no/such"}',
};

test('protocol errors', async () => {
  const parts = ['# protocol errors'];
  for (const [title, line] of Object.entries(LINES)) {
    const from = pipe.lines.length;
    pipe.write(line);
    pipe.write('\n');
    const { error } = await pipe.reply(() => true, from);
    parts.push(
      `## ${title}\nsent: ${typeof line === 'string' ? line : line.toString('latin1')}\n${error?.code ?? 0}: ${error?.message ?? ''}`,
    );
  }
  await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot('./protocol.snap');
});
