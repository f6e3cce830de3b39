import { createHash } from 'node:crypto';
import type { Format, JsonObject } from '../../src/transaction/index.ts';

/** What one submission of a bench case does. */
export interface Kind {
  name: string;
  format: Format;
  edits: number;
}

export const KINDS: readonly Kind[] = [
  { name: '1 edit', format: 'patchdiff-tx/1', edits: 1 },
  { name: '10 edits', format: 'patchdiff-tx/1', edits: 10 },
  { name: '50 edits', format: 'patchdiff-tx/1', edits: 50 },
  { name: 'tx/3', format: 'patchdiff-tx/3', edits: 0 },
];

/** A document of numbered, pairwise different lines, just under `bytes` of UTF-8; every other line has multibyte text when asked. */
export function document(bytes: number, multibyte: boolean): string {
  const lines: string[] = [];
  let size = 0;
  for (let line = 1; ; line += 1) {
    const lead = multibyte && line % 2 === 1 ? `řádek č. ${line} naïve 漢字 𝒳 → ` : `line ${line} of text: `;
    const text = `${lead}${mark(line, 0)}\n`;
    size += Buffer.byteLength(text);
    if (size > bytes) return lines.join('');
    lines.push(text);
  }
}

/** 33 to 35 characters that name a line and a revision of it, as text without repetition. */
function mark(line: number, revision: number): string {
  const digest = createHash('sha256').update(`${line}/${revision}`).digest('hex').slice(0, 32);
  return `#${digest}${'.'.repeat(revision % 3)}`;
}

/** The `turn`-th submission of a kind against a content: as many lines, evenly spaced, get a new mark. */
export function submissionFor(kind: Kind, turn: number, targetFileId: string, version: number, content: string): JsonObject {
  const common = {
    target_file_id: targetFileId,
    intent: 'change marks',
    expected_target_version: version,
    client_request_id: `turn-${turn}`,
  };
  const lines = content.split('\n');
  const step = Math.max(1, Math.floor((lines.length - 1) / Math.max(1, kind.edits)));
  const chosen = Array.from(
    { length: kind.edits },
    (_, edit) => (edit * step + (kind.edits === 1 ? Math.floor(step / 2) : turn % step)) % (lines.length - 1),
  );
  if (kind.format === 'patchdiff-tx/3') {
    const at = turn % (lines.length - 1);
    lines[at] = `replaced in turn ${turn}, ${'x'.repeat(turn % 3)}`;
    return { ...common, replacement: lines.join('\n') };
  }
  const edits = chosen
    .sort((left, right) => left - right)
    .map((at) => {
      const line = lines[at] ?? '';
      return { match: line.slice(line.indexOf('#')), replace: mark(at + 1, turn + 1) };
    });
  return { ...common, edits };
}
