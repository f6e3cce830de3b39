import { expect } from 'vitest';

import type { ToolResult } from '../support/hosts.ts';

/** What may be read of an answer in one family of refusals, in this order. */
export interface Selection {
  members: readonly string[];
  /** Of `diagnostic`. */
  evidence?: readonly string[];
}

const SHOWN = 90;

/**
 * A readable record of what an agent is told: per case a title, what was sent, and the chosen members of the result's text. Ids and
 * hashes that differ from run to run are replaced by their kind.
 */
export class Transcript {
  readonly #parts: string[] = [];
  readonly #selection: Selection;
  readonly #known: readonly string[];

  /** `known`: ids that are the same in every run, shown as they are. */
  constructor(heading: string, selection: Selection, known: readonly string[] = []) {
    this.#parts.push(`# ${heading}`);
    this.#selection = selection;
    this.#known = known;
  }

  add(title: string, sent: unknown, result: ToolResult): void {
    expect(result.isError, result.text).toBe(false);
    this.addAnswer(title, sent, JSON.parse(result.text) as Record<string, unknown>);
  }

  addAnswer(title: string, sent: unknown, answer: Record<string, unknown>): void {
    const { members, evidence = [] } = this.#selection;
    const diagnostic = (answer['diagnostic'] ?? {}) as Record<string, unknown>;
    const lines = [
      ...members.filter((name) => name in answer).map((name) => line(name, answer[name])),
      ...evidence.filter((name) => name in diagnostic).map((name) => line(`  ${name}`, diagnostic[name])),
    ];
    this.#parts.push([`## ${title}`, `sent: ${JSON.stringify(abbreviated(sent))}`, ...lines].join('\n'));
  }

  /** The whole record. Nothing in it is a value that belongs to one run only. */
  toString(): string {
    const text = `${this.#parts.join('\n\n')}\n`;
    return text
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => (this.#known.includes(id) ? id : '<id>'))
      .replaceAll(/\/[^\s"]*patchdiff-refusals-[A-Za-z0-9]+/g, '<workspace>');
  }
}

function line(name: string, value: unknown): string {
  return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

/** Long texts and lists by their length only. */
function abbreviated(value: unknown): unknown {
  if (typeof value === 'string' && value.length > SHOWN) return `${value.slice(0, 8)}… (${value.length} characters)`;
  if (Array.isArray(value)) return value.length > 4 ? [abbreviated(value[0]), `… (${value.length} items)`] : value.map(abbreviated);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, abbreviated(member)]));
}
