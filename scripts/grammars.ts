import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const FOLDER = path.resolve(import.meta.dirname, '../grammars');

/** One grammar as `grammars/manifest.json` pins it; `member` is its place in the package, null where it is compiled from the package's C. */
interface Pinned {
  language: string;
  package: string;
  version: string;
  licence: string;
  member: string | null;
  sha256: string;
}

/**
 * `npm run grammars:build`: fetches every package of the manifest at its exact version with npm, without installing it, checks the digest of
 * its grammar, and writes the folder anew: compressed grammars and the licences. A grammar that no package ships compiled is kept
 * as it stands and its digest checked. Exit code 1 and no change at the first digest that differs.
 */
export function main(): number {
  const { grammars } = JSON.parse(readFileSync(path.join(FOLDER, 'manifest.json'), 'utf8')) as { grammars: Pinned[] };
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'patchdiff-grammars-'));
  try {
    const files = new Map<string, Buffer>();
    const licences = new Map<string, string>();
    for (const grammar of grammars) {
      const archive = fetched(`${grammar.package}@${grammar.version}`, scratch);
      const name = `${grammar.language}.wasm.br`;
      const kept = grammar.member === null ? readFileSync(path.join(FOLDER, name)) : null;
      const wasm = kept === null ? unpacked(archive, `package/${grammar.member}`) : brotliDecompressSync(kept);
      const digest = createHash('sha256').update(wasm).digest('hex');
      if (digest !== grammar.sha256) {
        process.stderr.write(`${grammar.language}: ${grammar.package}@${grammar.version} has ${digest}, the manifest ${grammar.sha256}\n`);
        return 1;
      }
      files.set(name, kept ?? compressed(wasm));
      licences.set(`${grammar.package} ${grammar.version}`, unpacked(archive, 'package/LICENSE').toString('utf8').trim());
    }
    for (const old of readdirSync(FOLDER)) if (old.endsWith('.wasm.br') && !files.has(old)) rmSync(path.join(FOLDER, old));
    for (const [name, bytes] of files) writeFileSync(path.join(FOLDER, name), bytes);
    const texts = [...licences].map(([name, text]) => `${name}\n${'-'.repeat(name.length)}\n${text}\n`);
    writeFileSync(path.join(FOLDER, 'LICENSES.txt'), `The grammars of this folder come from these packages.\n\n${texts.join('\n')}`);
    process.stdout.write(`${files.size} grammars written\n`);
    return 0;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The package's archive, below the scratch folder. */
function fetched(spec: string, scratch: string): string {
  const printed = execFileSync('npm', ['pack', '--json', '--pack-destination', scratch, spec], { encoding: 'utf8' });
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  return path.join(scratch, filename.replace('@', '').replace('/', '-'));
}

function unpacked(archive: string, member: string): Buffer {
  return execFileSync('tar', ['-xzOf', archive, member], { maxBuffer: 1 << 26 });
}

function compressed(wasm: Buffer): Buffer {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: wasm.length,
  };
  return brotliCompressSync(wasm, { params });
}
