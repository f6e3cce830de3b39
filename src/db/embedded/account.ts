import { readFileSync } from 'node:fs';
import os from 'node:os';
import { EmbeddedServerError } from './error.ts';

/** The operating system's account that runs PostgreSQL. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  /** Root refuses to be a database server's account, so it drops to this one. */
  dropped: boolean;
  /** What to hand to spawn: empty when the account is our own. */
  spawn: { uid?: number; gid?: number };
}

/**
 * Our own account, or as root the first of `postgres` and `nobody` that has a passwd entry (initdb looks its own uid up).
 * Throws as root when neither exists.
 */
export function serverAccount(passwd = '/etc/passwd'): Account {
  const uid = process.getuid?.();
  if (uid === undefined) throw new EmbeddedServerError('there is no embedded PostgreSQL for this operating system; set DATABASE_URL');
  if (uid !== 0) {
    return { name: os.userInfo().username, uid, gid: process.getgid?.() ?? uid, dropped: false, spawn: {} };
  }
  const entries = readFileSync(passwd, 'utf8').split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const entry = entries.find((fields) => fields[0] === name);
    if (!entry) continue;
    // macOS writes nobody as -2.
    const id = { uid: Number(entry[2]) >>> 0, gid: Number(entry[3]) >>> 0 };
    return { name, ...id, dropped: true, spawn: id };
  }
  throw new EmbeddedServerError(
    'root cannot run PostgreSQL, and /etc/passwd has neither postgres nor nobody to run it as; ' +
      'add one of them, run as an ordinary user, or set DATABASE_URL',
  );
}
