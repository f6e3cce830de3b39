import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { openDatabase } from '../../../src/db/pool.ts';
import type { Database } from '../../../src/db/port.ts';
import { createService } from '../../../src/service/index.ts';
import type { JsonObject, Service, ServiceDeps } from '../../../src/service/index.ts';
import { useDatabase } from '../../helpers/database.ts';
import type { TestDatabase } from '../../helpers/database.ts';

export interface TestService {
  readonly service: Service;
  readonly database: Database;
  readonly server: TestDatabase;
  /** One more service, with caches of its own, over the same database; as another process would be. */
  another(deps?: Partial<ServiceDeps>): Service;
}

/** A service as a writer over this file's own database. */
export function useService(): TestService {
  const server = useDatabase();
  let database: Database | undefined;
  let service: Service | undefined;
  const made = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the service exists only inside tests and hooks');
    return value;
  };
  const another = (deps: Partial<ServiceDeps> = {}): Service =>
    createService({ database: made(database), actor: { host: 'test' }, ...deps });
  beforeAll(() => {
    database = openDatabase({ connectionString: server.url() });
    service = another();
  });
  afterAll(() => database?.close());
  return {
    get service() {
      return made(service);
    },
    get database() {
      return made(database);
    },
    server,
    another,
  };
}

/** A fresh target with this content; its id. */
export async function newTarget(service: Service, content: string, more: JsonObject = {}): Promise<string> {
  const made = await service.initializeTarget({ content, display_name: 'doc', ...more });
  if (made['status'] !== 'created') throw new Error(JSON.stringify(made));
  return made['target_file_id'] as string;
}

/** Makes of a target of mixed line ends one of which no ending is recorded, as releases made them that recorded none. */
export async function forgetEndings(admin: pg.Client, id: string): Promise<void> {
  await admin.query('update patchdiff_store.cloud_target_files set eol_runs = null, eol_version = null where target_file_id = $1', [id]);
}

export async function textOf(service: Service, id: string): Promise<string> {
  let text = '';
  for (let start: unknown = 0; start !== null;) {
    const page = await service.readTarget({ target_file_id: id, start: start as number, length: 8000 });
    text += page['text'] as string;
    start = page['next_start'];
  }
  return text;
}

/** One exact edit guarded by a version. */
export function edit(id: string, version: number, match: string, replace: string, more: JsonObject = {}): JsonObject {
  return { target_file_id: id, intent: 'edit', expected_target_version: version, edits: [{ match, replace }], ...more };
}
