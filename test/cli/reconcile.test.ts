import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { warmCommandLine, type Cli } from '../helpers/cli.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();
let cwd: string;
let cli: Cli;

beforeAll(async () => {
  cwd = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'patchdiff-cli-')));
  cli = await warmCommandLine(() => ({ DATABASE_URL: database.url('writer') }), cwd);
});

afterAll(() => rmSync(cwd, { recursive: true, force: true }));

test('says what became of an interrupted save, by exit code too, and finishes it on request', async () => {
  expect(await cli(['reconcile'])).toMatchObject({ code: 0, stdout: 'no save was interrupted\n' });
  writeFileSync(path.join(cwd, 'a.txt'), 'a\n');
  expect((await cli(['import', 'a.txt'])).code).toBe(0);
  const writer = await database.client('writer');
  const digest = "encode(sha256(convert_to(e'b\\n', 'UTF8')), 'hex')";
  await writer.query(`select patchdiff.commit_replacement(t.target_file_id, e'b\\n', 'why', 0) from patchdiff_audit.targets as t`);
  await writer.query(
    `select patchdiff.open_publication(h.target_file_id, null, null, h.version, h.current_hash, h.last_synced_disk_sha256, ${digest}, 2)
     from patchdiff_audit.targets as t, patchdiff.read_head(t.target_file_id) as h`,
  );
  const untouched = await cli(['reconcile', '--workspace', cwd]);
  expect(untouched).toMatchObject({ code: 6, stdout: expect.stringContaining('nothing_installed') as string });
  expect(untouched.stdout).toContain('--finish');
  writeFileSync(path.join(cwd, 'a.txt'), 'theirs\n');
  const unclear = await cli(['reconcile', '--finish']);
  expect(unclear.code).toBe(8);
  expect(unclear.stdout).toMatch(/before [0-9a-f]{64}, to write [0-9a-f]{64}, on disk [0-9a-f]{64}/);
  writeFileSync(path.join(cwd, 'a.txt'), 'b\n');
  const finished = await cli(['reconcile', '--finish', '--json']);
  expect(finished.code).toBe(0);
  expect(JSON.parse(finished.stdout)).toMatchObject({
    status: 'clean',
    open: 0,
    closed: 1,
    intents: [{ state: 'installed_not_recorded', outcome: 'published' }],
  });
  expect((await cli(['reconcile', '--workspace', path.join(cwd, 'nowhere')])).code).toBe(3);
});
