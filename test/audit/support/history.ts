import type pg from 'pg';
import { encodeCanonical, evaluate, prepareSubmission } from '../../../src/transaction/index.ts';
import type { Change, Format, JsonObject } from '../../../src/transaction/index.ts';
import { canonicalize } from '../../../src/text/index.ts';
import { sha256 } from '../../db/support/attacks.ts';

/** One change as it was applied; offsets are code points of the buffer right before it. */
export interface AppliedChange {
  operation: Change['operation'];
  start: number;
  end: number;
  replacement: string;
}

/** Submissions that go to the server in one statement: a round trip each would cost more than the submission. */
const BATCH = 200;

const COMMIT = `select r.outcome, r.failure_code
  from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as c(payload, base_hash, starts, after_hash)
  cross join lateral patchdiff.commit_attempt(
    p_target => $1, p_payload => c.payload, p_client_request_id => null, p_parent => null, p_attempt => null, p_source => null,
    p_actor => null, p_base_hash => c.base_hash, p_verdict => 'accepted', p_resolved_starts => c.starts::integer[],
    p_after_hash => c.after_hash, p_diagnostic => null, p_warnings => null
  ) as r`;

/** A document whose accepted history is made here and recorded by the database in batches. */
export class History {
  /** The text of each version. */
  readonly contents: string[];
  /** The changes that made each version from the one before; those of version 1 come first. */
  readonly changes: AppliedChange[][] = [];
  readonly #client: pg.Client;
  readonly id: string;
  #waiting: { payload: string; base: string; starts: string; after: string }[] = [];

  private constructor(client: pg.Client, id: string, content: string) {
    this.#client = client;
    this.id = id;
    this.contents = [content];
  }

  static async create(client: pg.Client, content: string): Promise<History> {
    const sql = `select target_file_id as id from patchdiff.create_target(null, 'doc.md', $1, p_actor => '{"host":"maker"}')`;
    const { rows } = await client.query<{ id: string }>(sql, [content]);
    return new History(client, (rows[0] as { id: string }).id, canonicalize(content));
  }

  get content(): string {
    return this.contents.at(-1) as string;
  }

  get version(): number {
    return this.contents.length - 1;
  }

  /** Submits what must be acceptable; target, guard and, when absent, the intent are filled in. */
  async submit(format: Format, args: JsonObject): Promise<void> {
    const whole = { target_file_id: this.id, expected_target_version: this.version, intent: `to ${this.version + 1}`, ...args };
    const submission = prepareSubmission(format, whole);
    const evaluation = evaluate(submission, this.content, sha256);
    if (evaluation.verdict !== 'accepted') throw new Error(`${evaluation.fault.detail} in ${encodeCanonical(whole)}`);
    const { applied, transaction } = evaluation;
    const [starts, after] = [`{${applied.resolvedStarts.join()}}`, applied.afterHash];
    this.#waiting.push({ payload: submission.payload, base: sha256(this.content), starts, after });
    this.changes.push(
      applied.changes.map((fact, index) => ({
        operation: fact.operation,
        start: fact.span_start,
        end: fact.span_end,
        replacement: canonicalize((transaction.changes[index] as Change).replace),
      })),
    );
    this.contents.push(applied.content);
    if (this.#waiting.length >= BATCH) await this.flush();
  }

  /** Splices by offsets, in code points, each of the buffer that the ones before it leave. */
  async splice(...splices: [start: number, end: number, replace: string][]): Promise<void> {
    let now = [...this.content];
    const operations = splices.map(([start, end, replace]) => {
      const expected_text = now.slice(start, end).join('');
      now = [...now.slice(0, start), ...canonicalize(replace), ...now.slice(end)];
      return { op: 'span', start, end, expected_text, replace };
    });
    await this.submit('patchdiff-tx/2', { operations });
  }

  /** Takes a snapshot of what has been submitted so far. */
  async save(): Promise<void> {
    await this.flush();
    await this.#client.query('select * from patchdiff.save_target($1)', [this.id]);
  }

  /** Has everything submitted so far recorded. Throws unless the database accepts all of it. */
  async flush(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    if (calls.length === 0) return;
    const columns = (['payload', 'base', 'starts', 'after'] as const).map((name) => calls.map((call) => call[name]));
    const { rows } = await this.#client.query<{ outcome: string }>(COMMIT, [this.id, ...columns]);
    const refused = rows.filter(({ outcome }) => outcome !== 'accepted');
    if (rows.length !== calls.length || refused.length > 0) throw new Error(JSON.stringify(refused));
  }
}
