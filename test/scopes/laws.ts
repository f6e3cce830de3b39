import { createHash } from 'node:crypto';
import { createScopeEngine } from '../../src/scopes/index.ts';
import type { Discovery, ScopeEngine, ScopeEngineOptions, ScopeRequest } from '../../src/scopes/index.ts';
import { built } from '../helpers/build.ts';

/** An engine over the built worker: a thread cannot load the sources. */
export async function builtEngine(options?: ScopeEngineOptions): Promise<ScopeEngine> {
  await built();
  return createScopeEngine(options);
}

/** A discovery that must succeed. */
export async function discovered(engine: ScopeEngine, request: ScopeRequest): Promise<Discovery> {
  const result = await engine.discover(request);
  if (!result.ok) throw new Error(`not discovered: ${result.reason}`);
  return result;
}

/** The text of a scope, by its code points. */
export const textOf = (text: string, { start, end }: { start: number; end: number }): string => Array.from(text).slice(start, end).join('');

/** What holds for every discovery, as sentences about what does not; an independent recomputation over code points. */
export function broken(text: string, { scopes, has_errors, errors }: Discovery): string[] {
  const points = Array.from(text);
  const wrong: string[] = [];
  const say = (holds: boolean, sentence: string): void => {
    if (!holds) wrong.push(sentence);
  };
  let line = 1;
  const lines = points.map((point) => (point === '\n' ? line++ : line));
  const lastOf = new Map<number | null, number>();
  scopes.forEach((scope, at) => {
    const { path, start, end, parent } = scope;
    const own = points.slice(start, end).join('');
    const around = parent === null ? null : scopes[parent]!;
    say(0 <= start && start < end && end <= points.length, `${path}: range`);
    say(own === own.trim() && own !== '', `${path}: blanks at an end`);
    say(parent === null || parent < at, `${path}: parent behind`);
    say(around === null || (around.start <= start && end <= around.end), `${path}: outside its parent`);
    say((lastOf.get(parent) ?? 0) <= start, `${path}: overlaps its sibling`);
    say(scope.sha256 === createHash('sha256').update(own).digest('hex'), `${path}: digest`);
    say(scope.first_line === lines[start] && scope.last_line === lines[end - 1], `${path}: lines`);
    const titled = `${scope.kind} ${scope.name}`;
    const whole = `${around === null ? '' : `${around.path} > `}${titled}`;
    say(path.startsWith(whole.length > 4_000 ? `… > ${titled}` : whole), `${path}: path`);
    lastOf.set(parent, end);
  });
  say(new Set(scopes.map(({ path }) => path)).size === scopes.length, 'paths repeat');
  say(has_errors === errors.count > 0 && (errors.first === null) === (errors.count === 0), 'errors');
  return wrong;
}

/** An outline for people: a line a scope, indented by depth, with its lines and how its text begins and ends. */
export function outline(text: string, { language, has_errors, scopes }: Discovery): string {
  const depths: number[] = [];
  const lines = scopes.map((scope, at) => {
    depths[at] = scope.parent === null ? 0 : depths[scope.parent]! + 1;
    const own = textOf(text, scope).split('\n');
    const ends = own.length === 1 ? own[0]! : `${own[0]!} … ${own.at(-1)!.trim()}`;
    const last = scope.path.slice(scope.parent === null ? 0 : scopes[scope.parent]!.path.length + 3);
    return `${'  '.repeat(depths[at])}${last} [${scope.first_line}-${scope.last_line}] ${ends}`;
  });
  return `${language ?? 'no language'}${has_errors ? ', with errors' : ''}\n${lines.join('\n')}\n`;
}
