/** A fenced block of a Markdown page. */
export interface Block {
  /** The word after the opening fence; empty when there is none. */
  language: string;
  /** The HTML comment in the line above the fence, which readers do not see; null when there is none. */
  marker: string | null;
  text: string;
  /** 1-based line of the opening fence. */
  line: number;
}

/** The fenced blocks of a page, in order. Throws when a fence is never closed. */
export function blocksOf(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const opening = /^```(\w*)$/.exec(lines[index]!);
    if (opening === null) continue;
    const end = lines.indexOf('```', index + 1);
    if (end === -1) throw new Error(`the block opened in line ${index + 1} is never closed`);
    const marker = /^<!-- (.*) -->$/.exec(lines[index - 1] ?? '')?.[1] ?? null;
    blocks.push({ language: opening[1]!, marker, text: lines.slice(index + 1, end).join('\n'), line: index + 1 });
    index = end;
  }
  return blocks;
}

/** Relative links of a page, without their fragments. */
export function linksOf(page: string): string[] {
  return [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!).filter((target) => !/^https?:/.test(target));
}
