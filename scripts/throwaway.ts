import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureServer, stopServer } from '../src/db/embedded/index.ts';

/** Runs `work` on an embedded server that exists only meanwhile; `url` names a fresh database on it, as its superuser. */
export async function withThrowawayServer<T>(work: (url: (database: string) => string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-throwaway-'));
  chmodSync(home, 0o711);
  try {
    const { adminUrl } = await ensureServer({ home, durable: false });
    return await work((database) => {
      const url = new URL(adminUrl);
      url.pathname = `/${database}`;
      return url.href;
    });
  } finally {
    await stopServer({ home });
    rmSync(home, { recursive: true, force: true });
  }
}
