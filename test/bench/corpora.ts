import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { randomness } from '../nearmiss/cases.ts';

const MODULES = path.resolve(import.meta.dirname, '../../node_modules');

/** Texts of exactly so many code points, made of what the pinned packages bring along, so that they are the same everywhere. */
export const CORPORA: Record<string, (length: number) => string> = { prose, log, code, cjk };

/** Paragraphs of English out of the packages' own pages, each once. */
function prose(length: number): string {
  const paragraphs = new Set(files(MODULES, /\.md$/i).flatMap((file) => readFileSync(file, 'utf8').split(/\n\s*\n/)));
  const text = [...paragraphs]
    .filter((paragraph) => paragraph.length > 100 && /^[A-Z]/.test(paragraph) && !/[<|`]{2}|^\s{4}/m.test(paragraph))
    .join('\n\n')
    .replace(/[^\x20-\x7e\n]/g, '');
  return sized(text, length);
}

/** Lines that differ in a few digits: near misses everywhere. */
function log(length: number): string {
  const below = randomness(7);
  const lines: string[] = [];
  for (let i = 100_000, size = 0; size < length; i++) {
    const time = `${two(Math.floor(i / 60) % 60)}:${two(i % 60)}`;
    const level = ['INFO', 'INFO', 'INFO', 'WARN'][below(4)]!;
    const line = `2024-05-17T12:${time}.123Z ${level} [worker-3] http.request completed method=GET path=/api/v1/items/${i} status=200 duration_ms=12 bytes=5120 request_id=req-${i}\n`;
    lines.push(line);
    size += line.length;
  }
  return lines.join('').slice(0, length);
}

function code(length: number): string {
  const sources = files(path.join(MODULES, 'eslint/lib'), /\.js$/).map((file) => readFileSync(file, 'utf8'));
  return sized(sources.join(''), length);
}

/** Chinese and Japanese sentences with an emoji now and then; beyond those there are, sentences of the same pairs of characters. */
function cjk(length: number): string {
  const below = randomness(9);
  const emoji = Array.from('😀🎉🚀👍🔥💡🧪📦🐛✨');
  const messages = ['zh-cn', 'zh-tw', 'ja'].flatMap((language) => {
    const file = path.join(MODULES, 'typescript/lib', language, 'diagnosticMessages.generated.json');
    return Object.values(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
  });
  const sentences = messages.filter((message) => Array.from(message).filter((char) => char >= '\u3000').length > 8).join('\n');
  return Array.from(sized(sentences, length))
    .map((char) => (char >= '\u3000' && below(33) === 0 ? emoji[below(emoji.length)]! : char))
    .join('');
}

const two = (n: number): string => String(n).padStart(2, '0');

function files(root: string, name: RegExp): string[] {
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The first `length` code points; a text that is too short goes on with what follows pairs of characters in it (no repeats of whole pages). */
function sized(text: string, length: number): string {
  const points = Array.from(text).slice(0, length);
  if (points.length < length) {
    const below = randomness(13);
    const followers = new Map<string, string[]>();
    for (let i = 2; i < points.length; i++) {
      const pair = points[i - 2]! + points[i - 1]!;
      const list = followers.get(pair);
      if (list === undefined) followers.set(pair, [points[i]!]);
      else list.push(points[i]!);
    }
    while (points.length < length) {
      const list = followers.get(points.at(-2)! + points.at(-1)!) ?? ['\n'];
      points.push(list[below(list.length)]!);
    }
  }
  return points.join('');
}
