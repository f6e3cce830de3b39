import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureServer, stopServer } from '../../src/db/embedded/index.ts';
import { pidIsTaken } from '../../src/db/embedded/postmaster.ts';

/** A server where tests may create and drop databases and roles. */
export interface TestServer {
  /** A superuser's URL of a maintenance database. */
  url: string;
  stop: () => Promise<void>;
}

/**
 * `TEST_DATABASE_URL`, else a container when `TEST_POSTGRES=container`, else an embedded server in a temporary directory.
 * Never `DATABASE_URL`: tests drop databases.
 */
export async function startTestServer(env: NodeJS.ProcessEnv): Promise<TestServer> {
  if (env['TEST_DATABASE_URL']) return { url: env['TEST_DATABASE_URL'], stop: () => Promise.resolve() };
  switch (env['TEST_POSTGRES'] ?? 'embedded') {
    case 'embedded':
      return startEmbedded();
    case 'container':
      return (await import('./container.ts')).startContainer(env);
    default:
      throw new Error(`TEST_POSTGRES is ${env['TEST_POSTGRES']}; it may be embedded or container`);
  }
}

const HOME = /^patchdiff-test-(\d+)-/;

async function startEmbedded(): Promise<TestServer> {
  await sweep();
  const home = mkdtempSync(path.join(os.tmpdir(), `patchdiff-test-${process.pid}-`));
  chmodSync(home, 0o711);
  const { adminUrl } = await ensureServer({ home, durable: false });
  const url = new URL(adminUrl);
  url.pathname = '/postgres';
  return {
    url: url.href,
    stop: async () => {
      await stopServer({ home });
      rmSync(home, { recursive: true, force: true });
    },
  };
}

// The server outlives its starter, so a run that was killed leaves one behind: stop those of runs that are no more.
async function sweep(): Promise<void> {
  for (const name of readdirSync(os.tmpdir())) {
    const pid = HOME.exec(name)?.[1];
    if (pid === undefined || pidIsTaken(Number(pid))) continue;
    const home = path.join(os.tmpdir(), name);
    await stopServer({ home });
    rmSync(home, { recursive: true, force: true });
  }
}
