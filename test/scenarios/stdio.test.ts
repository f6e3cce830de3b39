import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { connectNew, connectOld, type Host } from '../mcp/support/hosts.ts';
import { scenarios } from './corpus.ts';
import { play, type Call } from './player.ts';

describe.each([
  ['the 2.x client, each submission previewed, keyed and sent twice', connectNew, { keyed: true, previewed: true }],
  ['the 1.x client, as a host sends them that knows of neither', connectOld, { keyed: false, previewed: false }],
] as const)('scenarios over stdio with %s', (_, connect, options) => {
  let database: TestDatabase;
  let host: Host;
  beforeAll(async () => {
    database = await createDatabase();
    host = await connect({ env: { DATABASE_URL: database.url('writer') } });
  });
  afterAll(async () => {
    await host.close();
    await database.drop();
  });

  // Both clients refuse a structured result that does not fit the tool's output schema, rejections included.
  const call: Call = async (tool, args) => {
    const result = await host.call(tool, args);
    expect(result.isError, result.text).toBe(false);
    expect(JSON.parse(result.text)).toEqual(result.structured);
    return result.structured ?? {};
  };

  it.each(scenarios())('$name: $title', async (scenario) => {
    await play(scenario, call, options);
  });
});
