import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/service/index.ts';
import { edit, newTarget } from './support/service.ts';
import { useWorkspace } from './support/workspace.ts';

const ws = useWorkspace();

const TEXTS = ['a\0b', '\ud83d', '\ude00\ud83d', `${'x'.repeat(200)}\udc00`];

/** Every argument that is a text, of every use case but the submissions (whose fields the scenarios go through). */
const ARGUMENTS: [tool: string, argument: string, call: (text: string, id: string) => Promise<JsonObject>][] = [
  ['initialize_target', 'display_name', (text) => ws.service.initializeTarget({ content: 'x', display_name: text })],
  ['initialize_target', 'content', (text) => ws.service.initializeTarget({ content: text, display_name: 'd' })],
  ['initialize_target', 'path', (text) => ws.service.initializeTarget({ from_workspace: true, path: text })],
  ['initialize_target', 'target_file_id', (text) => ws.service.initializeTarget({ content: 'x', display_name: 'd', target_file_id: text })],
  ['list_targets', 'filter', (text) => ws.service.listTargets({ filter: text })],
  ['list_targets', 'cursor', (text) => ws.service.listTargets({ cursor: text })],
  ['read_target', 'target_file_id', (text) => ws.service.readTarget({ target_file_id: text })],
  ['read_lines', 'target_file_id', (text) => ws.service.readLines({ target_file_id: text })],
  ['find_occurrences', 'text', (text, id) => ws.service.findOccurrences({ target_file_id: id, text })],
  ['preview', 'format', (text, id) => ws.service.preview({ target_file_id: id, format: text })],
  ['get_pdcp_log', 'status', (text, id) => ws.service.getPdcpLog({ target_file_id: id, status: text })],
  ['get_pdcp_log', 'content_hash', (text, id) => ws.service.getPdcpLog({ target_file_id: id, content_hash: text })],
  ['get_pdcp_log', 'client_request_id', (text, id) => ws.service.getPdcpLog({ target_file_id: id, client_request_id: text })],
  ['get_manifest_ledger', 'target_file_id', (text) => ws.service.getManifestLedger({ target_file_id: text })],
  ['save', 'client_request_id', (text, id) => ws.service.save({ target_file_id: id, client_request_id: text })],
  ['save', 'expected_current_hash', (text, id) => ws.service.save({ target_file_id: id, expected_current_hash: text })],
  ['replay_target', 'target_file_id', (text) => ws.service.replayTarget({ target_file_id: text })],
  ['export_target', 'format', (text, id) => ws.service.exportTarget({ target_file_id: id, format: text })],
];

describe('text that PostgreSQL cannot hold', () => {
  test.each(ARGUMENTS)('%s: it is refused in every argument, here %s', async (_tool, _argument, call) => {
    const id = await newTarget(ws.context.service, 'x\n');
    const before = (await ws.service.listTargets({}))['targets'] as unknown[];
    for (const text of TEXTS) {
      const answer = await call(text, id);
      expect(answer['status'], JSON.stringify(answer)).toMatch(/^(invalid_argument|rejected)$/);
      expect(JSON.stringify(answer).isWellFormed()).toBe(true);
      expect(JSON.stringify(answer)).not.toMatch(/\\u0000|\\ud83d|\\udc00|\\ude00/);
    }
    expect(((await ws.service.listTargets({}))['targets'] as unknown[]).length).toBe(before.length);
    expect((await ws.service.getPdcpLog({ target_file_id: id }))['entries']).toEqual([]);
  });

  test('a megabyte of control characters is logged by its digest, and answered', async () => {
    const id = await newTarget(ws.context.service, 'x\n');
    const controls = '\u0001\u0008\u001f\u007f'.repeat(262_144);
    const long = await ws.service.submit('patchdiff-tx/1', edit(id, 0, controls, 'y'));
    expect(long).toMatchObject({ status: 'rejected', failure_reason: 'manifest_invalid', failure_code: 'match_too_long' });
    const absent = await ws.service.submit('patchdiff-tx/1', edit(id, 0, controls.slice(0, 65_536), 'y'));
    expect(absent).toMatchObject({ status: 'rejected', failure_reason: 'match_absent' });
    const halves = await ws.service.submit('patchdiff-tx/1', edit(id, 0, `${controls}\ud83d`, 'y'));
    expect(halves).toMatchObject({
      status: 'rejected',
      failure_reason: expect.stringMatching(/target_encoding_invalid|manifest_invalid/) as string,
    });
    for (const receipt of [long, absent, halves]) expect(Buffer.byteLength(JSON.stringify(receipt))).toBeLessThan(65_536);
    const log = await ws.service.getPdcpLog({ target_file_id: id });
    const entries = log['entries'] as JsonObject[];
    expect(entries.map((entry) => entry['pdcp_log_id'])).toEqual([halves, absent, long].map((receipt) => receipt['pdcp_log_id']));
    for (const entry of entries) expect(entry['pdcp_content_hash']).toMatch(/^[0-9a-f]{64}$/);
  });
});
