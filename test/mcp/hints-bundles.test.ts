import { afterAll, beforeAll, expect, test } from 'vitest';

import { useDatabase } from '../helpers/database.ts';
import { Agent, candidates, nearMisses } from './support/follow.ts';
import type { Answer, Args, Refusal } from './support/follow.ts';
import { connectNew } from './support/hosts.ts';
import type { Host } from './support/hosts.ts';

/*
 * A bundle that is refused, met by an agent of the profile for observed scopes: its next_step names no tool that is missing, counts in
 * the scope, and one more submission as it says succeeds.
 */

const database = useDatabase();
let host: Host;
let agent: Agent;

beforeAll(async () => {
  host = await connectNew({ env: { DATABASE_URL: database.url('writer'), PATCHDIFF_MCP_PROFILE: 'observed_workspace' } });
  agent = new Agent(host);
});
afterAll(() => host.close());

const TEXT = '// 😀\nclass Foo {\n  one() { return 1; }\n  two() { return 2; return 2; }\n}\nfunction x() { return 3; }\n';
const TWO = 'two() { return 2; return 2; }';

interface Seen {
  id: string;
  bundle: string;
  scope: (name: string) => Answer;
}

async function observed(id: string, answerOf: (tool: string, args: Args) => Promise<Answer>): Promise<Seen> {
  const listed = (await answerOf('patchdiff_list_scopes', { target_file_id: id }))['scopes'] as Answer[];
  const answer = await answerOf('patchdiff_observe_scopes', { target_file_id: id, scope_ids: listed.map((scope) => scope['scope_id']) });
  const scopes = answer['scopes'] as Answer[];
  return { id, bundle: answer['bundle_id'] as string, scope: (name) => scopes.find((scope) => scope['name'] === name)! };
}

const group = (seen: Seen, name: string, ...operations: Args[]): Args => ({ scope_id: seen.scope(name)['scope_id'], operations });
const match = (text: string, replace = 'z', more: Args = {}): Args => ({ op: 'match', match: text, replace, ...more });
const span = (start: number, end: number, expected_text: string, replace: string): Args => ({
  op: 'span',
  start,
  end,
  expected_text,
  replace,
});
const scopeOf = ({ diagnostic }: Refusal): { start: number; end: number } => diagnostic['scope'] as { start: number; end: number };
/** What an agent sent is not what `correct` corrects: the groups are built anew. */
type Correct = (seen: Seen, refusal: Refusal) => Promise<{ args: Args }> | { args: Args };
const groups = (...list: Args[]): { args: Args } => ({ args: { groups: list } });

interface Case {
  reason: string;
  args: (seen: Seen) => Args;
  says: string;
  correct: Correct;
  after: string;
}

const anew: Correct = async (seen, refusal) => {
  const fresh = await observed(seen.id, refusal.read);
  const answer = await agent.answer('patchdiff_list_scopes', { target_file_id: seen.id });
  return {
    args: {
      bundle_id: fresh.bundle,
      expected_target_version: answer['version'],
      expected_current_hash: answer['current_hash'],
      groups: [group(fresh, 'two', match(TWO))],
    },
  };
};

const CASES: Record<string, Case> = {
  'a text that nearly stands in the scope': {
    reason: 'match_absent',
    args: (seen) => groups(group(seen, 'one', match('return  1;'))).args,
    says: 'Send the text of the near_misses entry that you mean as match',
    correct: (seen, refusal) => groups(group(seen, 'one', match(nearMisses(refusal)[0]!.text))),
    after: TEXT.replace('return 1;', 'z'),
  },
  'a near miss taken by its place': {
    reason: 'match_absent',
    args: (seen) => groups(group(seen, 'one', match('return  1;'))).args,
    says: 'its scope_start as start, its scope_end as end and its text as expected_text',
    correct: (seen, refusal) => {
      const { scope_start, scope_end, text } = nearMisses(refusal)[0] as unknown as {
        scope_start: number;
        scope_end: number;
        text: string;
      };
      return groups(group(seen, 'one', span(scope_start, scope_end, text, 'z')));
    },
    after: TEXT.replace('return 1;', 'z'),
  },
  'a text that stands in another scope': {
    reason: 'match_absent',
    args: (seen) => groups(group(seen, 'one', match('function x()'))).args,
    says: 'A text that stands only outside of scope.start to scope.end is of another scope: observe that one too.',
    correct: (seen) => groups(group(seen, 'x', match('function x()'))),
    after: TEXT.replace('function x()', 'z'),
  },
  'a text that stands twice in the scope': {
    reason: 'match_ambiguous',
    args: (seen) => groups(group(seen, 'two', match('return 2;'))).args,
    says: 'Add the occurrence_index of the exact_candidates entry that you mean, which counts within the scope, to the operation',
    correct: (seen, refusal) =>
      groups(group(seen, 'two', match('return 2;', 'z', { occurrence_index: candidates(refusal)[1]!['occurrence_index'] }))),
    after: TEXT.replace('return 2; return 2;', 'return 2; z'),
  },
  'an offset of the document': {
    reason: 'span_out_of_bounds',
    args: (seen) => groups(group(seen, 'two', span(41, 46, 'two()', 'z'))).args,
    says: 'an offset that patchdiff_read_lines gives, less scope.start',
    correct: async (seen, refusal) => {
      const { lines } = (await refusal.read('patchdiff_read_lines', { target_file_id: seen.id })) as { lines: { start: number }[] };
      const start = lines[3]!.start + 2 - scopeOf(refusal).start;
      return groups(group(seen, 'two', span(start, start + 5, 'two()', 'z')));
    },
    after: TEXT.replace('two()', 'z'),
  },
  'another text at the span': {
    reason: 'span_expected_text_mismatch',
    args: (seen) => groups(group(seen, 'two', span(0, 5, 'one()', 'z'))).args,
    says: 'If actual_text is what you mean to replace, send it as groups[0].operations[0].expected_text',
    correct: (seen, { diagnostic }) => groups(group(seen, 'two', span(0, 5, diagnostic['actual_text'] as string, 'z'))),
    after: TEXT.replace('two()', 'z'),
  },
  'an empty match': {
    reason: 'block_malformed',
    args: (seen) => groups(group(seen, 'two', match(''))).args,
    says: 'To insert, send {"op": "span", "start": n, "end": n, "expected_text": "", "replace": "…"} in this group instead, n counted from the first character of the scope\'s text',
    correct: (seen) => groups(group(seen, 'two', span(0, 0, '', 'z'))),
    after: TEXT.replace('two()', 'ztwo()'),
  },
  'the whole scope by replace_all': {
    reason: 'manifest_invalid',
    args: (seen) => groups(group(seen, 'two', { op: 'replace_all', replace: 'z' })).args,
    says: 'start 0, end the length of its text (scope.end less scope.start), expected_text that text as patchdiff_observe_scopes answered it',
    correct: (seen, refusal) => {
      const { start, end } = scopeOf(refusal);
      return groups(group(seen, 'two', span(0, end - start, seen.scope('two')['text'] as string, 'z')));
    },
    after: TEXT.replace(TWO, 'z'),
  },
  'a text that an operation emptied': {
    reason: 'sequential_match_invalid',
    args: (seen) => groups(group(seen, 'two', match(TWO, ''), match('two()'))).args,
    says: 'Leave this change out and write what it was for into the replace of the change that took its text',
    correct: (seen) => groups(group(seen, 'two', match(TWO))),
    after: TEXT.replace(TWO, 'z'),
  },
  'a text that never stood in what was emptied': {
    reason: 'match_absent',
    args: (seen) => groups(group(seen, 'two', match(TWO, ''), match('absent'))).args,
    says: 'send {"op": "span", "start": 0, "end": 0, "expected_text": "", "replace": "…"} in this group',
    correct: (seen) => groups(group(seen, 'two', match(TWO, ''), span(0, 0, '', 'z'))),
    after: TEXT.replace(TWO, 'z'),
  },
  'a class and its method': {
    reason: 'manifest_invalid',
    args: (seen) => groups(group(seen, 'Foo', match('Foo', 'Bar')), group(seen, 'two', match(TWO))).args,
    says: 'Send one group for the outer scope, with the operations of both in its text',
    correct: (seen) => groups(group(seen, 'Foo', match('Foo', 'Bar'), match(TWO))),
    after: TEXT.replace('Foo', 'Bar').replace(TWO, 'z'),
  },
  'a scope twice': {
    reason: 'manifest_invalid',
    args: (seen) => groups(group(seen, 'two', match('two')), group(seen, 'two', match('()'))).args,
    says: 'Send one group for this scope, with the operations of both',
    correct: (seen) => groups(group(seen, 'two', match('two'), match('()'))),
    after: TEXT.replace('two()', 'zz'),
  },
  'operations as the text of their JSON': {
    reason: 'manifest_missing',
    args: (seen) => ({ groups: [{ ...group(seen, 'two'), operations: JSON.stringify([match(TWO)]) }] }),
    says: 'groups[0].operations was sent as a JSON string; send the array itself, not its text',
    correct: (seen) => groups(group(seen, 'two', match(TWO))),
    after: TEXT.replace(TWO, 'z'),
  },
  'edits in place of operations': {
    reason: 'manifest_invalid',
    args: (seen) => ({ groups: [{ scope_id: seen.scope('two')['scope_id'], edits: [{ match: TWO, replace: 'z' }] }] }),
    says: 'A group takes operations, not edits: groups: [{"scope_id": "…", "operations": [{"op": "match", "match": "old text", "replace": "new text"}]}]',
    correct: (seen) => groups(group(seen, 'two', match(TWO))),
    after: TEXT.replace(TWO, 'z'),
  },
  'no scope_id': {
    reason: 'block_malformed',
    args: () => ({ groups: [{ operations: [match(TWO)] }] }),
    says: 'Add groups[0].scope_id, which was left out',
    correct: (seen) => groups(group(seen, 'two', match(TWO))),
    after: TEXT.replace(TWO, 'z'),
  },
  'half of a surrogate pair': {
    reason: 'target_encoding_invalid',
    args: (seen) => groups(group(seen, 'one', match('one')), group(seen, 'two', match('two', 'z'), match('()', '\u{d800}'))).args,
    says: 'Write groups[1].operations[1].replace again',
    correct: (seen) => groups(group(seen, 'one', match('one')), group(seen, 'two', match('two', 'z'), match('()', ''))),
    after: TEXT.replace('one', 'z').replace('two()', 'z'),
  },
  'an observation of nothing': {
    reason: 'context_invalid',
    args: (seen) => ({ bundle_id: '00000000-0000-4000-8000-000000000000', ...groups(group(seen, 'two', match(TWO))).args }),
    says: 'Observe the scopes to edit (patchdiff_observe_scopes)',
    correct: async (seen, { read }) => {
      const answer = await read('patchdiff_observe_scopes', { target_file_id: seen.id, scope_ids: [seen.scope('two')['scope_id']] });
      return {
        args: { bundle_id: answer['bundle_id'], expected_target_version: answer['version'], expected_current_hash: answer['current_hash'] },
      };
    },
    after: TEXT.replace(TWO, 'z'),
  },
  'a version that is none': {
    reason: 'target_version_mismatch',
    args: (seen) => ({ expected_target_version: 7, ...groups(group(seen, 'two', match(TWO))).args }),
    says: 'List the scopes again (patchdiff_list_scopes)',
    correct: anew,
    after: TEXT.replace(TWO, 'z'),
  },
};

test.each(Object.entries(CASES))('%s', async (_, { reason, args, says, correct, after }) => {
  const seen = await observed(await named('a.ts', TEXT), (tool, sent) => agent.answer(tool, sent));
  const call = {
    tool: 'patchdiff_commit_bundle',
    args: { target_file_id: seen.id, bundle_id: seen.bundle, intent: 'try', expected_target_version: 0, ...args(seen) },
  };
  const refusal = await agent.refused(call, reason);
  expect(refusal.nextStep).toContain(says);
  await agent.follow(refusal, () => correct(seen, refusal));
  expect(await textOf(seen.id)).toBe(after);
});

test('a scope that an edit before it moved is observed again', async () => {
  const seen = await observed(await named('a.ts', TEXT), (tool, sent) => agent.answer(tool, sent));
  const call = (version: number, ...list: Args[]): { tool: string; args: Args } => ({
    tool: 'patchdiff_commit_bundle',
    args: { target_file_id: seen.id, bundle_id: seen.bundle, intent: 'try', expected_target_version: version, groups: list },
  });
  await agent.answer('patchdiff_commit_bundle', call(0, group(seen, 'one', match('return 1;', 'return 1111;'))).args);
  const refusal = await agent.refused(call(1, group(seen, 'two', match(TWO))), 'target_hash_mismatch');
  expect(refusal.diagnostic).toMatchObject({ failure_code: 'scope_hash_mismatch', group_index: 0 });
  await agent.follow(refusal, () => anew(seen, refusal));
  expect(await textOf(seen.id)).toBe(TEXT.replace('return 1;', 'return 1111;').replace(TWO, 'z'));
});

async function named(display_name: string, content: string): Promise<string> {
  return (await agent.answer('patchdiff_initialize_target', { content, display_name }))['target_file_id'] as string;
}

async function textOf(target_file_id: string): Promise<string> {
  const { lines } = (await agent.answer('patchdiff_read_lines', { target_file_id })) as unknown as { lines: { text: string }[] };
  return lines.map(({ text }) => `${text}\n`).join('');
}
