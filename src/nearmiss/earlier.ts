import { showPair } from './escape.ts';
import type { Explanation } from './types.ts';

/** The change of an earlier attempt that took the text away, proven by the caller. */
export interface EarlierRemoval {
  /** The last version that held the text. */
  version: number;
  pdcpLogId: string;
  changeId: string;
  /** At most 200 code points. */
  intent: string;
  /** It is this very change: the same replacement of the same text. */
  repeated: boolean;
}

/** What history says of a text that stands nowhere any more. */
export function explainRemoval(query: string, { version, pdcpLogId, changeId, intent, repeated }: EarlierRemoval): Explanation {
  const did = repeated ? 'already made this very replacement' : 'removed it';
  return {
    kind: repeated ? 'already_replaced' : 'earlier_version',
    message: `Version ${version} still had this text; version ${version + 1} ${did} (change ${changeId} of attempt ${pdcpLogId}). Read the current version.`,
    ...showPair(query, ''),
    version,
    change_id: changeId,
    pdcp_log_id: pdcpLogId,
    intent,
  };
}
