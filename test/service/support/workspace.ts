import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Database, Statement } from '../../../src/db/port.ts';
import { createService } from '../../../src/service/index.ts';
import type { JsonObject, Service } from '../../../src/service/index.ts';
import { useService } from './service.ts';
import type { TestService } from './service.ts';

export interface TestWorkspace {
  readonly root: string;
  readonly context: TestService;
  /** A service that serves the root. */
  readonly service: Service;
  at(name: string): string;
  put(name: string, text: string | Buffer): void;
  onDisk(name: string): string;
  /** A file of its own, imported. */
  imported(text: string | Buffer): Promise<{ id: string; name: string }>;
  /** SAVE with publication. */
  sync(id: string, more?: JsonObject, by?: Service): Promise<JsonObject>;
  openIntents(id: string): Promise<unknown[]>;
  /** A service of another process, in which something happens before certain statements. */
  meddled(onQuery: (statement: Statement) => Promise<void> | void): Service;
}

export const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A workspace in a directory of its own, and services over this file's own database. */
export function useWorkspace(): TestWorkspace {
  const context = useService();
  let root = '';
  let service: Service | undefined;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'patchdiff-service-'));
    service = context.another({ workspaceRoot: root });
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });
  const at = (name: string): string => join(root, name);
  const put = (name: string, text: string | Buffer): void => {
    writeFileSync(at(name), text);
  };
  const made = (): Service => {
    if (service === undefined) throw new Error('the service exists only inside tests and hooks');
    return service;
  };
  return {
    get root() {
      return root;
    },
    context,
    get service() {
      return made();
    },
    at,
    put,
    onDisk: (name) => readFileSync(at(name), 'utf8'),
    imported: async (text) => {
      const name = `${randomUUID()}.txt`;
      put(name, text);
      const answer = await made().initializeTarget({ from_workspace: true, path: name });
      expect(answer).toMatchObject({ status: 'created', workspace_path: name, display_name: name });
      return { id: answer['target_file_id'] as string, name };
    },
    sync: (id, more = {}, by = made()) => by.save({ target_file_id: id, sync_workspace: true, ...more }),
    openIntents: async (id) => {
      const text = 'select * from patchdiff.read_open_publications($1)';
      return context.database.query<unknown>({ name: 'test_open_intents', text, values: [id] });
    },
    meddled: (onQuery) => {
      const wrap = (database: Database): Database => ({
        autocommit: database.autocommit,
        query: async (statement, options) => {
          await onQuery(statement);
          return database.query(statement, options);
        },
        transaction: (work) => database.transaction((inner) => work(wrap(inner))),
        snapshot: (work) => database.snapshot((inner) => work(wrap(inner))),
        close: () => Promise.resolve(),
      });
      return createService({ database: wrap(context.database), workspaceRoot: root, actor: null });
    },
  };
}
