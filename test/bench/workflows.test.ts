import { expect, test } from 'vitest';
import { createDatabase, useDatabase } from '../helpers/database.ts';
import { runTrial } from './workflows/trial.ts';

const database = useDatabase();
const fresh = async () => ({ url: database.url('writer'), auditor: await database.client('auditor') });

test('the profile `workspace` carries the whole task out, every byte as meant', async () => {
  const { checks, work, outcomes } = await runTrial('workspace', fresh);
  expect(checks).toBeGreaterThanOrEqual(20);
  expect(work.calls).toBeGreaterThan(0);
  expect([...new Set(outcomes.values())]).toEqual(['as meant']);
});

test('so does the profile `observed_workspace`', async () => {
  const other = await createDatabase();
  try {
    const fresh = async () => ({ url: other.url('writer'), auditor: await other.client('auditor') });
    const { checks, outcomes } = await runTrial('observed_workspace', fresh);
    expect(checks).toBeGreaterThanOrEqual(20);
    expect([...new Set(outcomes.values())]).toEqual(['as meant']);
  } finally {
    await other.drop();
  }
});

test('the reference server carries it out too, and is seen to change line endings', async () => {
  const { checks, outcomes } = await runTrial('server-filesystem', fresh);
  expect(checks).toBeGreaterThanOrEqual(20);
  expect(Object.fromEntries(outcomes)).toMatchObject({ 'src/scheduler.ts': 'as meant', 'docs/operations.md': 'other line endings' });
});
