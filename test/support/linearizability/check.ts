/**
 * Whether a history is linearizable: whether there is an order of its operations, which keeps their order in time, in which
 * a store that does one after the other would have given the same answers.
 *
 * The versions of a note are ordered by its `updatedAt`. So nearly everything that an answer shows says what came before
 * it and what after: the writes of the versions that it shows before it, those of the next versions after it. A cycle
 * contradicts every order. Only of a note that a list lacks, and that entered and left it several times while the list
 * was asked for, it is open between which writes the list was read; there the orders that are left are searched.
 *
 * Both answers are exact: `linearizable` comes with an order, which `replay` confirms without any of this, and what is
 * `violated` has none. One exception: which of several unanswered writes made a version may be guessed wrong (versions.ts).
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

/** Does one operation after the other; which reads a store would have answered otherwise. */
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

/** Most orders that are tried before it is left undecided. */
const mostTries = 1_000;

class Search {
  readonly #precedence: Precedence;
  readonly #chains: readonly Chain[];
  readonly #makers: Makers;
  readonly #reads: readonly Read[];
  /** When the first operation began: times are told from then on. */
  readonly #begin: number;
  /** What is still open. */
  readonly #open = new Set<Absence>();
  #tries = 0;

  constructor(history: readonly Operation[], chains: readonly Chain[]) {
    this.#precedence = new Precedence(history);
    this.#chains = chains;
    this.#makers = makersOf(chains);
    this.#reads = history.filter((operation) => operation.kind === 'read');
    this.#begin = history.reduce((begin, { from }) => Math.min(begin, from), Number.POSITIVE_INFINITY);
  }

  /** Throws a `Violation` when there is none. */
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

  /** Leaves out what contradicts all that is known, until nothing more does. */
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

  /** Demands what is certain. */
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

  /** Gives what takes the demand back. */
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
    if (++this.#tries > mostTries) throw new Error(`Left undecided after ${mostTries} orders`);
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

  /** What an operation says of some notes. */
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

/** The positions that a chain may have been at during a read, without those that the read would have shown. */
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
