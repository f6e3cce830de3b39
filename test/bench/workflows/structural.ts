import { spansOf } from './reading.ts';
import { expectStatus } from './session.ts';
import type { Answer, Session } from './session.ts';
import type { Change, Edit, Place } from './task.ts';

interface Scope {
  scope_id: string;
  qualified_path: string;
}

interface ObservedScope extends Scope {
  text: string;
}

/**
 * Carries the changes out with the tools of the profile `observed_workspace`: a place is found by its name, the scopes of a change are
 * observed together, and their edits, in their own texts, are one guarded bundle. `targets`: the ids that the import returned.
 */
export async function changeThroughScopes(
  session: Session,
  targets: ReadonlyMap<string, string>,
  changes: readonly Change[],
): Promise<Answer[]> {
  const receipts: Answer[] = [];
  for (const { file, intent, places } of changes) {
    const target = targets.get(file);
    const wanted: string[] = [];
    for (const place of places) wanted.push(await findScope(session, target, place));
    const observed = expectStatus(
      await session.call('patchdiff_observe_scopes', { target_file_id: target, scope_ids: wanted }),
      'observed',
    );
    const texts = new Map((observed['scopes'] as ObservedScope[]).map(({ scope_id: id, text }) => [id, text]));
    const groups = places.map((place, at) => {
      const id = wanted[at] ?? '';
      return { scope_id: id, operations: operationsOf(texts.get(id) ?? '', place.edits) };
    });
    const receipt = await session.call('patchdiff_commit_bundle', {
      target_file_id: target,
      bundle_id: observed['bundle_id'],
      expected_target_version: observed['version'],
      intent,
      groups,
      client_request_id: `change-${receipts.length + 1}`,
    });
    receipts.push(expectStatus(receipt, 'accepted'));
  }
  return receipts;
}

/** The one scope whose path ends in the place's name and has the names around it, in order. Throws when none or several do. */
async function findScope(session: Session, target: unknown, { names }: Place): Promise<string> {
  const listed = expectStatus(await session.call('patchdiff_list_scopes', { target_file_id: target, path: names.at(-1) ?? '' }), 'ok');
  const found = (listed['scopes'] as Scope[]).filter(({ qualified_path: path }) => isAt(namesOf(path), names));
  const [scope, ...others] = found;
  if (scope === undefined || others.length > 0 || listed['truncated'] === true) {
    throw new Error(`${names.join(' > ')} is ${found.length} scopes: ${JSON.stringify(listed).slice(0, 2000)}`);
  }
  return scope.scope_id;
}

/** `class Foo > method bar` and `method Foo.bar` are both Foo, bar. */
const namesOf = (path: string): string[] => path.split(' > ').flatMap((part) => part.slice(part.indexOf(' ') + 1).split('.'));

function isAt(path: readonly string[], names: readonly string[]): boolean {
  if (path.at(-1) !== names.at(-1)) return false;
  let at = 0;
  for (const name of path) if (name === names[at]) at += 1;
  return at === names.length;
}

/** A text that is unique in its scope is a match; what is replaced in several places is spans, the last one first. */
function operationsOf(text: string, edits: readonly Edit[]): object[] {
  return edits.flatMap((edit): object[] => {
    const spans = spansOf(text, [edit]);
    if (spans.length === 1) return [{ op: 'match', match: edit.old, replace: edit.new }];
    if (edits.length > 1) throw new Error('spans count from the text that was read: they are a group of their own');
    return spans.map((span) => ({ op: 'span', ...span }));
  });
}
