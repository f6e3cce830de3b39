import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '../helpers/database.ts';
import { runTapFile } from '../helpers/pgtap.ts';

const folder = import.meta.dirname;
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort();

// Each file gets its own copy of the template, so that none can see what another left behind.
test.each(files)('%s', async (name) => {
  const database = await createDatabase();
  try {
    const { lines, results } = await runTapFile(await database.client('admin'), path.join(folder, name));
    const said = lines.filter((line) => !/^ok \d/.test(line)).join('\n');
    expect(results.bailout, said).toBe(false);
    expect(results.ok, said).toBe(true);
    expect(results.plan.start, `${name} ran no plan`).toBe(1);
    expect(results.count, said).toBe(results.plan.end);
    expect(results.fail, said).toBe(0);
    expect(results.skip + results.todo, `${name} skips tests`).toBe(0);
  } finally {
    await database.drop();
  }
});
