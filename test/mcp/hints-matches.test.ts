import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { Agent, candidates, editCall, firstEdit, linesOf, nearMisses } from './support/follow.ts';
import type { Answer, Line } from './support/follow.ts';
import { connectNew } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/*
 * Each retryable reason of a text that was not found once, met by an agent that has nothing but the receipt: it does what next_step says
 * and needs one more submission.
 */

const database = useDatabase();
let host: Host;
let agent: Agent;

beforeAll(async () => {
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  agent = new Agent(host);
});
afterAll(() => host.close());

describe('match_absent', () => {
  test('the near miss is what was meant: its text is the match', async () => {
    const id = await agent.create('def greet(name):\n\treturn name\n');
    const refusal = await agent.refused(editCall(id, 0, { match: '    return name', replace: '\treturn None' }), 'match_absent');
    await agent.follow(refusal, () => ({ args: { edits: [{ ...firstEdit(refusal), match: nearMisses(refusal)[0]?.text }] } }));
    expect(await agent.text(id)).toContain('None');
  });

  test('near misses look alike: the place of one', async () => {
    const id = await agent.create('value = 1;\nother\nvalue = 1;\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'value = 2;', replace: 'value = 3;' }), 'match_absent');
    const [first, second] = nearMisses(refusal);
    expect(first?.text).toBe(second?.text);
    await agent.follow(refusal, () => ({
      tool: 'patchdiff_submit_operations',
      args: {
        edits: undefined,
        operations: [{ op: 'span', start: second?.start, end: second?.end, expected_text: second?.text, replace: 'value = 3;' }],
      },
    }));
    expect(await agent.text(id)).toBe('value = 1;\nother\nvalue = 3;\n');
  });

  test('a long text, of which the near miss is only the head: read the lines', async () => {
    const body = Array.from({ length: 30 }, (_, at) => `line ${at} of a long passage`);
    const id = await agent.create(`head\n${body.join('\n')}\ntail\n`);
    const wanted = body.join('\n').replace('line 3 ', 'line three ');
    const refusal = await agent.refused(editCall(id, 0, { match: wanted, replace: 'short' }), 'match_absent');
    await agent.follow(refusal, async () => {
      const { lines } = await linesOf(refusal, id, (nearMisses(refusal)[0] as unknown as Line).line);
      const match = lines
        .slice(0, body.length)
        .map(({ text }) => text)
        .join('\n');
      return { args: { edits: [{ match, replace: 'short' }] } };
    });
    expect(await agent.text(id)).toBe('head\nshort\ntail\n');
  });

  test('a near miss longer than what is shown of it: read the lines', async () => {
    const words = Array.from({ length: 60 }, (_, at) => `w${at}${'xyz'[at % 3] ?? ''}`);
    const line = words.join(' ').slice(0, 262);
    const id = await agent.create(`head\n${line}\ntail\n`);
    const wanted = line.replaceAll(/w\d+x /g, (word) => word.slice(1));
    const refusal = await agent.refused(editCall(id, 0, { match: wanted, replace: 'short' }), 'match_absent');
    expect([wanted.length < 256, nearMisses(refusal)[0]?.text.length]).toEqual([true, 256]);
    await agent.follow(refusal, async () => {
      const { lines } = await linesOf(refusal, id, 2);
      return { args: { edits: [{ match: lines[0]?.text, replace: 'short' }] } };
    });
    expect(await agent.text(id)).toBe('head\nshort\ntail\n');
  });

  test('nothing stands in the document: an insertion', async () => {
    const id = await agent.create('');
    const refusal = await agent.refused(editCall(id, 0, { match: 'title', replace: 'Title' }), 'match_absent');
    await agent.follow(refusal, () => ({
      tool: 'patchdiff_submit_operations',
      args: { edits: undefined, operations: [{ op: 'span', start: 0, end: 0, expected_text: '', replace: 'Title' }] },
    }));
    expect(await agent.text(id)).toBe('Title');
  });

  test('nothing is near: read again', async () => {
    const id = await agent.create('alpha\nbeta\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'something else entirely', replace: 'x' }), 'match_absent');
    expect(nearMisses(refusal)).toEqual([]);
    await agent.follow(refusal, async () => {
      const { lines } = await linesOf(refusal, id);
      return { args: { edits: [{ match: lines[1]?.text, replace: 'x' }] } };
    });
    expect(await agent.text(id)).toBe('alpha\nx\n');
  });

  test('nothing is near, but a shorter piece can be looked for', async () => {
    const id = await agent.create('alpha\nthe interesting line\n');
    const refusal = await agent.refused(
      editCall(id, 0, { match: 'interesting, but remembered quite wrongly', replace: 'x' }),
      'match_absent',
    );
    await agent.follow(refusal, async () => {
      const found = await refusal.read('patchdiff_find_occurrences', { target_file_id: id, text: 'interesting' });
      expect(found).toMatchObject({ occurrence_count: 1 });
      return { args: { edits: [{ match: 'interesting', replace: 'x' }] } };
    });
    expect(await agent.text(id)).toBe('alpha\nthe x line\n');
  });

  test('only the white space differs, too much for a near miss: read the line of the explanation', async () => {
    const id = await agent.create('if:\n\t\t\t\tx\nelse\n');
    const refusal = await agent.refused(editCall(id, 0, { match: `${' '.repeat(16)}x`, replace: 'y' }), 'match_absent');
    expect(nearMisses(refusal)).toEqual([]);
    const { explanation } = refusal.receipt['near_miss_search'] as { explanation: Line };
    await agent.follow(refusal, async () => {
      const { lines } = await linesOf(refusal, id, explanation.line);
      return { args: { edits: [{ match: lines[0]?.text, replace: 'y' }] } };
    });
    expect(await agent.text(id)).toBe('if:\ny\nelse\n');
  });

  test('the change stands already: the line shows it, and nothing is left to send', async () => {
    const id = await agent.create('colour = "green"\n');
    const edit = { match: 'colour = "red"', replace: 'colour = "green"' };
    const refusal = await agent.refused(editCall(id, 0, edit), 'match_absent');
    expect(refusal.nextStep).toContain('nothing is left to send');
    const { lines } = await linesOf(refusal, id);
    expect(lines[0]?.text).toBe(edit.replace);
  });
});

describe('match_ambiguous', () => {
  test('the occurrence_index of a candidate', async () => {
    const id = await agent.create('a\nb\na\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'a', replace: 'X' }), 'match_ambiguous');
    const meant = candidates(refusal).find((candidate) => candidate['line'] === 3);
    await agent.follow(refusal, () => ({ args: { edits: [{ ...firstEdit(refusal), occurrence_index: meant?.['occurrence_index'] }] } }));
    expect(await agent.text(id)).toBe('a\nb\nX\n');
  });

  test('a longer match, from what stands beside the candidate', async () => {
    const id = await agent.create('one a\ntwo a\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'a', replace: 'X' }), 'match_ambiguous');
    const before = candidates(refusal)[1]?.['before'] as string;
    const more = before.slice(-4);
    await agent.follow(refusal, () => ({ args: { edits: [{ match: `${more}a`, replace: `${more}X` }] } }));
    expect(await agent.text(id)).toBe('one a\ntwo X\n');
  });

  test('with anchors that leave several, their candidate still counts over all', async () => {
    const id = await agent.create('a [a a]\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'a', replace: 'X', anchor_before: '[' }), 'match_ambiguous');
    const second = candidates(refusal)[1];
    await agent.follow(refusal, () => ({ args: { edits: [{ ...firstEdit(refusal), occurrence_index: second?.['occurrence_index'] }] } }));
    expect(await agent.text(id)).toBe('a [a X]\n');
  });

  test('one beyond the five that are shown', async () => {
    const id = await agent.create('a\n'.repeat(9));
    const refusal = await agent.refused(editCall(id, 0, { match: 'a', replace: 'X' }), 'match_ambiguous');
    expect(candidates(refusal)).toHaveLength(5);
    await agent.follow(refusal, async () => {
      const found = await refusal.read('patchdiff_find_occurrences', { target_file_id: id, text: 'a' });
      const eighth = (found['occurrences'] as Answer[]).find((occurrence) => occurrence['line'] === 8);
      return { args: { edits: [{ ...firstEdit(refusal), occurrence_index: eighth?.['occurrence_index'] }] } };
    });
    expect(await agent.text(id)).toBe(`${'a\n'.repeat(7)}X\na\n`);
  });

  test('one beyond the five in a text that no search shows: a longer match', async () => {
    const id = await agent.create(`start\n${'a\n'.repeat(6)}a z\n`);
    const first = { match: 'start', replace: 'a a' };
    const refusal = await agent.refused(editCall(id, 0, first, { match: 'a', replace: 'X' }), 'match_ambiguous');
    expect(refusal.diagnostic).toMatchObject({ candidate_count: 9, failure_context: { source: 'intermediate_buffer' } });
    expect(refusal.nextStep).not.toContain('patchdiff_find_occurrences');
    await agent.follow(refusal, () => ({ args: { edits: [first, { match: 'a z', replace: 'X z' }] } }));
    expect(await agent.text(id)).toBe(`a a\n${'a\n'.repeat(6)}X z\n`);
  });
});

describe('disambiguation_invalid', () => {
  test.each([
    ['an index past the last', { occurrence_index: 3 }],
    ['an anchor that excludes every one', { anchor_before: 'nowhere' }],
    ['both', { occurrence_index: 1, anchor_before: 'b', anchor_after: 'b' }],
  ])('%s: a candidate’s index, without anchors', async (_, selectors) => {
    const id = await agent.create('a\nb\na\n');
    const refusal = await agent.refused(editCall(id, 0, { match: 'a', replace: 'X', ...selectors }), 'disambiguation_invalid');
    const index = candidates(refusal)[1]?.['occurrence_index'];
    await agent.follow(refusal, () => ({ args: { edits: [{ match: 'a', replace: 'X', occurrence_index: index }] } }));
    expect(await agent.text(id)).toBe('a\nb\nX\n');
  });
});

test('sequential_match_invalid: the change that took the text does it all', async () => {
  const id = await agent.create('one two three\n');
  const edits = [
    { change_id: 'first', match: 'one two', replace: 'ONE' },
    { change_id: 'second', match: 'two', replace: 'TWO' },
  ];
  const refusal = await agent.refused(editCall(id, 0, ...edits), 'sequential_match_invalid');
  const consumer = (refusal.diagnostic['consumed_match'] as Answer)['change_id'];
  await agent.follow(refusal, () => ({
    args: {
      edits: edits
        .filter(({ change_id }) => change_id !== refusal.receipt['failed_change_id'])
        .map((edit) => (edit.change_id === consumer ? { ...edit, replace: `${edit.replace} TWO` } : edit)),
    },
  }));
  expect(await agent.text(id)).toBe('ONE TWO three\n');
});
