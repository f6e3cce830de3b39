import type { JsonObject } from '../service/common/types.ts';
import { toolsOf } from './profiles.ts';
import type { Profile } from './profiles.ts';

/** Steps that read better said anew than with one tool's name put for another's; tried in order where the first tool is missing. */
const SENTENCES: readonly (readonly [string, RegExp, string])[] = [
  [
    'patchdiff_initialize_target',
    /Find the id with patchdiff_list_targets, or create the target with patchdiff_initialize_target\./g,
    'Send the target_file_id that you were given: no tool of this server lists or creates targets; one with the profile "full" does.',
  ],
  ['patchdiff_initialize_target', / that patchdiff_initialize_target or patchdiff_list_targets returned/g, ' that you were given'],
  [
    'patchdiff_list_targets',
    /Find the id with patchdiff_list_targets, or create the target with patchdiff_initialize_target\./g,
    'Call patchdiff_initialize_target with from_workspace: true and the path of the file: it answers with the id of its target, and creates one if there is none.',
  ],
  ['patchdiff_list_targets', / or patchdiff_list_targets returned/g, ' returned'],
  ['patchdiff_submit_edits', /patchdiff_submit_edits or patchdiff_submit_operations/g, 'patchdiff_submit_operations'],
  [
    'patchdiff_submit_replacement',
    /use patchdiff_submit_replacement, or here one span over the whole text/g,
    'send one span over the whole text',
  ],
];

/** What does the work of a missing tool. */
const INSTEAD: Readonly<Record<string, string>> = {
  patchdiff_list_targets: 'patchdiff_initialize_target with from_workspace: true and path',
  patchdiff_read_target: 'patchdiff_read_lines',
  patchdiff_submit_edits: 'patchdiff_submit_operations with op "match"',
  patchdiff_submit_replacement: 'patchdiff_submit_operations with one span over the whole text',
};
/** Of a tool whose work nothing else that the profile has does. */
const ELSEWHERE = 'a server with the profile "full"';

const NAME = /\bpatchdiff_[a-z_]+\b/g;

/** The step in words whose every tool the profile has. */
export function inProfile(profile: Profile, step: string): string {
  const known = new Set(toolsOf(profile).map((tool) => tool.name));
  const all = new Set(toolsOf('full').map((tool) => tool.name));
  const said = SENTENCES.reduce(
    (words, [missing, sentence, instead]) => (known.has(missing) ? words : words.replace(sentence, () => instead)),
    step,
  );
  return said.replace(NAME, (name) => {
    if (known.has(name) || !all.has(name)) return name;
    const instead = INSTEAD[name];
    const needs = instead?.match(NAME) ?? [];
    return instead !== undefined && needs.every((tool) => known.has(tool)) ? instead : ELSEWHERE;
  });
}

/** The outcome with its next step in the profile's words. The service speaks of all tools; what it answers and stores stays as it is. */
export function stepFor(profile: Profile, outcome: JsonObject): JsonObject {
  const step = outcome['next_step'];
  return profile === 'full' || typeof step !== 'string' ? outcome : { ...outcome, next_step: inProfile(profile, step) };
}
