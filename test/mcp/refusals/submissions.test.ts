import { afterAll, beforeAll, expect, test } from 'vitest';

import { openDatabase } from '../../../src/db/pool.ts';
import { commitAttempt } from '../../../src/db/calls/commit-attempt.ts';
import type { Format, JsonObject } from '../../../src/transaction/index.ts';
import { useDatabase } from '../../helpers/database.ts';
import { FORMATS, TX1, TX2, TX3 } from '../../reasons/contract.ts';
import { CONTENT, callOf, claiming, damage, takeKey } from '../../reasons/subject.ts';
import type { Subject } from '../../reasons/subject.ts';
import { TABLE } from '../../reasons/table.ts';
import { sha256 } from '../../db/support/attacks.ts';
import { connectNew } from '../support/hosts.ts';
import type { Host } from '../support/hosts.ts';
import { Transcript } from './transcript.ts';

/* The words of every rejected submission, as an agent reads them in the text of the result. A change here is a change of the interface. */

const database = useDatabase();
const TOOLS: Readonly<Record<Format, string>> = {
  [TX1]: 'patchdiff_submit_edits',
  [TX2]: 'patchdiff_submit_operations',
  [TX3]: 'patchdiff_submit_replacement',
};
const SELECTION = {
  members: ['failure_reason', 'failure_detail', 'failed_change_id', 'near_misses', 'near_miss_search', 'next_step'],
  evidence: [
    'retryable',
    'exact_candidates',
    'candidate_count',
    'consumed_match',
    'actual_text',
    'expected',
    'actual',
    'submitted_client_request_id',
    'raw_client_request_id',
    'raw_parent_pdcp_log_id',
    'raw_attempt',
    'raw_source',
    'raw_expected_target_version',
    'raw_expected_current_hash',
  ],
};
const ids = Array.from({ length: 9 }, (_, at) => `5a5a5a5a-0000-4000-8000-00000000000${at}`);
let host: Host;
let subjects: Record<'sound' | 'keyed' | 'damaged' | 'large', Subject>;

beforeAll(async () => {
  host = await connectNew({ env: { DATABASE_URL: database.url('writer') } });
  const made = async (id: string, content: string): Promise<Subject> => {
    await host.call('patchdiff_initialize_target', { target_file_id: id, display_name: 'd', content });
    return { id, content, version: 0, hash: sha256(content) };
  };
  subjects = {
    sound: await made(ids[0] ?? '', CONTENT),
    keyed: await made(ids[1] ?? '', CONTENT),
    damaged: await made(ids[2] ?? '', CONTENT),
    large: await made(ids[3] ?? '', CONTENT + 'z'.repeat(14 * 1024 * 1024)),
  };
  const writer = openDatabase({ connectionString: database.url('writer') });
  await takeKey(writer, subjects.keyed);
  await writer.close();
  await damage(await database.client('admin'), subjects.damaged);
});
afterAll(() => host.close());

/** What is of interest of the arguments: not what every submission carries. */
const own = ({ intent, expected_target_version: version, ...rest }: JsonObject): JsonObject => ({
  ...(intent === 'try' ? {} : { intent }),
  ...(version === 0 ? {} : { expected_target_version: version }),
  ...Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'target_file_id')),
});

test('every failure code, in each format that a tool can bring it about in', { timeout: 300_000 }, async () => {
  const stages = ['precondition_guard', 'protocol_validation', 'transaction_applicability', 'commit_guard'];
  for (const stage of stages) {
    const transcript = new Transcript(stage, SELECTION, ids);
    for (const [code, row] of Object.entries(TABLE)) {
      if (row.stage !== stage || row.isFalseClaim === true) continue;
      const subject = subjects[row.state ?? 'sound'];
      for (const format of FORMATS) {
        const sent = row.occurs[format]?.(format, subject);
        if (sent === undefined || !('args' in sent)) continue;
        transcript.add(`${code} in ${format}`, own(sent.args), await host.call(TOOLS[format], sent.args));
      }
    }
    await expect(transcript.toString()).toMatchFileSnapshot(`./submissions-${stage}.snap`);
  }
});

test('what no tool can bring about, as the history shows it after a direct call', { timeout: 300_000 }, async () => {
  const transcript = new Transcript('direct calls', {
    members: ['failure_reason', 'failure_detail', 'failed_change_id'],
    evidence: ['claimed', 'derived'],
  });
  const writer = openDatabase({ connectionString: database.url('writer') });
  const record = (code: string, format: Format, claimed: string) => {
    const sent = TABLE[code]?.occurs[format]?.(format, subjects.sound);
    return sent === undefined ? null : callOf(sent, format, subjects.sound, claiming(claimed));
  };
  const calls = {
    target_mismatch: record('target_mismatch', TX1, 'manifest_invalid'),
    claim_mismatch: record('claim_mismatch', TX1, 'match_absent'),
    'not_an_object in patchdiff-tx/3': record('not_an_object', TX3, 'block_malformed'),
    'field_missing in patchdiff-tx/3': record('field_missing', TX3, 'block_malformed'),
    'field_type in patchdiff-tx/3': record('field_type', TX3, 'block_malformed'),
    'op_unknown in patchdiff-tx/3': record('op_unknown', TX3, 'manifest_invalid'),
    unknown_format: {
      ...callOf({ record: { format: 'other', expected_target_version: 0 } }, TX1, subjects.sound, claiming('manifest_invalid')),
    },
  };
  for (const [title, call] of Object.entries(calls)) {
    if (call === null) throw new Error(`${title} has no record`);
    await commitAttempt(writer, call);
    const log = await host.call('patchdiff_get_pdcp_log', { target_file_id: subjects.sound.id, limit: 1 });
    const [entry] = (JSON.parse(log.text) as { entries: Record<string, unknown>[] }).entries;
    transcript.addAnswer(title, JSON.parse(call.payload), entry ?? {});
  }
  await writer.close();
  await expect(transcript.toString().replaceAll(subjects.sound.id, '<id>')).toMatchFileSnapshot('./submissions-direct.snap');
});

test('the steps that depend on the evidence', { timeout: 300_000 }, async () => {
  const transcript = new Transcript('steps that depend on the evidence', SELECTION, ids);
  const body = Array.from({ length: 30 }, (_, at) => `line ${at} of a long passage`).join('\n');
  const content = `def greet(name):\n\t\t\t\treturn name\ncolour = "green"\n${'same\n'.repeat(6)}${body}\n`;
  const id = ids[4] ?? '';
  await host.call('patchdiff_initialize_target', { target_file_id: id, display_name: 'd', content });
  const edit = async (title: string, ...edits: JsonObject[]) => {
    const args = { target_file_id: id, intent: 'try', expected_target_version: 0, edits };
    transcript.add(title, own(args), await host.call(TOOLS[TX1], args));
  };
  const span = async (title: string, more: JsonObject) => {
    const operations = [{ op: 'span', start: 4, end: 9, expected_text: 'greet', replace: 'x', ...more }];
    const args = { target_file_id: id, intent: 'try', expected_target_version: 0, operations };
    transcript.add(title, own(args), await host.call(TOOLS[TX2], args));
  };
  await edit('match_absent: one near miss', { match: 'def greets(name):', replace: 'x' });
  await edit('match_absent: near misses that look alike', { match: 'samo\n', replace: 'x' });
  await edit('match_absent: a near miss of the head only', { match: body.replace('line 3 ', 'line three '), replace: 'x' });
  await edit('match_absent: nothing near', { match: 'something else entirely', replace: 'x' });
  await edit('match_absent: an explanation only', { match: `${' '.repeat(16)}return name`, replace: 'x' });
  await edit('match_absent: made already', { match: 'colour = "red"', replace: 'colour = "green"' });
  await edit('match_ambiguous: more than five', { match: 'same', replace: 'x' });
  await edit('match_ambiguous: two', { match: 'name', replace: 'x' });
  await edit('selector_excludes_all: an anchor', { match: 'name', replace: 'x', anchor_before: 'nowhere' });
  await edit('sequential_match_invalid: the consumer', { match: 'greet(name)', replace: 'x' }, { match: 'greet', replace: 'y' });
  await span('span_expected_text_mismatch: other text', { expected_text: 'grated' });
  await span('span_expected_text_mismatch: the text stands elsewhere', { expected_text: 'colour' });
  await span('span_expected_text_mismatch: before', { expected_before: 'fed ' });
  await span('span_expected_text_mismatch: after', { expected_after: '[' });
  await span('span_expected_text_mismatch: more than is shown', { end: 400, expected_text: body });
  await span('span_expected_text_mismatch: an insertion that is none', { expected_text: '' });
  await span('span_out_of_bounds: backwards', { start: 9, end: 4 });
  await edit('field_type: null', { match: null, replace: 'x' });
  await edit('selector_malformed: text', { match: 'name', replace: 'x', occurrence_index: '1' });
  await edit('change_id_invalid: too long', { match: 'name', replace: 'x', change_id: 'c'.repeat(65) });
  await edit('change_id_invalid: a line end', { match: 'name', replace: 'x', change_id: 'c\n' });
  await edit('text_not_encodable: two places', { match: 'na\0me', replace: 'x' }, { match: 'colour', replace: '\udc00' });
  await edit('text_not_encodable: more places than are named', ...Array.from({ length: 8 }, () => ({ match: '\ud800', replace: 'x' })));
  await edit('text_not_encodable: a name', { match: 'name', replace: 'x', 'na\0me': 1 });
  await edit('unknown_field: of an edit', { match: 'name', replace: 'x', old_string: 'name' });
  await expect(transcript.toString()).toMatchFileSnapshot('./submissions-steps.snap');
});

test('misshapen arguments', { timeout: 300_000 }, async () => {
  const transcript = new Transcript('misshapen arguments', SELECTION, ids);
  const send = async (title: string, format: Format, more: JsonObject) => {
    const args = { target_file_id: subjects.sound.id, intent: 'try', expected_target_version: 0, ...more };
    transcript.add(title, own(args), await host.call(TOOLS[format], args));
  };
  await send('edits as text', TX1, { edits: '[{"match": "beta", "replace": "x"}]' });
  await send('one object for edits', TX1, { edits: { match: 'beta', replace: 'x' } });
  await send('an edit as text', TX1, { edits: ['{"match": "beta", "replace": "x"}'] });
  await send('operations as text', TX2, { operations: '[]' });
  await send('the body of another tool', TX2, { edits: [{ match: 'beta', replace: 'x' }] });
  await send('an empty list', TX2, { operations: [] });
  await send('a replacement that is a list', TX3, { replacement: ['x'] });
  await send('a version in quotes', TX1, { expected_target_version: '0', edits: [{ match: 'beta', replace: 'x' }] });
  await expect(transcript.toString()).toMatchFileSnapshot('./submissions-shapes.snap');
});

test('without a target', { timeout: 300_000 }, async () => {
  const transcript = new Transcript('without a target', { members: [...SELECTION.members, 'pdcp_log_id', 'current_context'] }, ids);
  const send = async (title: string, target: JsonObject) => {
    const args = { ...target, intent: 'try', expected_target_version: 0, edits: [{ match: 'beta', replace: 'x' }] };
    transcript.add(title, target, await host.call(TOOLS[TX1], args));
  };
  await send('target_not_found', { target_file_id: ids[8] });
  await send('target_id_malformed: a name', { target_file_id: 'notes.md' });
  await send('target_id_malformed: a number', { target_file_id: 7 });
  await send('target_id_malformed: nothing', {});
  await expect(transcript.toString()).toMatchFileSnapshot('./submissions-unlinked.snap');
});
