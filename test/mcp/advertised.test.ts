import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { RawPipe, STUB } from './support/raw-pipe.ts';
import { lintTool } from './support/schema-lint.ts';
import type { ListedTool } from './support/schema-lint.ts';

const START = { command: process.execPath, args: [...STUB], stderr: 'ignore' as const };
const OBSERVED = [
  'patchdiff_read_lines',
  'patchdiff_find_occurrences',
  'patchdiff_list_scopes',
  'patchdiff_observe_scopes',
  'patchdiff_commit_bundle',
];
const PARTS = {
  observed_workspace: ['patchdiff_initialize_target', ...OBSERVED, 'patchdiff_save'],
  workspace: [
    'patchdiff_initialize_target',
    'patchdiff_read_lines',
    'patchdiff_find_occurrences',
    'patchdiff_submit_operations',
    'patchdiff_save',
  ],
  observed_v2: OBSERVED,
};

interface Listing {
  tools: ListedTool[];
  instructions: string;
}

/** What the server says over the wire, unread by any SDK. */
async function listing(profile: string): Promise<Listing> {
  const pipe = new RawPipe(STUB, [], { STUB_PROFILE: profile });
  try {
    const hello = await pipe.initialize();
    const list = await pipe.request(1, 'tools/list');
    expect(list.result).not.toHaveProperty('nextCursor');
    return { tools: list.result?.['tools'] as ListedTool[], instructions: hello.result?.['instructions'] as string };
  } finally {
    pipe.kill();
  }
}

describe.each(['full', 'observed_workspace', 'workspace', 'observed_v2'])('profile %s', (profile) => {
  let said: Listing;
  beforeAll(async () => {
    said = await listing(profile);
  });

  test('every tool is one that hosts can digest', () => {
    for (const tool of said.tools) expect({ [tool.name]: lintTool(tool) }).toEqual({ [tool.name]: [] });
  });

  test('instructions teach the loop in at most 1,500 characters, with tools that exist here', () => {
    expect(said.instructions.length).toBeLessThanOrEqual(1500);
    for (const step of ['READ', 'GUARD', 'SUBMIT', 'RECOVER', 'SAVE']) expect(said.instructions).toContain(`${step}:`);
    const known = said.tools.map((tool) => tool.name);
    for (const name of said.instructions.match(/patchdiff_[a-z_]+/g) ?? []) expect(known).toContain(name);
  });

  test('is what it was', async () => {
    await expect(`${JSON.stringify(said, null, 2)}\n`).toMatchFileSnapshot(`./advertised-${profile}.snap`);
  });
});

test('every other profile is a part of the full one, in the same order', async () => {
  const full = await listing('full');
  expect(full.tools).toHaveLength(17);
  for (const [profile, names] of Object.entries(PARTS)) {
    const part = await listing(profile);
    expect(part.tools.map((tool) => tool.name)).toEqual(names);
    for (const tool of part.tools) expect(full.tools).toContainEqual(tool);
  }
});

describe('both protocol eras on one pipe', () => {
  test('a 2.x client negotiates the 2026 era and lists the same tools', async () => {
    const client = new Client({ name: 'new-host', version: '2' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport(START));
    try {
      expect(client.getProtocolEra()).toBe('modern');
      const { tools } = await client.listTools();
      expect(withoutUndefined(tools)).toEqual((await listing('full')).tools);
      const result = await client.callTool({ name: 'patchdiff_read_target', arguments: { start: 1 } });
      expect(result.structuredContent).toMatchObject({
        method: 'readTarget',
        seen: { start: 1 },
        actor: { host: 'new-host', host_version: '2' },
      });
    } finally {
      await client.close();
    }
  });

  test('a 1.x client speaks the 2025 era and lists the same tools', async () => {
    const client = new OldClient({ name: 'old-host', version: '1' });
    await client.connect(new OldStdioTransport(START));
    try {
      const { tools } = await client.listTools();
      expect(withoutUndefined(tools)).toEqual((await listing('full')).tools);
      const result = await client.callTool({ name: 'patchdiff_read_target', arguments: { start: 1 } });
      expect(result.structuredContent).toMatchObject({
        method: 'readTarget',
        seen: { start: 1 },
        actor: { host: 'old-host', host_version: '1' },
      });
    } finally {
      await client.close();
    }
  });

  describe('by hand', () => {
    let pipe: RawPipe;
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'prober', version: '3' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    beforeAll(() => {
      pipe = new RawPipe(STUB);
    });
    afterAll(() => pipe.kill());

    test('server/discover answers, then initialize of the 2025 era works', async () => {
      const discovered = await pipe.request(1, 'server/discover', { _meta: meta });
      expect(discovered.result).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']) as string[] });
      const hello = await pipe.initialize('2025-11-25');
      expect(hello.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'patchdiff' } });
      expect((await pipe.request(2, 'tools/list')).result?.['tools']).toHaveLength(17);
    });
  });

  test.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('a host of %s is served in its version', async (version) => {
    const pipe = new RawPipe(STUB);
    try {
      expect((await pipe.initialize(version)).result?.['protocolVersion']).toBe(version);
      expect((await pipe.call(1, 'patchdiff_list_targets', {})).result?.['structuredContent']).toBeDefined();
    } finally {
      pipe.kill();
    }
  });
});

function withoutUndefined(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
