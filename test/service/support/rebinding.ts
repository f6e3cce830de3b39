import { expect } from 'vitest';
import { rebind } from '../../../src/service/index.ts';
import type { JsonObject, RebindRequest } from '../../../src/service/index.ts';
import type { TestWorkspace } from './workspace.ts';

export interface Rebinding {
  /** Moves the binding, by default without guards and below the root it has. */
  readonly move: (id: string, path: string, more?: Partial<RebindRequest>) => Promise<JsonObject>;
  /** What a statement of the administrator answers. */
  readonly rows: (sql: string, ...values: unknown[]) => Promise<unknown[]>;
  /** Nothing is wrong with the target, and replay makes what is stored. */
  readonly sound: (id: string) => Promise<void>;
}

/** Moves of bindings over a test's own workspace. */
export function useRebinding(ws: TestWorkspace): Rebinding {
  const rows = async (sql: string, ...values: unknown[]): Promise<unknown[]> =>
    (await (await ws.context.server.client('admin')).query(sql, values)).rows as unknown[];
  return {
    rows,
    move: (id, path, more = {}) =>
      rebind({
        database: ws.context.database,
        targetFileId: id,
        root: null,
        path,
        expectedVersion: null,
        expectedHash: null,
        actor: '{"host":"test"}',
        ...more,
      }),
    sound: async (id) => {
      expect(await rows('select * from patchdiff_audit.verify_target($1)', id)).toEqual([]);
      expect(await ws.service.replayTarget({ target_file_id: id })).toMatchObject({ status: 'success', materialized_state_matches: true });
    },
  };
}
