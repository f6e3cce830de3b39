import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';
import { grammarModule, pinnedGrammars } from '../../src/scopes/grammars.ts';
import { createScopeEngine, type ScopeEngine } from '../../src/scopes/index.ts';
import { built } from '../helpers/build.ts';
import { SAMPLES } from '../scopes/samples.ts';
import { median, type Row } from './report.ts';

type Report = (row: Row) => void;

const SOURCES = ['nearmiss/explain.ts', 'text/line-diff.ts', 'transaction/apply.ts', 'service/submission/preview.ts', 'text/codepoints.ts'];

/** Listing scopes against the bare parse, repetition, large texts and what a hundred listings leave in memory. No database takes part. */
export async function benchScopes(quick: boolean, report: Report): Promise<void> {
  await built();
  const text = typescript(1 << 16);
  const engine = createScopeEngine();
  try {
    await againstParse(engine, text, quick ? 15 : 60, report);
    await large(engine, quick ? 1 : 5, report);
  } finally {
    await engine.close();
  }
  report(await memory());
}

/** Sources of our own, one after another until it is long enough. */
function typescript(length: number): string {
  const once = SOURCES.map((name) => readFileSync(path.resolve(import.meta.dirname, '../../src', name), 'utf8')).join('\n');
  return once.repeat(Math.ceil(length / once.length)).slice(0, length);
}

/** Texts that differ in one comment, so that none is known. */
async function againstParse(engine: ScopeEngine, text: string, rounds: number, report: Report): Promise<void> {
  const parse = await bareParser();
  const [parses, firsts, seconds]: [number[], number[], number[]] = [[], [], []];
  for (let round = -10; round < rounds; round++) {
    const own = `// ${round}\n${text}`;
    const parsed = await took(() => {
      parse(own);
    });
    const first = await took(() => engine.discover({ text: own, language: 'typescript' }));
    const second = await took(() => engine.discover({ text: own, language: 'typescript' }));
    if (round < 0) continue;
    parses.push(parsed);
    firsts.push(first);
    seconds.push(second);
  }
  const shared = { bench: 'scopes', bound: 'most', unit: 'ms' } as const;
  const ratios = (ours: readonly number[], theirs: readonly number[]): number => median(ours.map((value, at) => value / theirs[at]!));
  report({
    ...shared,
    case: 'list scopes, TypeScript, 64K',
    reference: 'bare parse',
    ratio: ratios(firsts, parses),
    goal: 2.5,
    ours: median(firsts),
    theirs: median(parses),
  });
  report({
    ...shared,
    case: 'list scopes of the same version again, 64K',
    reference: 'first listing',
    ratio: ratios(seconds, firsts),
    goal: 0.1,
    ours: median(seconds),
    theirs: median(firsts),
  });
}

async function bareParser(): Promise<(text: string) => void> {
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammarModule('typescript', pinnedGrammars().get('typescript')!.sha256)));
  return (text) => parser.parse(text)?.delete();
}

async function large(engine: ScopeEngine, rounds: number, report: Report): Promise<void> {
  const size = 1 << 20;
  const texts: [name: string, language: string, make: (round: number) => string][] = [
    ['TypeScript, 1M', 'typescript', (round) => `// ${round}\n${typescript(size)}`],
    ['one line of statements, 1M', 'javascript', (round) => `${round};${'x = 1; '.repeat(Math.ceil(size / 7))}`.slice(0, size)],
    ['one line of JSON, 1M', 'json', (round) => `[${round}${',{"a":[1,true,"b"]}'.repeat(Math.floor(size / 19))}]`],
    ['Markdown, 1M', 'markdown', (round) => `${round}\n${'# A\n\nSome words.\n\n'.repeat(Math.ceil(size / 18))}`.slice(0, size)],
  ];
  for (const [name, language, make] of texts) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // Of all threads together: what else the machine does changes how long one waits, not what the listing takes.
      const started = process.cpuUsage();
      await engine.discover({ text: make(round), language });
      const { user, system } = process.cpuUsage(started);
      times.push((user + system) / 1000);
    }
    const ours = Math.max(...times);
    report({
      bench: 'scopes',
      case: `slowest listing, ${name}`,
      reference: '1 s',
      ratio: ours / 1000,
      goal: 5,
      bound: 'most',
      ours,
      theirs: 1000,
      unit: 'ms',
    });
  }
}

/** Resident memory of a process of its own after 110 listings of 64K, none of them kept, to that after 10. */
async function memory(): Promise<Row> {
  const module = pathToFileURL(path.join(await built(), 'scopes/index.js')).href;
  const program = `
    import { createScopeEngine } from ${JSON.stringify(module)};
    let text = '';
    for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
    const engine = createScopeEngine({ cachedScopes: 0 });
    const resident = [];
    for (let round = 1; round <= 110; round++) {
      await engine.discover({ text: '// ' + round + '\\n' + text, language: 'typescript' });
      if (round % 100 === 10) resident.push(process.memoryUsage().rss);
    }
    console.log(JSON.stringify(resident));
  `;
  const body = SAMPLES.find(({ name }) => name === 'sample.ts')!.text;
  const input = body.repeat(Math.ceil((1 << 16) / body.length));
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { input, encoding: 'utf8' });
  const [before, after] = JSON.parse(printed) as [number, number];
  const ratio = after / before;
  return {
    bench: 'scopes',
    case: 'resident memory after 110 listings',
    reference: 'after 10',
    ratio,
    goal: 1.5,
    bound: 'most',
    ours: 0,
    theirs: 0,
    unit: 'none',
  };
}

async function took(measured: () => unknown): Promise<number> {
  const started = performance.now();
  await measured();
  return performance.now() - started;
}
