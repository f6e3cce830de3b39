import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createDatabase } from '../helpers/database.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { connectNew, connectOld, exampleOf } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/** What each tool's example answers when all run in their order on an empty database. */
const STATUS: Record<string, string> = {
  patchdiff_list_targets: 'ok',
  patchdiff_initialize_target: 'created',
  patchdiff_read_target: 'ok',
  patchdiff_read_lines: 'ok',
  patchdiff_find_occurrences: 'ok',
  patchdiff_list_scopes: 'ok',
  patchdiff_observe_scopes: 'observed',
  patchdiff_preview: 'would_accept',
  patchdiff_submit_edits: 'accepted',
  patchdiff_submit_operations: 'accepted',
  patchdiff_submit_replacement: 'accepted',
  // Its bundle_id is none: those of observations are random.
  patchdiff_commit_bundle: 'rejected',
  patchdiff_get_pdcp_log: 'ok',
  patchdiff_get_manifest_ledger: 'ok',
  patchdiff_save: 'checkpointed',
  patchdiff_replay_target: 'success',
  patchdiff_export_target: 'ok',
};

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

/** The version that the examples of a profile lead to. */
const VERSION: Record<string, number> = { full: 3, workspace: 1, observed_workspace: 0 };

describe.each([
  ['the 2.x client', 'full', connectNew],
  ['the 1.x client', 'full', connectOld],
  ['the 2.x client', 'workspace', connectNew],
  ['the 2.x client', 'observed_workspace', connectNew],
])('over stdio and PostgreSQL, with %s and profile %s', (_, profile, connect) => {
  let database: TestDatabase;
  let host: Host;
  let tools: Awaited<ReturnType<Host['listTools']>>;

  beforeAll(async () => {
    database = await createDatabase();
    host = await connect({ env: { DATABASE_URL: database.url('writer') }, args: ['--profile', profile] });
    tools = await host.listTools();
  });

  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  test("every tool's example works as it stands", async () => {
    const seen: Record<string, unknown> = {};
    for (const tool of tools) {
      const example = exampleOf(tool);
      expect(valid(tool.inputSchema, example)).toBe('');
      const result = await host.call(tool.name, example);
      expect({ tool: tool.name, text: result.text, isError: result.isError }).toMatchObject({ isError: false });
      expect(valid(tool.outputSchema, result.structured)).toBe('');
      expect(JSON.parse(result.text)).toEqual(result.structured);
      seen[tool.name] = result.structured?.['status'];
    }
    // The example of SAVE is guarded by the version that an accepted change makes.
    const status = VERSION[profile] === 0 ? { ...STATUS, patchdiff_save: 'rejected' } : STATUS;
    expect(seen).toEqual(Object.fromEntries(tools.map(({ name }) => [name, status[name]])));
    if (profile === 'full') expect(Object.keys(seen).sort()).toEqual(Object.keys(STATUS).sort());
  });

  test('the examples led to what they say', async () => {
    const { target_file_id } = exampleOf(tools.find((tool) => tool.name === 'patchdiff_read_lines') ?? { description: '' });
    const read = await host.call('patchdiff_read_lines', { target_file_id });
    expect(read.structured).toMatchObject({ version: VERSION[profile] });
    expect((read.structured?.['lines'] as { text: string }[]).map(({ text }) => text)).toEqual([
      '# Notes',
      '',
      VERSION[profile] === 0 ? 'alpha' : 'Alpha',
      'beta',
    ]);
    const admin = await database.client('admin');
    const { rows } = await admin.query('select * from patchdiff_audit.verify_all()');
    expect(rows).toEqual([]);
    if (profile !== 'full') return;
    const replay = await host.call('patchdiff_replay_target', { target_file_id });
    expect(replay.structured).toMatchObject({ status: 'success', materialized_state_matches: true });
  });

  test('every tool answers arguments that are empty, malformed, unknown or too many within its output schema', async () => {
    for (const tool of tools) {
      const example = exampleOf(tool);
      const cases: Record<string, unknown>[] = [
        {},
        { ...example, target_file_id: 'no uuid' },
        { ...example, target_file_id: UNKNOWN },
        { ...example, misspelt: true },
        { ...example, target_file_id: null },
      ];
      for (const args of cases) {
        const result = await host.call(tool.name, args);
        expect({ tool: tool.name, args, text: result.text, isError: result.isError }).toMatchObject({ isError: false });
        expect({ tool: tool.name, args, fault: valid(tool.outputSchema, result.structured) }).toMatchObject({ fault: '' });
        expect(JSON.parse(result.text)).toEqual(result.structured);
      }
    }
  });
});

test('all examples together stay under 8,192 bytes', async () => {
  const database = await createDatabase();
  const host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  try {
    const tools = await host.listTools();
    const examples = tools.map((tool) => JSON.stringify({ name: tool.name, arguments: exampleOf(tool) }));
    expect(examples).toHaveLength(17);
    expect(Buffer.byteLength(examples.join('\n'))).toBeLessThan(8192);
    // Also as they stand in the descriptions, if a host counts those.
    const lines = tools.flatMap(({ description }) => description.split('\n').filter((line) => line.startsWith('Example: ')));
    expect(lines).toHaveLength(17);
    expect(Buffer.byteLength(lines.join('\n'))).toBeLessThan(8192);
  } finally {
    await host.close();
    await database.drop();
  }
});

/** Empty when `value` is valid under the schema, else what is wrong. */
function valid(schema: object, value: unknown): string {
  const result = new AjvJsonSchemaValidator().getValidator(schema)(value);
  return result.valid ? '' : result.errorMessage;
}
