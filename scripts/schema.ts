import { dumpSchema } from './catalog.ts';
import { generateFile } from './generated.ts';

/** `npm run db:schema [-- --check]`: db/schema.sql, the whole schema as text. */
export function main(argv: readonly string[]): Promise<number> {
  return generateFile('db/schema.sql', argv, dumpSchema);
}
