import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { ensureServer, stopServer } from '../../src/db/embedded/index.ts';
import { buildTemplate, withServer, type Template } from '../helpers/template.ts';

/** A fresh embedded server with fsync on and the template database on it, whose superuser `admin` is; both are gone afterwards. */
export async function withBenchServer<T>(work: (admin: pg.Client, template: Template) => Promise<T>): Promise<T> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-bench-'));
  chmodSync(home, 0o711);
  try {
    const { adminUrl } = await ensureServer({ home });
    const url = new URL(adminUrl);
    url.pathname = '/postgres';
    const template = await buildTemplate(url.href);
    return await withServer(url.href, (admin) => work(admin, template));
  } finally {
    await stopServer({ home });
    rmSync(home, { recursive: true, force: true });
  }
}
