import { afterAll, beforeAll, expect, test } from 'vitest';

import { useDatabase } from '../../helpers/database.ts';
import { connectNew, exampleOf } from '../support/hosts.ts';
import type { Host } from '../support/hosts.ts';
import { Transcript } from './transcript.ts';

/* What the tools that submit nothing say of an argument that broke its rule, and of a target that is not there. */

const database = useDatabase();
const TARGET = '5a5a5a5a-0000-4000-8000-00000000000a';
const UNKNOWN = '5a5a5a5a-0000-4000-8000-0000000000ff';
/** Must not come back in any words. */
const SECRET = 's3cret';

type Property = { type: string; pattern?: string; enum?: string[] };
let host: Host;
let tools: Awaited<ReturnType<Host['listTools']>>;

beforeAll(async () => {
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  tools = (await host.listTools()).filter(({ name }) => !/^patchdiff_(submit_|commit_bundle)/.test(name));
  await host.call('patchdiff_initialize_target', { target_file_id: TARGET, display_name: 'd', content: 'alpha\nbeta\n' });
});
afterAll(() => host.close());

/** Values that a property of this kind cannot take. */
function wrongValues({ type, pattern, enum: choices }: Property): unknown[] {
  if (type === 'integer') return [SECRET, true, 1.5, -1, 2 ** 53, [3]];
  if (type === 'boolean') return ['true', 1];
  if (choices !== undefined) return [SECRET, 7];
  if (pattern !== undefined) return [`${SECRET} `, 7, ''];
  return [7, { [SECRET]: 1 }, `${SECRET}\ud800`, `${SECRET}\0`, ''];
}

test('every argument of every tool that reads, searches, saves or shows history', { timeout: 300_000 }, async () => {
  const transcript = new Transcript('arguments', { members: ['status', 'detail', 'next_step'] }, [TARGET, UNKNOWN]);
  const said = new Set<string>();
  for (const tool of tools) {
    const { properties } = tool.inputSchema as { properties: Record<string, Property> };
    const example = { ...exampleOf(tool), ...('target_file_id' in properties ? { target_file_id: TARGET } : {}) };
    const refused = async (title: string, sent: Record<string, unknown>, shown: unknown): Promise<void> => {
      const result = await host.call(tool.name, { ...example, ...sent });
      const answer = JSON.parse(result.text) as Record<string, unknown>;
      // Values that this tool takes, or judges itself, are no argument errors.
      if (answer['status'] !== 'invalid_argument') return;
      expect(result.text).not.toContain(SECRET);
      expect(answer).toMatchObject({ argument: expect.any(String) as string, kind: expect.any(String) as string });
      // Once for each way of saying it.
      if (said.has(`${title} ${result.text}`)) return;
      said.add(`${title} ${result.text}`);
      transcript.add(title, shown, result);
    };
    for (const [name, property] of Object.entries(properties)) {
      // The body of a preview is a submission's, judged by the decoder.
      if (tool.name === 'patchdiff_preview' && name !== 'target_file_id' && name !== 'format') continue;
      for (const value of wrongValues(property)) await refused(`${tool.name} ${name}`, { [name]: value }, value);
    }
    for (const name of (tool.inputSchema as { required?: string[] }).required ?? []) {
      await refused(`${tool.name} without ${name}`, { [name]: null }, null);
    }
    await refused(`${tool.name} with an unknown argument`, { [`expected_versoin`]: SECRET }, 'expected_versoin');
  }
  const past = { target_file_id: TARGET, start_line: 99 };
  transcript.add('patchdiff_read_lines past the end', past, await host.call('patchdiff_read_lines', past));
  const path = { path: 'notes.md', content: 'x', display_name: 'd' };
  transcript.add('patchdiff_initialize_target path alone', path, await host.call('patchdiff_initialize_target', path));
  transcript.add('patchdiff_initialize_target nothing', {}, await host.call('patchdiff_initialize_target', {}));
  const bare = { from_workspace: true };
  transcript.add('patchdiff_initialize_target no path', bare, await host.call('patchdiff_initialize_target', bare));
  await expect(transcript.toString()).toMatchFileSnapshot('./arguments.snap');
});

test('an unknown target', { timeout: 300_000 }, async () => {
  const transcript = new Transcript(
    'an unknown target',
    { members: ['status', 'detail', 'next_step', 'entries', 'has_more', 'next_sequence'] },
    [UNKNOWN],
  );
  for (const tool of tools) {
    const { properties } = tool.inputSchema as { properties: Record<string, Property> };
    if (!('target_file_id' in properties) || tool.name === 'patchdiff_initialize_target') continue;
    const result = await host.call(tool.name, { ...exampleOf(tool), target_file_id: UNKNOWN });
    expect(JSON.parse(result.text)).toMatchObject({ status: 'not_found' });
    transcript.add(tool.name, { target_file_id: UNKNOWN }, result);
  }
  await expect(transcript.toString()).toMatchFileSnapshot('./unknown-target.snap');
});
