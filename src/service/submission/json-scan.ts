/** The first place where a text is not JSON that can be taken as it is written. `at` is an offset in UTF-16 units. */
export interface ScanFault {
  at: number;
  rule: string;
}

const BLANKS = /[ \t\n\r]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;
/** A longer name cannot be the one that is refused, however it is escaped. */
const NAME_UNITS = 64;

/** Length of the match of a sticky pattern at `at`; 0 when there is none. */
function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Offset behind the string that begins at `at`, or the fault in it. */
function stringEnd(text: string, at: number): number | ScanFault {
  let next = at + 1;
  for (;;) {
    next += lengthAt(PLAIN, text, next);
    const unit = text[next];
    if (unit === '"') return next + 1;
    if (unit === undefined) return { at: next, rule: 'the string that begins before is never closed' };
    const escape = unit === '\\' ? lengthAt(ESCAPE, text, next) : 0;
    if (escape === 0)
      return { at: next, rule: unit === '\\' ? 'no such escape' : 'a control character in a string is written as an escape' };
    next += escape;
  }
}

/** Digits without zeros at either end, and the power of ten of the last one: equal for equal numbers, however they are written. */
function decimalOf(token: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(token) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  return kept === '' ? '0' : `${sign}${kept}e${String(BigInt(power) - BigInt(part.length) + BigInt(digits.length - kept.length))}`;
}

/** Null when the program's number is the one that is written. */
function inexact(token: string): string | null {
  const kept = Number(token);
  if (Number.isFinite(kept) && decimalOf(String(kept)) === decimalOf(token)) return null;
  const shown = token.length > 40 ? `${token.slice(0, 40)}…` : token;
  return `the number ${shown} cannot be kept as written (it would become ${String(kept)}); integers go up to ${String(Number.MAX_SAFE_INTEGER)}`;
}

/** Offset behind a number or a word, or the fault in it. */
function scalarEnd(text: string, at: number): number | ScanFault {
  const word = lengthAt(WORD, text, at);
  if (word > 0) return at + word;
  const number = lengthAt(NUMBER, text, at);
  if (number === 0) return { at, rule: text[at] === undefined ? 'a value is missing at the end' : 'a value is expected here' };
  const rule = inexact(text.slice(at, at + number));
  return rule === null ? at + number : { at, rule };
}

function isProtoName(token: string): boolean {
  return token.length <= NAME_UNITS && JSON.parse(token) === '__proto__';
}

/**
 * Walks a JSON text with its own stack, so that hostile depth costs nothing, and answers the first of: what is no JSON, a
 * number that parsing would change, an object key `__proto__`. Null when there is none: then `JSON.parse` keeps all of it.
 */
export function scanJson(text: string): ScanFault | null {
  const open: ('{' | '[')[] = [];
  let expects: 'value' | 'first item' | 'first name' | 'name' | 'more' = 'value';
  let at = 0;
  for (;;) {
    at += lengthAt(BLANKS, text, at);
    const unit = text[at];
    if (expects === 'more' && open.length === 0) return unit === undefined ? null : { at, rule: 'there is more after the value' };
    const inside = open.at(-1);
    const closes = (unit === '}' && inside === '{') || (unit === ']' && inside === '[');
    if (closes && (expects === 'more' || expects.startsWith('first'))) {
      open.pop();
      expects = 'more';
      at += 1;
    } else if (expects === 'more') {
      if (unit !== ',') return { at, rule: `a comma or the closing ${inside === '{' ? '}' : ']'} is expected here` };
      expects = inside === '{' ? 'name' : 'value';
      at += 1;
    } else if (expects === 'name' || expects === 'first name') {
      if (unit !== '"') return { at, rule: 'a name in double quotes is expected here' };
      const end = stringEnd(text, at);
      if (typeof end !== 'number') return end;
      if (isProtoName(text.slice(at, end))) return { at, rule: 'an object key "__proto__" is refused' };
      at = end + lengthAt(BLANKS, text, end);
      if (text[at] !== ':') return { at, rule: 'a colon is expected here' };
      expects = 'value';
      at += 1;
    } else if (unit === '{' || unit === '[') {
      open.push(unit);
      expects = unit === '{' ? 'first name' : 'first item';
      at += 1;
    } else {
      const end = unit === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (typeof end !== 'number') return end;
      expects = 'more';
      at = end;
    }
  }
}
