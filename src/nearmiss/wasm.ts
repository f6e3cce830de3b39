import type { Engine } from './engine.ts';
import { WINDOW_FIELDS } from './engine.ts';
import { KERNEL_BASE64 } from './kernel-binary.ts';
import { copyUnits, decodeBase64 } from './units.ts';

/** What the kernel exports (wasm/nearmiss/index.ts); addresses and lengths in bytes unless said otherwise. */
interface Exports {
  queryAt(): number;
  distancesAt(): number;
  textAt(): number;
  prepare(points: number): void;
  forget(): void;
  compact(text: number, units: number): number;
  scan(text: number, columns: number, bound: number, windows: number): number;
  computed(): number;
  distances(text: number, from: number, to: number): void;
  start(text: number, end: number, distance: number, low: number): number;
}

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of WebAssembly that is used; the ECMAScript library does not declare it. */
interface WebAssemblyHost {
  validate: (bytes: Uint8Array<ArrayBuffer>) => boolean;
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  Memory: new (size: { initial: number }) => Memory;
  Instance: new (module: object, imports: { env: object }) => { exports: object };
}

interface Instance {
  memory: Memory;
  kernel: Exports;
}

const PAGE = 65536;
/** Below the text lie the tables of the kernel. */
const STATIC_PAGES = 4;
const CHUNKS = 8;
const STRIPE = 64;
/** An instance whose memory grew beyond this is given up after the search: a text of 3.5 Mi UTF-16 units still fits. */
const KEPT_BYTES = 8 << 20;

let compiled: { module: object | null } | undefined;
/** The instance between two searches. A search takes it out, so that two open ones never share it. */
let kept: Instance | null = null;

/**
 * The text and the query in the WebAssembly kernel; null where the host has no WebAssembly SIMD or no memory for it.
 * Compiled in the first call, once.
 */
export function openKernel(text: string, query: readonly number[]): Engine | null {
  const instance = obtain(text.length);
  if (instance === null) return null;
  const { kernel, memory } = instance;
  const base = kernel.textAt();
  new Uint32Array(memory.buffer, kernel.queryAt(), query.length).set(query);
  kernel.prepare(query.length);
  copyUnits(text, memory.buffer, base);
  const length = kernel.compact(base, text.length);
  const windowsAt = windowsOffset(base, text.length);
  return {
    length,
    rows: query.length,
    scan(columns, bound) {
      const count = kernel.scan(base, columns, bound, windowsAt);
      return { windows: new Int32Array(memory.buffer, windowsAt, count * WINDOW_FIELDS), computed: kernel.computed() };
    },
    distances(from, to) {
      kernel.distances(base, from, to);
      return new Uint16Array(memory.buffer, kernel.distancesAt(), to - from);
    },
    start: (end, distance, low) => kernel.start(base, end, distance, low),
    close() {
      kernel.forget();
      if (memory.buffer.byteLength <= KEPT_BYTES) kept = instance;
    },
  };
}

/** An instance with room for a text of so many UTF-16 units and for all windows that it can have. */
function obtain(units: number): Instance | null {
  const host = (globalThis as { WebAssembly?: WebAssemblyHost }).WebAssembly;
  if (host === undefined) return null;
  compiled ??= { module: compile(host) };
  if (compiled.module === null) return null;
  const pages = STATIC_PAGES + Math.ceil((windowsOffset(0, units) + windowBytes(units)) / PAGE);
  try {
    const instance = kept ?? instantiate(host, compiled.module, pages);
    kept = null;
    const missing = pages - instance.memory.buffer.byteLength / PAGE;
    if (missing > 0) instance.memory.grow(missing);
    return instance;
  } catch (error) {
    // The host has no such memory to give.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Null where the host does not know the instructions. */
function compile(host: WebAssemblyHost): object | null {
  const bytes = decodeBase64(KERNEL_BASE64);
  return host.validate(bytes) ? new host.Module(bytes) : null;
}

function instantiate(host: WebAssemblyHost, module: object, pages: number): Instance {
  const memory = new host.Memory({ initial: pages });
  const { exports } = new host.Instance(module, { env: { memory } });
  return { memory, kernel: exports as Exports };
}

/** Windows lie behind the text, aligned to four bytes. */
function windowsOffset(base: number, units: number): number {
  return (base + units * 2 + 3) & ~3;
}

/** One window a lane and stripe at most. */
function windowBytes(units: number): number {
  return (Math.ceil(units / STRIPE) + 4 * CHUNKS) * WINDOW_FIELDS * 4;
}
