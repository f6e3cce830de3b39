/** The embedded server cannot run, start or stop here; the message says why and what to do. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
}
