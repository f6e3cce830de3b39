import type { ToolDefinition } from './tool.ts';
import { TOOLS } from './tools/index.ts';

const OBSERVED = [
  'patchdiff_read_lines',
  'patchdiff_find_occurrences',
  'patchdiff_list_scopes',
  'patchdiff_observe_scopes',
  'patchdiff_commit_bundle',
];

/** The sets of tools that a server can advertise. */
const PROFILES = {
  full: TOOLS.map((tool) => tool.name),
  observed_workspace: ['patchdiff_initialize_target', ...OBSERVED, 'patchdiff_save'],
  workspace: [
    'patchdiff_initialize_target',
    'patchdiff_read_lines',
    'patchdiff_find_occurrences',
    'patchdiff_submit_operations',
    'patchdiff_save',
  ],
  observed_v2: OBSERVED,
} as const satisfies Record<string, readonly string[]>;

export type Profile = keyof typeof PROFILES;

export const PROFILE_NAMES = Object.keys(PROFILES);

export function isProfile(name: string): name is Profile {
  return Object.hasOwn(PROFILES, name);
}

/** The profile's tools, in the order that is advertised. */
export function toolsOf(profile: Profile): readonly ToolDefinition[] {
  const names: readonly string[] = PROFILES[profile];
  return TOOLS.filter((tool) => names.includes(tool.name));
}
