import { Language as TreeLanguage, Parser } from 'web-tree-sitter';
import { remarked, unmarked } from './conflicts.ts';
import { grammarModule } from './grammars.ts';
import type { Language } from './language.ts';
import { tagsAreDeep } from './html-depth.ts';
import { LIMITS } from './limits.ts';
import { RULES } from './rules/index.ts';
import { wholeStatements } from './sql-statements.ts';
import type { Reading } from './types.ts';
import { actionsOf, walk, type Actions } from './walk.ts';

/** Units that the parser is handed at a time. */
const CHUNK = 4096;

interface Loaded {
  parser: Parser;
  language: TreeLanguage;
  actions: Actions;
}

/** Parsers of one thread, each grammar loaded at its first text. After anything it throws, the thread is not to be used again. */
export class Parsers {
  readonly #loaded = new Map<Language, Loaded>();

  async read(text: string, language: Exclude<Language, 'markdown'>, sha256: string): Promise<Reading> {
    if (language === 'html' && tagsAreDeep(text)) return { ok: false, reason: 'too_deep' };
    const loaded = this.#loaded.get(language) ?? (await this.#load(language, sha256).catch(() => null));
    if (loaded === null) return { ok: false, reason: 'parser_unavailable' };
    const found = this.#parse(text, language, loaded);
    // Marks of a conflict may cost everything below them.
    const conflict = found.ok && found.errors > 0 ? unmarked(text) : null;
    const again = conflict === null ? found : remarked(this.#parse(conflict.text, language, loaded), conflict);
    const reading = again.ok ? again : found;
    return reading.ok && language === 'sql' ? { ...reading, scopes: wholeStatements(text, reading.scopes, reading.errors > 0) } : reading;
  }

  #parse(text: string, language: Exclude<Language, 'markdown'>, { parser, language: grammar, actions }: Loaded): Reading {
    let steps = 0;
    let units = 0;
    const tree = parser.parse(
      (from) => {
        const chunk = units > LIMITS.unitsRead(text.length) ? '' : text.slice(from, from + CHUNK);
        units += chunk.length;
        return chunk;
      },
      null,
      { progressCallback: () => (steps += 1) > LIMITS.steps(text.length) || units > LIMITS.unitsRead(text.length) },
    );
    if (tree === null) parser.reset();
    if (tree === null || units > LIMITS.unitsRead(text.length)) {
      tree?.delete();
      return { ok: false, reason: 'too_many_steps' };
    }
    try {
      return walk(tree, text, grammar, RULES[language], actions);
    } finally {
      tree.delete();
    }
  }

  async #load(language: Exclude<Language, 'markdown'>, sha256: string): Promise<Loaded> {
    await Parser.init();
    const grammar = await TreeLanguage.load(grammarModule(language, sha256));
    const parser = new Parser();
    parser.setLanguage(grammar);
    const loaded = { parser, language: grammar, actions: actionsOf(grammar, RULES[language]) };
    this.#loaded.set(language, loaded);
    return loaded;
  }
}
