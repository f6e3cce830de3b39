import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { useDatabase } from '../../helpers/database.ts';
import { forgetEndings } from '../../service/support/service.ts';
import { connectNew } from '../support/hosts.ts';
import type { Host } from '../support/hosts.ts';
import { Transcript } from './transcript.ts';

/* What an agent is told when a file cannot be imported, or a document not be saved. */

const database = useDatabase();
const MEMBERS = { members: ['status', 'failure_reason', 'failure_code', 'detail', 'facts', 'next_step'] };
const PLAIN = '5a5a5a5a-0000-4000-8000-00000000000a';
let root: string;
let host: Host;

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-refusals-'));
  mkdirSync(path.join(root, 'docs'));
  host = await serve('--workspace', root);
});
afterAll(async () => {
  await host.close();
  rmSync(root, { recursive: true });
});

const serve = (...args: string[]): Promise<Host> => connectNew({ env: { DATABASE_URL: database.url('writer') }, args });
const put = (name: string, content: string | Buffer): void => writeFileSync(path.join(root, name), content);

async function imported(name: string, content: string): Promise<string> {
  put(name, content);
  const { text } = await host.call('patchdiff_initialize_target', { from_workspace: true, path: name });
  return (JSON.parse(text) as { target_file_id: string }).target_file_id;
}

const edited = (id: string): Promise<unknown> =>
  host.call('patchdiff_submit_replacement', { target_file_id: id, intent: 'x', expected_target_version: 0, replacement: 'new\n' });

// A server of its own for every workspace.
const PATIENCE = { timeout: 300_000 };

test('imports', PATIENCE, async () => {
  const transcript = new Transcript('imports', MEMBERS, [PLAIN]);
  const refused = async (title: string, args: Record<string, unknown>, by: Host = host): Promise<void> => {
    const result = await by.call('patchdiff_initialize_target', args);
    expect(JSON.parse(result.text), title).toMatchObject({ status: 'rejected', next_step: expect.any(String) as string });
    transcript.add(title, args, result);
  };
  const file = (name: string): Record<string, unknown> => ({ from_workspace: true, path: name });
  put('latin1.txt', Buffer.from([0x61, 0xe9]));
  put('nul.txt', 'a\0b');
  put('present.txt', 'a\n');
  symlinkSync('/', path.join(root, 'outside'));
  symlinkSync('loop', path.join(root, 'loop'));
  symlinkSync('nowhere', path.join(root, 'dangling'));
  const bound = await imported('bound.txt', 'a\n');
  await refused('an absolute path', file('/etc/hosts'));
  await refused('a path that leads out', file('../hosts'));
  await refused('a path that leads out by a link', file('outside/etc/hosts'));
  await refused('an empty path', file(''));
  await refused('a path with NUL', file('a\0b'));
  await refused('a path with a slash at its end', file('docs/'));
  await refused('no such file', file('docs/absent.txt'));
  await refused('a new file where no directory is', { ...file('absent/new.txt'), content: 'mine\n' });
  await refused('a directory', file('docs'));
  await refused('links in a circle', file('loop'));
  await refused('a link to nothing', file('dangling'));
  await refused('Latin-1', file('latin1.txt'));
  await refused('NUL', file('nul.txt'));
  await refused('a file that stands there already', { ...file('present.txt'), content: 'mine\n' });
  await refused('a file of another target', { ...file('bound.txt'), target_file_id: PLAIN });
  put('bound.txt', 'theirs\n');
  await refused('a file that has changed', file('bound.txt'));
  rmSync(path.join(root, 'bound.txt'));
  await refused('a file that is gone', file('bound.txt'));
  await host.call('patchdiff_initialize_target', { target_file_id: PLAIN, display_name: 'd', content: 'a\n' });
  await refused('an id that is taken', { target_file_id: PLAIN, display_name: 'd', content: 'b\n' });
  const without = await serve();
  await refused('no workspace', file('present.txt'), without);
  await without.close();
  await expect(transcript.toString().replaceAll(bound, '<id>')).toMatchFileSnapshot('./imports.snap');
});

test('saves', PATIENCE, async () => {
  const transcript = new Transcript('saves', MEMBERS, [PLAIN]);
  const refused = async (title: string, args: Record<string, unknown>, by: Host = host): Promise<void> => {
    const result = await by.call('patchdiff_save', args);
    expect(JSON.parse(result.text), title).toMatchObject({ status: 'rejected', next_step: expect.any(String) as string });
    transcript.add(title, { ...args, target_file_id: undefined }, result);
  };
  const sync = (id: string): Record<string, unknown> => ({ target_file_id: id, sync_workspace: true });
  const made = await host.call('patchdiff_initialize_target', { display_name: 'd', content: 'a\n' });
  const plain = (JSON.parse(made.text) as { target_file_id: string }).target_file_id;
  await refused('another version', { target_file_id: plain, expected_target_version: 5 });
  await refused('another hash', { target_file_id: plain, expected_current_hash: 'a'.repeat(64) });
  await host.call('patchdiff_save', { target_file_id: plain, client_request_id: 'k', expected_target_version: 0 });
  await refused('a key of another request', { target_file_id: plain, client_request_id: 'k' });
  await refused('no file', sync(plain));

  const drifted = await imported('drifted.txt', 'a\n');
  await edited(drifted);
  put('drifted.txt', 'theirs\n');
  await refused('the file has changed', sync(drifted));
  const mixed = await imported('mixed.txt', 'a\r\nb\n');
  await edited(mixed);
  await forgetEndings(await database.client('admin'), mixed);
  await refused('mixed line ends, and which line has which is not recorded', sync(mixed));
  const exported = { target_file_id: mixed, format: 'original_eol' };
  transcript.add('an export with its own line ends', { format: 'original_eol' }, await host.call('patchdiff_export_target', exported));
  const linked = await imported('linked.txt', 'a\n');
  await edited(linked);
  linkSync(path.join(root, 'linked.txt'), path.join(root, 'second.txt'));
  await refused('a second name of the file', sync(linked));
  const replaced = await imported('replaced.txt', 'a\n');
  await edited(replaced);
  rmSync(path.join(root, 'replaced.txt'));
  mkdirSync(path.join(root, 'replaced.txt'));
  await refused('a directory in its place', sync(replaced));
  const other = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-refusals-'));
  const elsewhere = await serve('--workspace', other);
  await refused('another workspace', sync(drifted), elsewhere);
  await elsewhere.close();
  rmSync(other, { recursive: true });
  const without = await serve();
  await refused('no workspace', sync(drifted), without);
  await without.close();
  const admin = await database.client('admin');
  await admin.query(`update patchdiff_store.cloud_target_files set current_content = 'x' where target_file_id = $1`, [plain]);
  await refused('a damaged row', { target_file_id: plain });
  await expect(transcript.toString()).toMatchFileSnapshot('./saves.snap');
});
