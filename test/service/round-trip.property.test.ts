import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();

/**
 * The oracle: what is known of each character of the text, and of the bytes it came from. A line end that an edit wrote may be any
 * of the three, everything else is the bytes it was.
 */
type Known = { text: string; bytes: string | null };

const ANY_END = /^(\r\n|\n|\r)$/;
const charactersOf = (file: string): string[] => file.match(/\r\n|[^]/gu) ?? [];
const known = (file: string): Known[] => charactersOf(file).map((bytes) => ({ text: ANY_END.test(bytes) ? '\n' : bytes, bytes }));
const written = (text: string): Known[] => Array.from(text, (one) => ({ text: one, bytes: one === '\n' ? null : one }));

/** Where the file is not what is known; the one line end that may differ is a lone LF behind a CR, which are one CRLF. */
function difference(file: string, wanted: readonly Known[]): string | null {
  const found = charactersOf(file);
  if (found.length !== wanted.length) return `${found.length} characters, not ${wanted.length}`;
  for (const [at, { text, bytes }] of wanted.entries()) {
    const one = found[at] ?? '';
    const parted =
      one === '\r\n' && ((bytes === '\n' && wanted[at - 1]?.text === '\n') || (bytes === '\r' && wanted[at + 1]?.text === '\n'));
    if (bytes === null ? !ANY_END.test(one) : one !== bytes && !parted)
      return `character ${at}, ${JSON.stringify(text)}: ${JSON.stringify(one)}`;
  }
  return null;
}

const part = fc.constantFrom('a', 'b', 'ä', '😀', '\n', '\r\n', '\r', '\n', '\r\n');
const file = fc.array(part, { maxLength: 30 }).map((parts) => parts.join(''));
const change = fc.record({
  kind: fc.constantFrom('span', 'match'),
  from: fc.nat(),
  length: fc.nat({ max: 6 }),
  replace: file.map((text) => Array.from(text).slice(0, 8).join('')),
  save: fc.boolean(),
});

afterAll(async () => {
  const admin = await ws.context.server.client('admin');
  expect((await admin.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
});

test('no edit by place or by match changes a byte that it does not name, whenever the file is saved', { timeout: 120_000 }, async () => {
  let saves = 0;
  await fc.assert(
    fc.asyncProperty(file, fc.boolean(), fc.array(change, { minLength: 1, maxLength: 5 }), async (source, bom, changes) => {
      const mark = bom ? '\uFEFF' : '';
      const name = `${randomUUID()}.txt`;
      ws.put(name, mark + source);
      const made = await ws.service.initializeTarget({ from_workspace: true, path: name });
      const id = made['target_file_id'] as string;
      let wanted = known(source);
      let version = 0;
      const save = async (): Promise<void> => {
        const { status } = await ws.sync(id);
        expect(['published', 'unchanged']).toContain(status);
        const bytes = readFileSync(ws.at(name)).toString();
        expect(bytes.startsWith(mark)).toBe(true);
        expect(difference(bytes.slice(mark.length), wanted)).toBeNull();
        wanted = known(bytes.slice(mark.length));
        saves += 1;
      };
      for (const { kind, from, length, replace, save: saved } of changes) {
        const start = from % (wanted.length + 1);
        const matched = wanted
          .slice(start, start + length)
          .map(({ text }) => text)
          .join('');
        const end = Math.min(start + length, wanted.length);
        const text = wanted.map((one) => one.text).join('');
        const arguments_ = { target_file_id: id, intent: 'edit', expected_target_version: version };
        // A match is found again only where it is the first of its kind; else the place says it.
        const first = matched !== '' && Array.from(text.slice(0, text.indexOf(matched))).length === start;
        const answer =
          kind === 'match' && first
            ? await ws.service.submit('patchdiff-tx/1', { ...arguments_, edits: [{ match: matched, replace, occurrence_index: 1 }] })
            : await ws.service.submit('patchdiff-tx/2', {
                ...arguments_,
                operations: [{ op: 'span', start, end, expected_text: matched, replace }],
              });
        expect(answer).toMatchObject({ status: 'accepted' });
        const canonical = replace.replaceAll(/\r\n?/g, '\n');
        // A text that was there already stays as it was.
        if (canonical !== matched) wanted = [...wanted.slice(0, start), ...written(canonical), ...wanted.slice(end)];
        version += 1;
        if (saved) await save();
      }
      await save();
    }),
    { numRuns: 60 },
  );
  expect(saves).toBeGreaterThan(60);
});
