import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';

/** One submission of a scenario and what it must come to. Members of `expect` that are absent are not looked at. */
export interface Step {
  format: Format;
  /** `version`, `hash`, `both`: of the content as it stands; `none`; or the guard members themselves. */
  guard: 'version' | 'hash' | 'both' | 'none' | JsonObject;
  /** The tool's arguments without target and guards. */
  arguments: JsonObject;
  expect: {
    status: 'accepted' | 'rejected';
    failure_reason?: string;
    failure_code?: string;
    failed_change_id?: string | null;
    path?: string;
    after_hash?: string;
    warnings?: JsonValue[];
    changes?: JsonObject[];
    /** A subset of the stored diagnostic, compared member by member, objects below it likewise. */
    diagnostic?: JsonObject;
  };
}

export interface Scenario {
  name: string;
  title: string;
  /** The document as it lies on disk, before canonicalisation. */
  before: string;
  /** The canonical content after the last step. */
  after: string;
  steps: Step[];
}

/** Every folder of this corpus: `before.txt`, `scenario.json`, `after.txt`. */
export function scenarios(): Scenario[] {
  const root = import.meta.dirname;
  return readdirSync(root)
    .filter((name) => existsSync(path.join(root, name, 'scenario.json')))
    .sort()
    .map((name) => {
      const read = (file: string) => readFileSync(path.join(root, name, file)).toString('utf8');
      const { title, steps } = JSON.parse(read('scenario.json')) as { title: string; steps: Step[] };
      return { name, title, before: read('before.txt'), after: read('after.txt'), steps };
    });
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The arguments of a step against a target that stands at `version` with `content`. */
export function argumentsOf(step: Step, targetFileId: string, version: number, content: string): JsonObject {
  const guards: Record<string, JsonObject> = {
    version: { expected_target_version: version },
    hash: { expected_current_hash: sha256(content) },
    both: { expected_target_version: version, expected_current_hash: sha256(content) },
    none: {},
  };
  const guard = typeof step.guard === 'string' ? guards[step.guard] : step.guard;
  return { target_file_id: targetFileId, ...guard, ...step.arguments };
}
