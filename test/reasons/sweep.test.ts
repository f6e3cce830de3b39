import type { Client } from 'pg';
import { beforeAll, expect, test } from 'vitest';

import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { evaluate, preconditionFault, prepareSubmission } from '../../src/transaction/index.ts';
import type { Format, JsonObject } from '../../src/transaction/index.ts';
import { randomContent, randomSubmission } from '../db/support/submissions.ts';
import type { Document } from '../db/support/submissions.ts';
import { sha256 } from '../db/support/attacks.ts';
import { Random } from '../helpers/random.ts';
import { useService } from '../service/support/service.ts';
import { FORMATS, TX1, TX2, TX3 } from './contract.ts';
import { callOf, claiming, makeSubject } from './subject.ts';
import type { Subject } from './subject.ts';
import { TABLE } from './table.ts';

/*
 * Random submissions, sound and unsound: no reason, code and format ever come together that the table holds for impossible, and all
 * that the generator can bring about do come.
 */

const context = useService();
const SEED = 20_261_130;
let admin: Client;

beforeAll(async () => {
  admin = await context.server.client('admin');
});

/** Codes that need what the generator does not make: a damaged or huge target, a false claim, megabytes, a foreign record. */
const NOT_GENERATED: readonly string[] = [
  'content_diverged',
  'claim_mismatch',
  'payload_too_large',
  'result_too_large',
  'match_too_long',
  'replacement_too_large',
  'target_mismatch',
  'unknown_format',
];
/** In tx/3 these come by a direct call alone. */
const DIRECT_ONLY: readonly string[] = ['too_many_operations', 'not_an_object', 'field_missing', 'field_type', 'op_unknown'];

const possible = (code: string, format: Format): boolean => TABLE[code]?.occurs[format] !== undefined;
const pairs = Object.keys(TABLE).flatMap((code) =>
  FORMATS.filter((format) => possible(code, format)).map((format) => `${code} in ${format}`),
);
const reachable = pairs.filter((pair) => {
  const [code = '', format] = pair.split(' in ');
  return !NOT_GENERATED.includes(code) && !(format === TX3 && DIRECT_ONLY.includes(code));
});

/** What the generator leaves out, put into one submission in twenty. */
function spiced(random: Random, document: Document, number: number): { format: Format; args: JsonObject } {
  const { format, args } = randomSubmission(random, document, number);
  if (!random.chance(0.05)) return { format, args };
  const items = args[format === TX1 ? 'edits' : 'operations'];
  const [first] = Array.isArray(items) ? items : [];
  switch (random.below(4)) {
    case 0:
      return { format, args: { ...args, expected_target_version: null, expected_current_hash: null } };
    case 1:
      return { format, args: { ...args, intent: 'i'.repeat(4097) } };
    case 2:
      if (format === TX2) args['operations'] = [{ op: 'replace_all', replace: 'x' }];
      return { format, args };
    default:
      // The same text again, after the first change has taken it.
      if (typeof first === 'object' && first !== null && !Array.isArray(first) && Array.isArray(items)) {
        const again = { ...first, change_id: null };
        items.splice(0, items.length, { ...again, replace: '' }, again);
      }
      return { format, args };
  }
}

function expectKnown(seen: { code: string; reason: string; stage: string; format: Format }, label: string): void {
  const row = TABLE[seen.code];
  expect([label, possible(seen.code, seen.format)]).toEqual([label, true]);
  expect([label, row?.reason, row?.stage]).toEqual([label, seen.reason, seen.stage]);
}

test('on PostgreSQL', { timeout: 600_000 }, async () => {
  const random = new Random(SEED);
  const documents: (Document & { subject: Subject })[] = [];
  for (let kind = 0; kind < 6; kind += 1) {
    const subject = await makeSubject(admin, randomContent(random, kind));
    documents.push({ id: subject.id, content: subject.content, version: 0, rejected: [], subject });
  }
  const seen = new Set<string>();
  for (let round = 0; round < 1500; round += 1) {
    const document = random.pick(documents);
    const { format, args } = spiced(random, document, round);
    const submission = prepareSubmission(format, args);
    const judged = evaluate(submission, document.content, sha256);
    // Only rejections are wanted here; what would be accepted is left to others, so that the documents stay as they are.
    const claim = judged.verdict === 'rejected' ? claiming(judged.fault.reason) : { verdict: 'none' as const };
    const answer = await commitAttempt(context.database, callOf({ args }, format, document.subject, claim));
    if (answer.outcome !== 'rejected' || answer.deduplicated === true) continue;
    document.rejected.push(answer.pdcp_log_id ?? '');
    const said = { code: answer.failure_code ?? '', reason: answer.failure_reason ?? '', stage: answer.validation_stage ?? '', format };
    expectKnown(said, `round ${round} of seed ${SEED}: ${JSON.stringify(said)}`);
    seen.add(`${said.code} in ${format}`);
  }
  // Enough to say that the sweep is one: what is rare is left to the larger one below.
  expect(seen.size).toBeGreaterThan(50);
});

test('in the runtime alone, until every pair has come', { timeout: 600_000 }, () => {
  const random = new Random(SEED + 1);
  const seen = new Set<string>();
  // A stored key is looked up in the database only.
  const wanted = reachable.filter((pair) => !pair.startsWith('request_key_conflict'));
  const documents = Array.from({ length: 30 }, (_, kind): Document => ({
    id: '5a5a5a5a-0000-4000-8000-000000000001',
    content: randomContent(random, kind),
    version: 3,
    rejected: ['5a5a5a5a-0000-4000-8000-000000000002'],
  }));
  // A pair that is rare comes late; what is impossible may not come in all these.
  for (let round = 0; round < 10_000 || (round < 40_000 && !wanted.every((pair) => seen.has(pair))); round += 1) {
    const document = random.pick(documents);
    const { format, args } = spiced(random, document, round);
    const submission = prepareSubmission(format, args);
    const resolved = document.rejected.includes(submission.parent?.toLowerCase() ?? '');
    const early = preconditionFault(submission, { version: document.version, hash: sha256(document.content) }, resolved);
    const outcome = early === null ? evaluate(submission, document.content, sha256) : { verdict: 'rejected' as const, fault: early };
    if (outcome.verdict === 'accepted') continue;
    const { code, reason, stage } = outcome.fault;
    expectKnown({ code, reason, stage, format }, `round ${round} of seed ${SEED + 1}: ${code} in ${format}`);
    seen.add(`${code} in ${format}`);
  }
  expect(wanted.filter((pair) => !seen.has(pair))).toEqual([]);
  expect([...seen].filter((pair) => !wanted.includes(pair))).toEqual([]);
  expect(new Set(wanted.map((pair) => pair.split(' in ')[1]))).toEqual(new Set([TX1, TX2, TX3]));
});
