import { takeCodePoints, utf8Length } from '../text/index.ts';
import { encodeAscii, encodeCanonical } from './encode.ts';
import { isEncodableValue } from './inspect.ts';
import { isAbsent, isInteger, member } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { LIMITS } from './limits.ts';
import { recordOf } from './record.ts';
import type { AnyFormat, MetadataName, Submission } from './types.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LEAST_INT4 = -2147483648;
const MOST_INT4 = 2147483647;
/** Arguments beside the record. Unencodable text in them makes the whole submission an encoding fault, like text of the record. */
const METADATA: readonly MetadataName[] = ['client_request_id', 'parent_pdcp_log_id', 'attempt', 'source', 'correlation_id'];
/** Stands for a correlation id with unencodable text: it is judged, and kept nowhere. */
const UNENCODABLE_MARK = encodeAscii('\0');

/** The canonical lower-case form of a hyphenated UUID; null for anything else. */
export function canonicalUuid(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && UUID.test(value) ? value.toLowerCase() : null;
}

/** What a tool's arguments come to. Total: it judges nothing and never throws on what JSON can carry. */
export function prepareSubmission<F extends AnyFormat>(format: F, args: JsonObject): Submission<F> {
  const record = recordOf(format, args);
  const recordEncodable = isEncodableValue(record);
  const encodable = recordEncodable && METADATA.every((name) => isEncodableValue(member(args, name)));
  const raw: Partial<Record<MetadataName, string>> = {};
  const text = (name: MetadataName): string | null => {
    const value = member(args, name);
    if (isAbsent(value)) return null;
    if (typeof value === 'string' && isEncodableValue(value) && utf8Length(value) <= LIMITS.metadataBytes) return value;
    // Cut, a long text still does not fit, and evidence keeps less of it. Beside unencodable text everything is evidence as a whole.
    raw[name] = encodeAscii(typeof value === 'string' && encodable ? takeCodePoints(value, LIMITS.metadataBytes + 1) : value);
    return null;
  };
  const integer = (name: MetadataName): number | null => {
    const value = member(args, name);
    if (isAbsent(value)) return null;
    if (isInteger(value, LEAST_INT4, MOST_INT4)) return value;
    raw[name] = encodeAscii(value);
    return null;
  };
  const clientRequestId = text('client_request_id');
  const parent = text('parent_pdcp_log_id');
  const attempt = integer('attempt');
  const source = text('source');
  if (!isEncodableValue(member(args, 'correlation_id'))) raw.correlation_id = UNENCODABLE_MARK;
  return {
    format,
    targetFileId: canonicalUuid(member(record, 'target_file_id')),
    record,
    payload: recordEncodable ? encodeCanonical(record) : encodeAscii(record),
    encodable,
    clientRequestId,
    parent,
    attempt,
    source,
    rawMetadata: Object.keys(raw).length > 0 ? raw : null,
  };
}
