import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { FileSystem, OpenFile } from '../../src/workspace/index.ts';
import { importFile, publishFile, resolvePath, withLease } from '../../src/workspace/index.ts';
import { leftovers, newFolder, open, sha, watched } from './room.ts';

const SECRET = 'secret';
const ROUNDS = 150;

/** What the kernel says that an open file is, and where it stands now. */
interface Opened {
  call: string;
  at: string;
  identity: string;
}

/** The calls of `inner`, with every file that was opened noted as the kernel knows it, whatever path led to it. */
function traced(inner: FileSystem, note: (opened: Opened) => void): FileSystem {
  return {
    ...inner,
    open: async (path, intent, mode): Promise<OpenFile> => {
      const file = await inner.open(path, intent, mode);
      const { device, inode } = await file.status();
      note({ call: intent, at: readlinkSync(`/proc/self/fd/${file.fd}`), identity: `${device}:${inode}` });
      return file;
    },
  };
}

/** Every entry below a directory by the kernel's identity, links not followed. */
function identities(folder: string, into = new Set<string>()): Set<string> {
  const of = (path: string): void => {
    const { dev, ino } = lstatSync(path);
    into.add(`${dev}:${ino}`);
  };
  of(folder);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    of(path);
    if (entry.isDirectory()) identities(path, into);
  }
  return into;
}

it(
  'nothing outside the root is opened, made, renamed or removed while directories and links are swapped (B62)',
  { timeout: 120_000 },
  async () => {
    expect(process.platform).toBe('linux');
    const outside = newFolder();
    const root = join(outside, 'ws');
    const trap = join(outside, 'trap');
    for (const folder of [root, join(root, 'd'), join(root, 'd', 'e'), trap, join(trap, 'e')]) mkdirSync(folder);
    for (const path of ['f', 'e/f']) writeFileSync(join(trap, path), SECRET);
    const forbidden = identities(trap);
    const evidence = (): unknown =>
      ['.', 'e', 'f', 'e/f'].map((path) => {
        const { ino, mtimeNs, ctimeNs, size } = lstatSync(join(trap, path), { bigint: true });
        return { path, ino, mtimeNs, ctimeNs, size, names: path.endsWith('f') ? [] : readdirSync(join(trap, path)) };
      });
    const before = evidence();

    let seed = 1;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >>> 8) % below;
    };
    /** Exchanges one of the places for a link to its likeness outside, or puts it back. */
    const swap = (): void => {
      const place = join(root, ['d', 'd/e', 'd/f', 'd/e/f'][random(4)]!);
      const aside = `${place}.aside`;
      try {
        // The links lead outside; what is swapped lies inside.
        if (!realpathSync(dirname(place)).startsWith(root)) return;
        if (lstatSync(place).isSymbolicLink()) {
          rmSync(place);
          renameSync(aside, place);
        } else {
          renameSync(place, aside);
          symlinkSync(join(trap, place.slice(join(root, 'd').length)), place);
        }
      } catch {
        // The way to it is swapped already.
      }
    };
    const restore = (): void => {
      rmSync(root, { recursive: true });
      for (const folder of [root, join(root, 'd'), join(root, 'd', 'e')]) mkdirSync(folder);
      for (const path of ['d/f', 'd/e/f']) writeFileSync(join(root, path), 'old');
    };

    const opened: Opened[] = [];
    // Every fifth round is calm enough for some calls to go through.
    let oneIn = 3;
    const meddling = watched((call) => {
      if (!call.endsWith('.read') && random(oneIn) === 0) swap();
    });
    const outcomes = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      restore();
      oneIn = round % 5 === 4 ? 30 : 3;
      const ws = await open(root, { fs: traced(meddling, (file) => opened.push(file)), leaseWaitMs: 0 });
      const path = round % 2 === 0 ? 'd/e/f' : 'd/f';
      const file = await importFile(ws, path);
      if (file.ok) expect(file.content).not.toBe(SECRET);
      const resolved = await resolvePath(ws, path);
      if (resolved.ok) expect(resolved.path.startsWith('..')).toBe(false);
      const expected = [sha('old'), sha(SECRET), null][random(3)]!;
      const leased = await withLease(ws, path, () => publishFile(ws, path, Buffer.from('new'), expected));
      const saved = leased.ok ? leased.value : leased;
      for (const outcome of [file.ok ? 'imported' : file.code, saved.ok ? 'published' : saved.code]) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
      // The temporary file is gone wherever its directory was moved to.
      for (const entry of readdirSync(root, { recursive: true, encoding: 'utf8' })) expect(entry).not.toContain('.patchdiff-');
      expect(leftovers(outside)).toEqual([]);
    }

    const real = realpathSync(root);
    expect(opened.length).toBeGreaterThan(ROUNDS);
    expect(opened.filter(({ at, identity }) => forbidden.has(identity) || (at !== real && !at.startsWith(`${real}/`)))).toEqual([]);
    expect(evidence()).toEqual(before);
    expect(readFileSync(join(trap, 'f'), 'utf8')).toBe(SECRET);
    // Both ways were taken: calls that went through, and calls that met a swap.
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(['imported', 'published', 'path_changed', 'path_leaves_root']));
  },
);
