import type pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { evaluate, prepareSubmission, type JsonObject } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';
import { sha256 } from './support/attacks.ts';

const database = useDatabase();
const ID = 'd66ab468-b247-4315-8ae2-6511e04e03cc';
let admin: pg.Client;

beforeAll(async () => {
  admin = await database.client('admin');
});

interface Edits {
  content: string;
  edits: { match: string; replace: string }[];
  /** Byte offsets at which the edits were planned, each in the buffer as it then stands. */
  starts: number[];
}

/** Ascending edits that lie apart, with trouble planted: a second copy in the text, in another replacement, or across an edge. */
function randomEdits(random: Random): Edits {
  const letters = random.chance(0.5) ? ['é', '漢', '𝒳', 'a', 'b', 'c', 'd', 'e', 'f', 'g'] : ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  const points = [...random.text(letters, 1500 + random.below(800))];
  const places: { at: number; length: number }[] = [];
  for (let at = random.below(10); places.length < 3 + random.below(5) && at < points.length - 30; ) {
    const length = 6 + random.below(5);
    places.push({ at, length });
    at += length + (random.chance(0.05) ? random.below(20) : 85 + random.below(150));
  }
  const edits = places.map(({ at, length }) => {
    const match = points.slice(at, at + length).join('');
    return { match, replace: random.chance(0.1) ? match : random.text(letters, random.below(9)) };
  });
  const trouble = random.below(8);
  const some = random.pick(edits);
  if (trouble === 0) points.splice(random.below(points.length - 12), [...some.match].length, ...some.match);
  if (trouble === 1) some.replace = `q${random.pick(edits).match}`;
  if (trouble === 2) {
    const { at } = random.pick(places);
    const half = 1 + random.below([...some.match].length - 1);
    if (at > half) points.splice(at - half, half, ...[...some.match].slice(0, half));
    (edits[places.findIndex((place) => place.at === at)] ?? some).replace = [...some.match].slice(half).join('');
  }
  const content = points.join('');
  let shift = 0;
  const starts = places.map(({ at }, position) => {
    const start = Buffer.byteLength(points.slice(0, at).join('')) + shift;
    const { match, replace } = edits[position] ?? some;
    shift += Buffer.byteLength(replace) - Buffer.byteLength(match);
    return start;
  });
  return { content, edits, starts };
}

async function walk(name: 'walk_masked' | 'walk_claimed' | 'walk_each', { content, edits, starts }: Edits): Promise<JsonObject | null> {
  const { rows } = await admin.query<{ walk: JsonObject | null }>(
    `select case when (w).after_hash is not null then row_to_json(w) end as walk
     from (
       select patchdiff_store.${name}($1, $2, patchdiff_store.read_operations($3, 'patchdiff-tx/1'), $4) as w offset 0
     ) as q`,
    [Buffer.from(content), [...content].length, JSON.stringify(edits), starts],
  );
  return rows[0]?.walk ?? null;
}

test('the masked walk says the same as the exact one, or nothing', async () => {
  const random = new Random(41);
  let masked = 0;
  let refused = 0;
  for (let round = 0; round < 400; round += 1) {
    const planned = randomEdits(random);
    const { content, edits } = planned;
    const submission = prepareSubmission('patchdiff-tx/1', { target_file_id: ID, intent: 'i', expected_target_version: 0, edits });
    const truth = evaluate(submission, content, sha256);
    const starts = truth.verdict === 'accepted' ? truth.applied.resolvedStarts : planned.starts;
    const fast = await walk('walk_masked', { ...planned, starts });
    const exact = await walk('walk_each', { ...planned, starts });
    if (truth.verdict === 'accepted') expect(exact?.['after_hash'], content).toBe(truth.applied.afterHash);
    else expect(exact, content).toBeNull();
    if (fast !== null) expect(fast).toEqual(exact);
    masked += Number(fast !== null);
    refused += Number(truth.verdict === 'rejected');
  }
  // Both kinds must keep occurring for the comparison to mean something.
  expect(masked).toBeGreaterThan(80);
  expect(refused).toBeGreaterThan(40);
});

test('the walk of one match says the same as the exact one', async () => {
  const random = new Random(17);
  const seen = { accepted: 0, refused: 0, lied: 0 };
  for (let round = 0; round < 500; round += 1) {
    const letters = random.pick([['a', 'b'], ['a', 'é', '漢', '𝒳', '\n', 'b'], ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', '𝒳']]);
    const points = [...random.text(letters, 1 + random.below(random.chance(0.3) ? 400 : 60))];
    const from = random.below(points.length);
    const match = points.slice(from, from + 1 + random.below(random.chance(0.3) ? 120 : 12)).join('');
    const content = points.join('');
    const edits = [{ match, replace: random.chance(0.2) ? match : random.text(letters, random.below(9)) }];
    const submission = prepareSubmission('patchdiff-tx/1', { target_file_id: ID, intent: 'i', expected_target_version: 0, edits });
    const truth = evaluate(submission, content, sha256);
    const bytes = Buffer.byteLength(content);
    const start = random.chance(0.1) ? random.below(bytes + 3) - 1 : Buffer.byteLength(points.slice(0, from).join(''));
    const single = await walk('walk_claimed', { content, edits, starts: [start] });
    expect(single, content).toEqual(await walk('walk_each', { content, edits, starts: [start] }));
    if (truth.verdict === 'rejected') expect(single, content).toBeNull();
    else if (truth.applied.resolvedStarts[0] === start) expect(single?.['after_hash'], content).toBe(truth.applied.afterHash);
    else expect(single, content).toBeNull();
    seen[truth.verdict === 'rejected' ? 'refused' : single === null ? 'lied' : 'accepted'] += 1;
  }
  // Each must keep occurring for the comparison to mean something.
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(10);
});

/** Starts of all overlapping occurrences, in bytes of an ASCII text. */
function startsOf(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) starts.push(at);
  return starts;
}

test('occurrences are counted and found alike in periodic and other text', async () => {
  const random = new Random(5);
  for (let round = 0; round < 250; round += 1) {
    const seedText = random.text(['a', 'a', 'b'], 1 + random.below(5));
    const short = random.chance(0.5) ? random.text(['a', 'a', 'b'], 1 + random.below(300)) : seedText.repeat(1 + random.below(80));
    const long = `${seedText.repeat(400)}${random.text(['a', 'a', 'a', 'b'], 900)}${seedText.repeat(500)}`;
    const text = round % 5 === 0 ? long : short;
    const length = round % 5 === 0 ? 513 + random.below(700) : 1 + random.below(6);
    const from = random.below(Math.max(1, text.length - length));
    const wanted = `${text.slice(from, from + length)}${random.chance(0.2) ? 'b' : ''}`;
    const nth = 1 + random.below(12);
    const { rows } = await admin.query<Record<string, number | null>>(
      `select s.hits::integer as hits, s.last,
         patchdiff_store.next_occurrence($1, $2, 0, 2147483647) as first,
         patchdiff_store.last_occurrence($1, $2) as final,
         patchdiff_store.nth_occurrence($1, $2, $3) as nth,
         patchdiff_store.is_absent(convert_from($1, 'UTF8'), convert_from($2, 'UTF8')) as absent
       from patchdiff_store.scan_occurrences($1, $2, 0, 2147483647, 1000000) as s`,
      [Buffer.from(text), Buffer.from(wanted), nth],
    );
    const starts = startsOf(text, wanted);
    const [first = null] = starts;
    const final = starts.at(-1) ?? null;
    const expected = { hits: starts.length, last: final, first, final, nth: starts[nth - 1] ?? null, absent: starts.length === 0 };
    expect(rows[0], JSON.stringify({ text, wanted })).toEqual(expected);
  }
});

test.each<[string, string, JsonObject, string]>([
  ['a long absent match in a run of one letter', 'a'.repeat(1_000_000), { match: `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}` }, 'match_absent'],
  ['an index in a run of one letter', 'a'.repeat(1_000_000), { match: 'aa', occurrence_index: 1_000_000 }, 'selector_excludes_all'],
  ['an index beyond every text', 'a'.repeat(1_000_000), { match: 'aa', occurrence_index: 1_000_000_000_000_000 }, 'selector_excludes_all'],
  ['a long anchor in a run of one letter', `${'a'.repeat(1_000_000)}q`, { match: 'q', anchor_before: `${'a'.repeat(500_000)}b` }, 'selector_excludes_all'],
  ['a long anchor after the match', `q${'a'.repeat(1_000_000)}`, { match: 'q', anchor_after: `b${'a'.repeat(500_000)}` }, 'selector_excludes_all'],
])('%s costs no more than other text', async (_name, content, item, code) => {
  const started = performance.now();
  const { rows } = await admin.query<{ code: string }>(
    `select (w.fault).failure_code as code
     from patchdiff_store.walk_found($1, $2, patchdiff_store.read_operations($3, 'patchdiff-tx/1'), 'edits') as w`,
    [Buffer.from(content), content.length, JSON.stringify([{ ...item, replace: 'x' }])],
  );
  expect(rows[0]?.code).toBe(code);
  // A quadratic search takes minutes here; the bound leaves room for a slow and busy machine.
  expect(performance.now() - started).toBeLessThan(10_000);
});
