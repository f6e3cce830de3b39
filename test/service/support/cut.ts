import type { Database } from '../../../src/db/port.ts';
import { createService } from '../../../src/service/index.ts';
import type { JsonObject, Service } from '../../../src/service/index.ts';
import { createServiceState } from '../../../src/service/common/state.ts';
import { openWorkspace } from '../../../src/workspace/index.ts';
import { watched } from '../../workspace/room.ts';

/**
 * Told before each system call (its name, as `watched` has it), before and after each statement (`name`, `name done`), and before and
 * after each COMMIT; what it throws takes the place of the call, of its answer, or of the COMMIT.
 */
export type At = (event: string) => void | Promise<void>;

/** A service of another process, all of whose calls to the world are announced. */
export function announced(database: Database, root: string, at: At, actor: JsonObject | null = null): Service {
  const wrap = (inner: Database): Database => ({
    autocommit: inner.autocommit,
    query: async (statement, options) => {
      await at(statement.name);
      const rows = await inner.query<never>(statement, options);
      await at(`${statement.name} done`);
      return rows;
    },
    transaction: async (work) => {
      const result = await inner.transaction(async (bound) => {
        const value = await work(wrap(bound));
        await at('commit');
        return value;
      });
      await at('commit done');
      return result;
    },
    snapshot: (work) => inner.snapshot((bound) => work(wrap(bound))),
    close: () => Promise.resolve(),
  });
  const fs = watched((call) => at(`fs ${call}`));
  const state = { ...createServiceState(), workspace: () => openWorkspace(root, { fs, leaseWaitMs: 5000 }) };
  return createService({ database: wrap(database), workspaceRoot: root, actor, state });
}
