import { DatabaseError } from '../../db/sqlstate.ts';

/** What the call answers, or null when the routine refused because no target has that id. */
export async function unlessUnknown<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === 'target_not_found') return null;
    throw error;
  }
}
