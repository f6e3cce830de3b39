import { readFileSync, statSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, forgetEndings } from './support/service.ts';
import { useWorkspace } from './support/workspace.ts';

/** Files go in and come out: every byte that no edit names is the byte that was there. Bytes are compared as node:fs reads them. */

const ws = useWorkspace();
const bytesOf = (name: string): string => readFileSync(ws.at(name)).toString('latin1');
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const ENDS: Record<string, string> = { N: '\n', R: '\r\n', C: '\r' };
/** Text in which N, R and C stand for LF, CRLF and CR. */
const raw = (text: string): string => text.replace(/[NRC]/g, (letter) => ENDS[letter] ?? '');
const LINES = ['alpha', 'béta 😀', 'gamma', '', 'delta €', '', 'omega'];

/** The endings of six lines; the seventh has the last one, or none. */
const STYLES: Record<string, string> = {
  LF: 'NNNNNNN',
  CRLF: 'RRRRRRR',
  CR: 'CCCCCCC',
  'LF and CRLF in turn': 'NRNRNRN',
  'one CRLF': 'NNRNNNN',
  'one LF': 'RRRNRRR',
  'one CR': 'NCNNNNN',
  'the first one different': 'CRRRRRR',
  'the last one different': 'NNNNNNR',
  'CR after LF': 'CNCRCRN',
  'LF after CRLF and CR': 'RRRNCCC',
};
const FILES = Object.entries(STYLES).flatMap(([style, ends]) =>
  ['', '\uFEFF'].flatMap((mark) =>
    [true, false].map((final): [string, string] => [
      `${style}${mark === '' ? '' : ', BOM'}${final ? '' : ', no final line end'}`,
      mark + LINES.map((line, at) => line + (final || at < 6 ? raw(ends[at] ?? '') : '')).join(''),
    ]),
  ),
);
const OTHERS: [string, string][] = [
  ['empty', ''],
  ['a BOM alone', '\uFEFF'],
  ['a BOM and a typed one', '\uFEFF\uFEFFa\r\nb\n'],
  ['a line end alone', '\r\n'],
  ['line ends alone', '\r\r\n\n\n\r'],
  ['emoji', '👩‍👩‍👧‍👦\r\n🇨🇭\n😀'.repeat(50)],
];
const MEGABYTE = Array.from(
  { length: 24_000 },
  (_, at) => `line ${at} of a file of 1 MB, €`.padEnd(42) + (at % 3 === 1 ? '\r\n' : '\n'),
).join('');

const accepted = async (answer: Promise<JsonObject>): Promise<void> => {
  expect(await answer).toMatchObject({ status: 'accepted' });
};
const spanOf = (id: string, text: string, match: string, replace: string): JsonObject => {
  const start = Array.from(text.slice(0, text.indexOf(match))).length;
  const operation = { op: 'span', start, end: start + Array.from(match).length, expected_text: match, replace };
  return { target_file_id: id, intent: 'span', expected_target_version: 1, operations: [operation] };
};
/** The text in its own endings, page by page. */
async function exported(id: string, length: number): Promise<string> {
  let text = '';
  for (let start: unknown = 0; start !== null;) {
    const page = await ws.service.exportTarget({ target_file_id: id, format: 'original_eol', start: start as number, length });
    expect(page).toMatchObject({ status: 'ok' });
    text += page['text'] as string;
    start = page['next_start'];
  }
  return text;
}

afterAll(async () => {
  const admin = await ws.context.server.client('admin');
  expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
});

test.each([...FILES, ...OTHERS, ['1 MB', MEGABYTE] as [string, string]])('%s: unchanged, then edited and changed back', async (_, text) => {
  const { id, name } = await ws.imported(text);
  const before = statSync(ws.at(name), { bigint: true });
  expect(await ws.sync(id)).toMatchObject({ status: 'unchanged' });
  const { ino, mtimeNs, ctimeNs } = statSync(ws.at(name), { bigint: true });
  expect([ino, mtimeNs, ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
  const again = await ws.service.initializeTarget({ from_workspace: true, path: name });
  expect(again).toMatchObject({ status: 'existing', target_file_id: id, version: 0, source_bom: text.startsWith('\uFEFF') });
  const insert = (version: number, end: number, expected: string, replace: string): JsonObject => ({
    target_file_id: id,
    intent: 'span',
    expected_target_version: version,
    operations: [{ op: 'span', start: 0, end, expected_text: expected, replace }],
  });
  await accepted(ws.service.submit('patchdiff-tx/2', insert(0, 0, '', 'x')));
  await accepted(ws.service.submit('patchdiff-tx/2', insert(1, 1, 'x', '')));
  expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 2 });
  expect(bytesOf(name)).toBe(latin1(text));
  expect(await ws.service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({
    status: 'existing',
    target_file_id: id,
    version: 2,
  });
});

test.each(FILES)('%s: three edits in three formats, two SAVEs', async (_, text) => {
  const { id, name } = await ws.imported(text);
  const canonical = text.replace('\uFEFF', '').replaceAll(/\r\n?/g, '\n');
  await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 0, 'gamma', 'GAMMA $& rays')));
  await accepted(
    ws.service.submit(
      'patchdiff-tx/2',
      spanOf(
        id,
        canonical.replace('gamma', () => 'GAMMA $& rays'),
        'béta 😀',
        'β',
      ),
    ),
  );
  const two = text.replace('gamma', () => 'GAMMA $& rays').replace('béta 😀', 'β');
  expect(await exported(id, 3)).toBe(two.replace('\uFEFF', ''));
  expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 2 });
  expect(bytesOf(name)).toBe(latin1(two));
  const whole = canonical
    .replace('gamma', () => 'GAMMA $& rays')
    .replace('béta 😀', 'β')
    .replace('delta €', 'DELTA');
  await accepted(
    ws.service.submit('patchdiff-tx/3', { target_file_id: id, intent: 'all', expected_target_version: 2, replacement: whole }),
  );
  expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 3 });
  expect(bytesOf(name)).toBe(latin1(two.replace('delta €', 'DELTA')));
  expect(await ws.service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
});

describe('lines that come and go in a file of mixed line ends', () => {
  test.each<[string, string, [match: string, replace: string][], string]>([
    ['put in', 'aRbNcC', [['b', 'new\nb']], 'aRnewRbNcC'],
    ['put in at the very beginning', 'aRbN', [['a', 'new\na']], 'newRaRbN'],
    ['appended without a final line end', 'aRbNc', [['c', 'c\nd']], 'aRbNcNd'],
    ['taken out, the odd one', 'aRbNcRd', [['b\n', '']], 'aRcRd'],
    [
      'joined and split again',
      'aRbNcC',
      [
        ['a\nb', 'ab'],
        ['ab', 'a\nb'],
      ],
      'aNbNcC',
    ],
    [
      'all but one taken out, then many',
      'aCbNcRd',
      [
        ['a\nb\nc\n', ''],
        ['d', 'd\ne\nf'],
      ],
      'dNeNf',
    ],
    [
      'moved in three edits',
      'aRbNcC',
      [
        ['c\n', ''],
        ['a', 'c\na'],
        ['b\n', 'b\nz\n'],
      ],
      'cRaRbNzN',
    ],
    ['emptied between CR and its LF', 'aCbNc', [['b', '']], 'aCRc'],
    ['taken out between a CR and an LF', 'aCbRNc', [['b\n', '']], 'aCRc'],
    [
      'emptied and filled again',
      'aCbNc',
      [
        ['b', ''],
        ['a\n\n', 'a\nB\n'],
      ],
      'aCBRc',
    ],
  ])('%s', async (_, before, edits, after) => {
    for (const saves of [false, true]) {
      const { id, name } = await ws.imported(raw(before));
      for (const [version, [match, replace]] of edits.entries()) {
        await accepted(ws.service.submit('patchdiff-tx/1', edit(id, version, match, replace)));
        if (saves) expect(await ws.sync(id)).toMatchObject({ status: 'published' });
      }
      if (!saves) expect(await ws.sync(id)).toMatchObject({ status: 'published', version: edits.length });
      expect(bytesOf(name)).toBe(latin1(raw(after)));
    }
  });

  test('a text without line ends gains some: LF, or what the source had most', async () => {
    for (const [text, ending] of [
      ['a', '\n'],
      ['\uFEFFa', '\n'],
      ['a\rb\rc\n', '\r'],
    ] as const) {
      const { id, name } = await ws.imported(text);
      const bom = text.startsWith('\uFEFF') ? '\uFEFF' : '';
      await accepted(
        ws.service.submit('patchdiff-tx/3', { target_file_id: id, intent: 'all', expected_target_version: 0, replacement: 'one' }),
      );
      expect(await ws.sync(id)).toMatchObject({ status: 'published' });
      expect(bytesOf(name)).toBe(latin1(`${bom}one`));
      await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 1, 'one', '\uFEFFone\ntwo\n')));
      expect(await ws.sync(id)).toMatchObject({ status: 'published' });
      expect(bytesOf(name)).toBe(latin1(`${bom}\uFEFFone${ending}two${ending}`));
    }
  });

  test('a new file from a text of mixed line ends', async () => {
    const made = await ws.service.initializeTarget({ from_workspace: true, path: 'new.txt', content: 'a\r\nb\nc\r' });
    expect(await ws.sync(made['target_file_id'] as string)).toMatchObject({ status: 'published', version: 0 });
    expect(bytesOf('new.txt')).toBe('a\r\nb\nc\r');
  });
});

describe('importing a path again', () => {
  test('an edited and saved file is the same target, with BOM and endings; another file on disk shows the facts and replaces nothing', async () => {
    const { id, name } = await ws.imported('\uFEFFa\r\nb\nc');
    await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 0, 'b', 'B\nnew')));
    const again = { from_workspace: true, path: name };
    expect(await ws.service.initializeTarget(again)).toMatchObject({ status: 'existing', target_file_id: id, version: 1 });
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
    const saved = await ws.service.initializeTarget(again);
    expect(saved).toMatchObject({
      status: 'existing',
      target_file_id: id,
      version: 1,
      source_bom: true,
      source_line_endings: { style: 'mixed', crlf: 1, lf: 1 },
    });
    const mine = bytesOf(name);
    expect(mine).toBe(latin1('\uFEFFa\r\nB\r\nnew\nc'));
    // The same text in other line ends is another file.
    ws.put(name, '\uFEFFa\nB\nnew\nc');
    const { disk_sha256: expected } = (
      await ws.context.database.snapshot((bound) =>
        bound.query<{ disk_sha256: string }>({
          name: 'synced',
          text: 'select last_synced_disk_sha256 as disk_sha256 from patchdiff.read_head($1)',
          values: [id],
        }),
      )
    )[0] ?? { disk_sha256: '' };
    expect(await ws.service.initializeTarget(again)).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { bound_target_file_id: id, expected_disk_sha256: expected, current_version: 1, last_synced_version: 1 },
    });
    expect(bytesOf(name)).toBe(latin1('\uFEFFa\nB\nnew\nc'));
    ws.put(name, Buffer.from(mine, 'latin1'));
    expect(await ws.service.initializeTarget(again)).toMatchObject({ status: 'existing', chain_head: saved['chain_head'] });
  });
});

describe('endings that are not known', () => {
  test('are refused at SAVE and export, never guessed, until no line is left that ends', async () => {
    const { id, name } = await ws.imported('a\r\nb\nc');
    const admin = await ws.context.server.client('admin');
    await forgetEndings(admin, id);
    await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 0, 'c', 'C')));
    expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'unknown_line_endings' });
    expect(await ws.service.exportTarget({ target_file_id: id, format: 'original_eol' })).toMatchObject({
      failure_code: 'unknown_line_endings',
    });
    expect([bytesOf(name), await ws.openIntents(id)]).toEqual(['a\r\nb\nc', []]);
    await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 1, 'a\nb\n', '')));
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
    expect(bytesOf(name)).toBe('C');
  });

  test('a history that no longer makes the text is a refusal', async () => {
    const { id, name } = await ws.imported('a\r\nb\nc');
    await accepted(ws.service.submit('patchdiff-tx/1', edit(id, 0, 'c', 'C')));
    const admin = await ws.context.server.client('admin');
    await admin.query('select patchdiff_guard.guard_ddl(false)');
    await admin.query('alter table patchdiff_store.append_only_pdcp_logs disable trigger all');
    const damage = (to: string): Promise<unknown> =>
      admin.query('update patchdiff_store.append_only_pdcp_logs set after_hash = $2 where target_file_id = $1', [id, to]);
    const { rows } = await admin.query<{ after_hash: string }>(
      'select after_hash from patchdiff_store.append_only_pdcp_logs where target_file_id = $1',
      [id],
    );
    await damage('0'.repeat(64));
    expect(await ws.sync(id)).toMatchObject({ status: 'rejected', failure_code: 'content_diverged' });
    expect(await ws.service.exportTarget({ target_file_id: id, format: 'original_eol' })).toMatchObject({
      failure_code: 'content_diverged',
    });
    expect(bytesOf(name)).toBe('a\r\nb\nc');
    await damage(rows[0]?.after_hash ?? '');
    expect(await ws.sync(id)).toMatchObject({ status: 'published' });
  });
});
