import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import asc from 'assemblyscript/asc';
import { scanSource } from '../wasm/nearmiss/scan.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCES = path.join(ROOT, 'wasm/nearmiss');
const MADE = path.join(ROOT, 'src/nearmiss/kernel-binary.ts');
const LINE = 120;

const FLAGS = [
  ...['--runtime', 'stub', '-O3', '--converge', '--noAssert', '--enable', 'simd'],
  ...['--importMemory', '--initialMemory', '4', '--use', 'abort='],
];

/**
 * `npm run kernel:build`: compiles wasm/nearmiss and writes it, as text, to src/nearmiss/kernel-binary.ts; with `--check`
 * only compares, exit code 1 when that file is not what the sources give. The compiler is pinned: the bytes are the same everywhere.
 */
export async function main(argv: string[]): Promise<number> {
  const compiled = await compile();
  if (typeof compiled === 'string') {
    process.stderr.write(compiled);
    return 1;
  }
  const made = moduleText(compiled);
  if (argv.includes('--check')) {
    if (readFileSync(MADE, 'utf8') === made) return 0;
    process.stderr.write(`${path.relative(ROOT, MADE)} is not what wasm/nearmiss gives: npm run kernel:build\n`);
    return 1;
  }
  writeFileSync(MADE, made);
  process.stdout.write(`${path.relative(ROOT, MADE)}: ${compiled.length} bytes of WebAssembly\n`);
  return 0;
}

/** The binary, or what the compiler had to say. */
async function compile(): Promise<Uint8Array | string> {
  let binary: Uint8Array | undefined;
  let said = '';
  const { error } = await asc.main(['index.ts', '--outFile', 'kernel.wasm', ...FLAGS], {
    readFile: source,
    writeFile: (_name, contents) => {
      binary = contents as Uint8Array;
    },
    listFiles: () => [],
    stderr: {
      write: (chunk) => {
        said += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      },
    },
  });
  return binary ?? `${said}${error?.message ?? 'the compiler wrote no binary'}\n`;
}

function source(name: string): string | null {
  if (name === 'scan.ts') return scanSource();
  return /^[a-z]+\.ts$/.test(name) ? readFileSync(path.join(SOURCES, name), 'utf8') : null;
}

function moduleText(binary: Uint8Array): string {
  const lines = Buffer.from(binary)
    .toString('base64')
    .match(new RegExp(`.{1,${LINE}}`, 'g'))!;
  return [
    '// Generated from wasm/nearmiss by `npm run kernel:build`; a check compares it with what the sources give.',
    '',
    '/** The near-miss kernel, a WebAssembly module with SIMD. */',
    'export const KERNEL_BASE64 =',
    lines.map((line) => `  '${line}'`).join(' +\n') + ';',
    '',
  ].join('\n');
}
