import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linksOf } from './blocks.ts';

const DOCS = join(import.meta.dirname, '../../docs');

test.each(['spec', 'decisions'])('docs/%s/README.md lists every page beside it', (folder) => {
  const pages = readdirSync(join(DOCS, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(linksOf(readFileSync(join(DOCS, folder, 'README.md'), 'utf8')).filter((target) => !target.includes('/')).sort()).toEqual(pages.sort());
});
