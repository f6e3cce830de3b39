import { CommanderError } from 'commander';

/** How a command ends; one number for each kind of outcome. Part of the interface: scripts rely on it. */
export const EXIT = {
  /** Done as asked. */
  done: 0,
  /** A fault of ours, or of the machine. */
  failed: 1,
  /** The command line, or the JSON that it names, cannot be understood. */
  usage: 2,
  /** A file or the workspace cannot be used. */
  workspace: 3,
  /** The database cannot be reached or started. */
  database: 4,
  /** The database is not at this package's revision. */
  revision: 5,
  /** The product refused: a rejected submission, an invalid argument. Nothing changed. */
  refused: 6,
  /** There is no such target or attempt. */
  notFound: 7,
  /** Verification or replay found that history and state disagree. */
  unsound: 8,
  /** Stopped on request between two steps; what was done is done, and said. */
  interrupted: 130,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** The exit code that belongs to a result; a preview has that of the submission it foresees. */
export function exitOfResult(result: Readonly<Record<string, unknown>>): Exit {
  switch (result['status']) {
    case 'rejected':
    case 'would_reject':
      return result['failure_reason'] === 'target_not_found' ? EXIT.notFound : EXIT.refused;
    case 'would_recover':
      return exitOfResult((result['recorded'] ?? {}) as Record<string, unknown>);
    case 'invalid_argument':
    case 'partial':
      return EXIT.refused;
    case 'not_found':
      return EXIT.notFound;
    case 'failed':
    case 'failure':
      return EXIT.unsound;
    default:
      return EXIT.done;
  }
}

/** A failure whose kind the thrower knows. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exit: Exit;
  constructor(exit: Exit, message: string) {
    super(message);
    this.exit = exit;
  }
}

const FILE_ERRORS = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EPERM', 'EROFS', 'ENOSPC', 'ELOOP']);

/** The exit code for something thrown. Errors of other rooms are told by name, since their classes are not ours to import here. */
export function exitOfError(error: unknown): Exit {
  if (error instanceof ExitError) return error.exit;
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof Error)) return EXIT.failed;
  switch (error.name) {
    case 'RevisionError':
      return EXIT.revision;
    case 'UnreachableError':
    case 'AccessError':
    case 'UnsupportedServerError':
    case 'SettingError':
    case 'EmbeddedServerError':
      return EXIT.database;
    case 'DatabaseError':
      return (error as { kind?: string }).kind === 'unexpected' ? EXIT.failed : EXIT.database;
    default:
      return FILE_ERRORS.has((error as NodeJS.ErrnoException).code ?? '') ? EXIT.workspace : EXIT.failed;
  }
}
