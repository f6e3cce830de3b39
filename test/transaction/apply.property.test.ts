import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyTransaction, decodeSubmission, prepareSubmission, profileOf, replay } from '../../src/transaction/index.ts';
import type { JsonObject } from '../../src/transaction/index.ts';
import { operations, TARGET } from './helpers.ts';
import { applyReference, sha256 } from './reference.ts';

/** Small alphabets, so that texts repeat, overlap and are consumed; with pairs, wide characters and line ends. */
const alphabet = fc.constantFrom('a', 'b', '😀', 'é', '\n', '\r\n', 'ab');
const text = (maxLength: number): fc.Arbitrary<string> => fc.array(alphabet, { maxLength }).map((parts) => parts.join(''));
const content = fc.oneof(
  text(30),
  text(8).map((part) => part.repeat(9)),
);

/** An operation made against a text: mostly one that can apply to it. */
const operation = fc.record({
  kind: fc.constantFrom('match', 'match', 'span'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 12 }),
  replace: text(8),
  index: fc.option(fc.integer({ min: 1, max: 4 })),
  before: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
  after: fc.option(fc.nat({ max: 3 }), { freq: 2 }),
  wrong: fc.option(text(4), { freq: 9 }),
});
type Plan = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function realize(plan: Plan, points: string[]): JsonObject {
  const start = Math.floor(plan.at * points.length);
  const end = Math.min(points.length, start + plan.length);
  const part = (from: number, to: number): string => points.slice(Math.max(0, from), to).join('');
  const text = plan.wrong ?? part(start, end);
  if (plan.kind === 'span') {
    const adjacency = {
      ...(plan.before === null || start === 0 || plan.before === 0 ? {} : { expected_before: part(start - plan.before, start) }),
      ...(plan.after === null || end === points.length || plan.after === 0 ? {} : { expected_after: part(end, end + plan.after) }),
    };
    return { op: 'span', start, end, expected_text: text, replace: plan.replace, ...adjacency };
  }
  const selectors = {
    ...(plan.index === null ? {} : { occurrence_index: plan.index }),
    ...(plan.before === null || start === 0 ? {} : { anchor_before: part(start - 1 - plan.before, start) }),
    ...(plan.after === null || end === points.length ? {} : { anchor_after: part(end, end + 1 + plan.after) }),
  };
  return { op: 'match', match: text === '' ? 'a' : text, replace: plan.replace, ...selectors };
}

/** Realizes each plan against the text its predecessors leave, so that long transactions go on. */
function realizeAll(start: string, plans: Plan[]): JsonObject[] {
  const done: JsonObject[] = [];
  let now = start;
  for (const plan of plans) {
    done.push(realize(plan, [...now.replace(/\r\n?/g, '\n')]));
    const result = applyReference(start, done as never);
    if ('code' in result) break;
    now = result.content;
  }
  return done;
}

describe('the applier', () => {
  for (const indexedChanges of [0, 1_000]) {
    it(`equals the literal reading on code points ${indexedChanges === 0 ? 'through the index' : 'by reading'}`, () => {
      fc.assert(
        fc.property(content, fc.array(operation, { minLength: 1, maxLength: 10 }), (start, plans) => {
          const list = realizeAll(start, plans);
          const submission = prepareSubmission('patchdiff-tx/2', operations(...list));
          const decoded = decodeSubmission(submission);
          if (!decoded.ok) expect.fail(decoded.fault.detail);
          const result = applyTransaction(start, decoded.transaction, profileOf(submission.record), sha256, { indexedChanges });
          const wanted = applyReference(start, list as never);
          if (result.ok) {
            expect({ content: result.content, facts: result.changes, starts: result.resolvedStarts }).toEqual(wanted);
            expect(result.afterHash).toBe(sha256(result.content));
            const noOps = result.changes.filter(({ matched_sha256, replacement_sha256 }) => matched_sha256 === replacement_sha256);
            expect(result.warnings.filter(({ code }) => code === 'no_op_change').map(({ change_id }) => change_id)).toEqual(
              noOps.map(({ change_id }) => change_id),
            );
            return;
          }
          const { fault, buffer, priorChanges } = result;
          expect({ code: fault.code, ordinal: fault.ordinal, buffer }).toEqual(
            'code' in wanted ? { code: wanted.code, ordinal: wanted.ordinal, buffer: wanted.buffer } : wanted,
          );
          expect(priorChanges).toBe((fault.ordinal ?? 0) - 1);
          if (!('code' in wanted)) return;
          if (wanted.consumer !== undefined) expect((fault.evidence['consumed_match'] as JsonObject)['ordinal']).toBe(wanted.consumer);
          if (wanted.candidates !== undefined) {
            expect((fault.evidence['exact_candidates'] as JsonObject[]).map((candidate) => candidate['start'])).toEqual(
              wanted.candidates.slice(0, 5),
            );
            expect(fault.evidence['candidate_count']).toBe(wanted.candidates.length);
          }
        }),
        { numRuns: 2_000 },
      );
    });
  }

  it('is replayed to the same bytes', () => {
    fc.assert(
      fc.property(content, fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), (raw, history) => {
        const start = raw.replace(/\r\n?/g, '\n');
        const rows = [];
        let now = start;
        let version = 0;
        for (const plans of history) {
          const submission = prepareSubmission('patchdiff-tx/2', {
            ...operations(...realizeAll(now, plans)),
            expected_target_version: version,
          });
          const decoded = decodeSubmission(submission);
          if (!decoded.ok) expect.fail(decoded.fault.detail);
          const profile = profileOf(submission.record);
          const result = applyTransaction(now, decoded.transaction, profile, sha256);
          if (!result.ok) continue;
          rows.push({
            target_file_id: TARGET,
            pdcp_log_id: `log ${version}`,
            log_sequence: version + 1,
            before_version: version,
            after_version: version + 1,
            before_hash: sha256(now),
            after_hash: result.afterHash,
            pdcp_content: submission.payload,
            pdcp_content_hash: sha256(submission.payload),
            protocol_version: submission.format,
            runtime_version: profile.name,
          });
          now = result.content;
          version += 1;
        }
        const initial = { target_file_id: TARGET, content: start, content_hash: sha256(start) };
        const replayed = replay(initial, rows, { content: now, hash: sha256(now), version }, TARGET, sha256);
        expect(replayed).toMatchObject({
          status: 'success',
          reconstructed_content: now,
          reconstructed_version: version,
          materialized_state_matches: true,
        });
      }),
      { numRuns: 300 },
    );
  });
});
