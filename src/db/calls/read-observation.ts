import type { Observation } from '../../transaction/index.ts';
import type { Database, QueryOptions } from '../port.ts';

const TEXT = `select *
from patchdiff.read_observation(
  p_target => $1,
  p_bundle => $2
)`;

/** One observation of a target; null: the target has none of this id. An observation never changes. */
export async function readObservation(
  database: Database,
  targetFileId: string,
  bundleId: string,
  options?: QueryOptions,
): Promise<Observation | null> {
  const [row] = await database.query<Observation>({ name: 'read_observation', text: TEXT, values: [targetFileId, bundleId] }, options);
  return row ?? null;
}
