import { member } from '../../transaction/index.ts';
import type { AnyFormat, JsonObject, JsonValue } from '../../transaction/index.ts';
import { isJsonObject } from '../common/arguments.ts';
import { describeValue } from '../common/value-kind.ts';

const CONTAINERS: Readonly<Record<AnyFormat, { name: string; shape: string }>> = {
  'patchdiff-tx/1': { name: 'edits', shape: 'edits: [{"match": "old text", "replace": "new text"}]' },
  'patchdiff-tx/2': { name: 'operations', shape: 'operations: [{"op": "match", "match": "old text", "replace": "new text"}]' },
  'patchdiff-tx/3': { name: 'replacement', shape: 'replacement: "the whole new text"' },
  'patchdiff-observed-batch/1': {
    name: 'groups',
    shape: 'groups: [{"scope_id": "…", "operations": [{"op": "match", "match": "old text", "replace": "new text"}]}]',
  },
};

/**
 * Some hosts send an array as the text of its JSON, an array of such texts, one object instead of an array of one, or a
 * number in quotes. None is repaired: this says which it was and shows the right shape; null when the shape is right.
 */
export function wrongShape(format: AnyFormat, args: JsonObject): string | null {
  const { name, shape } = CONTAINERS[format];
  const value = member(args, name);
  if (value === undefined) {
    const other = ['edits', 'operations', 'replacement', 'groups'].find(
      (container) => container !== name && member(args, container) !== undefined,
    );
    if (other !== undefined) return `this tool takes ${name}, not ${other}: ${shape}`;
  }
  if (format !== 'patchdiff-tx/3') {
    if (typeof value === 'string') return `${name} was sent as a JSON string; send the array itself, not its text: ${shape}`;
    if (isJsonObject(value)) return `${name} was sent as one object; send an array that holds it: ${shape}`;
    if (Array.isArray(value)) {
      const index = value.findIndex((item) => typeof item === 'string');
      if (index >= 0) return `${name}[${String(index)}] was sent as a JSON string; send the object itself, not its text: ${shape}`;
      const inGroup = name === 'groups' ? wrongGroup(value, shape) : null;
      if (inGroup !== null) return inGroup;
    }
  } else if (value !== undefined && value !== null && typeof value !== 'string') {
    return `${name} was sent as ${describeValue(value)}; send the whole new text as one string: ${shape}`;
  }
  const guard = member(args, 'expected_target_version');
  if (typeof guard === 'string' && /^\d{1,16}$/.test(guard)) {
    return 'expected_target_version was sent as a string; send the number itself, without quotes: expected_target_version: 3';
  }
  return null;
}

/** The same of the operations of a group. */
function wrongGroup(groups: readonly JsonValue[], shape: string): string | null {
  for (const [at, group] of groups.entries()) {
    if (!isJsonObject(group)) continue;
    const operations = member(group, 'operations');
    const path = `groups[${String(at)}].operations`;
    if (typeof operations === 'string') return `${path} was sent as a JSON string; send the array itself, not its text: ${shape}`;
    if (isJsonObject(operations)) return `${path} was sent as one object; send an array that holds it: ${shape}`;
    const text = Array.isArray(operations) ? operations.findIndex((item) => typeof item === 'string') : -1;
    if (text >= 0) return `${path}[${String(text)}] was sent as a JSON string; send the object itself, not its text: ${shape}`;
    const other = ['edits', 'replacement', 'match', 'op'].find((field) => member(group, field) !== undefined);
    if (operations === undefined && other !== undefined) return `A group takes operations, not ${other}: ${shape}`;
  }
  return null;
}

/** For arguments that are no object at all. */
export function wrongArguments(format: AnyFormat, args: unknown): string {
  const what = typeof args === 'string' ? 'a JSON string' : describeValue(args);
  return `The arguments were sent as ${what}; send one object: {"target_file_id": "…", "intent": "…", "expected_target_version": 3, ${CONTAINERS[format].shape.replace(/^(\w+)/, '"$1"')}}`;
}
