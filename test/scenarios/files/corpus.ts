import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/transaction/index.ts';
import type { SubmissionStep } from '../corpus.ts';

/** One file that goes in and out. All bytes in hexadecimal, so that nothing between the page and the test reads them. */
export interface FileCase {
  path: string;
  bytes: string;
  /** A subset of what the import answers. */
  import: JsonObject;
  /** The canonical text after the import; absent when the file is refused. */
  content?: string;
  steps?: SubmissionStep[];
  /** A subset of what the SAVE answers. */
  save?: JsonObject;
  /** The bytes on disk after it. */
  saved?: string;
}

export interface FileScenario {
  name: string;
  title: string;
  fieldReports: string[];
  files: FileCase[];
}

/** Every scenario of files: several are imported together, each is changed, saved and compared byte for byte. */
export function fileScenarios(): FileScenario[] {
  return readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const stated = JSON.parse(readFileSync(path.join(import.meta.dirname, name), 'utf8')) as {
        title: string;
        field_reports: string[];
        files: FileCase[];
      };
      return { name: path.basename(name, '.json'), title: stated.title, fieldReports: stated.field_reports, files: stated.files };
    });
}
