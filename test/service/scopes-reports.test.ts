import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { built } from '../helpers/build.ts';
import { newTarget, textOf, useService } from './support/service.ts';

const context = useService();
beforeAll(() => built());

interface Observed extends JsonObject {
  scope_id: string;
  qualified_path: string;
  text: string;
}

/** A document of this name, and the scopes at these paths as they were observed. */
async function observed(name: string, content: string, paths: string[]): Promise<{ id: string; bundle: string; scopes: Observed[] }> {
  const id = await newTarget(context.service, content, { display_name: name });
  const all = (await context.service.listScopes({ target_file_id: id }))['scopes'] as Observed[];
  const ids = paths.map((path) => all.find((scope) => scope.qualified_path === path)?.scope_id ?? path);
  const answer = await context.service.observeScopes({ target_file_id: id, scope_ids: ids });
  expect(answer, JSON.stringify(all.map((scope) => scope.qualified_path))).toMatchObject({ status: 'observed' });
  return { id, bundle: answer['bundle_id'] as string, scopes: answer['scopes'] as Observed[] };
}

/** The document after each scope was replaced as a whole. */
async function replaced(seen: { id: string; bundle: string; scopes: Observed[] }, texts: string[]): Promise<string> {
  const answer = await context.service.commitBundle({
    target_file_id: seen.id,
    bundle_id: seen.bundle,
    expected_target_version: 0,
    intent: 'replace',
    groups: seen.scopes.map(({ scope_id, text }, at) => ({
      scope_id,
      operations: [{ op: 'match', match: text, replace: texts[at] ?? '' }],
    })),
  });
  expect(answer).toMatchObject({ status: 'accepted' });
  return textOf(context.service, seen.id);
}

test('a nested function is replaced, and one definition of its name is left (B95)', async () => {
  const before =
    'export function Outer({ items }: Props) {\n  const inner = (item: Item) => {\n    return <li>{item.name}</li>;\n  };\n  return <ul>{items.map(inner)}</ul>;\n}\n';
  const seen = await observed('list.tsx', before, ['function Outer > function inner']);
  expect(seen.scopes[0]!.text).toBe('const inner = (item: Item) => {\n    return <li>{item.name}</li>;\n  };');
  const after = await replaced(seen, ['const inner = (item: Item) => <li key={item.id}>{item.name}</li>;']);
  expect(after.match(/const inner/g)).toHaveLength(1);
  expect(after).toBe(before.replace(/\{\n {4}return (.*);\n {2}\}/, () => '<li key={item.id}>{item.name}</li>'));
});

test('what stands above a method belongs to it and is shown; the text outside is untouched (B96)', async () => {
  const before =
    'class Service:\n    """Serves."""\n\n    # Cached, because it is slow.\n    @cached\n    @timed("slow")\n    def answer(self):\n        return 42\n\n    def other(self):\n        return 1\n';
  const seen = await observed('service.py', before, ['class Service > method answer']);
  expect(seen.scopes[0]!.text).toBe(
    '# Cached, because it is slow.\n    @cached\n    @timed("slow")\n    def answer(self):\n        return 42',
  );
  const text = seen.scopes[0]!.text.replace('42', '43');
  expect(await replaced(seen, [text])).toBe(before.replace('42', '43'));
});

test('a section is replaced without a final newline, and the next heading still begins a line (B98)', async () => {
  const before = '# Guide\n\n## One\n\nfirst\n\n## Two\n\n```sh\n## no heading\n```\n\n\n## Three\n\nthird\n';
  const seen = await observed('guide.md', before, ['section Guide > section Two']);
  expect(seen.scopes[0]!.text).toBe('## Two\n\n```sh\n## no heading\n```');
  expect(await replaced(seen, ['## Two\n\nsecond'])).toBe('# Guide\n\n## One\n\nfirst\n\n## Two\n\nsecond\n\n\n## Three\n\nthird\n');
});
