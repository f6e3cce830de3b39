import { isDead, ownIdentity } from './process-identity.ts';
import { errnoOf } from './refusal.ts';
import type { Directory } from './resolve.ts';
import { temporaryName } from './temporary.ts';
import type { Workspace } from './workspace.ts';

const NAME = '.patchdiff-lease.lock';
const CONTENT_BYTES = 200;

/**
 * A lease as a file beside the destination, for systems without abstract sockets: made exclusively, it names its holder,
 * and one whose holder is dead is taken away. `busy`, or the errno of a system that refuses.
 */
export async function takeLockFile(ws: Workspace, directory: Directory): Promise<(() => Promise<void>) | string> {
  const { namespace, pid, started } = ownIdentity();
  const own = `${namespace} ${pid} ${started}\n`;
  const path = directory.entry(NAME);
  try {
    const file = await ws.fs.open(path, 'create', 0o644);
    try {
      await file.write(Buffer.from(own));
    } finally {
      await file.close();
    }
    return () => ws.fs.unlink(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== 'EEXIST') return errno;
  }
  try {
    if (await holderIsDead(ws, path)) await takeAway(ws, directory, path);
  } catch (error) {
    // Gone or changed hands meanwhile: the next try sees.
    errnoOf(error);
  }
  return 'busy';
}

/** A file without a whole line is one that is being written, or whose writer died in between: it may live. */
async function holderIsDead(ws: Workspace, path: string): Promise<boolean> {
  const file = await ws.fs.open(path, 'read');
  try {
    const bytes = Buffer.alloc(CONTENT_BYTES);
    const text = bytes.toString('latin1', 0, await file.read(bytes));
    const match = /^(\d+) (\d+) (\d+)\n$/.exec(text);
    return match !== null && isDead({ namespace: match[1]!, pid: Number(match[2]), started: match[3]! });
  } finally {
    await file.close();
  }
}

/** Moves the file aside before judging it again, so that a lock taken by a third process in between is put back, not removed. */
async function takeAway(ws: Workspace, directory: Directory, path: string): Promise<void> {
  const aside = directory.entry(temporaryName());
  await ws.fs.rename(path, aside);
  if (!(await holderIsDead(ws, aside))) await ws.fs.link(aside, path);
  await ws.fs.unlink(aside);
}
