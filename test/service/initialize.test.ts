import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit } from './support/service.ts';
import { sha256, useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();
const TX1 = 'patchdiff-tx/1';

describe('initialize_target', () => {
  test('content: created, then existing under the same id, refused for other content', async () => {
    const id = randomUUID();
    const args = { target_file_id: id.toUpperCase(), display_name: 'd', content: 'a\r\nb\r\n' };
    expect(await ws.service.initializeTarget(args)).toMatchObject({
      status: 'created',
      target_file_id: id,
      version: 0,
      current_hash: sha256('a\nb\n'),
      source_line_endings: { style: 'crlf', crlf: 2, lf: 0, cr: 0, normalized: true, source_sha256: sha256('a\r\nb\r\n') },
    });
    await ws.service.submit(TX1, edit(id, 0, 'a', 'A'));
    expect(await ws.service.initializeTarget(args)).toMatchObject({ status: 'existing', target_file_id: id, version: 1 });
    expect(await ws.service.initializeTarget({ ...args, content: 'other' })).toMatchObject({
      status: 'rejected',
      failure_code: 'target_exists_with_other_content',
      next_step: expect.any(String) as string,
    });
  });

  test.each<[JsonObject, string]>([
    [{}, 'content'],
    [{ content: 'a' }, 'display_name'],
    [{ content: 'a', display_name: '' }, 'display_name'],
    [{ content: 'a', display_name: 'é'.repeat(513) }, 'display_name'],
    [{ content: 'a\0', display_name: 'd' }, 'content'],
    [{ content: '\ud800', display_name: 'd' }, 'content'],
    [{ content: 5, display_name: 'd' }, 'content'],
    [{ content: 'a', display_name: 'd', path: 'p' }, 'path'],
    [{ from_workspace: true }, 'path'],
    [{ from_workspace: 'yes', path: 'p' }, 'from_workspace'],
    [{ content: 'a', display_name: 'd', target_file_id: 'x' }, 'target_file_id'],
    [{ content: 'a', display_name: 'd', adopt: true }, 'adopt'],
  ])('refuses %j', async (args, argument) => {
    expect(await ws.service.initializeTarget(args)).toMatchObject({ status: 'invalid_argument', argument });
  });

  test('a file: created, existing while in sync, drift afterwards, never silently replaced', async () => {
    const { id, name } = await ws.imported('a\n');
    expect(await ws.service.initializeTarget({ from_workspace: true, path: `./${name}` })).toMatchObject({
      status: 'existing',
      target_file_id: id,
    });
    ws.put(name, 'b\n');
    expect(await ws.service.initializeTarget({ from_workspace: true, path: name })).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { bound_target_file_id: id, expected_disk_sha256: sha256('a\n'), observed_disk_sha256: sha256('b\n') },
    });
    expect(await ws.service.initializeTarget({ from_workspace: true, path: name, target_file_id: randomUUID() })).toMatchObject({
      status: 'rejected',
      failure_code: 'file_bound_elsewhere',
    });
  });

  test('refusals of a file are answers', async () => {
    ws.put('latin1.txt', Buffer.from([0x78, 0x0a, 0xe9, 0x0a]));
    expect(await ws.service.initializeTarget({ from_workspace: true, path: 'latin1.txt' })).toMatchObject({
      status: 'rejected',
      failure_code: 'invalid_utf8',
      facts: { byte_offset: 2 },
    });
    for (const [path, code] of [
      ['/etc/hostname', 'path_absolute'],
      ['../x', 'path_parent'],
      ['absent', 'path_not_found'],
      ['', 'path_empty'],
      ['a\0', 'path_nul'],
    ]) {
      expect(await ws.service.initializeTarget({ from_workspace: true, path })).toMatchObject({ status: 'rejected', failure_code: code });
    }
    expect(await ws.context.service.initializeTarget({ from_workspace: true, path: 'x' })).toMatchObject({
      status: 'rejected',
      failure_code: 'workspace_unavailable',
    });
  });

  test('two imports of one file at once are one target', async () => {
    const name = `${randomUUID()}.txt`;
    ws.put(name, 'a\n');
    const services = Array.from({ length: 5 }, () => ws.context.another({ workspaceRoot: ws.root }));
    const answers = await Promise.all(services.map((each) => each.initializeTarget({ from_workspace: true, path: name })));
    expect(new Set(answers.map((answer) => answer['target_file_id'])).size).toBe(1);
    expect(answers.map((answer) => answer['status']).sort()).toEqual(['created', 'existing', 'existing', 'existing', 'existing']);
  });

  test('a path whose file is not there yet, or no more, names the target that it belongs to', async () => {
    const path = `${randomUUID()}.txt`;
    const start = { from_workspace: true, path, content: 'x\n' };
    const id = (await ws.service.initializeTarget(start))['target_file_id'] as string;
    const again = await ws.service.initializeTarget(start);
    expect(again).toMatchObject({
      status: 'rejected',
      failure_code: 'file_bound_elsewhere',
      detail: `the path belongs to target ${id}`,
    });
    expect(again['facts']).toEqual({ bound_target_file_id: id });
    expect(await ws.service.initializeTarget({ ...start, target_file_id: id })).toMatchObject({ status: 'existing' });
    const missing = { failure_code: 'path_not_found', detail: expect.stringContaining(id) as string };
    expect(await ws.service.initializeTarget({ from_workspace: true, path })).toMatchObject({
      ...missing,
      facts: { bound_target_file_id: id, last_synced_disk_sha256: null, last_synced_version: null },
      next_step: expect.stringContaining('creates its file') as string,
    });
    await ws.sync(id);
    rmSync(ws.at(path));
    expect(await ws.service.initializeTarget({ from_workspace: true, path })).toMatchObject({
      ...missing,
      facts: { bound_target_file_id: id, last_synced_disk_sha256: sha256('x\n'), last_synced_version: 0 },
    });
  });

  test('two starts of one file at once name the one target', async () => {
    const start = { from_workspace: true, path: `${randomUUID()}.txt`, content: 'x\n' };
    const services = Array.from({ length: 5 }, () => ws.context.another({ workspaceRoot: ws.root }));
    const answers = await Promise.all(services.map((each) => each.initializeTarget(start)));
    const made = answers.filter((answer) => answer['status'] === 'created').map((answer) => answer['target_file_id']);
    expect(made).toHaveLength(1);
    for (const answer of answers.filter((each) => each['status'] !== 'created')) {
      expect(answer).toMatchObject({ failure_code: 'file_bound_elsewhere', facts: { bound_target_file_id: made[0] } });
    }
  });

  test('a file that does not exist yet starts from given text and is written by the first SAVE', async () => {
    const name = `${randomUUID()}.txt`;
    const made = await ws.service.initializeTarget({ from_workspace: true, path: name, content: 'x\r\ny\r\n' });
    expect(made).toMatchObject({ status: 'created', display_name: name, workspace_path: name });
    expect(existsSync(ws.at(name))).toBe(false);
    const id = made['target_file_id'] as string;
    expect(await ws.sync(id)).toMatchObject({ status: 'published', version: 0 });
    expect(ws.onDisk(name)).toBe('x\r\ny\r\n');
    expect(await ws.service.initializeTarget({ from_workspace: true, path: name, content: 'z' })).toMatchObject({
      status: 'rejected',
      failure_code: 'file_exists',
    });
    const taken = `${randomUUID()}.txt`;
    const second = await ws.service.initializeTarget({ from_workspace: true, path: taken, content: 'mine' });
    ws.put(taken, 'theirs');
    expect(await ws.sync(second['target_file_id'] as string)).toMatchObject({
      status: 'rejected',
      failure_code: 'drift',
      facts: { expected_disk_sha256: null },
    });
    expect(ws.onDisk(taken)).toBe('theirs');
  });
});
