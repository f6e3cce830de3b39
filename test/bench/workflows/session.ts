import { Client } from '@modelcontextprotocol/client';
import { Wire } from './wire.ts';
import type { Traffic } from './wire.ts';

export type Answer = Record<string, unknown>;

/** What passed between agent and server in some span of a run. */
export interface Cost extends Traffic {
  calls: number;
  ms: number;
}

/** An agent's end of the connection to one server process. */
export interface Session {
  /** Calls a tool and returns the structured part of its answer. Throws on an `isError` answer and on a protocol error. */
  call(tool: string, args: Answer): Promise<Answer>;
  /** What passed since the last time it was asked. */
  cost(): Cost;
  close(): Promise<void>;
}

/** Starts a server (arguments of Node), shakes hands and lists its tools, as a host does. Throws with what the server said when it does not come up. */
export async function openSession(command: readonly string[], env: Record<string, string>): Promise<Session> {
  const started = performance.now();
  const wire = new Wire(command, env);
  const client = new Client({ name: 'workflow-bench', version: '1.0' });
  try {
    await client.connect(wire);
    await client.listTools();
  } catch (error) {
    await wire.close();
    throw new Error(`the server did not come up: ${wire.stderr.trim() || String(error)}`, { cause: error });
  }
  let calls = 0;
  let since = { ...{ sent: 0, received: 0 }, calls: 0, at: started };
  return {
    call: async (tool, args) => {
      calls += 1;
      const result = await client.callTool({ name: tool, arguments: args });
      if (result.isError === true) throw new Error(`${tool} failed: ${JSON.stringify(result.structuredContent ?? result.content)}`);
      return (result.structuredContent ?? {}) as Answer;
    },
    cost: () => {
      const now = { ...wire.traffic, calls, at: performance.now() };
      const { sent, received, calls: before, at } = since;
      since = now;
      return { sent: now.sent - sent, received: now.received - received, calls: calls - before, ms: now.at - at };
    },
    close: () => client.close(),
  };
}

/** The answer, when its status is the expected one. Throws with the whole answer otherwise. */
export function expectStatus(answer: Answer, status: string): Answer {
  if (answer['status'] !== status) throw new Error(`not ${status}: ${JSON.stringify(answer).slice(0, 2000)}`);
  return answer;
}
