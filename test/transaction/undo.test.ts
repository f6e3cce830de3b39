import { describe, expect, it } from 'vitest';
import { applyTransaction, decodeSubmission, findRemoval, prepareSubmission, profileOf } from '../../src/transaction/index.ts';
import type { Format, JsonObject, Missing, RecentAttempt } from '../../src/transaction/index.ts';
import { randomness } from '../nearmiss/cases.ts';
import { sha256 } from './reference.ts';

const TARGET = '11111111-2222-3333-4444-555555555555';

interface History {
  contents: string[];
  /** Newest first, as the database answers them. */
  attempts: RecentAttempt[];
}

/** Applies submissions one after another; each gives the history one version. */
function history(start: string, submissions: { format: Format; body: JsonObject }[]): History {
  const contents = [start];
  const attempts: RecentAttempt[] = [];
  for (const { format, body } of submissions) {
    const version = contents.length - 1;
    const content = contents[version]!;
    const submission = prepareSubmission(format, {
      target_file_id: TARGET,
      intent: 'the intent',
      expected_target_version: version,
      ...body,
    });
    const decoded = decodeSubmission(submission);
    if (!decoded.ok) throw new Error(decoded.fault.detail);
    const applied = applyTransaction(content, decoded.transaction, profileOf(submission.record), sha256);
    if (!applied.ok) throw new Error(applied.fault.detail);
    contents.push(applied.content);
    attempts.unshift({
      pdcp_log_id: `attempt-${version + 1}`,
      protocol_version: format,
      runtime_version: profileOf(submission.record).name,
      before_version: version,
      after_version: version + 1,
      before_hash: sha256(content),
      span_starts: applied.changes.map((change) => change.span_start),
      pdcp_content: submission.payload,
    });
  }
  return { contents, attempts };
}

const missing = ({ contents }: History, wanted: string, replacement = ''): Missing => ({
  targetFileId: TARGET,
  content: contents.at(-1)!,
  version: contents.length - 1,
  wanted,
  replacement,
});
const edit = (match: string, replace: string, more: JsonObject = {}): { format: Format; body: JsonObject } => ({
  format: 'patchdiff-tx/1',
  body: { edits: [{ match, replace, ...more }] },
});

describe('the change that removed a text', () => {
  const made = history('α one\r\ntwo 😀 three\nfour\n'.replaceAll('\r\n', '\n'), [
    edit('one', 'uno'),
    {
      format: 'patchdiff-tx/2',
      body: {
        operations: [
          { op: 'span', start: 0, end: 1, expected_text: 'α', replace: '', change_id: 'first' },
          { op: 'match', match: 'two 😀 three', replace: 'dos\r\ntres', change_id: 'second', rationale: 'x'.repeat(300) },
          { op: 'match', match: 'four', replace: 'four', change_id: 'third' },
        ],
      },
    },
    edit('uno', 'eins'),
  ]);

  it('is named with its version and its words', () => {
    expect(findRemoval(missing(made, 'α one'), made.attempts, sha256)).toEqual({
      version: 0,
      pdcpLogId: 'attempt-1',
      changeId: 'chg_001',
      intent: 'the intent',
      sameReplacement: false,
    });
    expect(findRemoval(missing(made, '😀 thr'), made.attempts, sha256)).toEqual({
      version: 1,
      pdcpLogId: 'attempt-2',
      changeId: 'second',
      intent: 'x'.repeat(200),
      sameReplacement: false,
    });
    expect(findRemoval(missing(made, 'α uno'), made.attempts, sha256)).toMatchObject({ version: 1, changeId: 'first' });
  });

  it('is recognised as the very change that was asked for', () => {
    expect(findRemoval(missing(made, 'uno', 'eins'), made.attempts, sha256)).toMatchObject({ version: 2, sameReplacement: true });
    expect(findRemoval(missing(made, 'uno', 'zwei'), made.attempts, sha256)).toMatchObject({ version: 2, sameReplacement: false });
  });

  it('is nobody when the text is there, was never there, or is empty', () => {
    for (const wanted of ['eins', 'nowhere', '']) expect(findRemoval(missing(made, wanted), made.attempts, sha256)).toBeNull();
  });

  it('is not looked for behind a gap, nor behind a change of the whole text', () => {
    expect(findRemoval(missing(made, 'α one'), made.attempts.slice(1), sha256)).toBeNull();
    expect(findRemoval(missing(made, 'α one'), [made.attempts[0]!, made.attempts[2]!], sha256)).toBeNull();
    const whole = history('old text\n', [edit('old', 'older'), { format: 'patchdiff-tx/3', body: { replacement: 'all new\n' } }]);
    expect(findRemoval(missing(whole, 'old text'), whole.attempts, sha256)).toBeNull();
  });

  it('is never a guess: whatever is damaged ends the search', () => {
    const damaged: ((attempt: RecentAttempt) => Partial<RecentAttempt>)[] = [
      () => ({ before_hash: sha256('another text') }),
      () => ({ runtime_version: 'patchdiff-mvp-9.9.9' }),
      () => ({ pdcp_content: '{}' }),
      () => ({ pdcp_content: 'no JSON' }),
      ({ span_starts }) => ({ span_starts: span_starts.map((start) => start + 1) }),
      ({ span_starts }) => ({ span_starts: span_starts.map(() => 1_000_000) }),
      ({ span_starts }) => ({ span_starts: span_starts.slice(1) }),
      ({ pdcp_content }) => ({ pdcp_content: pdcp_content.replaceAll('one', 'two') }),
      ({ after_version }) => ({ after_version: after_version + 1 }),
    ];
    for (const damage of damaged) {
      const attempts = made.attempts.map((attempt) => (attempt.after_version === 1 ? { ...attempt, ...damage(attempt) } : attempt));
      expect(findRemoval(missing(made, 'α one'), attempts, sha256)).toBeNull();
    }
  });
});

describe('random histories', () => {
  it('name the last version that held the text, and a change of the next one', () => {
    const words = ['alpha', 'beta', 'gamma', '😀', 'δέλτα', 'e\u0301psilon', 'zeta\n'];
    let found = 0;
    for (let seed = 1; seed <= 200; seed++) {
      const below = randomness(seed);
      const pick = (): string => words[below(words.length)]!;
      let content = Array.from({ length: 6 }, pick).join(' ');
      const start = content;
      const submissions = Array.from({ length: 1 + below(6) }, () => {
        const operations: JsonObject[] = [];
        for (let i = 0; i <= below(3); i++) {
          const points = Array.from(content);
          const from = below(points.length + 1);
          const to = Math.min(points.length, from + below(6));
          const replace = below(4) === 0 ? '' : pick();
          operations.push({ op: 'span', start: from, end: to, expected_text: points.slice(from, to).join(''), replace });
          content = points.slice(0, from).join('') + replace + points.slice(to).join('');
        }
        return { format: 'patchdiff-tx/2' as const, body: { operations } };
      });
      const made = history(start, submissions);
      const wanted = pick();
      const versions = made.contents.map((text) => text.includes(wanted));
      const last = versions.lastIndexOf(true);
      const removal = findRemoval(missing(made, wanted), made.attempts, sha256);
      const expected = last < 0 || last === versions.length - 1 ? null : last;
      expect(removal?.version ?? null, `seed ${seed}`).toBe(expected);
      if (removal !== null) found++;
    }
    expect(found).toBeGreaterThan(30);
  });
});
