/**
 * Errors of the outside world, told apart by SQLSTATE only: messages are for people and change between versions.
 * The server's own message and detail are never forwarded, except for our class PD: a CHECK violation prints row content there.
 */

/** What the caller can do about it; one kind for one decision. */
export type FailureKind =
  /** The same call may simply be sent again: deadlock, serialization failure, lock wait ended. */
  | 'transient'
  /** No connection, or it broke: `outcomeUnknown` says whether the call may have been committed. */
  | 'unavailable'
  /** The caller's own signal, or a server timeout, ended the statement. */
  | 'cancelled'
  /** A registered refusal (class PD) of one of our routines. */
  | 'refused'
  /** Rights, missing routines, a different revision: an operator has to act. */
  | 'configuration'
  /** Disk full, out of memory, too many connections. */
  | 'resources'
  /** Anything else: a defect of ours. */
  | 'unexpected';

/** The registered codes of db/sqlstates.tsv; a test keeps both lists equal. */
export const REFUSALS = {
  PD001: 'append_only',
  PD002: 'ddl_refused',
  PD003: 'server_unsupported',
  PD004: 'role_not_settable',
  PD100: 'bad_call',
  PD101: 'payload_not_json_object',
  PD102: 'payload_unrepresentable',
  PD103: 'target_exists_with_other_content',
  PD104: 'target_not_found',
  PD105: 'version_out_of_range',
  PD106: 'history_diverged',
  PD107: 'content_too_large',
  PD108: 'publication_not_found',
  PD109: 'file_bound_elsewhere',
  PD110: 'publication_closed',
  PD111: 'import_out_of_order',
  PD112: 'import_not_confirmed',
  PD113: 'import_exists',
} as const satisfies Record<`PD${string}`, string>;

export type RefusalCode = keyof typeof REFUSALS;

interface Failure {
  kind: FailureKind;
  code: string;
  message: string;
  next: string;
}

const RESEND = 'Send the same call again; with a client_request_id a repeat returns the first outcome.';
const OPERATOR = 'Run `patchdiff doctor`: it says what is wrong and which command mends it.';

const BY_STATE: Readonly<Record<string, Failure>> = {
  '40001': { kind: 'transient', code: 'serialization_failure', message: 'a concurrent transaction won', next: RESEND },
  '40P01': { kind: 'transient', code: 'deadlock_detected', message: 'the database broke a deadlock', next: RESEND },
  '55P03': { kind: 'transient', code: 'lock_timeout', message: 'the target stayed locked by another transaction', next: RESEND },
  '57014': { kind: 'cancelled', code: 'statement_cancelled', message: 'the statement was cancelled', next: RESEND },
  '57P01': { kind: 'unavailable', code: 'connection_lost', message: 'the database server is shutting down', next: RESEND },
  '57P02': { kind: 'unavailable', code: 'connection_lost', message: 'the database server crashed', next: RESEND },
  '57P03': { kind: 'unavailable', code: 'database_starting', message: 'the database server does not accept connections yet', next: RESEND },
  '57P04': { kind: 'configuration', code: 'database_dropped', message: 'the database was dropped', next: OPERATOR },
  '57P05': { kind: 'unavailable', code: 'connection_lost', message: 'the session was idle for too long', next: RESEND },
  '25P03': { kind: 'unavailable', code: 'connection_lost', message: 'the transaction was idle for too long', next: RESEND },
  '25006': { kind: 'configuration', code: 'read_only_database', message: 'the database only accepts reads', next: OPERATOR },
  '42501': { kind: 'configuration', code: 'insufficient_privilege', message: 'the login lacks a right', next: OPERATOR },
  '42883': { kind: 'configuration', code: 'routine_missing', message: 'the database lacks a routine of this release', next: OPERATOR },
  '42P01': { kind: 'configuration', code: 'relation_missing', message: 'the database lacks a relation of this release', next: OPERATOR },
  '3F000': { kind: 'configuration', code: 'schema_missing', message: 'the database lacks a schema of this release', next: OPERATOR },
  '0A000': { kind: 'configuration', code: 'database_changed', message: 'the database changed under a prepared statement', next: RESEND },
};

const BY_CLASS: Readonly<Record<string, Failure>> = {
  '08': { kind: 'unavailable', code: 'connection_lost', message: 'the connection to the database broke', next: RESEND },
  '28': { kind: 'configuration', code: 'login_refused', message: 'the database refused the login', next: OPERATOR },
  '3D': { kind: 'configuration', code: 'database_missing', message: 'the database does not exist', next: OPERATOR },
  '40': { kind: 'transient', code: 'transaction_rollback', message: 'the database rolled the transaction back', next: RESEND },
  '53': { kind: 'resources', code: 'insufficient_resources', message: 'the database server is out of a resource', next: OPERATOR },
  '58': { kind: 'resources', code: 'system_error', message: 'the database server met an error of its system', next: OPERATOR },
};

const UNEXPECTED: Failure = { kind: 'unexpected', code: 'database_error', message: 'the database refused the statement', next: OPERATOR };

/**
 * Where the failure struck: before a statement was sent, in a statement that commits by itself, inside a transaction
 * that is rolled back then, or at its COMMIT.
 */
export type Phase = 'connect' | 'statement' | 'transaction' | 'commit';

/** A failure of the database or of the way to it. Safe to show: it holds no row content. */
export class DatabaseError extends Error {
  readonly kind: FailureKind;
  /** Stable name: the registry's for class PD, else one of the tables above. */
  readonly code: string;
  /** Five characters, or null when no server answered. */
  readonly sqlstate: string | null;
  /** The routine's DETAIL object; only for class PD. */
  readonly detail: Readonly<Record<string, unknown>> | null;
  /** One sentence: what to do. */
  readonly next: string;
  /** True when the statement may have been committed although no answer came. */
  readonly outcomeUnknown: boolean;

  constructor(failure: Failure, sqlstate: string | null, detail: Readonly<Record<string, unknown>> | null, outcomeUnknown: boolean) {
    super(failure.message);
    this.name = 'DatabaseError';
    this.kind = failure.kind;
    this.code = failure.code;
    this.sqlstate = sqlstate;
    this.detail = detail;
    this.next = failure.next;
    this.outcomeUnknown = outcomeUnknown;
  }
}

function isRefusal(sqlstate: string): sqlstate is RefusalCode {
  return Object.hasOwn(REFUSALS, sqlstate);
}

function parseDetail(detail: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof detail !== 'string') return null;
  try {
    const parsed: unknown = JSON.parse(detail);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const mayHaveCommitted = (phase: Phase): boolean => phase === 'statement' || phase === 'commit';

const text = (value: unknown, fallback: string): string => (typeof value === 'string' && value !== '' ? value : fallback);

/** Turns whatever the driver threw into a DatabaseError. An error without a SQLSTATE means that no server answered. */
export function databaseError(error: unknown, phase: Phase): DatabaseError {
  const fields = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; message?: unknown; detail?: unknown; hint?: unknown };
  const sqlstate = typeof fields.code === 'string' && /^[0-9A-Z]{5}$/.test(fields.code) ? fields.code : null;
  if (sqlstate === null) {
    const lost = BY_CLASS['08'] ?? UNEXPECTED;
    const failure = phase === 'connect' ? { ...lost, code: 'database_unreachable', message: 'the database cannot be reached', next: OPERATOR } : lost;
    return new DatabaseError(failure, null, null, mayHaveCommitted(phase));
  }
  if (isRefusal(sqlstate)) {
    const failure: Failure = {
      kind: 'refused',
      code: REFUSALS[sqlstate],
      message: text(fields.message, REFUSALS[sqlstate]),
      next: text(fields.hint, OPERATOR),
    };
    return new DatabaseError(failure, sqlstate, parseDetail(fields.detail), false);
  }
  const failure = BY_STATE[sqlstate] ?? BY_CLASS[sqlstate.slice(0, 2)] ?? UNEXPECTED;
  return new DatabaseError(failure, sqlstate, null, failure.kind === 'unavailable' && mayHaveCommitted(phase));
}
