import { randomness } from './cases.ts';

/** A random document of distinct words, and pieces of it. Offsets are code points. */
export interface Sample {
  below: (n: number) => number;
  lines: string[];
  text: string;
  /** The piece asked for, exactly as it stands. */
  piece: string;
  start: number;
  end: number;
  line: number;
}

const LETTERS = Array.from('abcdefghiklmnoprstuvwxyz');
const ACCENTED = Array.from('äéñőçřů');
const WIDE = Array.from('日本語文章編集検索置換');
const ASTRAL = ['😀', '🎉', '𝒳', '👩‍🚀'];

function word(below: (n: number) => number): string {
  const length = 5 + below(5);
  return Array.from({ length }, (_, i) => LETTERS[(below(LETTERS.length) + i) % LETTERS.length]!).join('');
}

/** Words, quotes, accents, numbers and indentation; `plain` keeps to ASCII. */
function line(below: (n: number) => number, plain: boolean): string {
  const indent = ['', '', '  ', '    ', '\t', '\t\t', '      '][below(7)]!;
  const words = Array.from({ length: 2 + below(4) }, () => {
    const kind = below(plain ? 4 : 8);
    const own = word(below);
    if (kind === 0) return `"${own}"`;
    if (kind === 1) return `${own.toUpperCase()}(${own},`;
    if (kind === 2) return `<${own}>`;
    if (kind === 4) return own + ACCENTED[below(ACCENTED.length)]! + word(below);
    if (kind === 5) return WIDE[below(WIDE.length)]! + WIDE[below(WIDE.length)]! + own;
    if (kind === 6) return own + ASTRAL[below(ASTRAL.length)]!;
    return own;
  });
  return indent + words.join(' ');
}

/** A document of 4 to 30 lines, of which `count` whole ones in a row (without the last line break) are the piece. */
export function sample(seed: number, { plain = false, count = 0 }: { plain?: boolean; count?: number } = {}): Sample {
  const below = randomness(seed);
  const lines = Array.from({ length: 4 + below(27) }, () => line(below, plain));
  const taken = count === 0 ? 1 + below(4) : count;
  const first = below(lines.length - taken + 1);
  const text = `${lines.join('\n')}\n`;
  const piece = lines.slice(first, first + taken).join('\n');
  const start = Array.from(lines.slice(0, first).join('\n') + (first === 0 ? '' : '\n')).length;
  return { below, lines, text, piece, start, end: start + Array.from(piece).length, line: first + 1 };
}

/** The code points [start, end) of a text. */
export function cut(text: string, start: number, end: number): string {
  return Array.from(text).slice(start, end).join('');
}
