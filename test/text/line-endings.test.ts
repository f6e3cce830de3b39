import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, endingsOfRuns, expandLineEndings, lineEndingsOf, runsOf, spliceLineEndings } from '../../src/text/index.ts';
import type { EndingSplice, LineEnding } from '../../src/text/index.ts';

const ENDS: Record<string, string> = { N: '\n', R: '\r\n', C: '\r' };

/** Text in which N, R and C stand for LF, CRLF and CR. */
const raw = (text: string): string => text.replace(/[NRC]/g, (letter) => ENDS[letter] ?? '');
const shown = (text: string): string => text.replace(/\r\n|\n|\r/g, (end) => (end === '\n' ? 'N' : end === '\r' ? 'C' : 'R'));

const lineFeeds = (text: string): number => text.split('\n').length - 1;

const around = (content: string, from: number, to: number): Pick<EndingSplice, 'afterLineFeed' | 'beforeLineFeed'> => ({
  afterLineFeed: from > 0 && content[from - 1] === '\n',
  beforeLineFeed: content[to] === '\n',
});

/** The file after one edit of its canonical text; `match` null states the whole text anew. */
function edited(file: string, match: string | null, replacement: string, otherwise: LineEnding = 'lf'): string {
  const source = raw(file);
  const content = canonicalize(source);
  const wanted = match === null ? content : raw(match);
  const from = content.indexOf(wanted);
  if (match !== null && (from < 0 || content.indexOf(wanted, from + 1) >= 0)) throw new Error('the match must be unique');
  const to = from + wanted.length;
  const text = raw(replacement);
  const after = content.slice(0, from) + text + content.slice(to);
  const splice = {
    firstLine: lineFeeds(content.slice(0, from)),
    matched: wanted,
    replacement: text,
    wholeText: match === null,
    ...around(content, from, to),
  };
  return shown(expandLineEndings(after, spliceLineEndings(lineEndingsOf(source), splice, otherwise)));
}

describe('the endings after an edit of a file that mixes them', () => {
  it.each<[string, string, string, string, string]>([
    ['inside a line', 'aRbNcC', 'b', 'x', 'aRxNcC'],
    ['a line rewritten', 'aRbNcC', 'bN', 'xN', 'aRxNcC'],
    ['lines rewritten, one for one', 'aRbNcCd', 'aNbNcN', 'xNyNzN', 'xRyNzCd'],
    ['a line put in: as the line before', 'aRbNc', 'b', 'newNb', 'aRnewRbNc'],
    ['lines put in after one that stays', 'aRbNcC', 'bN', 'bNnewNerN', 'aRbNnewNerNcC'],
    ['a line put in at the very beginning: as the line after', 'aRbN', 'a', 'newNa', 'newRaRbN'],
    ['a line appended to a last line without an end', 'aRbNc', 'c', 'cNd', 'aRbNcNd'],
    ['a line deleted', 'aRbNcCd', 'bN', '', 'aRcCd'],
    ['lines joined', 'aRbNcC', 'aNb', 'ab', 'abNcC'],
    ['a line split', 'aRbcNdC', 'bc', 'bNc', 'aRbRcNdC'],
    ['a common line in the middle of a match keeps its own by its place', 'aRbNcC', 'aNbNc', 'aNxNc', 'aRxNcC'],
    ['a line deleted before common ones', 'aRbNcCd', 'aNbNcN', 'bNcN', 'bNcCd'],
    ['a line put in before common ones', 'aRbNcCd', 'aNbNcN', 'xNaNbNcN', 'xRaRbNcCd'],
    ['a line put in between common ones', 'aRbNcCd', 'aNbNcN', 'aNxNbNcN', 'aRxRbNcCd'],
    ['fewer lines than before', 'aRbNcCdR', 'aNbNcN', 'xN', 'xRdR'],
    ['the only line end taken away', 'aRb', 'aNb', 'ab', 'ab'],
    ['a line emptied between CR and its LF', 'aCbNc', 'b', '', 'aCRc'],
    ['the same with more empty lines', 'aCbNNc', 'b', '', 'aCRNc'],
    ['a line with CR put before an empty one with LF', 'aCbNNc', 'aNbN', 'xN', 'xRNc'],
    ['a line taken out between CR and an empty one with LF', 'aCbRNc', 'bN', '', 'aCRc'],
    ['a line emptied before CR', 'aNbCc', 'b', '', 'aNCc'],
    ['empty lines put in between', 'aCbN', 'b', 'NNb', 'aCCCbN'],
    ['a text of one line gets its first end', 'abC', 'b', 'bNc', 'abCcC'],
  ])('%s', (_, file, match, replacement, wanted) => {
    expect(edited(file, match, replacement)).toBe(wanted);
  });

  it.each<[string, string, string, LineEnding, string]>([
    ['nothing changed', 'aRbNcC', 'aNbNcN', 'lf', 'aRbNcC'],
    ['lines put in and taken out far apart', 'aRbNcCdReN', 'xNaNbNdNeNyN', 'lf', 'xRaRbNdReNyN'],
    ['a line moved', 'aRbNcC', 'cNaNbN', 'lf', 'cRaRbN'],
    ['all lines new, one for one, and more', 'aRbC', 'xNyNzN', 'lf', 'xRyCzC'],
    ['emptied', 'aRbC', '', 'lf', ''],
    ['a line emptied between CR and its LF', 'aCbNc', 'aNNc', 'lf', 'aCRc'],
    ['a line with CR put before an empty one with LF', 'aCbNNc', 'xNNc', 'lf', 'xRNc'],
    ['filled again after it was empty', '', 'xNyN', 'crlf', 'xRyR'],
  ])('stated anew: %s', (_, file, replacement, otherwise, wanted) => {
    expect(edited(file, null, replacement, otherwise)).toBe(wanted);
  });

  it('takes the most frequent one where no line stands before or after', () => {
    // The only line end goes and comes back in one edit: it is paired. A text without any has nothing to count.
    expect(edited('aC', null, 'xNyN', 'lf')).toBe('xCyC');
    expect(edited('a', 'a', 'aNb', 'cr')).toBe('aCb');
  });
});

const mixed = fc.array(fc.constantFrom('a', 'b', '', '😀', '\n', '\r\n', '\r'), { maxLength: 24 }).map((parts) => parts.join(''));

describe('endings', () => {
  it('and canonical text are the file', () => {
    fc.assert(
      fc.property(mixed, (source) => {
        const endings = lineEndingsOf(source);
        expect(expandLineEndings(canonicalize(source), endings)).toBe(source);
        expect(endingsOfRuns(runsOf(endings))).toEqual(endings);
        const runs = runsOf(endings);
        expect(runs.every(([ending, lines], at) => lines > 0 && ending !== runs[at + 1]?.[0])).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stay with every line outside the splice, whatever it is', () => {
    fc.assert(
      fc.property(mixed, fc.nat(), fc.nat(), mixed, fc.boolean(), (source, first, second, written, anew) => {
        const content = canonicalize(source);
        const replacement = canonicalize(written);
        const [left = 0, right = 0] = [first % (content.length + 1), second % (content.length + 1)].sort((a, b) => a - b);
        const [from, to] = anew ? [0, content.length] : [left, right];
        const endings = lineEndingsOf(source);
        const before = lineFeeds(content.slice(0, from));
        const behind = lineFeeds(content.slice(to));
        const splice = { firstLine: before, matched: content.slice(from, to), replacement, wholeText: anew, ...around(content, from, to) };
        const after = spliceLineEndings(endings, splice, 'lf');
        const text = content.slice(0, from) + replacement + content.slice(to);
        // The file is read back as the text, always.
        expect(canonicalize(expandLineEndings(text, after))).toBe(text);
        if (replacement === content.slice(from, to)) expect(after).toEqual(endings);
        // One line outside may have to give way: the next one, from LF, behind a CR and emptied by the splice or next to it by now.
        const wanted = [
          ...endings.subarray(0, before),
          ...after.subarray(before, after.length - behind),
          ...endings.slice(endings.length - behind),
        ];
        const next = after.length - behind;
        const pressed =
          behind > 0 &&
          next > 0 &&
          after[next - 1] === 2 &&
          wanted[next] === 0 &&
          text.slice(0, from + replacement.length).endsWith('\n') &&
          content[to] === '\n';
        if (pressed) wanted[next] = 1;
        expect([...after]).toEqual(wanted);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of another number than the lines that end are misuse', () => {
    expect(() => expandLineEndings('a\nb', Uint8Array.of())).toThrow(RangeError);
  });
});
