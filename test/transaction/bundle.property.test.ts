import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalize, expandLineEndings, lineEndingsOf } from '../../src/text/index.ts';
import { carryLineEndings, findRemoval, replay, replayStep } from '../../src/transaction/index.ts';
import type { BundleApplied, JsonObject, JsonValue, Observation } from '../../src/transaction/index.ts';
import { acceptBundle, bundleArgs, bundleRow, group, observe } from './bundle-helpers.ts';
import { accept, operations, TARGET } from './helpers.ts';
import { sha256 } from './reference.ts';

const letter = fc.constantFrom('a', 'b', '😀', 'e\u0301', '\u0301', '\n', 'ab');
const word = (maxLength: number): fc.Arbitrary<string> => fc.array(letter, { maxLength }).map((parts) => parts.join(''));
const replacement = fc
  .array(fc.oneof(letter, fc.constantFrom('$&', '$1', '$$', "$'", '\r\n', '\r')), { maxLength: 4 })
  .map((parts) => parts.join(''));
const edit = fc.record({ at: fc.nat(), length: fc.nat({ max: 4 }), replace: replacement, guarded: fc.boolean() });
const plan = fc.record({
  content: word(40).filter((text) => text !== ''),
  cuts: fc.array(fc.nat(), { minLength: 2, maxLength: 8 }),
  edits: fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
  shuffle: fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

interface Made {
  content: string;
  observation: Observation;
  /** Positions of the scopes edited, in submitted order, with their spans. */
  groups: { at: number; spans: JsonObject[] }[];
}

/** The text cut into disjoint scopes, some of them edited by spans of their own buffer, in shuffled order. */
function make({ content, cuts, edits, shuffle }: Plan): Made {
  const points = [...content];
  const bounds = [...new Set([0, ...cuts.map((cut) => cut % (points.length + 1)), points.length])].sort((left, right) => left - right);
  const ranges = bounds.slice(1).map((end, at): [number, number] => [bounds[at]!, end]);
  const observation = observe(content, ranges);
  const order = ranges.map((_, at) => at).sort((left, right) => shuffle[left % 8]! - shuffle[right % 8]! || left - right);
  const groups = edits.slice(0, order.length).map((list, position) => {
    const at = order[position]!;
    let buffer = points.slice(...ranges[at]!);
    const spans = list.map(({ at: from, length, replace, guarded }) => {
      const start = from % (buffer.length + 1);
      const end = Math.min(buffer.length, start + length);
      const part = (first: number, last: number): string => buffer.slice(Math.max(0, first), last).join('');
      const made: JsonObject = { op: 'span', start, end, expected_text: part(start, end), replace };
      if (guarded && start > 0) made['expected_before'] = part(start - 2, start);
      if (guarded && end < buffer.length) made['expected_after'] = part(end, end + 2);
      buffer = [...buffer.slice(0, start), ...canonicalize(replace), ...buffer.slice(end)];
      return made;
    });
    return { at, spans };
  });
  return { content, observation, groups };
}

const argsOfMade = ({ observation, groups }: Made): JsonObject =>
  bundleArgs(...groups.map(({ at, spans }) => group(observation, at, ...spans)));
const run = (made: Made): BundleApplied => acceptBundle(argsOfMade(made), made.observation, made.content).applied;

/** The same edits as one tx/2 over the document: the groups from last to first. */
function inDocument({ observation, groups }: Made): JsonValue[] {
  const start = (at: number): number => observation.scopes[at]!.start;
  return groups
    .toSorted((left, right) => start(right.at) - start(left.at))
    .flatMap(({ at, spans }) =>
      spans.map((span) => ({ ...span, start: (span['start'] as number) + start(at), end: (span['end'] as number) + start(at) })),
    );
}

type Law = (made: Made, applied: BundleApplied) => void;

const LAWS: Record<string, Law> = {
  'comes to what its edits come to as one tx/2 over the document': (made, applied) => {
    const plain = accept('patchdiff-tx/2', operations(...inDocument(made)), made.content);
    expect(applied.content).toBe(plain.content);
    expect(
      applied.changes.map(({ span_start, span_end, matched_sha256, replacement_sha256 }) => [
        span_start,
        span_end,
        matched_sha256,
        replacement_sha256,
      ]),
    ).toEqual(
      plain.changes.map(({ span_start, span_end, matched_sha256, replacement_sha256 }) => [
        span_start,
        span_end,
        matched_sha256,
        replacement_sha256,
      ]),
    );
  },

  'leaves everything outside its scopes as it is, in place and in order': ({ content, observation, groups }, applied) => {
    const points = [...content];
    const edited = new Map(groups.map(({ at }) => [at, null]));
    let rest = applied.content;
    // Walk the scopes in document order: an untouched one must stand there byte for byte, an edited one has the length its facts say.
    for (const [at, scope] of observation.scopes.entries()) {
      const before = points.slice(scope.start, scope.end);
      if (!edited.has(at)) {
        expect(rest.startsWith(before.join(''))).toBe(true);
        rest = rest.slice(before.join('').length);
        continue;
      }
      const facts = applied.changes.filter(({ scope_id }) => scope_id === scope.scope_id);
      const grown = facts.reduce((sum, { matched_chars, replacement_chars }) => sum + replacement_chars - matched_chars, before.length);
      rest = [...rest].slice(grown).join('');
    }
    expect(rest).toBe('');
  },

  'has the same result in whatever order its groups are sent': (made, applied) => {
    const reversed = run({ ...made, groups: made.groups.toReversed() });
    expect(reversed.content).toBe(applied.content);
    const places = ({ changes }: BundleApplied): unknown[] =>
      changes.map(({ span_start, span_end, apply_ordinal, scope_id, replacement_sha256 }) => [
        span_start,
        span_end,
        apply_ordinal,
        scope_id,
        replacement_sha256,
      ]);
    expect(places(reversed)).toEqual(places(applied));
  },

  'states facts that make the result when they are done as splices, one after another': ({ content, groups, observation }, applied) => {
    const sent = groups.flatMap(({ spans }) => spans);
    let points = [...content];
    for (const fact of applied.changes) {
      const replaced = canonicalize(sent[fact.ordinal - 1]?.['replace'] as string);
      const matched = points.slice(fact.span_start, fact.span_end).join('');
      expect([sha256(matched), sha256(replaced)]).toEqual([fact.matched_sha256, fact.replacement_sha256]);
      const scope = observation.scopes.find(({ scope_id }) => scope_id === fact.scope_id)!;
      expect([fact.scope_span_start + scope.start, fact.scope_span_end + scope.start]).toEqual([fact.span_start, fact.span_end]);
      points = [...points.slice(0, fact.span_start), ...replaced, ...points.slice(fact.span_end)];
    }
    expect(points.join('')).toBe(applied.content);
  },

  'is replayed from what is stored of it': (made, applied) => {
    const { content } = made;
    const row = bundleRow(argsOfMade(made), made.observation, content, applied.content);
    const initial = { target_file_id: TARGET, content, content_hash: sha256(content) };
    const state = { content: applied.content, hash: applied.afterHash, version: 1 };
    expect(replay(initial, [row], state, TARGET, sha256)).toMatchObject({ status: 'success', materialized_state_matches: true });
  },

  'carries the line endings that its edits carry as one tx/2, and can be taken back': (made, applied) => {
    // Every second line of the file ends with CRLF.
    let line = 0;
    const file = made.content.replaceAll('\n', () => ((line += 1) % 2 === 0 ? '\r\n' : '\n'));
    const endings = lineEndingsOf(file);
    const row = bundleRow(argsOfMade(made), made.observation, made.content, applied.content);
    const step = replayStep(row, { content: made.content, hash: sha256(made.content), version: 0 }, TARGET, sha256);
    if ('check' in step) expect.fail(step.detail);
    let expected = endings;
    let content = made.content;
    for (const operation of inDocument(made)) {
      const args = operations(operation);
      const single = accept('patchdiff-tx/2', args, content);
      const { start, end, replace } = operation as { start: number; end: number; replace: string };
      const change = { ...step.transaction.changes[0]!, replace };
      expected = carryLineEndings(expected, content, { ...step.transaction, changes: [change] }, single.changes, 'lf');
      expect([single.changes[0]?.span_start, single.changes[0]?.span_end]).toEqual([start, end]);
      content = single.content;
    }
    const carried = carryLineEndings(endings, made.content, step.transaction, step.changes, 'lf');
    expect(expandLineEndings(applied.content, carried)).toBe(expandLineEndings(applied.content, expected));

    // The text of the whole content before is found as the one that this bundle took away.
    if (applied.content.includes(made.content)) return;
    const recent = { ...row, span_starts: applied.changes.map(({ span_start }) => span_start) };
    const missing = { targetFileId: TARGET, content: applied.content, version: 1, wanted: made.content, replacement: '' };
    expect(findRemoval(missing, [recent], sha256)).toMatchObject({ version: 0, pdcpLogId: 'bundle' });
  },
};

/** One bundle is made and run for all laws: that is most of what a case costs. */
it('obeys every law', () => {
  fc.assert(
    fc.property(plan, (chosen) => {
      const made = make(chosen);
      const applied = run(made);
      for (const [name, law] of Object.entries(LAWS)) {
        try {
          law(made, applied);
        } catch (error) {
          throw new Error(`a bundle ${name}`, { cause: error });
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
