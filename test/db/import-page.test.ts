import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/db/pool.ts';
import { createService } from '../../src/service/index.ts';
import { blocksOf } from '../docs/blocks.ts';
import { PACKAGE_ROOT } from '../helpers/build.ts';
import { useDatabase } from '../helpers/database.ts';

const database = useDatabase();

test('the import that docs/spec/import.md shows runs as written, and replays', async () => {
  const blocks = blocksOf(readFileSync(join(PACKAGE_ROOT, 'docs/spec/import.md'), 'utf8'));
  // A superuser becomes the owner as the page says.
  const client = await database.client('admin');
  const answers: unknown[] = [];
  for (const { language, text } of blocks) {
    expect(language).toBe('sql');
    const { rows } = await client.query<Record<string, unknown>>(text);
    const promised = /^-- (\d+) rows?\b/m.exec(text)?.[1];
    if (promised !== undefined) expect(rows).toHaveLength(Number(promised));
    answers.push(rows[0]);
  }
  expect(answers.slice(1, 4)).toMatchObject([
    { outcome: 'created', version: '0' },
    { log_sequence: '1', status: 'rejected', created_at: new Date('2023-03-01T09:00:00Z') },
    { log_sequence: '2', after_version: '1' },
  ]);

  const writer = openDatabase({ connectionString: database.url('writer') });
  try {
    const service = createService({ database: writer, actor: null });
    const target = '0190a000-0000-7000-8000-0000000000aa';
    expect(await service.replayTarget({ target_file_id: target })).toMatchObject({ status: 'success', steps: 1, materialized_state_matches: true });
    const request = {
      target_file_id: target,
      intent: 'shorten',
      expected_target_version: 0,
      edits: [{ change_id: 'change no. 1', match: 'second', replace: '2nd' }],
      parent_pdcp_log_id: '11111111-1111-4111-8111-111111111111',
      client_request_id: 'job 7, attempt 2',
    };
    expect(await service.submit('patchdiff-tx/1', request)).toMatchObject({ status: 'accepted', deduplicated: true, version: 1 });
  } finally {
    await writer.close();
  }
});
