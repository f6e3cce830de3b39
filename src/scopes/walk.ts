import type { Tree, TreeCursor, Language as TreeLanguage } from 'web-tree-sitter';
import { LeadIns } from './lead-ins.ts';
import { LIMITS } from './limits.ts';
import type { Condition, LanguageRules, Rule } from './rules/index.ts';
import type { RawScope, Reading } from './types.ts';

const ERROR_TYPE = 65535;

interface Action {
  readonly type: string;
  readonly scope: Rule | undefined;
  readonly wrapper: Condition | undefined;
  readonly attribute: Condition | undefined;
  readonly comment: boolean;
  readonly terminated: boolean;
}

/** What each node type of a grammar means, by its number. */
export interface Actions {
  readonly byType: readonly (Action | undefined)[];
  readonly isNamed: readonly boolean[];
}

/** The table of a language for its grammar, once for all texts. */
export function actionsOf(language: TreeLanguage, rules: LanguageRules): Actions {
  const isNamed = language.types.map((_, id) => language.nodeTypeIsNamed(id));
  const byType = language.types.map((type, id) => {
    if (!isNamed[id]) return undefined;
    const own = <T>(table: Readonly<Record<string, T>> | undefined): T | undefined =>
      table !== undefined && Object.hasOwn(table, type) ? table[type] : undefined;
    const action: Action = {
      type,
      scope: own(rules.scopes),
      wrapper: own(rules.wrappers),
      attribute: own(rules.attributes),
      comment: rules.comments.includes(type),
      terminated: rules.terminated?.includes(type) ?? false,
    };
    const idle = action.scope === undefined && action.wrapper === undefined && action.attribute === undefined && !action.comment;
    return idle ? undefined : action;
  });
  return { byType, isNamed };
}

/** One row of the walk: the node that is open at a depth. */
interface Frame {
  typeId: number;
  /** The scope it is, or stands in; −1 for none. */
  scope: number;
  scopeDepth: number;
  /** The node whose range its direct children take over when they are scopes; −1 for none. */
  wrapStart: number;
  wrapEnd: number;
  /** Named children so far, comments apart. */
  items: number;
}

/**
 * The scopes of a syntax tree, found in one pass of a cursor: no query, no recursion. Needs nothing but the tree and its text, and
 * leaves freeing the tree to the caller.
 */
export function walk(tree: Tree, text: string, language: TreeLanguage, rules: LanguageRules, actions: Actions): Reading {
  const cursor = tree.walk();
  try {
    return new Walk(cursor, text, language, rules, actions, tree.rootNode.hasError).run();
  } finally {
    cursor.delete();
  }
}

class Walk {
  readonly #cursor: TreeCursor;
  readonly #text: string;
  readonly #language: TreeLanguage;
  readonly #rules: LanguageRules;
  readonly #actions: Actions;
  readonly #damaged: boolean;
  readonly #leadIns: LeadIns;
  readonly #frames: Frame[] = [];
  readonly #scopes: RawScope[] = [];
  #errors = 0;
  #firstError: number | null = null;

  constructor(cursor: TreeCursor, text: string, language: TreeLanguage, rules: LanguageRules, actions: Actions, damaged: boolean) {
    this.#cursor = cursor;
    this.#text = text;
    this.#language = language;
    this.#rules = rules;
    this.#actions = actions;
    this.#damaged = damaged;
    this.#leadIns = new LeadIns(text, rules.indented === true);
  }

  run(): Reading {
    const cursor = this.#cursor;
    let depth = 0;
    for (let nodes = 1; ; nodes += 1) {
      if (nodes > LIMITS.nodes) return { ok: false, reason: 'too_many_nodes' };
      if (depth > LIMITS.treeDepth) return { ok: false, reason: 'too_deep' };
      const frame = this.#enter(depth);
      if (frame.scopeDepth > LIMITS.scopeDepth) return { ok: false, reason: 'too_deep' };
      if (this.#scopes.length > LIMITS.scopes) return { ok: false, reason: 'too_many_scopes' };
      // A token has no children, and most nodes are tokens.
      if (this.#isNamed(frame.typeId) && cursor.gotoFirstChild()) {
        depth += 1;
        continue;
      }
      while (!cursor.gotoNextSibling()) {
        if (!cursor.gotoParent()) return { ok: true, scopes: this.#scopes, errors: this.#errors, firstError: this.#firstError };
        depth -= 1;
      }
    }
  }

  #enter(depth: number): Frame {
    const around = depth === 0 ? undefined : this.#frames[depth - 1]!;
    const frame = (this.#frames[depth] ??= { typeId: 0, scope: -1, scopeDepth: 0, wrapStart: -1, wrapEnd: -1, items: 0 });
    frame.typeId = this.#cursor.nodeTypeId;
    frame.scope = around?.scope ?? -1;
    frame.scopeDepth = around?.scopeDepth ?? 0;
    frame.wrapStart = -1;
    frame.items = 0;
    if (this.#damaged && (frame.typeId === ERROR_TYPE || this.#cursor.nodeIsMissing)) {
      this.#errors += 1;
      this.#firstError ??= this.#cursor.startIndex;
    }
    const action = this.#actions.byType[frame.typeId];
    const index = around?.items ?? 0;
    if (around !== undefined && this.#rules.countsItems === true && action?.comment !== true && this.#isNamed(frame.typeId))
      around.items += 1;
    if (action !== undefined) this.#act(action, frame, around, depth, index);
    return frame;
  }

  #act(action: Action, frame: Frame, around: Frame | undefined, depth: number, index: number): void {
    if (action.comment) {
      this.#leadIns.add(this.#cursor.startIndex, this.#cursor.endIndex, false);
      return;
    }
    const wrapped = around !== undefined && around.wrapStart >= 0;
    if (action.wrapper === true && action.scope === undefined) {
      frame.wrapStart = wrapped ? around.wrapStart : this.#cursor.startIndex;
      frame.wrapEnd = wrapped ? around.wrapEnd : this.#cursor.endIndex;
      return;
    }
    const node = this.#cursor.currentNode;
    const applies = (condition: Condition | undefined): boolean =>
      condition === true || (typeof condition === 'function' && condition(node, wrapped));
    if (applies(action.attribute)) {
      this.#leadIns.add(node.startIndex, node.endIndex, true);
      return;
    }
    const start = wrapped ? around.wrapStart : node.startIndex;
    const end = wrapped ? around.wrapEnd : node.endIndex;
    if (applies(action.wrapper)) {
      frame.wrapStart = start;
      frame.wrapEnd = end;
    }
    const found = action.scope?.(node, {
      within: frame.scope < 0 ? null : this.#scopes[frame.scope]!.kind,
      depth,
      parentType: around === undefined ? '' : (this.#language.types[around.typeId] ?? 'ERROR'),
      index,
    });
    if (found === undefined || found === null) return;
    this.#scopes.push({
      kind: found.kind,
      name: found.name,
      start: this.#leadIns.startOf(start),
      end: found.end ?? (action.terminated ? this.#terminated(end) : end),
      parent: frame.scope,
      hasErrors: this.#damaged && node.hasError,
      onlyAsParent: found.onlyAsParent === true,
    });
    frame.scope = this.#scopes.length - 1;
    frame.scopeDepth += 1;
  }

  #isNamed(typeId: number): boolean {
    return typeId === ERROR_TYPE || this.#actions.isNamed[typeId] === true;
  }

  /** Behind the `;` that follows on the same line. */
  #terminated(end: number): number {
    let at = end;
    while (this.#text[at] === ' ' || this.#text[at] === '\t') at += 1;
    return this.#text[at] === ';' ? at + 1 : end;
  }
}
