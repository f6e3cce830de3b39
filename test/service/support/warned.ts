import type { Format, JsonObject } from '../../../src/service/index.ts';

/** One submission that is accepted, and all that it is warned of. */
export interface Warned {
  name: string;
  content: string;
  format: Format;
  body: JsonObject;
  warnings: { code: string; change_id: string | null }[];
}

const no = (change_id: string): { code: string; change_id: string } => ({ code: 'no_op_change', change_id });
const shift = (change_id: string): { code: string; change_id: string } => ({ code: 'occurrence_index_basis_shift', change_id });
const split = (change_id: string): { code: string; change_id: string } => ({ code: 'grapheme_boundary_split', change_id });
const NOTHING_CHANGED = { code: 'no_op_transaction', change_id: null };

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';
const span = (start: number, end: number, text: string, replace: string): JsonObject => ({
  op: 'span',
  start,
  end,
  expected_text: text,
  replace,
});

export const WARNED: readonly Warned[] = [
  { name: 'nothing to warn of', content: 'a b\n', format: TX1, body: { edits: [{ match: 'a', replace: 'x' }] }, warnings: [] },
  {
    name: 'CRLF for LF is no change once both are LF',
    content: 'a\nb\n',
    format: TX1,
    body: { edits: [{ match: 'a\r\nb', replace: 'a\nb' }] },
    warnings: [no('chg_001'), NOTHING_CHANGED],
  },
  {
    name: 'so is a lone CR, in a span',
    content: 'a\nb\n',
    format: TX2,
    body: { operations: [{ ...span(0, 3, 'a\rb', 'a\r\nb'), change_id: 'same' }] },
    warnings: [no('same'), NOTHING_CHANGED],
  },
  {
    name: 'the whole text by itself',
    content: 'a\nb\n',
    format: TX3,
    body: { replacement: 'a\r\nb\r' },
    warnings: [no('chg_001'), NOTHING_CHANGED],
  },
  { name: 'an empty text by nothing', content: '', format: TX3, body: { replacement: '' }, warnings: [no('chg_001'), NOTHING_CHANGED] },
  {
    name: 'nothing inserted',
    content: 'ab',
    format: TX2,
    body: { operations: [span(1, 1, '', '')] },
    warnings: [no('chg_001'), NOTHING_CHANGED],
  },
  {
    name: 'changes that cancel each other, none of which is none',
    content: 'a b c\n',
    format: TX1,
    body: {
      edits: [
        { match: 'a', replace: 'x' },
        { match: 'x b', replace: 'a' },
        { match: 'a', replace: 'a b' },
      ],
    },
    warnings: [NOTHING_CHANGED],
  },
  {
    name: 'one change that is none among others',
    content: 'a b c\n',
    format: TX1,
    body: {
      edits: [
        { match: 'a', replace: 'x' },
        { match: 'b', replace: 'b', change_id: 'idle' },
      ],
    },
    warnings: [no('idle')],
  },
  {
    name: 'an index that counts another text than the starting one',
    content: 'on\noff\non\non\n',
    format: TX1,
    body: {
      edits: [
        { match: 'on\noff', replace: 'x' },
        { match: 'on', replace: 'y', occurrence_index: 1 },
      ],
    },
    warnings: [shift('chg_002')],
  },
  {
    name: 'a flag, a family, a syllable, a keycap and a conjunct cut in two',
    content: '🇩🇪 👩‍👧 가 1\ufe0f\u20e3',
    format: TX2,
    body: {
      operations: [
        { ...span(1, 1, '', '-'), change_id: 'flag' },
        { ...span(4, 5, '👩', '-'), change_id: 'family' },
        { ...span(9, 10, 'ᅡ', 'ᅡᆨ'), change_id: 'syllable' },
        { ...span(12, 13, '1', '2'), change_id: 'keycap' },
      ],
    },
    warnings: ['flag', 'family', 'syllable', 'keycap'].map(split),
  },
  {
    name: 'all four at once, in their order',
    content: 'e\u0301 e\u0301\n',
    format: TX1,
    body: {
      edits: [
        { match: 'e', replace: 'x', occurrence_index: 1, change_id: 'one' },
        { match: 'e', replace: 'e', occurrence_index: 1, change_id: 'two' },
        { match: 'x', replace: 'e', change_id: 'three' },
      ],
    },
    warnings: [split('one'), no('two'), shift('two'), split('two'), split('three'), NOTHING_CHANGED],
  },
];
