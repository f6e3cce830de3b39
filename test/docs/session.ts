import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { fill, missing, type Json, type Names, type Step } from './transcript.ts';

/** How a host starts the server. */
export interface Command {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** A host's session with the real server over its pipes. */
export class Session {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async open({ command, args, env }: Command): Promise<Session> {
    const client = new Client({ name: 'documentation', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env: { PATH: process.env['PATH'] ?? '', ...env }, stderr: 'ignore' }));
    return new Session(client);
  }

  async toolNames(): Promise<string[]> {
    return (await this.#client.listTools()).tools.map((tool) => tool.name);
  }

  /** Sends one documented call; what of the shown answer the real one lacks, with the answer for whoever has to mend the page. */
  async play(step: Step, names: Names): Promise<string[]> {
    const result = await this.#client.callTool({ name: step.tool, arguments: fill(step.send, names) as Record<string, Json> });
    const answer = (result.structuredContent ?? result) as Json;
    const lacks = missing(step.expect, answer, names);
    return lacks.length === 0 ? [] : [...lacks, `${step.tool} answered ${JSON.stringify(answer)}`];
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
