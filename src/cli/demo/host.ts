import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export type ToolResult = Record<string, unknown>;

/** An MCP host as small as one can be: it starts the real server as a process and calls its tools over stdio. */
export interface DemoHost {
  /** How the two ends agreed to talk, for people. */
  protocol: string;
  tools: number;
  call(tool: string, args: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Starts `patchdiff mcp --workspace <workspace>` and connects. Throws when the server does not come up. */
export async function startHost(workspace: string, env: NodeJS.ProcessEnv, version: string): Promise<DemoHost> {
  const program = fileURLToPath(new URL('../main.js', import.meta.url));
  const client = new Client({ name: 'patchdiff-demo', version }, { versionNegotiation: { mode: 'auto' } });
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--workspace', workspace],
      env: Object.fromEntries(defined),
      stderr: 'inherit',
    }),
  );
  const { tools } = await client.listTools();
  return {
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    tools: tools.length,
    call: async (tool, args) => {
      const result = await client.callTool({ name: tool, arguments: args });
      if (result.isError === true) throw new Error(`${tool} failed: ${JSON.stringify(result.structuredContent ?? result.content)}`);
      return result.structuredContent as ToolResult;
    },
    close: () => client.close(),
  };
}
