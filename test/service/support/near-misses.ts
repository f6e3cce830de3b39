import type { Database, Statement } from '../../../src/db/port.ts';
import { createService } from '../../../src/service/index.ts';
import type { Format, JsonObject, Service } from '../../../src/service/index.ts';

/** What the search of a rejection said, and the explanation in it. */
export function search(receipt: JsonObject): JsonObject | null {
  return receipt['near_miss_search'] as JsonObject | null;
}
export function explanation(receipt: JsonObject): JsonObject | undefined {
  return search(receipt)?.['explanation'] as JsonObject | undefined;
}

/** A service over `database` whose statements are listed, and failed where `fail` says so. */
export function watched(
  database: Database,
  fail: (statement: Statement) => Promise<never> | null = () => null,
): { service: Service; asked: string[] } {
  const asked: string[] = [];
  const wrap = (inner: Database): Database => ({
    autocommit: inner.autocommit,
    query: (statement, options) => {
      asked.push(statement.name);
      return fail(statement) ?? inner.query(statement, options);
    },
    transaction: (work) => inner.transaction((bound) => work(wrap(bound))),
    snapshot: (work) => inner.snapshot((bound) => work(wrap(bound))),
    close: () => Promise.resolve(),
  });
  return { service: createService({ database: wrap(database), actor: null }), asked };
}

/** What submit and preview say of the same arguments. */
export async function both(service: Service, format: Format, args: JsonObject): Promise<{ receipt: JsonObject; preview: JsonObject }> {
  const preview = await service.preview({ ...args, format });
  return { receipt: await service.submit(format, args), preview };
}
