import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import config from '../../.dependency-cruiser.mjs';

const ROOT = join(import.meta.dirname, '../..');

/** Runs the rules of the project over `src` below a root; each violation as `rule: from → to`. */
async function violations(root: string): Promise<string[]> {
  const { output } = await cruise(['src'], { ...config.options, baseDir: root, ruleSet: { forbidden: config.forbidden }, validate: true });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

test('every import of src keeps the directions of the rooms', async () => {
  expect(await violations(ROOT)).toEqual([]);
});

describe('each direction can be broken', () => {
  let sample: string;

  beforeAll(() => {
    sample = mkdtempSync(join(tmpdir(), 'patchdiff-rooms-'));
  });
  afterAll(() => {
    rmSync(sample, { recursive: true });
  });

  const rooms = ['text', 'transaction', 'nearmiss', 'scopes', 'db', 'workspace', 'service', 'mcp', 'cli'];
  const use = (path: string): string => `import { value } from '${path}';\nexport const mine = value;\n`;

  /** A tree with one module a room, one of them replaced. */
  async function withFile(path: string, text: string): Promise<string[]> {
    rmSync(join(sample, 'src'), { recursive: true, force: true });
    const files = { ...Object.fromEntries(rooms.map((room) => [`src/${room}/module.ts`, 'export const value = 1;\n'])), [path]: text };
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(sample, name)), { recursive: true });
      writeFileSync(join(sample, name), content);
    }
    return violations(sample);
  }

  test.each([
    ['text', 'transaction'],
    ['text', 'db'],
    ['transaction', 'nearmiss'],
    ['transaction', 'db'],
    ['nearmiss', 'transaction'],
    ['scopes', 'transaction'],
    ['scopes', 'db'],
    ['transaction', 'scopes'],
    ['db', 'scopes'],
    ['mcp', 'scopes'],
    ['db', 'service'],
    ['db', 'nearmiss'],
    ['workspace', 'db'],
    ['service', 'mcp'],
    ['service', 'cli'],
    ['mcp', 'db'],
    ['mcp', 'cli'],
    ['cli', 'workspace'],
  ])('%s must not import %s', async (from, to) => {
    expect(await withFile(`src/${from}/bad.ts`, use(`../${to}/module.ts`))).toContainEqual(
      expect.stringContaining(`${from}-reaches-out: src/${from}/bad.ts`),
    );
  });

  test.each([
    ['common', 'submission/other.ts'],
    ['reading', 'files/other.ts'],
    ['files', 'submission/other.ts'],
    ['submission', 'scopes/other.ts'],
    ['scopes', 'service.ts'],
  ])('service/%s must not import service/%s', async (from, to) => {
    await withFile(`src/service/${from}/bad.ts`, use(`../${to}`));
    mkdirSync(dirname(join(sample, 'src/service', to)), { recursive: true });
    writeFileSync(join(sample, 'src/service', to), 'export const value = 1;\n');
    expect(await violations(sample)).toEqual([expect.stringContaining(`service-${from}-reaches-out: src/service/${from}/bad.ts`)]);
  });

  test('db takes types of transaction, never values', async () => {
    expect(
      await withFile('src/db/bad.ts', "import type { value } from '../transaction/module.ts';\nexport type Mine = typeof value;\n"),
    ).toEqual([]);
    expect(await withFile('src/db/bad.ts', use('../transaction/module.ts'))).toEqual([expect.stringContaining('db-takes-values')]);
  });

  test.each(['node:fs', 'fs', 'node:crypto'])('a pure room must not import %s', async (module) => {
    expect(await withFile('src/text/bad.ts', `import * as value from '${module}';\nexport const mine = value;\n`)).toEqual([
      expect.stringContaining('pure-rooms-have-no-host'),
    ]);
  });

  test('no cycles', async () => {
    const cycle = "import { mine } from './bad.ts';\nexport const value = mine;\n";
    await withFile('src/text/bad.ts', use('./module.ts'));
    writeFileSync(join(sample, 'src/text/module.ts'), cycle);
    expect(await violations(sample)).toContainEqual(expect.stringContaining('no-cycles'));
  });

  test('the command line’s main may start the MCP server, and touches nothing else of it', async () => {
    expect(await withFile('src/cli/main.ts', use('../mcp/module.ts'))).toEqual([expect.stringContaining('cli-main-reaches-out')]);
    expect(await withFile('src/cli/main.ts', use('../db/module.ts'))).toEqual([expect.stringContaining('cli-main-reaches-out')]);
  });

  test('a border’s main may build a pool, its neighbours may not', async () => {
    expect(await withFile('src/mcp/main.ts', use('../db/module.ts'))).toEqual([]);
    expect(await withFile('src/cli/commands/db-sample.ts', use('../../db/module.ts'))).toEqual([]);
    expect(await withFile('src/cli/commands/sample.ts', use('../../db/module.ts'))).toEqual([expect.stringContaining('cli-reaches-out')]);
    expect(await withFile('src/mcp/maintenance.ts', use('../db/module.ts'))).toEqual([expect.stringContaining('mcp-reaches-out')]);
  });
});
