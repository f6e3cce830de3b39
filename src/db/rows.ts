/** The one row of a routine that always answers exactly one; anything else means that the database is not of this release. */
export function onlyRow<T>(rows: readonly T[], routine: string): T {
  const [row] = rows;
  if (row === undefined || rows.length !== 1) throw new RangeError(`${routine} answered ${String(rows.length)} rows, not one`);
  return row;
}
