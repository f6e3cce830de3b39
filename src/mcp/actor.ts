import type { JsonObject } from '../service/common/types.ts';

/** Longest part of a claim that is kept, in code points. */
const MAX_CLAIM = 200;

/** Who acts: what the host says of itself, what the operator says, and this connection. A claim, never a fact. */
export interface ActorClaims {
  clientName: string | undefined;
  clientVersion: string | undefined;
  agent: string | undefined;
  session: string;
}

/** The claim as it is stored. Host names are arbitrary text: made storable (no lone surrogate, no control character) and bounded. */
export function actorOf(claims: ActorClaims): JsonObject {
  const { clientName, clientVersion, agent, session } = claims;
  return {
    ...(clientName === undefined ? {} : { host: label(clientName) }),
    ...(clientVersion === undefined ? {} : { host_version: label(clientVersion) }),
    ...(agent === undefined || agent === '' ? {} : { agent: label(agent) }),
    session,
    via: 'mcp',
  };
}

function label(text: string): string {
  const start = [...text.slice(0, 2 * MAX_CLAIM)].slice(0, MAX_CLAIM).join('');
  return start.toWellFormed().replace(/\p{Cc}/gu, '\u{FFFD}');
}
