import type { DemoHost, ToolResult } from './host.ts';

/** One call of the story and what came of it. */
export interface Step {
  name: string;
  tool: string;
  /** What is worth reading of the answer, in a line. */
  said: string;
  result: ToolResult;
}

export interface Story {
  steps: Step[];
  target: string;
  version: number;
  hash: string;
  /** The one line that the story changed, before and after. */
  before: string;
  after: string;
}

type Tell = (step: Step) => void;

const MARK = ' (checked twice)';
const LATER = ' (checked three times)';

/**
 * An agent's afternoon over real tools: import, read, find, preview, a guarded edit, the same edit again by its key, a stale
 * edit, a mistyped one, recovery through the near miss, save to disk. `line` occurs once in the file. Throws when an answer is not what the story is about.
 */
export async function tell(host: DemoHost, path: string, line: string, told: Tell): Promise<Story> {
  const steps: Step[] = [];
  const step = async (name: string, tool: string, args: Record<string, unknown>, expected: string, say: (result: ToolResult) => string) => {
    const result = await host.call(tool, args);
    if (result['status'] !== expected) {
      const why = [result['failure_reason'] ?? result['failure_code'], result['failure_detail'] ?? result['detail'], result['next_step']];
      throw new Error([`${name}: ${tool} answered ${String(result['status'])}, not ${expected}`, ...why.filter(Boolean)].join('; '));
    }
    const made: Step = { name, tool, said: say(result), result };
    steps.push(made);
    told(made);
    return result;
  };

  const imported = await step(
    'import',
    'patchdiff_initialize_target',
    { from_workspace: true, path },
    'created',
    (result) =>
      `version 0, ${String((result['source_line_endings'] as ToolResult | null)?.['source_utf8_bytes'])} bytes, line ends ${String((result['source_line_endings'] as ToolResult | null)?.['style'])}`,
  );
  const target = String(imported['target_file_id']);
  const on = (rest: Record<string, unknown>) => ({ target_file_id: target, ...rest });

  const read = await step(
    'read',
    'patchdiff_read_target',
    on({}),
    'ok',
    (result) => `${String(result['total_chars'])} code points, hash ${String(result['current_hash']).slice(0, 12)}…`,
  );
  const guard = { expected_target_version: 0, expected_current_hash: read['current_hash'] };

  await step('find', 'patchdiff_find_occurrences', on({ text: line }), 'ok', (result) => {
    const occurrences = result['occurrences'] as ToolResult[];
    if (result['occurrence_count'] !== 1) throw new Error(`the line occurs ${String(result['occurrence_count'])} times`);
    return `once, on line ${String(occurrences[0]?.['line'])}, at ${String(occurrences[0]?.['start'])}–${String(occurrences[0]?.['end'])}`;
  });

  const edits = [{ match: line, replace: line + MARK }];
  await step(
    'preview',
    'patchdiff_preview',
    on({ format: 'patchdiff-tx/1', ...guard, intent: 'note a second look', edits }),
    'would_accept',
    () => 'it would apply; nothing was written',
  );

  const submission = { ...guard, intent: 'note a second look', client_request_id: 'demo-1', edits };
  const accepted = await step(
    'edit',
    'patchdiff_submit_edits',
    on(submission),
    'accepted',
    (result) => `version ${String(result['version'])}, attempt ${String(result['pdcp_log_id'])}`,
  );
  await step('repeat', 'patchdiff_submit_edits', on(submission), 'accepted', (result) => {
    if (result['deduplicated'] !== true || result['pdcp_log_id'] !== accepted['pdcp_log_id'])
      throw new Error('the repeat was not recognised');
    return 'same key, same attempt: nothing was applied twice';
  });

  await step(
    'stale edit',
    'patchdiff_submit_edits',
    on({ ...guard, intent: 'late', edits: [{ match: line, replace: `${line}!` }] }),
    'rejected',
    (result) => `refused (${String(result['failure_reason'])}): the document is at version ${String(result['current_version'])} by now`,
  );

  const mistyped = mistype(line + MARK);
  const missed = await step(
    'mistyped edit',
    'patchdiff_submit_edits',
    on({ expected_target_version: 1, intent: 'note a third look', edits: [{ match: mistyped, replace: line + LATER }] }),
    'rejected',
    (result) => `refused (${String(result['failure_reason'])}); nearest text: ${JSON.stringify(nearest(result))} ${slip(result)}`,
  );
  const recovered = await step(
    'recover',
    'patchdiff_submit_edits',
    on({
      expected_target_version: 1,
      intent: 'note a third look',
      parent_pdcp_log_id: missed['pdcp_log_id'],
      edits: [{ match: nearest(missed), replace: line + LATER }],
    }),
    'accepted',
    (result) => `version ${String(result['version'])}, one call after the refusal`,
  );

  const version = Number(recovered['version']);
  await step(
    'save',
    'patchdiff_save',
    on({ sync_workspace: true, expected_target_version: version }),
    'published',
    (result) => `published to disk; chain head ${String(result['chain_sequence'])}:${String(result['chain_head']).slice(0, 12)}…`,
  );
  return { steps, target, version, hash: String(recovered['after_hash'] ?? recovered['current_hash']), before: line, after: line + LATER };
}

/** The slip of a finger: two letters in the middle change places, or one is lost where they are the same. */
function mistype(line: string): string {
  const characters = [...line];
  const at = Math.floor(characters.length / 2);
  const [one = '', other = ''] = characters.slice(at, at + 2);
  return [...characters.slice(0, at), ...(one === other ? [one] : [other, one]), ...characters.slice(at + 2)].join('');
}

/** How the nearest text differs from what was sent. */
function slip(result: ToolResult): string {
  const [miss] = result['near_misses'] as ToolResult[];
  return `(${String(miss?.['diff'])})`;
}

function nearest(result: ToolResult): string {
  const [miss] = result['near_misses'] as ToolResult[];
  if (typeof miss?.['text'] !== 'string') throw new Error(`no near miss was offered: ${JSON.stringify(result)}`);
  return miss['text'];
}
