import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { commandLine } from '../helpers/cli.ts';
import { Agent, editCall, firstOperation, guards, linesOf, nearMisses, operationsCall } from './support/follow.ts';
import type { Args, Refusal } from './support/follow.ts';
import { connectNew } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/*
 * Each retryable reason of a guard, a place or a damaged row, met by an agent that has nothing but the receipt: it does what next_step says
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

describe('guards: read again, send that version and hash', () => {
  async function moved(): Promise<string> {
    const id = await agent.create('alpha\nbeta\n');
    await agent.answer('patchdiff_submit_edits', editCall(id, 0, { match: 'beta', replace: 'BETA' }).args);
    return id;
  }
  const correct = (id: string) => async (refusal: Refusal) => {
    const { answer, lines } = await linesOf(refusal, id);
    return { args: { ...guards(answer), edits: [{ match: lines[1]?.text, replace: 'gamma' }] } };
  };

  test('target_version_mismatch', async () => {
    const id = await moved();
    await agent.follow(await agent.refused(editCall(id, 0, { match: 'beta', replace: 'gamma' }), 'target_version_mismatch'), correct(id));
    expect(await agent.text(id)).toBe('alpha\ngamma\n');
  });

  test('target_hash_mismatch', async () => {
    const id = await moved();
    const call = editCall(id, 1, { match: 'beta', replace: 'gamma' });
    call.args['expected_current_hash'] = 'a'.repeat(64);
    await agent.follow(await agent.refused(call, 'target_hash_mismatch'), correct(id));
    expect(await agent.text(id)).toBe('alpha\ngamma\n');
  });
});

describe('span_out_of_bounds: offsets of a fresh read, from the end of the text to its beginning', () => {
  const byLines =
    (id: string, wanted: Record<number, string>) =>
    async (refusal: Refusal): Promise<{ args: Args }> => {
      const { lines } = await linesOf(refusal, id);
      const spans = lines.filter(({ line }) => line in wanted).toSorted((a, b) => b.start - a.start);
      return {
        args: {
          operations: spans.map(({ line, start, end, text }) => ({ op: 'span', start, end, expected_text: text, replace: wanted[line] })),
        },
      };
    };

  test('an end beyond the text', async () => {
    const id = await agent.create('alpha\nbeta\n');
    const span = { op: 'span', start: 6, end: 400, expected_text: 'beta', replace: 'x' };
    await agent.follow(await agent.refused(operationsCall(id, 0, span), 'span_out_of_bounds'), byLines(id, { 2: 'x' }));
    expect(await agent.text(id)).toBe('alpha\nx\n');
  });

  test('offsets that an operation before has moved', async () => {
    const id = await agent.create('a long first line\nlast\n');
    const operations = [
      { op: 'span', start: 0, end: 17, expected_text: 'a long first line', replace: 'x' },
      { op: 'span', start: 18, end: 22, expected_text: 'last', replace: 'y' },
    ];
    const refusal = await agent.refused(operationsCall(id, 0, ...operations), 'span_out_of_bounds');
    expect(refusal.diagnostic['failure_context']).toMatchObject({ source: 'intermediate_buffer', prior_changes: 1 });
    await agent.follow(refusal, byLines(id, { 1: 'x', 2: 'y' }));
    expect(await agent.text(id)).toBe('x\ny\n');
  });
});

describe('span_expected_text_mismatch', () => {
  const span = (more: Args): Args => ({ op: 'span', start: 6, end: 10, expected_text: 'beta', replace: 'gamma', ...more });
  const field = (refusal: Refusal): string => (refusal.diagnostic['path'] as string).replace(/^.*\./, '');

  test.each([
    ['expected_text', { expected_text: 'bета' }],
    ['expected_before', { expected_before: 'omega\n' }],
    ['expected_after', { expected_after: '\r\n\n' }],
  ])('the place is right: actual_text as %s', async (name, wrong) => {
    const id = await agent.create('alpha\nbeta\nend\n');
    const refusal = await agent.refused(operationsCall(id, 0, span(wrong)), 'span_expected_text_mismatch');
    expect(field(refusal)).toBe(name);
    const actual = refusal.diagnostic['actual_text'];
    await agent.follow(refusal, () => ({ args: { operations: [{ ...firstOperation(refusal), [field(refusal)]: actual }] } }));
    expect(await agent.text(id)).toBe('alpha\ngamma\nend\n');
  });

  test('the text stands elsewhere: start, end and text of the near miss', async () => {
    const id = await agent.create('alpha\nbeta\nsomewhere below\n');
    const refusal = await agent.refused(operationsCall(id, 0, span({ expected_text: 'somewhere below' })), 'span_expected_text_mismatch');
    const [{ start, end, text } = { start: 0, end: 0, text: '' }] = nearMisses(refusal);
    await agent.follow(refusal, () => ({ args: { operations: [{ ...firstOperation(refusal), start, end, expected_text: text }] } }));
    expect(await agent.text(id)).toBe('alpha\nbeta\ngamma\n');
  });

  test('a field beside the span may be left out', async () => {
    const id = await agent.create('alpha\nbeta\n');
    const refusal = await agent.refused(operationsCall(id, 0, span({ expected_after: 'x' })), 'span_expected_text_mismatch');
    const rest = { ...firstOperation(refusal), [field(refusal)]: undefined };
    await agent.follow(refusal, () => ({ args: { operations: [rest] } }));
    expect(await agent.text(id)).toBe('alpha\ngamma\n');
  });

  test.each([
    ['nothing stands before the span', { start: 0, end: 5, expected_text: 'alpha', expected_before: 'x' }],
    ['nothing stands after it', { start: 6, end: 10, expected_text: 'beta', expected_after: 'x' }],
    ['what stands before it is longer than the evidence', { start: 300, end: 301, expected_text: 'z', expected_before: 'y'.repeat(299) }],
  ])('%s: the field can only be left out', async (_, operation) => {
    const id = await agent.create(operation.start === 300 ? `${'x'.repeat(300)}z` : 'alpha\nbeta');
    const refusal = await agent.refused(operationsCall(id, 0, { op: 'span', replace: 'N', ...operation }), 'span_expected_text_mismatch');
    expect(refusal.nextStep).toContain(`leave operations[0].${field(refusal)} out`);
    expect(refusal.nextStep).not.toContain('send it as');
    await agent.follow(refusal, () => ({ args: { operations: [{ ...firstOperation(refusal), [field(refusal)]: undefined }] } }));
    expect(await agent.text(id)).toContain('N');
  });

  test('a place that an operation before has moved: spans from the end', async () => {
    const id = await agent.create('a long first line\nlast\n');
    const operations = [
      { op: 'span', start: 0, end: 1, expected_text: 'a', replace: 'one' },
      { op: 'span', start: 18, end: 22, expected_text: 'last', replace: 'end' },
    ];
    const refusal = await agent.refused(operationsCall(id, 0, ...operations), 'span_expected_text_mismatch');
    expect(refusal.nextStep).toContain('from the end of the text to its beginning');
    await agent.follow(refusal, () => ({ args: { operations: operations.toReversed() } }));
    expect(await agent.text(id)).toBe('one long first line\nend\n');
  });

  test('a text longer than the evidence: only a read has all of it', async () => {
    const long = 'word '.repeat(80).trim();
    const id = await agent.create(`head\n${long}\n`);
    const wrong = { op: 'span', start: 5, end: 5 + long.length, expected_text: long.replaceAll('word', 'sword'), replace: 'x' };
    const refusal = await agent.refused(operationsCall(id, 0, wrong), 'span_expected_text_mismatch');
    expect(refusal.nextStep).not.toContain('actual_text');
    await agent.follow(refusal, async () => {
      const { lines } = await linesOf(refusal, id);
      const { start, end, text } = lines[1] ?? {};
      return { args: { operations: [{ op: 'span', start, end, expected_text: text, replace: 'x' }] } };
    });
    expect(await agent.text(id)).toBe('head\nx\n');
  });
});

test('target_diverged: an operator verifies and restores the row; then a new proposal from a fresh read succeeds', async () => {
  const id = await agent.create('alpha\n');
  const admin = await database.client('admin');
  const set = (text: string) =>
    admin.query('update patchdiff_store.cloud_target_files set current_content = $2 where target_file_id = $1', [id, text]);
  await set('alphA\n');
  const refusal = await agent.refused(editCall(id, 0, { match: 'alpha', replace: 'x' }), 'target_diverged');
  expect(refusal.nextStep).toContain('`patchdiff verify`');
  const cli = await commandLine(() => ({ DATABASE_URL: database.url('writer') }), process.cwd());
  const verified = await cli(['verify', id]);
  expect(verified.code).not.toBe(0);
  expect(`${verified.stdout}${verified.stderr}`).toContain('cloud_target_files');
  await set('alpha\n');
  await agent.follow(refusal, async () => {
    const { answer, lines } = await linesOf(refusal, id);
    return { args: { ...guards(answer), edits: [{ match: lines[0]?.text, replace: 'x' }] } };
  });
  expect(await agent.text(id)).toBe('x\n');
});
