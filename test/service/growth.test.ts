import { describe, expect, test } from 'vitest';
import type pg from 'pg';
import { newTarget, useService } from './support/service.ts';

const context = useService();

const EDITS = 32;
/** Pages of a table and its indexes are taken whole, so a short run has this much play. */
const SLACK = 16 * 8192;
const HISTORY = [
  'append_only_pdcp_logs',
  'append_only_manifest_ledger',
  'request_keys',
  'target_heads',
  'target_snapshots',
  'editing_cycles',
];

async function figure(admin: pg.Client, sql: string): Promise<number> {
  const { rows } = await admin.query<{ figure: string }>(`select (${sql})::text as figure`);
  return Number(rows[0]?.figure);
}

const sizeOf = (tables: string[]): string => tables.map((name) => `pg_total_relation_size('patchdiff_store.${name}')`).join(' + ');

/** Incompressible enough that what is stored is as long as what was sent. */
function documentOf(bytes: number): string {
  let text = 'X';
  for (let seed = 7; text.length < bytes;) {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    text += `${seed.toString(36)} ${(seed ^ 0x5a5a5a).toString(36)}\n`;
  }
  return text;
}

/** EDITS changes of one character each, from `version` on. */
async function change(id: string, version: number): Promise<void> {
  for (let edit = version; edit < version + EDITS; edit += 1) {
    const [old, fresh] = edit % 2 === 0 ? ['X', 'Y'] : ['Y', 'X'];
    const operations = [{ op: 'span', start: 0, end: 1, expected_text: old, replace: fresh }];
    const args = { target_file_id: id, intent: 'one character', expected_target_version: edit, client_request_id: `e${edit}`, operations };
    expect(await context.service.submit('patchdiff-tx/2', args)).toMatchObject({ status: 'accepted' });
  }
}

describe('what a small edit of a large document adds', () => {
  test.each([16 * 1024, 1024 * 1024])('to the history, for a document of %i bytes: a few kilobytes', async (bytes) => {
    const admin = await context.server.client('admin');
    const id = await newTarget(context.service, documentOf(bytes));
    const before = await figure(admin, sizeOf(HISTORY));
    await change(id, 0);
    const after = await figure(admin, sizeOf(HISTORY));
    expect(after - before).toBeGreaterThan(0);
    expect((after - before - SLACK) / EDITS).toBeLessThan(6 * 1024);
  });

  test('to the current text: one copy of it, whose space a vacuum gives to later edits', async () => {
    const bytes = 512 * 1024;
    const admin = await context.server.client('admin');
    const id = await newTarget(context.service, documentOf(bytes));
    const size = sizeOf(['cloud_target_files']);
    const before = await figure(admin, size);
    await change(id, 0);
    await admin.query('vacuum patchdiff_store.cloud_target_files');
    const held = await figure(admin, size);
    expect((held - before) / EDITS).toBeLessThan(1.25 * bytes);
    await change(id, EDITS);
    expect(await figure(admin, size)).toBeLessThanOrEqual(held + bytes);
  });
});
