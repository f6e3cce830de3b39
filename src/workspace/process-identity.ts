import { readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from './refusal.ts';

/** A process as another one can name it: pids are reused, so its start time and pid namespace belong to it (0 where the system tells neither). */
export interface ProcessIdentity {
  namespace: string;
  pid: number;
  /** Clock ticks from boot to its start. */
  started: string;
}

export function ownIdentity(): ProcessIdentity {
  return { namespace: ownNamespace(), pid: process.pid, started: startOf(process.pid) ?? '0' };
}

/** True only when it is certain: a process of another pid namespace (a container), or one that cannot be looked at, may live. */
export function isDead(identity: ProcessIdentity): boolean {
  if (identity.namespace !== ownNamespace()) return false;
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return true;
  }
  const started = startOf(identity.pid);
  return started !== null && identity.started !== '0' && started !== identity.started;
}

function ownNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch (error) {
    errnoOf(error);
    return '0';
  }
}

function startOf(pid: number): string | null {
  try {
    // The command may hold blanks and brackets; the start time is the 20th field after it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (error) {
    errnoOf(error);
    return null;
  }
}
