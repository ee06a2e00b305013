/**
 * Checks whether a history is linearizable: whether some order of its operations, consistent with their order in time,
 * gives the same responses from a sequential store.
 *
 * The versions of a note are ordered by its `updatedAt`. So nearly every version in a response adds edges: its write
 * comes before the read, the write of the next version after it. A cycle contradicts every order. The exception is a
 * note that a list lacks and that entered and left it several times during the request: the remaining orders are
 * searched.
 *
 * Both results are exact: `linearizable` comes with an order that `replay` confirms independently, and `violated` means
 * that there is none; except that the guess which unanswered write made a version may be wrong (versions.ts).
 */
import type { Note } from '../../../src/domain/note.ts';
import { isIn, type Operation, type Read } from './operation.ts';
import { cycleIn, Precedence } from './precedence.ts';
import { type Absence, type Makers, makersOf, type Run, type Step, schedule } from './schedule.ts';
import { type Chain, versionsOf } from './versions.ts';

export type Verdict =
  | { readonly kind: 'linearizable'; readonly order: readonly Step[] }
  | { readonly kind: 'violated'; readonly why: string };

export function check(history: readonly Operation[]): Verdict {
  const { chains, contradictions } = versionsOf(history);
  if (contradictions.length > 0) return { kind: 'violated', why: contradictions.slice(0, 5).join('\n') };
  try {
    return { kind: 'linearizable', order: new Search(history, chains).order() };
  } catch (error) {
    if (error instanceof Violation) return { kind: 'violated', why: error.message };
    throw error;
  }
}

/** Runs the operations sequentially; returns the reads with different results. */
export function replay(order: readonly Step[]): Operation[] {
  const state = new Map<number, Note>();
  return order.flatMap(({ operation, made }) => {
    for (const note of made) state.set(note.id, note);
    if (operation.kind === 'write') return [];
    const expected = [...state.values()].filter((note) => isIn(operation.scope, note)).sort((a, b) => a.id - b.id);
    return Bun.deepEquals(expected, operation.notes) ? [] : [operation];
  });
}

class Violation extends Error {}

/** The number of orders tried before giving up. */
const maxTries = 1_000;

class Search {
  readonly #precedence: Precedence;
  readonly #chains: readonly Chain[];
  readonly #makers: Makers;
  readonly #reads: readonly Read[];
  /** The start of the first operation, from which reported times are counted. */
  readonly #begin: number;
  /** Absences not placed yet. */
  readonly #open = new Set<Absence>();
  #tries = 0;

  constructor(history: readonly Operation[], chains: readonly Chain[]) {
    this.#precedence = new Precedence(history);
    this.#chains = chains;
    this.#makers = makersOf(chains);
    this.#reads = history.filter((operation) => operation.kind === 'read');
    this.#begin = history.reduce((begin, { from }) => Math.min(begin, from), Number.POSITIVE_INFINITY);
  }

  /** Throws a `Violation` if there is none. */
  order(): readonly Step[] {
    this.#demandVersions();
    this.#refuseCycle();
    this.#demandAbsences();
    this.#narrow();
    const order = this.#search();
    if (order) return order;
    const open = [...this.#open].slice(0, 10).map(({ read, chain }) => this.#describe(read, [chain.id]));
    throw new Violation(`There is no moment for all of these:\n${open.join('\n')}`);
  }

  #demandVersions(): void {
    const chains = new Map(this.#chains.map((chain) => [chain.id, chain]));
    for (const { versions } of this.#chains) {
      for (const [index, { writer }] of versions.entries())
        this.#precedence.demand(versions[index - 1]?.writer, writer);
    }
    for (const read of this.#reads) {
      for (const note of read.notes) {
        const chain = chains.get(note.id);
        const position = chain?.positionOf(note) ?? 0;
        if (chain) this.#demand(read, chain, [position, position]);
      }
    }
  }

  #demandAbsences(): void {
    for (const read of this.#reads) {
      const shown = new Set(read.notes.map(({ id }) => id));
      for (const chain of this.#chains) {
        const isAsked = read.scope.id === undefined || read.scope.id === chain.id;
        if (isAsked && !shown.has(chain.id)) this.#settle({ read, chain, runs: runsWithout(read, chain) });
      }
    }
  }

  /** Removes contradicted positions until nothing changes. */
  #narrow(): void {
    for (let count = -1; count !== this.#open.size; ) {
      count = this.#open.size;
      this.#refuseCycle();
      for (const absence of this.#open) {
        absence.runs = absence.runs.filter((run) => this.#isPossible(absence, run));
        this.#settle(absence);
      }
    }
  }

  /** Adds the edges that are certain. */
  #settle(absence: Absence): void {
    const { read, chain, runs } = absence;
    const [first, second] = runs;
    if (first === undefined) throw new Violation(`It lacks note ${chain.id}: ${this.#describe(read, [chain.id])}`);
    if (second !== undefined) return void this.#open.add(absence);
    this.#open.delete(absence);
    this.#demand(read, chain, first);
  }

  #isPossible({ read, chain }: Absence, [first, last]: Run): boolean {
    const isTooLate = this.#precedence.isBefore(read, chain.writerOf(first));
    return !isTooLate && !this.#precedence.isBefore(chain.writerOf(last + 1), read);
  }

  /** Returns a function that removes the edges. */
  #demand(read: Read, chain: Chain, [first, last]: Run): () => void {
    const undoFirst = this.#precedence.demand(chain.writerOf(first), read);
    const undoLast = this.#precedence.demand(read, chain.writerOf(last + 1));
    return () => {
      undoLast();
      undoFirst();
    };
  }

  #refuseCycle(): void {
    const { left } = schedule(this.#precedence.nodes, this.#makers, []);
    if (left.size === 0) return;
    const cycle = cycleIn(left);
    const ids = new Set(cycle.flatMap((operation) => (this.#makers.get(operation) ?? []).map(({ chain }) => chain.id)));
    const lines = cycle.map((operation) => this.#describe(operation, [...ids]));
    throw new Violation(`Each must come before the next, and the last before the first:\n${lines.join('\n')}`);
  }

  #search(): readonly Step[] | undefined {
    if (++this.#tries > maxTries) throw new Error(`Left undecided after ${maxTries} orders`);
    const { nodes } = this.#precedence;
    const { order, left, stuck } = schedule(nodes, this.#makers, this.#open);
    if (left.size === 0) return order;
    const [absence] = stuck;
    if (absence === undefined || schedule(nodes, this.#makers, []).left.size > 0) return undefined;
    this.#open.delete(absence);
    for (const run of absence.runs) {
      const undo = this.#demand(absence.read, absence.chain, run);
      const found = this.#search();
      if (found) return found;
      undo();
    }
    this.#open.add(absence);
    return undefined;
  }

  /** What an operation says about some notes. */
  #describe(operation: Operation, ids: readonly number[]): string {
    const { by, from, to, kind, notes } = operation;
    const times = `${(from - this.#begin).toFixed(3)} to ${(to - this.#begin).toFixed(3)} ms`;
    const asked = kind === 'read' ? `GET ${JSON.stringify(operation.scope)}` : JSON.stringify(operation.changes);
    const shown = ids.map((id) => {
      const note = notes?.find((other) => other.id === id);
      return note ? `${id} of ${note.updatedAt.slice(11)}${note.archived ? ', archived' : ''}` : `no ${id}`;
    });
    return `${times}, ${by}: ${asked} -> ${notes ? shown.join('; ') : 'no answer'}`;
  }
}

/** The positions of a chain during a read at which the read would not have shown the note. */
function runsWithout(read: Read, chain: Chain): Run[] {
  const runs: Run[] = [];
  const [start, end] = chain.during(read);
  let first = start;
  for (let position = start; position <= end + 1; position++) {
    const note = chain.versions[position - 1]?.note;
    if (position <= end && (note === undefined || !isIn(read.scope, note))) continue;
    if (first < position) runs.push([first, position - 1]);
    first = position + 1;
  }
  return runs;
}
