import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { SERVER } from './raw-pipe.ts';

/** A tool's result as a host gets it. */
export interface ToolResult {
  isError: boolean;
  structured: Record<string, unknown> | undefined;
  text: string;
}

/** The least that a test needs of a real host; both clients check structured results against the output schemas. */
export interface Host {
  listTools(): Promise<{ name: string; description: string; inputSchema: object; outputSchema: object }[]>;
  call(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface HostOptions {
  env: Record<string, string>;
  args?: string[];
}

type Connect = (options: HostOptions) => Promise<Host>;

const start = ({ env, args = [] }: HostOptions) => ({
  command: process.execPath,
  args: [...SERVER, ...args],
  env: { PATH: process.env['PATH'] ?? '', ...env },
  stderr: 'ignore' as const,
});

/** The current client, in the 2026 era of the protocol. */
export const connectNew: Connect = async (options) => {
  const client = new Client({ name: 'new-host', version: '2.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport(start(options)));
  return hostOf(client);
};

/** The 1.x client, in the 2025 era. */
export const connectOld: Connect = async (options) => {
  const client = new OldClient({ name: 'old-host', version: '1.0' });
  await client.connect(new OldStdioTransport(start(options)));
  return hostOf(client);
};

function hostOf(client: Client | OldClient): Host {
  return {
    listTools: async () => {
      const { tools } = await client.listTools();
      return tools.map(({ name, description = '', inputSchema, outputSchema = {} }) => ({ name, description, inputSchema, outputSchema }));
    },
    call: async (name, args) => {
      const result = await client.callTool({ name, arguments: args });
      const [first] = result.content as { type: string; text: string }[];
      return {
        isError: result.isError === true,
        structured: result.structuredContent as Record<string, unknown> | undefined,
        text: first?.text ?? '',
      };
    },
    close: () => client.close(),
  };
}

/** The arguments that a tool's description shows as its example. */
export function exampleOf(tool: { description: string }): Record<string, unknown> {
  const line = tool.description.split('\n').find((candidate) => candidate.startsWith('Example: '));
  if (line === undefined) throw new Error('the description shows no example');
  return JSON.parse(line.slice('Example: '.length)) as Record<string, unknown>;
}
