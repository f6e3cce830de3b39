import type { Order } from './orders.ts';

/*
 * What two transactions on one target must come to, in every order: a small model of rows, snapshots and one lock. It knows nothing
 * of the procedures but what they promise.
 */

export const KINDS = ['commit', 'save', 'replay', 'create'] as const;
export type Kind = (typeof KINDS)[number] | 'observe' | 'bundle';
export type Ending = 'commit' | 'rollback';
export type Isolation = 'read committed' | 'repeatable read';

/** A target as others see it; null: there is none. */
export interface State {
  version: number;
  /** Version of the newest snapshot. */
  saved: number;
  snapshots: number;
  attempts: number;
  observations: number;
}

export interface Script {
  kind: Kind;
  ending: Ending;
}

export interface Outcome {
  /** Of each session's call: the receipt's outcome and version, or the SQLSTATE. */
  answers: [string, string];
  /** Whether the call had to wait. */
  waited: [boolean, boolean];
  /** What is committed in the end. */
  state: State | null;
}

interface Effect {
  answer: string;
  state: State | null;
  /** Whether rows changed; a lock alone changes none. */
  writes: boolean;
  failed?: boolean;
}

/** The version that each commit and each observation believes in. */
export const EXPECTED_VERSION = 1;

/** One call against a state, as if alone. */
function call(kind: Kind, state: State | null): Effect {
  if (state === null) {
    switch (kind) {
      case 'create':
        return { answer: 'created 0', state: { version: 0, saved: 0, snapshots: 1, attempts: 0, observations: 0 }, writes: true };
      case 'commit':
      case 'bundle':
      case 'observe':
        return { answer: 'not_found', state, writes: false };
      case 'save':
      case 'replay':
        return { answer: 'PD104', state, writes: false, failed: true };
    }
  }
  switch (kind) {
    case 'create':
      return { answer: `existing ${state.version}`, state, writes: false };
    // The bundles of both sessions name one observation.
    case 'commit':
    case 'bundle': {
      const attempts = state.attempts + 1;
      if (state.version !== EXPECTED_VERSION) return { answer: `rejected ${state.version}`, state: { ...state, attempts }, writes: true };
      return { answer: `accepted ${state.version + 1}`, state: { ...state, attempts, version: state.version + 1 }, writes: true };
    }
    case 'save':
      if (state.saved === state.version) return { answer: `unchanged ${state.version}`, state, writes: false };
      return {
        answer: `checkpointed ${state.version}`,
        state: { ...state, saved: state.version, snapshots: state.snapshots + 1 },
        writes: true,
      };
    case 'replay':
      return { answer: `replayed ${state.version}`, state, writes: false };
    case 'observe':
      if (state.version !== EXPECTED_VERSION) return { answer: `stale ${state.version}`, state, writes: false };
      return {
        answer: `observed ${state.version} version ${state.version}`,
        state: { ...state, observations: state.observations + 1 },
        writes: true,
      };
  }
}

interface Transaction {
  script: Script;
  /** What it sees at REPEATABLE READ, and how many committed writes there were then. */
  snapshot: { state: State | null; writes: number } | null;
  /** Holds the target, or the id that it is creating. */
  holds: boolean;
  effect: Effect | null;
  waits: boolean;
  /** Its end has come in the order while it waited. */
  endDue: boolean;
}

/** The outcome of two scripts: each begins (taking its snapshot), calls and ends; at READ COMMITTED beginning does nothing. */
export function expected(before: State | null, scripts: readonly [Script, Script], order: Order, isolation: Isolation): Outcome {
  let committed = before;
  let writes = 0;
  const transactions = scripts.map((script): Transaction => ({
    script,
    snapshot: null,
    holds: false,
    effect: null,
    waits: false,
    endDue: false,
  })) as [Transaction, Transaction];
  const waited: [boolean, boolean] = [false, false];
  const steps = [0, 0];

  function run(own: Transaction, other: Transaction, who: 0 | 1): void {
    const { kind } = own.script;
    const seen = own.snapshot === null ? committed : own.snapshot.state;
    const meets = seen !== null || kind === 'create';
    if (meets && other.holds) {
      own.waits = true;
      waited[who] = true;
      return;
    }
    const moved = own.snapshot !== null && own.snapshot.writes !== writes;
    if (meets && moved) own.effect = { answer: '40001', state: committed, writes: false, failed: true };
    else own.effect = call(kind, seen);
    own.holds = meets && own.effect.failed !== true;
  }

  function end(own: Transaction, other: Transaction, otherIs: 0 | 1): void {
    const { effect, script } = own;
    if (effect !== null && effect.failed !== true && script.ending === 'commit' && effect.writes) {
      committed = effect.state;
      writes += 1;
    }
    own.holds = false;
    if (!other.waits) return;
    other.waits = false;
    run(other, own, otherIs);
    if (other.endDue) end(other, own, otherIs === 0 ? 1 : 0);
  }

  for (const who of order) {
    const own = transactions[who];
    const otherIs = who === 0 ? 1 : 0;
    const other = transactions[otherIs];
    const step = steps[who] ?? 0;
    steps[who] = step + 1;
    if (step === 0 && isolation === 'repeatable read') own.snapshot = { state: committed, writes };
    if (step === 1) run(own, other, who);
    if (step === 2 && own.waits) own.endDue = true;
    else if (step === 2) end(own, other, otherIs);
  }
  return { answers: [transactions[0].effect?.answer ?? '', transactions[1].effect?.answer ?? ''], waited, state: committed };
}
