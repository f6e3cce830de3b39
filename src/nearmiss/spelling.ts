import type { Spelling } from './fold.ts';

const ESCAPE = /\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|([nrtbfv0"'`\\/]))/y;
const LOW_HALF = /\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})/y;
const NAMED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', 0: '\0' };

const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z]{2,8}));/y;
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0', shy: '\u00AD', copy: '\u00A9', reg: '\u00AE' },
    ...{ ndash: '\u2013', mdash: '\u2014', hellip: '\u2026', lsquo: '\u2018', rsquo: '\u2019', ldquo: '\u201C', rdquo: '\u201D' },
    ...{ laquo: '\u00AB', raquo: '\u00BB', bull: '\u2022', middot: '\u00B7', times: '\u00D7', rarr: '\u2192', larr: '\u2190' },
    ...{ euro: '\u20AC', deg: '\u00B0', trade: '\u2122', ensp: '\u2002', emsp: '\u2003', thinsp: '\u2009', zwj: '\u200D', zwnj: '\u200C' },
  }),
);

/** Escapes of programming languages and JSON: `\n`, `\"`, `\\`, `é` written as `\u00e9`, `\xE9` or `\u{E9}`. */
export const ESCAPES: Spelling = {
  mark: 0x5c,
  readAt: (text, unit) => {
    ESCAPE.lastIndex = unit;
    const found = ESCAPE.exec(text);
    if (found === null) return null;
    const end = ESCAPE.lastIndex;
    const [, braced, four, two, named] = found;
    if (named !== undefined) return { value: NAMED[named] ?? named, end };
    const point = parseInt((braced ?? four ?? two)!, 16);
    if (point > 0x10ffff) return null;
    if (point < 0xd800 || point > 0xdfff) return { value: String.fromCodePoint(point), end };
    LOW_HALF.lastIndex = end;
    const low = point < 0xdc00 ? LOW_HALF.exec(text) : null;
    return low === null ? null : { value: String.fromCharCode(point, parseInt(low[1]!, 16)), end: LOW_HALF.lastIndex };
  },
};

/** HTML's entities, by number and the usual ones by name. */
export const HTML_ENTITIES: Spelling = {
  mark: 0x26,
  readAt: (text, unit) => {
    ENTITY.lastIndex = unit;
    const found = ENTITY.exec(text);
    if (found === null) return null;
    const end = ENTITY.lastIndex;
    const [, decimal, hex, name] = found;
    const point = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    const value = name === undefined ? fromPoint(point) : ENTITIES.get(name);
    return value === undefined ? null : { value, end };
  },
};

/** The text with every spelling read as what it stands for; line ends canonical, as a buffer has them. */
export function readSpellings(text: string, { mark, readAt }: Spelling): string {
  const char = String.fromCharCode(mark);
  let out = '';
  let from = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at)) {
    const read = readAt(text, at);
    if (read === null) {
      at++;
      continue;
    }
    out += text.slice(from, at) + read.value;
    from = at = read.end;
  }
  return (out + text.slice(from)).replace(/\r\n?/g, '\n');
}

function fromPoint(point: number): string | undefined {
  return point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? undefined : String.fromCodePoint(point);
}
