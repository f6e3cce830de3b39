import { createHash, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { codePointLength } from '../../src/text/index.ts';
import { evaluate, prepareSubmission } from '../../src/transaction/index.ts';
import { document, KINDS, submissionFor, type Kind } from './documents.ts';
import { writeBlindly, writeInTransaction, type Writes } from './floor.ts';
import { median, type Row } from './report.ts';

const SIZES = [
  { name: '4 KB', bytes: 4096 },
  { name: '64 KB', bytes: 65_536 },
  { name: '1 MB', bytes: 990_000 },
];
/** Ratios to the floor that the product aims at, by kind and size. */
const GOALS: Record<string, readonly number[]> = {
  '1 edit': [2.0, 1.5, 1.4],
  '10 edits': [1.9, 1.8, 1.7],
  '50 edits': [2.0, 2.2, 2.8],
  'tx/3': [1.9, 1.7, 2.1],
};
const WARM_UP = 4;

export const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

interface Subject {
  id: string;
  content: string;
  version: number;
  ledgerSequence: number;
}

type Write = (client: pg.Client, subject: Subject, turn: Turn) => Promise<void>;

interface Turn {
  values: unknown[];
  writes: Writes;
  after: string;
}

export async function newSubject(client: pg.Client, content: string): Promise<Subject> {
  const id = randomUUID();
  await client.query('select patchdiff.create_target($1, $2, $3)', [id, 'bench', content]);
  return { id, content, version: 0, ledgerSequence: 0 };
}

/** One submission of a kind, with the honest claim and the same writes ready for the blind writers. Not timed. */
export function turnOf(kind: Kind, turn: number, subject: Subject): Turn {
  const submission = prepareSubmission(kind.format, submissionFor(kind, turn, subject.id, subject.version, subject.content));
  const claim = evaluate(submission, subject.content, sha256);
  if (claim.verdict !== 'accepted') throw new Error(claim.fault.detail);
  const { content, afterHash, resolvedStarts, changes } = claim.applied;
  const beforeHash = sha256(subject.content);
  const { payload, clientRequestId } = submission;
  const actor = '{"host":"bench","agent":"bench","session":"bench"}';
  return {
    after: content,
    values: [subject.id, payload, clientRequestId, actor, beforeHash, resolvedStarts, afterHash],
    writes: {
      targetFileId: subject.id,
      content,
      contentChars: codePointLength(content),
      hash: afterHash,
      beforeHash,
      version: subject.version,
      sequence: subject.version + 1,
      ledgerSequence: subject.ledgerSequence,
      payload,
      payloadHash: sha256(payload),
      key: clientRequestId ?? '',
      facts: changes,
      startBytes: resolvedStarts,
    },
  };
}

const CALL = `select * from patchdiff.commit_attempt($1, $2, $3, null, null, null, $4, $5, 'accepted', $6, $7, null, null)`;

const callProcedure: Write = async (client, _, { values }) => {
  const { rows } = await client.query<{ outcome: string }>({ name: 'commit', text: CALL, values });
  if (rows[0]?.outcome !== 'accepted') throw new Error(`commit_attempt answered ${JSON.stringify(rows[0])}`);
};

/** The commit call against the floor, and at one edit also against an ordinary transaction; p50, interleaved in one run. */
export async function benchCommit(client: pg.Client, quick: boolean, report: (row: Row) => void): Promise<void> {
  for (const [at, size] of SIZES.entries()) {
    for (const multibyte of [false, true]) {
      for (const kind of KINDS) {
        const turns = Math.ceil((size.bytes > 500_000 ? 24 : size.bytes > 50_000 ? 60 : 120) / (quick ? 4 : 1));
        const name = `${kind.name}, ${size.name}, ${multibyte ? 'multibyte' : 'ASCII'}`;
        const writers: Record<string, Write> = { floor: (c, _, { writes }) => writeBlindly(c, writes), ours: callProcedure };
        if (kind.edits === 1) writers['plain'] = (c, _, { writes }) => writeInTransaction(c, writes);
        const times = await interleave(client, kind, document(size.bytes, multibyte), writers, turns);
        const ours = median(times['ours'] ?? []);
        const against = (reference: string, key: string, goal: number): Row => {
          const theirs = median(times[key] ?? []);
          return { bench: 'commit', case: name, reference, ratio: ours / theirs, goal, bound: 'most', ours, theirs, unit: 'ms' };
        };
        report(against('one blind statement', 'floor', GOALS[kind.name]?.[at] ?? 0));
        if (kind.edits === 1 && size.bytes > 4096) report(against('BEGIN, 3 statements, COMMIT', 'plain', 1.0));
      }
    }
  }
}

/** Milliseconds of each writer, turn by turn in rotating order, each on a target of its own. */
async function interleave(
  client: pg.Client,
  kind: Kind,
  content: string,
  writers: Record<string, Write>,
  turns: number,
): Promise<Record<string, number[]>> {
  const names = Object.keys(writers);
  const subjects: Record<string, Subject> = {};
  for (const name of names) subjects[name] = await newSubject(client, content);
  const times: Record<string, number[]> = {};
  for (let turn = 0; turn < turns + WARM_UP; turn += 1) {
    for (let offset = 0; offset < names.length; offset += 1) {
      const name = names[(turn + offset) % names.length] ?? '';
      const subject = subjects[name];
      const write = writers[name];
      if (subject === undefined || write === undefined) continue;
      const made = turnOf(kind, turn, subject);
      const begun = process.hrtime.bigint();
      await write(client, subject, made);
      const spent = Number(process.hrtime.bigint() - begun) / 1e6;
      if (turn >= WARM_UP) (times[name] ??= []).push(spent);
      subject.content = made.after;
      subject.version += 1;
      subject.ledgerSequence += made.writes.facts.length;
    }
  }
  return times;
}
