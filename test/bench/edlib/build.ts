import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

/** Distance, start and end of the best semi-global alignment of the query within k; distance -1 when there is none. Offsets in bytes. */
export interface Edlib {
  align(query: Uint8Array, text: Uint8Array, k: number): [distance: number, start: number, end: number];
}

const HOW =
  "install g++, Node's headers and edlib (Debian: g++, libedlib-dev), or let apt-get and dpkg fetch edlib into a temporary folder";

/**
 * edlib, compiled with -O3 against this Node: the system's, else Debian's libedlib-dev unpacked into a temporary folder. Where
 * neither can be had it is the reason and what to do, as text.
 */
export function buildEdlib(): Edlib | string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-edlib-'));
  try {
    const addon = path.join(folder, 'edlib.node');
    const failed = compile(addon, folder);
    return failed === null ? (createRequire(import.meta.url)(addon) as Edlib) : `${failed}; ${HOW}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Null when the addon stands, else why it does not. */
function compile(addon: string, folder: string): string | null {
  const headers = [path.join(realpathSync(process.execPath), '../../include/node'), '/usr/include/node'].find((place) =>
    existsSync(path.join(place, 'node_api.h')),
  );
  if (headers === undefined) return 'no node_api.h beside this Node';
  const common = ['-O3', '-shared', '-fPIC', '-o', addon, `-I${headers}`, path.join(import.meta.dirname, 'addon.cc')];
  if (process.platform === 'darwin') common.push('-undefined', 'dynamic_lookup');
  if (run('g++', [...common, '-ledlib'], folder) === null) return null;
  const failed = run('apt-get', ['download', 'libedlib-dev'], folder) ?? unpack(folder);
  if (failed !== null) return failed;
  const library = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('/libedlib.a'));
  return run('g++', [...common, `-I${folder}/usr/include`, path.join(folder, library ?? 'libedlib.a')], folder);
}

function unpack(folder: string): string | null {
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  return run('dpkg', ['-x', archive ?? 'libedlib-dev.deb', '.'], folder);
}

/** Null when the command succeeds, else its last words. */
function run(command: string, args: readonly string[], cwd: string): string | null {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return null;
  return `${command}: ${error?.message ?? stderr.trim().split('\n').at(-1) ?? 'failed'}`;
}
