import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { built, PACKAGE_ROOT } from '../helpers/build.ts';
import { newTarget, useService } from './support/service.ts';

const context = useService();
beforeAll(() => built());

test('an installation that is not whole says so of each text, and still reads what needs no parser', async () => {
  const installed = mkdtempSync(path.join(tmpdir(), 'patchdiff-damaged-'));
  try {
    cpSync(await built(), path.join(installed, 'dist'), { recursive: true });
    cpSync(path.join(PACKAGE_ROOT, 'package.json'), path.join(installed, 'package.json'));
    cpSync(path.join(PACKAGE_ROOT, 'grammars'), path.join(installed, 'grammars'), { recursive: true });
    writeFileSync(path.join(installed, 'grammars/json.wasm.br'), 'damaged');
    const code = `
      const { createScopeEngine } = await import(process.argv[1] + '/dist/scopes/index.js');
      const engine = createScopeEngine();
      const found = [];
      for (const [path, text] of [['a.json', '{"a": 1}'], ['a.css', 'p { top: 0 }'], ['a.md', '# Title'], ['a.none', 'text']]) {
        const { fallback_reason, scopes } = await engine.discover({ path, text });
        found.push([fallback_reason, scopes.length]);
      }
      console.log(JSON.stringify(found));
      await engine.close();`;
    const found = async (): Promise<unknown> =>
      JSON.parse((await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, installed])).stdout) as unknown;
    expect(await found()).toEqual([
      ['parser_unavailable', 1],
      ['parser_unavailable', 1],
      [null, 1],
      ['unknown_language', 1],
    ]);
    symlinkSync(path.join(PACKAGE_ROOT, 'node_modules'), path.join(installed, 'node_modules'));
    expect(await found()).toEqual([
      ['parser_unavailable', 1],
      [null, 1],
      [null, 1],
      ['unknown_language', 1],
    ]);
  } finally {
    rmSync(installed, { recursive: true, force: true });
  }
});

test('replay needs no parser: without the grammars the history is rebuilt, checked and added to', async () => {
  const id = await newTarget(context.service, 'function first(a) {\n  return a + 1;\n}\n', { display_name: 'small.js' });
  const listing = await context.service.listScopes({ target_file_id: id });
  const [scope] = listing['scopes'] as { scope_id: string }[];
  const seen = await context.service.observeScopes({ target_file_id: id, scope_ids: [scope?.scope_id ?? ''] });
  const groups = [{ scope_id: scope?.scope_id ?? '', operations: [{ op: 'match', match: 'a + 1', replace: 'a + 2' }] }];
  const args = { target_file_id: id, bundle_id: seen['bundle_id'] as string, intent: 'i', groups };
  expect(await context.service.commitBundle({ ...args, expected_target_version: 0 })).toMatchObject({ status: 'accepted' });
  const installed = mkdtempSync(path.join(tmpdir(), 'patchdiff-without-'));
  try {
    cpSync(await built(), path.join(installed, 'dist'), { recursive: true });
    cpSync(path.join(PACKAGE_ROOT, 'package.json'), path.join(installed, 'package.json'));
    symlinkSync(path.join(PACKAGE_ROOT, 'node_modules'), path.join(installed, 'node_modules'));
    const code = `
      const [dist, url, args] = process.argv.slice(1);
      const { openDatabase } = await import(dist + '/db/pool.js');
      const { createService } = await import(dist + '/service/index.js');
      const database = openDatabase({ connectionString: url });
      const service = createService({ database, actor: null });
      const sent = JSON.parse(args);
      const moved = await service.commitBundle({ ...sent, expected_target_version: 1 });
      const replayed = await service.replayTarget({ target_file_id: sent.target_file_id });
      console.log(JSON.stringify([moved.failure_code, replayed.status, replayed.materialized_state_matches, replayed.reconstructed_version]));
      await database.close();`;
    const parameters = [path.join(installed, 'dist'), context.server.url(), JSON.stringify(args)];
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, ...parameters]);
    expect(JSON.parse(stdout)).toEqual(['scope_hash_mismatch', 'success', true, 1]);
  } finally {
    rmSync(installed, { recursive: true, force: true });
  }
});
