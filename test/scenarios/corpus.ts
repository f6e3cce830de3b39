import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Format, JsonObject, JsonValue } from '../../src/transaction/index.ts';

/** One submission of a scenario and what it must come to. Members of `expect` that are absent are not looked at. */
export interface SubmissionStep {
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
    /** The canonical content after this step. */
    content?: string;
  };
  /** What the answer gives beside the recorded outcome; looked at where there is a service that gives it. A subset. */
  hints?: { near_misses?: JsonObject[]; near_miss_search?: JsonObject };
}

/** A question about the content as it stands after the steps before it; asked where there is a service. `expect` is a subset of the answer. */
export interface QueryStep {
  query: 'find_occurrences' | 'read_target' | 'read_lines';
  /** The tool's arguments without the target. */
  arguments: JsonObject;
  expect: JsonObject;
}

export type Step = SubmissionStep | QueryStep;

export interface Scenario {
  name: string;
  title: string;
  /** The known faults of other tools that this scenario holds, by their ids in reports.json. */
  fieldReports: string[];
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
      const stated = JSON.parse(read('scenario.json')) as { title: string; field_reports?: string[]; steps: Step[] };
      const { title, field_reports: fieldReports = [], steps } = stated;
      return { name, title, fieldReports, before: read('before.txt'), after: read('after.txt'), steps };
    });
}

export function isSubmission(step: Step): step is SubmissionStep {
  return 'format' in step;
}

/** The steps that runners without a service play. */
export function submissionsOf(scenario: Scenario): SubmissionStep[] {
  return scenario.steps.filter(isSubmission);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** The arguments of a step against a target that stands at `version` with `content`. */
export function argumentsOf(step: SubmissionStep, targetFileId: string, version: number, content: string): JsonObject {
  const guards: Record<string, JsonObject> = {
    version: { expected_target_version: version },
    hash: { expected_current_hash: sha256(content) },
    both: { expected_target_version: version, expected_current_hash: sha256(content) },
    none: {},
  };
  const guard = typeof step.guard === 'string' ? guards[step.guard] : step.guard;
  return { target_file_id: targetFileId, ...guard, ...step.arguments };
}
