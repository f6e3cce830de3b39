import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, forgetEndings, newTarget, useService } from './support/service.ts';

const context = useService();
const exported = (id: string, more: JsonObject = {}): Promise<JsonObject> => context.service.exportTarget({ target_file_id: id, ...more });

test.each([
  ['lf', 'a\nb', 'a\nb'],
  ['crlf', 'a\r\nb\r\n', 'a\r\nb\r\n'],
  ['cr', 'a\rb', 'a\rb'],
  ['none', 'ab', 'ab'],
])('a uniform %s source comes back', async (_, source, text) => {
  const id = await newTarget(context.service, source);
  expect(await exported(id, { format: 'original_eol' })).toMatchObject({
    status: 'ok',
    text,
    format: 'original_eol',
    chain_sequence: 1,
    chain_head: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  });
  expect(await exported(id)).toMatchObject({ status: 'ok', format: 'canonical', text: source.replaceAll(/\r\n?/g, '\n') });
});

test('pages count canonical code points', async () => {
  const id = await newTarget(context.service, 'ab\r\ncd\r\n');
  expect(await exported(id, { format: 'original_eol', start: 1, length: 3 })).toMatchObject({
    start: 1,
    end: 4,
    text: 'b\r\nc',
    next_start: 4,
    total_chars: 6,
  });
});

test('mixed endings are each line its own, at every page and version', async () => {
  const id = await newTarget(context.service, 'a\r\nb\nc\rd');
  const at = async (start: number): Promise<unknown> => (await exported(id, { format: 'original_eol', start, length: 2 }))['text'];
  expect([await at(0), await at(1), await at(3), await at(5)]).toEqual(['a\r\n', '\r\nb', '\nc', '\rd']);
  await context.service.submit('patchdiff-tx/1', edit(id, 0, 'b', 'new\nb'));
  expect(await exported(id, { format: 'original_eol' })).toMatchObject({ status: 'ok', text: 'a\r\nnew\r\nb\nc\rd' });
  await context.service.submit('patchdiff-tx/1', edit(id, 1, 'a\n', ''));
  expect(await exported(id, { format: 'original_eol' })).toMatchObject({ status: 'ok', text: 'new\r\nb\nc\rd' });
  expect(await exported(id)).toMatchObject({ status: 'ok', text: 'new\nb\nc\nd' });
});

test('unknown endings are refused, never guessed', async () => {
  const id = await newTarget(context.service, 'a\r\nb\n');
  const admin = await context.server.client('admin');
  await forgetEndings(admin, id);
  expect(await exported(id, { format: 'original_eol' })).toMatchObject({ status: 'rejected', failure_code: 'unknown_line_endings' });
  await admin.query('update patchdiff_store.cloud_target_files set source_line_endings = null where target_file_id = $1', [id]);
  expect(await exported(id, { format: 'original_eol' })).toMatchObject({ status: 'rejected', failure_code: 'unknown_line_endings' });
  expect(await exported(id)).toMatchObject({ status: 'ok', text: 'a\nb\n' });
});
