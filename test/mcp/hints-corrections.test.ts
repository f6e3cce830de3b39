import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { Agent, editCall, operationsCall } from './support/follow.ts';
import type { Args, Call, Refusal } from './support/follow.ts';
import { connectNew } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/*
 * Refusals that no fresh read can mend, but whose next_step is a concrete correction: it is made as it is said, and one more
 * submission succeeds.
 */

const database = useDatabase();
let host: Host;
let agent: Agent;
let id: string;

beforeAll(async () => {
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  agent = new Agent(host);
});
afterAll(() => host.close());

const EDIT = { match: 'alpha', replace: 'x' };
const edits = (...list: Args[]): Args => ({ edits: list });

interface Correction {
  reason: string;
  code: string;
  /** The refused call; the target is a fresh one at version 0 with `alpha` on its first line. */
  call: () => Call | Promise<Call>;
  /** Words of the step that the correction stands on. */
  says: string;
  correct: (refusal: Refusal) => { tool?: string; args: Args };
}

const editWith =
  (more: Args, edit: Args = EDIT) =>
  (): Call => {
    const call = editCall(id, 0, edit);
    return { ...call, args: { ...call.args, ...more } };
  };

const CORRECTIONS: Record<string, Correction> = {
  'no guard': {
    reason: 'context_missing',
    code: 'guard_missing',
    call: editWith({ expected_target_version: undefined }),
    says: 'Add expected_target_version',
    correct: () => ({ args: { expected_target_version: 0 } }),
  },
  'a guard in quotes': {
    reason: 'context_invalid',
    code: 'guard_malformed',
    call: editWith({ expected_target_version: '0' }),
    says: 'expected_target_version was sent as a string; send the number itself',
    correct: () => ({ args: { expected_target_version: 0 } }),
  },
  'a hash in upper case': {
    reason: 'context_invalid',
    code: 'guard_malformed',
    call: editWith({ expected_target_version: undefined, expected_current_hash: 'A'.repeat(64) }),
    says: 'Correct expected_current_hash, which was sent as a string of 64 characters',
    correct: ({ receipt }) => ({ args: { expected_current_hash: receipt['current_hash'] } }),
  },
  'a key that stands for another request': {
    reason: 'context_invalid',
    code: 'request_key_conflict',
    call: async () => {
      const call = editCall(id, 0, { match: 'absent', replace: 'y' });
      await agent.refused({ ...call, args: { ...call.args, client_request_id: 'taken' } }, 'match_absent');
      return editWith({ client_request_id: 'taken' })();
    },
    says: 'a client_request_id that was never used on this target',
    correct: () => ({ args: {} }),
  },
  'a key with a space': {
    reason: 'context_invalid',
    code: 'invalid_client_request_id',
    call: editWith({ client_request_id: 'a b' }),
    says: 'or with none',
    correct: () => ({ args: { client_request_id: undefined } }),
  },
  'a parent that is no rejected attempt': {
    reason: 'context_invalid',
    code: 'parent_invalid',
    call: () => editWith({ parent_pdcp_log_id: id })(),
    says: 'leave it out',
    correct: () => ({ args: { parent_pdcp_log_id: undefined } }),
  },
  'a retry counter that is no integer': {
    reason: 'context_invalid',
    code: 'attempt_malformed',
    call: editWith({ attempt: true }),
    says: 'Correct attempt, which was sent as a boolean',
    correct: () => ({ args: { attempt: 1 } }),
  },
  'a blank source': {
    reason: 'context_invalid',
    code: 'source_malformed',
    call: editWith({ source: '\u3000' }),
    says: 'Correct source, which was sent as a blank string of 1 character',
    correct: () => ({ args: { source: 'me' } }),
  },
  'half of a surrogate pair': {
    reason: 'target_encoding_invalid',
    code: 'text_not_encodable',
    call: editWith({}, { match: 'alpha', replace: 'x\ud83d' }),
    says: 'Write edits[0].replace again without NUL and without half of a surrogate pair',
    correct: () => ({ args: edits({ match: 'alpha', replace: 'x' }) }),
  },
  'edits as text': {
    reason: 'manifest_missing',
    code: 'manifest_missing',
    call: editWith({ edits: JSON.stringify([EDIT]) }),
    says: 'send the array itself',
    correct: ({ call }) => ({ args: { edits: JSON.parse(call.args['edits'] as string) as unknown } }),
  },
  'an item as text': {
    reason: 'block_malformed',
    code: 'not_an_object',
    call: editWith({ edits: [JSON.stringify(EDIT)] }),
    says: 'send the object itself',
    correct: ({ call }) => ({ args: { edits: (call.args['edits'] as string[]).map((text) => JSON.parse(text) as unknown) } }),
  },
  'an unknown argument': {
    reason: 'manifest_invalid',
    code: 'unknown_field',
    call: editWith({ region_hint: 5 }),
    says: 'Remove the field that failure_detail names',
    correct: ({ receipt }) => ({ args: { [(receipt['failure_detail'] as string).split(':')[0] ?? '']: undefined } }),
  },
  'a blank intent': {
    reason: 'manifest_invalid',
    code: 'intent_invalid',
    call: editWith({ intent: ' ' }),
    says: 'Correct intent, which was sent as a blank string',
    correct: () => ({ args: { intent: 'because' } }),
  },
  'a field that was left out': {
    reason: 'block_malformed',
    code: 'field_missing',
    call: editWith({}, { match: 'alpha' }),
    says: 'Add edits[0].replace, which was left out',
    correct: () => ({ args: edits(EDIT) }),
  },
  'a number where a text is needed': {
    reason: 'block_malformed',
    code: 'field_type',
    call: editWith({}, { match: 'alpha', replace: 5 }),
    says: 'Correct edits[0].replace, which was sent as an integer',
    correct: () => ({ args: edits({ match: 'alpha', replace: '5' }) }),
  },
  'an empty match': {
    reason: 'block_malformed',
    code: 'match_empty',
    call: editWith({}, { match: '', replace: '> ' }),
    says: '"op": "span", "start": n, "end": n, "expected_text": ""',
    correct: () => ({
      tool: 'patchdiff_submit_operations',
      args: { edits: undefined, operations: [{ op: 'span', start: 0, end: 0, expected_text: '', replace: '> ' }] },
    }),
  },
  'an index of zero': {
    reason: 'disambiguation_invalid',
    code: 'selector_malformed',
    call: editWith({}, { ...EDIT, occurrence_index: 0 }),
    says: 'Correct edits[0].occurrence_index, which was sent as zero',
    correct: () => ({ args: edits({ ...EDIT, occurrence_index: 1 }) }),
  },
  'an empty text beside a span': {
    reason: 'block_malformed',
    code: 'expected_context_empty',
    call: () => operationsCall(id, 0, { op: 'span', start: 0, end: 5, expected_text: 'alpha', replace: 'x', expected_before: '' }),
    says: 'Leave the field out',
    correct: ({ call }) => ({ args: { operations: [{ ...(call.args['operations'] as Args[])[0], expected_before: undefined }] } }),
  },
  'one change id twice': {
    reason: 'manifest_invalid',
    code: 'change_id_duplicate',
    call: () => editCall(id, 0, { ...EDIT, change_id: 'a' }, { match: 'beta', replace: 'y', change_id: 'a' }),
    says: 'a change_id of its own',
    correct: () => ({ args: edits({ ...EDIT, change_id: 'a' }, { match: 'beta', replace: 'y', change_id: 'b' }) }),
  },
  'replace_all among the operations': {
    reason: 'manifest_invalid',
    code: 'replace_all_refused',
    call: () => operationsCall(id, 0, { op: 'replace_all', replace: 'whole\n' }),
    says: 'use patchdiff_submit_replacement',
    correct: () => ({ tool: 'patchdiff_submit_replacement', args: { operations: undefined, replacement: 'whole\n' } }),
  },
  'a match longer than a match may be': {
    reason: 'manifest_invalid',
    code: 'match_too_long',
    call: editWith({}, { match: 'm'.repeat(65_537), replace: 'x' }),
    says: 'use patchdiff_submit_operations with op "span"'.slice(4),
    correct: () => ({
      tool: 'patchdiff_submit_operations',
      args: {
        edits: undefined,
        operations: [{ op: 'span', start: 11, end: 11 + 65_537, expected_text: 'm'.repeat(65_537), replace: 'x' }],
      },
    }),
  },
  'too many edits': {
    reason: 'manifest_invalid',
    code: 'too_many_operations',
    call: () => editCall(id, 0, EDIT, ...Array.from({ length: 2000 }, () => ({ match: 'absent', replace: '' }))),
    says: 'submissions of at most 2000 operations',
    correct: ({ call }) => ({ args: { edits: (call.args['edits'] as Args[]).slice(0, 1) } }),
  },
  'a replacement longer than one may be': {
    reason: 'manifest_invalid',
    code: 'replacement_too_large',
    call: () => ({
      tool: 'patchdiff_submit_replacement',
      args: { target_file_id: id, intent: 'try', expected_target_version: 0, replacement: 'r'.repeat(1_000_001) },
    }),
    says: 'Change only the parts that differ, with patchdiff_submit_edits',
    correct: () => ({ tool: 'patchdiff_submit_edits', args: { replacement: undefined, edits: [EDIT] } }),
  },
};

describe('a correction is made as next_step says, and one more submission succeeds', () => {
  test.each(Object.entries(CORRECTIONS))('%s', async (_, { reason, code, call, says, correct }) => {
    id = await agent.create(`alpha\nbeta\n${code === 'match_too_long' ? 'm'.repeat(65_537) : ''}`);
    const refusal = await agent.refused(await call(), reason);
    expect(refusal.receipt).toMatchObject({ failure_code: code });
    expect(refusal.diagnostic).toMatchObject({ retryable: false, requires_new_submission: true });
    expect(refusal.nextStep).toContain(says);
    await agent.follow(refusal, correct);
  });
});

describe('without a target', () => {
  const UNKNOWN = '5a5a5a5a-0000-4000-8000-0000000000ff';

  test('an unknown id: the list of targets has the right one', async () => {
    const known = await agent.create('alpha\n');
    const refusal = await agent.refused(editCall(UNKNOWN, 0, EDIT), 'target_not_found');
    const listed = await refusal.read('patchdiff_list_targets', {});
    const ids = (listed['targets'] as Args[]).map((target) => target['target_file_id']);
    expect(ids).toContain(known);
    await agent.follow(refusal, () => ({ args: { target_file_id: known } }));
  });

  test('an unknown id: the target is created under it', async () => {
    const refusal = await agent.refused(editCall(UNKNOWN, 0, EDIT), 'target_not_found');
    await refusal.read('patchdiff_initialize_target', { target_file_id: UNKNOWN, content: 'alpha\n', display_name: 'd' });
    await agent.follow(refusal, () => ({ args: {} }));
  });

  test('an id that is none', async () => {
    const known = await agent.create('alpha\n');
    const refusal = await agent.refused(editCall('notes.md', 0, EDIT), 'context_invalid');
    expect(refusal.receipt).toMatchObject({ failure_code: 'target_id_malformed', pdcp_log_id: null });
    await refusal.read('patchdiff_list_targets', {});
    await agent.follow(refusal, () => ({ args: { target_file_id: known } }));
  });
});
