import { join } from 'node:path';
import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

/** Rules that the text breaks, linted as if it were this file. */
async function broken(text: string): Promise<(string | null)[]> {
  const eslint = new ESLint({ cwd: join(import.meta.dirname, '../..') });
  const [result] = await eslint.lintText(text, { filePath: join(import.meta.dirname, 'lint.test.ts') });
  return result!.messages.map((message) => message.ruleId);
}

test('each rule of ours and each that the house style names can fail', async () => {
  const text = `
    import { Buffer } from 'node:buffer';
    class Chain { replace(a: string, b: string): string { return a + b; } }
    export async function g(s: string, f: (x: string) => string, b: Buffer): Promise<string[]> {
      await Promise.resolve(b);
      return [s.replace('x', f), s.replace('x', 'y'), s.replace(/x/g, '$1'), new Chain().replace(s, s), s.replace('x', s), s.replaceAll('x', f(s))];
    }
    export function h(kind: 'a' | 'b', s: string): void {
      switch (kind) { case 'a': break; }
      g(s, (x) => x, s as unknown as Buffer);
    }
  `;
  expect((await broken(text)).sort()).toEqual([
    '@typescript-eslint/consistent-type-imports',
    '@typescript-eslint/no-floating-promises',
    '@typescript-eslint/switch-exhaustiveness-check',
    'patchdiff/literal-replacement',
    'patchdiff/literal-replacement',
  ]);
});
