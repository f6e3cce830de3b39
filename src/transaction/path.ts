import { takeCodePoints } from '../text/index.ts';

/** Code points of an unknown field's name that a path shows. */
const NAME_CHARS = 64;

/** An unknown field's name as a path shows it. */
export function cutName(name: string): string {
  return takeCodePoints(name, NAME_CHARS);
}
