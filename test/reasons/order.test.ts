import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';

import { commitAttempt } from '../../src/db/calls/commit-attempt.ts';
import { faultOf } from '../../src/transaction/index.ts';
import type { FaultCode, Format, JsonObject } from '../../src/transaction/index.ts';
import { useService } from '../service/support/service.ts';
import { FORMATS, TX1, TX2, TX3 } from './contract.ts';
import { IN_THE_TEXT, ORDER, canStandTogether } from './faults.ts';
import type { Draft, Fault } from './faults.ts';
import { callOf, claiming, damage, makeSubject, takeKey } from './subject.ts';
import type { Subject } from './subject.ts';

/*
 * One order for every layer: of two faults in one submission the earlier one is the verdict. Every pair that can stand together is
 * sent, to the procedure and to the preview, in every format.
 */

const context = useService();
let admin: Client;
let sound: Subject;
let damaged: Subject;

beforeAll(async () => {
  admin = await context.server.client('admin');
  sound = await makeSubject(admin);
  damaged = await makeSubject(admin);
  for (const subject of [sound, damaged]) await takeKey(context.database, subject);
  await damage(admin, damaged);
});

/** A submission that is sound but for these faults. */
function withFaults(faults: readonly Fault[], format: Format, { id, version }: Subject): JsonObject {
  const kind = faults.find((fault) => fault.item !== undefined)?.item ?? 'match';
  const item: JsonObject =
    kind === 'span' ? { op: 'span', start: 6, end: 10, expected_text: 'beta', replace: 'x' } : { match: 'beta', replace: 'x' };
  if (format === TX2 && kind === 'match') item['op'] = 'match';
  const draft: Draft = { args: { target_file_id: id, intent: 'try', expected_target_version: version }, items: [item] };
  if (format === TX3) draft.args['replacement'] = 'x';
  // The later one first: the order of writing must not matter.
  for (const fault of faults.toReversed()) fault.put(draft, format);
  if (format !== TX3) draft.args[format === TX1 ? 'edits' : 'operations'] = draft.items;
  return draft.args;
}

function expectedPath({ path }: Fault, format: Format): string | null | undefined {
  return path?.startsWith('[') === true ? `${format === TX1 ? 'edits' : 'operations'}${path}` : path;
}

async function expectFirst(
  faults: readonly Fault[],
  format: Format,
  subject: Subject,
  wins: { code: string; path?: string | null | undefined },
) {
  const args = withFaults(faults, format, subject);
  const label = `${faults.map(({ code, place }) => `${code} (${place})`).join(' + ')} in ${format}`;
  const { reason } = faultOf(wins.code as FaultCode);
  const answer = await commitAttempt(context.database, callOf({ args }, format, subject, claiming(reason)));
  const previewed = await context.service.preview({ ...args, format });
  for (const seen of [answer as unknown as JsonObject, previewed]) {
    expect([label, seen['failure_code']]).toEqual([label, wins.code]);
    if (wins.path !== undefined) expect([label, (seen['diagnostic'] as JsonObject)['path']]).toEqual([label, wins.path]);
  }
}

const position = new Map(ORDER.map((fault, at) => [fault, at]));

// Some pairs weigh 4 MiB each.
const PATIENCE = { timeout: 300_000 };

describe.each(FORMATS)('in %s', PATIENCE, (format) => {
  const here = ORDER.filter(({ formats }) => formats.includes(format));

  test('each fault alone is its own verdict', async () => {
    for (const fault of here) await expectFirst([fault], format, sound, { code: fault.code, path: expectedPath(fault, format) });
  });

  test.each(here.map((fault) => ({ fault, name: `${fault.code} at ${fault.place}` })))(
    '$name wins over each later one that can stand beside it',
    async ({ fault }) => {
      const later = here.filter(
        (other) => (position.get(other) ?? 0) > (position.get(fault) ?? 0) && canStandTogether(fault, other, format),
      );
      for (const other of later) await expectFirst([fault, other], format, sound, { code: fault.code, path: expectedPath(fault, format) });
    },
  );

  test('a damaged target: after every fault of guards and protocol, before every fault in the text', async () => {
    for (const fault of here) {
      const wins = IN_THE_TEXT.includes(fault.code)
        ? { code: 'content_diverged' }
        : { code: fault.code, path: expectedPath(fault, format) };
      await expectFirst([fault], format, damaged, wins);
    }
    await expectFirst([], format, damaged, { code: 'content_diverged' });
  });
});

test('all faults that can stand together at once: the first of them', PATIENCE, async () => {
  for (const format of FORMATS) {
    for (const [at, fault] of ORDER.entries()) {
      if (!fault.formats.includes(format)) continue;
      const together: Fault[] = [fault];
      for (const other of ORDER.slice(at + 1)) if (together.every((one) => canStandTogether(one, other, format))) together.push(other);
      await expectFirst(together, format, sound, { code: fault.code, path: expectedPath(fault, format) });
    }
  }
});
