import { readFileSync } from 'node:fs';
import path from 'node:path';
import { scenarios } from './corpus.ts';
import { fileScenarios } from './files/corpus.ts';

/** A fault that another tool of this kind had, and where this project's tests hold it. */
export interface Report {
  id: string;
  title: string;
  /** Tests outside the corpus: a file, and words of the test's name. */
  elsewhere?: { file: string; test?: string }[];
  /** Why it does not apply, or what stands in place of the feature it is about. */
  note?: string;
}

/** The known faults, in the order of their ids. */
export function reports(): Report[] {
  return JSON.parse(readFileSync(path.join(import.meta.dirname, 'reports.json'), 'utf8')) as Report[];
}

/** Numbers of the scenarios that name each report. */
export function held(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const named = [
    ...scenarios().map(({ name, fieldReports }) => ({ number: name.slice(0, 3), fieldReports })),
    ...fileScenarios().map(({ name, fieldReports }) => ({ number: `files/${name.slice(0, 2)}`, fieldReports })),
  ];
  for (const { number, fieldReports } of named) for (const id of fieldReports) found.set(id, [...(found.get(id) ?? []), number]);
  return found;
}

const INTRODUCTION = `# Scenarios

One folder a scenario: \`before.txt\` (the document as it lies on disk), \`scenario.json\` (submissions and questions, each with what it must
come to) and \`after.txt\` (the canonical text after the last one). \`files/\` holds scenarios of whole files, bytes in hexadecimal: imported
together, changed, saved. Values are stated by hand, never recorded from a run.

| path | runner |
|---|---|
| pure applier | \`pure.test.ts\` |
| procedures; the text of every version from SQL alone; \`verify_target\` | \`sql.test.ts\` |
| service: previewed, keyed, sent twice, replayed at every version; two services without a common cache | \`../service/scenarios.test.ts\` |
| MCP over stdio: the 2.x client as the service, the 1.x client with neither key nor preview | \`stdio.test.ts\` |
| command line | \`../cli/scenarios.test.ts\` |
| files, through the service, stdio and the command line | \`files/files.test.ts\` |

\`reports.json\` lists the known faults of other tools. The table below is made of it and of what each scenario names under
\`field_reports\`; \`npx vitest run test/scenarios/reports.test.ts -u\` makes it anew.

## Where each known fault of other tools is held
`;

/** The page beside this file. */
export function readme(): string {
  const found = held();
  const rows = reports().map(({ id, title, elsewhere = [], note }) => {
    const files = [...new Set(elsewhere.map(({ file }) => `\`${file}\``))];
    return `| ${title} | ${(found.get(id) ?? []).join(', ')} | ${[...files, ...(note === undefined ? [] : [note])].join('; ')} |`;
  });
  return `${INTRODUCTION}\n| fault | scenarios | elsewhere |\n|---|---|---|\n${rows.join('\n')}\n`;
}
