import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { inProfile } from '../../src/mcp/profile-words.ts';
import { PROFILE_NAMES, toolsOf } from '../../src/mcp/profiles.ts';
import type { Profile } from '../../src/mcp/profiles.ts';
import { describe as described } from '../../src/mcp/tool.ts';

const NAME = /\bpatchdiff_[a-z_]+\b/g;
const ALL = new Set(toolsOf('full').map(({ name }) => name));
const namedIn = (text: string): string[] => (text.match(NAME) ?? []).filter((name) => ALL.has(name));

/** The next steps that the transcripts of refusals record of the real server, by file. */
const recorded = readdirSync(path.join(import.meta.dirname, 'refusals'))
  .filter((name) => name.endsWith('.snap'))
  .map((name) => ({
    name,
    steps: readFileSync(path.join(import.meta.dirname, 'refusals', name), 'utf8').match(/(?<=^next_step: ).*$/gm) ?? [],
  }));
const steps = [...new Set(recorded.flatMap((file) => file.steps))];
const ofBundles = new Set(recorded.find(({ name }) => name === 'bundles.snap')?.steps);
/** Every text in the service that names a tool: steps that no transcript reached too. */
const SERVICE = path.join(import.meta.dirname, '../../src/service');
const literals = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => readFileSync(path.join(SERVICE, name), 'utf8').match(/(['`])(?:(?!\1).)*patchdiff_(?:(?!\1).)*\1/g) ?? []);

describe.each(PROFILE_NAMES as Profile[])('profile %s', (profile) => {
  const known = toolsOf(profile).map(({ name }) => name);

  test('no next step names a tool that it lacks, and each is whole', () => {
    expect(steps.length).toBeGreaterThan(50);
    expect(new Set(literals.flatMap(namedIn)).size).toBeGreaterThan(5);
    for (const step of [...steps, ...literals, ...[...ALL].map((name) => `use ${name}.`)]) {
      const said = inProfile(profile, step);
      for (const name of namedIn(said)) expect(known, said).toContain(name);
      if (namedIn(step).every((name) => known.includes(name))) expect(said).toBe(step);
      else expect(said).not.toBe(step);
    }
  });

  test('no tool speaks of one that it lacks', () => {
    for (const tool of toolsOf(profile)) {
      for (const name of namedIn(`${described(tool)} ${JSON.stringify([tool.inputSchema, tool.outputSchema])}`))
        expect(known, tool.name).toContain(name);
    }
  });
});

test.each(['observed_workspace', 'observed_v2'] as const)('what is told of a bundle is the same in the profile %s', (profile) => {
  expect(ofBundles.size).toBeGreaterThan(10);
  for (const step of ofBundles) expect(inProfile(profile, step)).toBe(step);
});

test('the steps of the small profile read as sentences', () => {
  // It commits no bundles.
  const alone = recorded.filter(({ name }) => name !== 'bundles.snap').flatMap((file) => file.steps);
  const changed = alone.map((step) => inProfile('workspace', step)).filter((said) => !steps.includes(said));
  expect([...new Set(changed)].toSorted()).toEqual([
    'Call patchdiff_initialize_target with from_workspace: true and the path of the file: it answers with the id of its target, and creates one if there is none.',
    'Change only the parts that differ, with patchdiff_submit_operations and a new client_request_id.',
    'Send target_file_id as the UUID string that patchdiff_initialize_target returned.',
    'To replace the whole document, send one span over the whole text; send it with a new client_request_id.',
  ]);
});
