import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import type { Database } from '../../src/db/port.ts';
import { createService } from '../../src/service/index.ts';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { startCountingProxy } from './support/counting-proxy.ts';
import type { CountingProxy } from './support/counting-proxy.ts';
import { newTarget } from './support/service.ts';

const server = useDatabase();
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
let root: string;
let proxy: CountingProxy;
let database: Database;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'patchdiff-large-'));
  proxy = await startCountingProxy(server.url());
  database = openDatabase({ connectionString: proxy.url, max: 1 });
});
afterAll(async () => {
  await database.close();
  await proxy.close();
  rmSync(root, { recursive: true, force: true });
});

const lineOf = (line: number): string => `line ${String(line).padStart(6, '0')} – déjà vu 漢字 𝒳\r\n`;

/** `count` lines, CRLF and multibyte: 1 MB at 26,000 lines. */
const documentOf = (count: number): string => Array.from({ length: count }, (_, line) => lineOf(line)).join('');

function fiftyEdits(id: string, version: number, lines: number): JsonObject {
  const edits = Array.from({ length: 50 }, (_, edit) => {
    const line = String(Math.floor((edit * lines) / 50)).padStart(6, '0');
    return { match: `line ${line} –`, replace: `LINE ${line} “edited” —` };
  });
  return { target_file_id: id, intent: 'fifty edits', expected_target_version: version, edits };
}

describe('a file of 1 MB', () => {
  test('is imported, edited in 50 places, saved and replayed, to the byte', async () => {
    const service = createService({ database, actor: null, workspaceRoot: root });
    const before = documentOf(26_000);
    expect(Buffer.byteLength(before)).toBeGreaterThan(1_000_000);
    writeFileSync(join(root, 'large.txt'), before);
    const made = await service.initializeTarget({ from_workspace: true, path: 'large.txt' });
    const id = made['target_file_id'] as string;
    const receipt = await service.submit('patchdiff-tx/1', fiftyEdits(id, 0, 26_000));
    expect(receipt).toMatchObject({ status: 'accepted', version: 1 });
    expect(await service.save({ target_file_id: id, sync_workspace: true, expected_target_version: 1 })).toMatchObject({
      status: 'published',
    });

    const stated = Array.from({ length: 50 }, (_, edit) => Math.floor((edit * 26_000) / 50));
    const after = stated.reduce((text, line) => {
      const number = String(line).padStart(6, '0');
      return text.split(`line ${number} –`).join(`LINE ${number} “edited” —`);
    }, before);
    expect(sha256(readFileSync(join(root, 'large.txt')))).toBe(sha256(Buffer.from(after)));
    expect(await service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
    const auditor = await server.client('auditor');
    expect((await auditor.query('select * from patchdiff_audit.verify_all()')).rows).toEqual([]);
  });
});

describe('what an edit costs on the wire', () => {
  /** Bytes of one edit of each outcome, on a document of so many lines, its content cached. */
  async function costs(lines: number): Promise<Record<string, { sent: number; received: number; answer: number }>> {
    const service: Service = createService({ database, actor: null });
    const id = await newTarget(service, documentOf(lines));
    // The same edits in both: looking for earlier versions brings their facts along, digits of offsets included.
    await service.submit('patchdiff-tx/1', { ...fiftyEdits(id, 0, 100), intent: 'warm up' });
    const common = { target_file_id: id, intent: 'one edit', expected_target_version: 1 };
    const calls: Record<string, JsonObject> = {
      absent: { ...common, edits: [{ match: 'QQQQQQQQQQQQ', replace: 'x' }] },
      malformed: { ...common, edits: [{ match: '', replace: 'x' }] },
      stale: { ...common, expected_target_version: 0, edits: [{ match: 'line 000001', replace: 'x' }] },
      accepted: { ...common, edits: [{ match: 'line 000001', replace: 'line 1' }] },
    };
    const seen: Record<string, { sent: number; received: number; answer: number }> = {};
    for (const [name, args] of Object.entries(calls)) {
      proxy.takeBytes();
      const receipt = await service.submit('patchdiff-tx/1', args);
      seen[name] = { ...proxy.takeBytes(), answer: JSON.stringify(receipt).length };
    }
    return seen;
  }

  test('does not grow with the document, in SQL or in the answer', async () => {
    const small = await costs(100);
    const large = await costs(26_000);
    for (const [name, cost] of Object.entries(large)) {
      // Only the digits of offsets and totals may differ.
      for (const part of ['sent', 'received', 'answer'] as const) {
        expect(cost[part], `${name} ${part}`).toBeLessThan((small[name]?.[part] ?? 0) + 64);
        expect(cost[part], `${name} ${part}`).toBeLessThan(8192);
      }
    }
  });
});
