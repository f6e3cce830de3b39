import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { Language } from './language.ts';
import type { Grammar } from './types.ts';

/** The folder that ships beside `src` and `dist`. */
const FOLDER = new URL('../../grammars/', import.meta.url);

/** The parser's runtime; a test compares it with the dependency. */
export const RUNTIME = { name: 'web-tree-sitter', version: '0.27.1' } as const;

interface Pinned {
  language: Language;
  package: string;
  version: string;
  sha256: string;
}

/** The grammar of each language that has one, as the manifest pins it. Throws when the folder is not there. */
export function pinnedGrammars(): ReadonlyMap<Language, Grammar> {
  const { grammars } = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as { grammars: readonly Pinned[] };
  return new Map(grammars.map(({ language, package: name, version, sha256 }) => [language, { name, version, sha256 }]));
}

/** The WebAssembly module of a grammar. Throws when its digest is not the manifest's. */
export function grammarModule(language: Language, sha256: string): Uint8Array {
  const wasm = brotliDecompressSync(readFileSync(new URL(`${language}.wasm.br`, FOLDER)));
  const digest = createHash('sha256').update(wasm).digest('hex');
  if (digest !== sha256) throw new Error(`the grammar of ${language} has the digest ${digest}, its manifest ${sha256}`);
  return wasm;
}
