import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, 'samples');

export interface Sample {
  /** As the file would be called in a project. */
  name: string;
  text: string;
  /** The file that pins its outline. */
  outline: string;
}

/** One sample of each language; they end in `.txt` so that no tool takes them for code of the project. */
export const SAMPLES: readonly Sample[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.txt'))
  .map((file) => {
    const name = file.slice(0, -'.txt'.length);
    return { name, text: readFileSync(path.join(FOLDER, file), 'utf8'), outline: path.join(FOLDER, `${name}.outline`) };
  });
