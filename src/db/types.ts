import pg from 'pg';

const INT8 = 20;
const JSON_TYPE = 114;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

const ISO_TIMESTAMP = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?([+-]\d\d)(?::?(\d\d))?$/;

function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`the database sent ${text}, beyond the integers that JavaScript holds exactly`);
  return value;
}

/** PostgreSQL's ISO output in any time zone to `2026-01-02T03:04:05.678901Z`; a Date would drop the microseconds. */
export function parseTimestamp(text: string): string {
  const match = ISO_TIMESTAMP.exec(text);
  if (match === null) throw new RangeError('the database sent a timestamp that is not in ISO style');
  const [, day, time, fraction = '', hours, minutes = '00'] = match;
  const seconds = new Date(`${String(day)}T${String(time)}${String(hours)}:${minutes}`).toISOString().slice(0, 19);
  return `${seconds}.${fraction.slice(1).padEnd(6, '0')}Z`;
}

const parseJson = (text: string): unknown => JSON.parse(text) as unknown;

const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, parseBigint],
  [JSON_TYPE, parseJson],
  [JSONB, parseJson],
  [TIMESTAMPTZ, parseTimestamp],
]);

/** The type parsers of our pools; everything not listed is the driver's. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    PARSERS.get(oid) ?? (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};
