import { join } from 'node:path';
import { ESLint } from 'eslint';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Rules that the text breaks, linted as a file of its own: typed rules then need not load the whole project. */
async function broken(text: string): Promise<(string | null)[]> {
  const projectService = { allowDefaultProject: ['sample.ts'], defaultProject: 'tsconfig.json' };
  const eslint = new ESLint({ cwd: ROOT, overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService } } } });
  const [result] = await eslint.lintText(text, { filePath: join(ROOT, 'sample.ts') });
  return result!.messages.map((message) => message.ruleId);
}

test('each rule of ours and each that the house style names can fail', { timeout: 240_000 }, async () => {
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
