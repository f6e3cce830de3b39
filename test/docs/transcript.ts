/** A value of a documented answer; `"$name"` stands for a value that the first answer gives and later ones must repeat. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One documented call and the part of its answer that is shown. */
export interface Step {
  tool: string;
  send: { [key: string]: Json };
  expect: Json;
}

export type Names = Map<string, Json>;

const isVariable = (value: Json): value is string => typeof value === 'string' && /^\$\w+$/.test(value);
const isObject = (value: Json | undefined): value is { [key: string]: Json } => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads `→ tool {…}` and `← {…}`; an indented line continues the one before, any other line is prose. */
export function stepsOf(text: string): Step[] {
  // An indented line is the rest of the one above it.
  const lines = text.replace(/\n[ \t]+(?=\S)/g, ' ').split('\n');
  const marked = lines.filter((line) => /^[→←]/.test(line));
  const steps: Step[] = [];
  for (let index = 0; index < marked.length; index += 2) {
    const call = /^→ (\w+) (.*)$/.exec(marked[index]!);
    const answer = /^← (.*)$/.exec(marked[index + 1] ?? '');
    if (call === null || answer === null) throw new Error(`a call and its answer are expected, not: ${marked[index]!}`);
    steps.push({ tool: call[1]!, send: JSON.parse(call[2]!) as Step['send'], expect: JSON.parse(answer[1]!) as Json });
  }
  return steps;
}

/** The value with every known `$name` filled in. Throws on one that no answer gave. */
export function fill(value: Json, names: Names): Json {
  if (isVariable(value)) {
    const known = names.get(value);
    if (known === undefined) throw new Error(`${value} was not given by any answer so far`);
    return known;
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, names));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, names)]));
  return value;
}

/** Where a real answer lacks what is shown; an unknown `$name` takes the value found. Shown lists may be shorter than the real ones. */
export function missing(shown: Json, real: Json | undefined, names: Names, path = 'answer'): string[] {
  if (real === undefined) return [`${path} is absent`];
  if (isVariable(shown)) {
    if (!names.has(shown)) names.set(shown, real);
    return names.get(shown) === real ? [] : [`${path} is ${JSON.stringify(real)}, not ${shown} = ${JSON.stringify(names.get(shown))}`];
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(real)) return [`${path} is no list`];
    return shown.flatMap((item, index) => missing(item, real[index], names, `${path}[${index}]`));
  }
  if (isObject(shown)) {
    if (!isObject(real)) return [`${path} is no object`];
    return Object.entries(shown).flatMap(([key, item]) => missing(item, real[key], names, `${path}.${key}`));
  }
  return shown === real ? [] : [`${path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
}
