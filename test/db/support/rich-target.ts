import type pg from 'pg';
import type { Format, JsonObject } from '../../../src/transaction/index.ts';
import type { Service } from '../../../src/service/index.ts';
import { sha256 } from './attacks.ts';
import { acceptedCall, importAttempt, rejectedCall } from './imports.ts';

const TX1 = 'patchdiff-tx/1';
const TX2 = 'patchdiff-tx/2';
const TX3 = 'patchdiff-tx/3';
const SENT = 'one\r\ntwo ñ\nthree €\r\nx y x\r\n';
const TEXT = SENT.replaceAll('\r\n', '\n');

/** A target whose history holds a row of every kind that the engine writes. */
export interface RichTarget {
  id: string;
  /** Each keyed call: its key, what it was answered, and the same call again. */
  keyed: { key: string; answer: JsonObject; again: (service: Service) => Promise<JsonObject> }[];
}

/** An observation of two scopes, and a bundle that edits both. */
async function observed(owner: pg.Client, service: Service, id: string, version: number): Promise<void> {
  const { rows } = await owner.query<{ bundle_id: string; scopes: { scope_id: string; text: string }[] }>(
    `select o.bundle_id, o.scopes
     from patchdiff_store.cloud_target_files as t,
       patchdiff.observe_scopes(t.target_file_id, t.version, t.current_hash, 'rust', '{"name":"g","version":"1","sha256":null}', true,
         '[{"kind":"line","name":"a","qualified_path":"line a","start":0,"end":1},{"kind":"line","name":"b","qualified_path":"line b","start":2,"end":4}]',
         '{"host":"test"}') as o
     where t.target_file_id = $1`,
    [id],
  );
  const [{ bundle_id, scopes } = { bundle_id: '', scopes: [] }] = rows;
  const answer = await service.commitBundle({
    target_file_id: id,
    bundle_id,
    expected_target_version: version,
    intent: 'both',
    // Put back, so that what follows finds the text it knows.
    groups: scopes.map(({ scope_id, text }) => ({ scope_id, operations: [{ op: 'match', match: text, replace: text }] })),
  });
  if (answer['status'] !== 'accepted') throw new Error(JSON.stringify(answer));
}

/** Imported attempts, acceptances and rejections of every format, evidence, warnings, keys, parents, SAVEs, publications, adoptions, moves of the binding, observations, bundles, cycles. */
export async function richTarget(owner: pg.Client, service: Service, path: string): Promise<RichTarget> {
  const id = await create(owner, path);
  await bringIn(owner, id);
  let version = 1;
  const keyed: RichTarget['keyed'] = [];
  const submit = async (status: string, format: Format, more: JsonObject): Promise<string> => {
    const sent = { target_file_id: id, intent: 'why', expected_target_version: version, ...more };
    const answer = await service.submit(format, sent);
    if (answer['status'] !== status) throw new Error(JSON.stringify({ sent, answer }));
    if (status === 'accepted') version += 1;
    const key = more['client_request_id'];
    if (typeof key === 'string') keyed.push({ key, answer, again: (other) => other.submit(format, sent) });
    return answer['pdcp_log_id'] as string;
  };
  const save = async (client_request_id: string, more: JsonObject = {}): Promise<void> => {
    const sent = { target_file_id: id, client_request_id, ...more };
    keyed.push({ key: client_request_id, answer: await service.save(sent), again: (other) => other.save(sent) });
  };
  const edits = (...items: JsonObject[]): JsonObject => ({ edits: items });

  await submit('accepted', TX1, {
    ...edits({ match: 'two ñ', replace: '2 ñ€', rationale: 'shorter', risk: 'high' }, { match: 'three', replace: '', change_id: 'own.id' }),
    client_request_id: 'edit-1',
  });
  const refused = await submit('rejected', TX1, { ...edits({ match: 'nowhere', replace: '' }), client_request_id: 'miss-1' });
  await submit('accepted', TX1, {
    ...edits({ match: 'one', replace: '1' }),
    parent_pdcp_log_id: refused,
    attempt: 2,
    source: 'retry',
    client_request_id: 'retry-1',
  });
  await save('save-1');
  await save('save-2');
  await save('save-3', { expected_target_version: 0 });
  for (let times = 0; times < 3; times += 1) {
    await observed(owner, service, id, version);
    version += 1;
  }
  await submit('accepted', TX2, {
    operations: [
      { op: 'span', start: 0, end: 1, expected_text: '1', replace: 'ONE', rationale: 'louder' },
      { op: 'match', match: '2', replace: 'TWO' },
    ],
  });
  await submit('rejected', TX2, { operations: [{ op: 'span', start: 0, end: 1, expected_text: 'z', replace: '' }] });
  await submit('rejected', TX1, edits({ match: 'x', replace: 'bad \ud800 half' }));
  await submit('rejected', TX1, { ...edits({ match: 'q', replace: 'z' }), source: 5, attempt: 'twice' });
  await submit('rejected', TX1, { ...edits({ match: 'q', replace: 'z' }), expected_target_version: 0 });
  await submit('rejected', TX1, { edits: [] });
  await submit('accepted', TX1, {
    edits: [
      { match: 'x', replace: 'z', occurrence_index: 1 },
      { match: 'y', replace: 'w', occurrence_index: 1 },
      { match: 'x', replace: 'q', occurrence_index: 1 },
    ],
    expected_current_hash: null,
  });
  await publish(owner, id, 'published', 'file-1');
  await submit('accepted', TX3, { replacement: 'all new ñ\nsecond\nthird line\n', expected_current_hash: await hashOf(owner, id) });
  await publish(owner, id, 'superseded', null);
  await publish(owner, id, 'rejected', null);
  await publish(owner, id, 'published', null);
  await adopt(owner, id, path, 'all new ñ\r\nsecond\r\nthird line\r\n');
  await adopt(owner, id, path, 'from disk ñ\nsecond\nthird line\n');
  const disk = sha256('from disk ñ\nsecond\nthird line\n');
  // To the moved file, to where none stands, back; at last only the root has another device.
  await rebind(owner, id, 'rebound', `moved-${path}`, '2', disk);
  await rebind(owner, id, 'rebound', `new-${path}`, '2', null);
  await rebind(owner, id, 'rebound', `moved-${path}`, '2', disk);
  await rebind(owner, id, 'refreshed', `moved-${path}`, '3', null);
  version += 1;
  await submit('rejected', TX3, { replacement: 'x', intent: ' ' });
  await submit('accepted', TX1, edits({ match: 'second', replace: '2nd' }, { match: 'third', replace: '3rd' }));
  await save('save-4');
  await submit('accepted', TX1, { ...edits({ match: 'line', replace: 'LINE' }), client_request_id: 'edit-2' });
  return { id, keyed };
}

async function create(owner: pg.Client, path: string): Promise<string> {
  const workspace = { root: '/work', path, root_device: '1', root_inode: '2', disk_sha256: sha256(SENT) };
  const { rows } = await owner.query<{ id: string }>(
    `select target_file_id as id from patchdiff.create_target(null, 'rich', $1, null, $2, '{"host":"test"}')`,
    [SENT, JSON.stringify(workspace)],
  );
  return rows[0]!.id;
}

async function bringIn(owner: pg.Client, target: string): Promise<void> {
  const profile = [TX1, 'patchdiff-mvp-0.2.0'] as const;
  const record = (match: string, replace: string): JsonObject => ({
    edits: [{ match, replace }],
    expected_current_hash: null,
    expected_target_version: 0,
    format: TX1,
    intent: 'old',
    target_file_id: target,
  });
  const at = { target, content: TEXT, version: 0 };
  const missed = ['transaction_applicability', 'match_absent', 'match_absent'] as const;
  await importAttempt(owner, rejectedCall(at, profile, JSON.stringify(record('zzz', 'b')), missed, { client_request_id: 'old-1', diagnostic: '{"b":1}' }));
  const after = TEXT.replace('y x', 'y x!');
  await importAttempt(owner, acceptedCall(at, profile, record('y x', 'y x!'), after, { client_request_id: 'old-2', source: 'old host', attempt: 3 }));
}

async function hashOf(owner: pg.Client, id: string): Promise<string> {
  const { rows } = await owner.query<{ current_hash: string }>('select current_hash from patchdiff.read_head($1)', [id]);
  return rows[0]!.current_hash;
}

/** Takes over the file's text, which by then is this. */
async function adopt(owner: pg.Client, id: string, path: string, text: string): Promise<void> {
  const workspace = { root: '/work', path, root_device: '1', root_inode: '2', disk_sha256: sha256(text) };
  const { rows } = await owner.query<{ outcome: string }>(
    `select outcome from patchdiff.adopt_disk($1, $2, null, $3, p_actor => '{"host":"test"}')`,
    [id, text, JSON.stringify(workspace)],
  );
  if (rows[0]?.outcome !== 'adopted') throw new Error(`the adoption ended as ${String(rows[0]?.outcome)}`);
}

/** Binds the target to this file below the same root. */
async function rebind(owner: pg.Client, id: string, outcome: string, path: string, device: string, disk: string | null): Promise<void> {
  const workspace = { root: '/work', path, root_device: device, root_inode: '2', disk_sha256: disk };
  const { rows } = await owner.query<{ outcome: string }>(`select outcome from patchdiff.rebind_target($1, $2, p_actor => '{"host":"test"}')`, [
    id,
    JSON.stringify(workspace),
  ]);
  if (rows[0]?.outcome !== outcome) throw new Error(`the move ended as ${String(rows[0]?.outcome)}`);
}

/** Opens a publication of the current version, its lines ended by LF, and closes it with this outcome; a superseded one by a later acceptance is closed as such. */
async function publish(owner: pg.Client, id: string, outcome: string, key: string | null): Promise<void> {
  const { rows } = await owner.query<{ publication_id: string }>(
    `select r.publication_id from patchdiff.read_target($1) as h, patchdiff.open_publication(h.target_file_id, null, null, h.version,
       h.current_hash, h.last_synced_disk_sha256, h.current_hash, h.content_bytes, '{"host":"test"}', $2,
       jsonb_build_array(jsonb_build_array('lf', length(h.current_content) - length(replace(h.current_content, chr(10), ''))))) as r`,
    [id, key],
  );
  const closed = await owner.query<{ outcome: string }>(
    'select outcome from patchdiff.record_publication($1, $2, $3, null, $4, $5)',
    [id, rows[0]!.publication_id, outcome, '{"note":"by the test"}', key],
  );
  if (closed.rows[0]?.outcome !== outcome) throw new Error(`the publication ended as ${String(closed.rows[0]?.outcome)}`);
}
