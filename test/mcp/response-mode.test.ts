import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { expect, test } from 'vitest';

import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { connectNew } from './support/hosts.ts';

type Json = Record<string, unknown>;

const IDS = ['1', '2'].map((digit) => `5a5a5a5a-0000-4000-8000-00000000000${digit}`);
const [DOC, FILE] = IDS as [string, string];
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.0-9]*(Z|[+-]\d\d(:\d\d)?)?/g;

const edits = (version: number, match: string, replace: string, key: string): Json => ({
  target_file_id: DOC,
  intent: 'why',
  expected_target_version: version,
  client_request_id: key,
  edits: [{ match, replace, rationale: 'so' }],
});

/** One session of everything that is recorded: accepted, refused, repeated after the target moved, previewed, saved, published, adopted. */
const SESSION: readonly (readonly [string, Json])[] = [
  ['patchdiff_initialize_target', { target_file_id: DOC, display_name: 'd', content: 'alpha\nbeta\n' }],
  ['patchdiff_submit_edits', edits(0, 'alpha', 'ALPHA', 'k1')],
  ['patchdiff_submit_edits', edits(0, 'beta', 'BETA', 'k2')],
  ['patchdiff_submit_edits', edits(1, 'nothing like it', 'x', 'k3')],
  ['patchdiff_preview', { ...edits(1, 'beta', 'BETA', 'k4'), format: 'patchdiff-tx/1' }],
  ['patchdiff_submit_edits', edits(1, 'beta', '', 'k4')],
  ['patchdiff_submit_edits', edits(0, 'alpha', 'ALPHA', 'k1')],
  ['patchdiff_submit_replacement', { target_file_id: DOC, intent: 'all', expected_target_version: 2, replacement: 'new\n' }],
  ['patchdiff_save', { target_file_id: DOC, client_request_id: 'k5' }],
  ['patchdiff_initialize_target', { target_file_id: FILE, from_workspace: true, path: 'f.txt' }],
  [
    'patchdiff_submit_operations',
    {
      target_file_id: FILE,
      intent: 'more',
      expected_target_version: 0,
      operations: [{ op: 'span', start: 0, end: 0, expected_text: '', replace: '>' }],
    },
  ],
  ['patchdiff_save', { target_file_id: FILE, sync_workspace: true, expected_target_version: 1 }],
  ['patchdiff_submit_edits', { ...edits(0, 'x', 'y', 'k6'), target_file_id: IDS[0]?.replace('5a', '00') }],
  ['patchdiff_get_pdcp_log', { target_file_id: DOC, include_content: true }],
  ['patchdiff_get_manifest_ledger', { target_file_id: DOC, include_previous_cycles: true }],
  ['patchdiff_replay_target', { target_file_id: DOC }],
  ['patchdiff_read_target', { target_file_id: DOC }],
];

/** Without what no two sessions share: ids that the database made, times, transaction numbers, and the chain over them. */
const masked = (value: unknown): unknown => {
  if (typeof value === 'string') return value.replace(UUID, (id) => (IDS.includes(id) ? id : '<id>')).replace(TIME, '<time>');
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      /^(chain_head|previous_hash|prev_hash|row_hash|chain_hash|db_transaction_id)$/.test(name) ? '<own>' : masked(member),
    ]),
  );
};

async function rowsOf(database: TestDatabase): Promise<Record<string, string[]>> {
  const admin = await database.client('admin');
  const { rows: tables } = await admin.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class as c where c.relnamespace = 'patchdiff_store'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await admin.query<{ row: Json }>(`select to_jsonb(t) as row from ${name} as t`);
    found[name] = rows.map(({ row }) => JSON.stringify(masked(row))).sort();
  }
  return found;
}

test(
  'compact answers are a part of the detailed ones, within the same schemas, and leave the same bytes and rows',
  { timeout: 60_000 },
  async () => {
    const root = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-mode-'));
    const played: { answers: unknown[]; rows: Record<string, string[]>; file: string }[] = [];
    try {
      for (const mode of ['detailed', 'compact']) {
        writeFileSync(path.join(root, 'f.txt'), 'a\r\nb\n');
        const database = await createDatabase();
        const env = { DATABASE_URL: database.url('writer') };
        const byFlag = { env: { ...env, PATCHDIFF_MCP_RESPONSE_MODE: 'detailed' }, args: ['--workspace', root, '--response-mode', mode] };
        const byVariable = { env: { ...env, PATCHDIFF_MCP_RESPONSE_MODE: mode }, args: ['--workspace', root] };
        // A flag wins over its variable.
        const host = await connectNew(mode === 'compact' ? byFlag : byVariable);
        const schemas = new Map((await host.listTools()).map(({ name, outputSchema }) => [name, outputSchema]));
        const answers: unknown[] = [];
        for (const [tool, args] of SESSION) {
          const { structured, text, isError } = await host.call(tool, args);
          expect({ tool, isError, same: JSON.stringify(structured) === text }, text).toEqual({ tool, isError: false, same: true });
          expect(new AjvJsonSchemaValidator().getValidator(schemas.get(tool) ?? {})(structured), tool).toMatchObject({ valid: true });
          answers.push(masked(structured));
        }
        played.push({ answers, rows: await rowsOf(database), file: readFileSync(path.join(root, 'f.txt'), 'latin1') });
        await host.close();
        await database.drop();
      }
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
    const [detailed, compact] = played;
    expect(compact?.rows).toEqual(detailed?.rows);
    expect(Object.values(detailed?.rows ?? {}).flat().length).toBeGreaterThan(SESSION.length);
    expect(compact?.file).toBe(detailed?.file);
    const shortened = SESSION.flatMap(([tool], at) => {
      const [whole, part] = [detailed?.answers[at] as Json, compact?.answers[at] as Json];
      for (const [name, value] of Object.entries(part)) expect({ tool, [name]: value }).toEqual({ tool, [name]: whole[name] });
      const left = Object.keys(whole).filter((name) => !Object.hasOwn(part, name));
      return left.length === 0 ? [] : [[at, ...left.sort()]];
    });
    const gone = ['before_hash', 'before_version', 'current_hash', 'current_version', 'evidence'];
    // The repeat at 6 comes after the target has moved: where it stands now is told.
    expect(shortened).toEqual([
      [1, ...gone],
      [5, ...gone],
      [6, 'before_hash', 'before_version', 'evidence'],
      [7, ...gone],
      [10, ...gone],
    ]);
  },
);
