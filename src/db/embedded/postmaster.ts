import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What postmaster.pid says. `status` is PostgreSQL's own word: starting, ready, stopping, standby, or empty very early. */
export interface Postmaster {
  pid: number;
  port: number;
  status: string;
}

/** Reads postmaster.pid of a data directory; null when there is none or it has no pid yet. */
export function readPostmaster(data: string): Postmaster | null {
  let lines: string[];
  try {
    lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3]), status: (lines[7] ?? '').trim() };
}

/** Whether this process lives and was started on this data directory: a zombie or a recycled number was not. */
export function isPostmasterOf(pid: number, data: string): boolean {
  if (existsSync('/proc/self/cmdline')) {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(data);
    } catch {
      return false;
    }
  }
  try {
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' }).includes(data);
  } catch {
    return false;
  }
}

/** Whether the number belongs to any process, ours or another's. */
export function pidIsTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * PostgreSQL clears the pid file of a dead server itself, but refuses to start while another process (or a zombie) has
 * the number. Put an impossible number in line 1 and keep the rest, so that its shared-memory check still runs.
 * Call it under the home's lock.
 */
export function clearRecycledPid(data: string): void {
  const postmaster = readPostmaster(data);
  if (!postmaster || isPostmasterOf(postmaster.pid, data) || !pidIsTaken(postmaster.pid)) return;
  const file = path.join(data, 'postmaster.pid');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, '99999999'));
}
