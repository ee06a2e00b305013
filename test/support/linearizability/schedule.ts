/** Orders operations along all edges, with each read at a moment when the notes that it lacks are absent. */
import type { Note } from '../../../src/domain/note.ts';
import type { Operation, Read } from './operation.ts';
import type { Node } from './precedence.ts';
import type { Chain } from './versions.ts';

/** A range of positions of a chain. */
export type Run = readonly [first: number, last: number];

/** A note that a read could have shown but did not, with the possible positions of its chain. */
export interface Absence {
  readonly read: Read;
  readonly chain: Chain;
  runs: readonly Run[];
}

/** An operation, and the notes that a write made. */
export interface Step {
  readonly operation: Operation;
  readonly made: readonly Note[];
}

export interface Schedule {
  readonly order: readonly Step[];
  /** Nodes not placed. */
  readonly left: ReadonlySet<Node>;
  /** Absences that keep the next possible reads from being placed. */
  readonly stuck: readonly Absence[];
}

interface Made {
  readonly chain: Chain;
  readonly position: number;
  readonly note: Note;
}

export type Makers = ReadonlyMap<Operation, readonly Made[]>;

/** The versions that each write made. */
export function makersOf(chains: readonly Chain[]): Makers {
  const made = chains.flatMap((chain) =>
    chain.versions.map(({ writer, note }, index) => ({ writer, chain, position: index + 1, note })),
  );
  return Map.groupBy(made, ({ writer }) => writer);
}

/**
 * Places a read as soon as possible, as it changes nothing. Places writes in the order of their responses, which may be
 * wrong for a read with absences.
 */
export function schedule(nodes: readonly Node[], makers: Makers, absences: Iterable<Absence>): Schedule {
  const pass = new Pass(nodes, makers, absences);
  const order: Step[] = [];
  const left = new Set(nodes);
  for (let node = pass.next(); node !== undefined; node = pass.next()) {
    left.delete(node);
    pass.place(node);
    const { operation } = node;
    if (operation) order.push({ operation, made: (makers.get(operation) ?? []).map(({ note }) => note) });
  }
  return { order, left, stuck: pass.stuck() };
}

class Pass {
  readonly #makers: Makers;
  readonly #absences: ReadonlyMap<Operation, readonly Absence[]>;
  /** For each node, the number of predecessors not placed yet. */
  readonly #waits: Int32Array;
  readonly #positions = new Map<Chain, number>();
  #free: Node[];
  /** Free nodes too: writes, and reads that do not fit now. */
  readonly #writes: Node[] = [];
  #unfit: Node[] = [];

  constructor(nodes: readonly Node[], makers: Makers, absences: Iterable<Absence>) {
    this.#makers = makers;
    this.#absences = Map.groupBy(absences, ({ read }) => read);
    this.#waits = new Int32Array(nodes.length);
    for (const node of nodes) for (const { index } of node.next) this.#waits[index] = this.#waitsOf(index) + 1;
    this.#free = nodes.filter(({ index }) => this.#waitsOf(index) === 0);
  }

  next(): Node | undefined {
    for (let node = this.#free.pop(); node !== undefined; node = this.#free.pop()) {
      if (node.operation?.kind === 'write') this.#writes.push(node);
      else if (this.#hindering(node).length > 0) this.#unfit.push(node);
      else return node;
    }
    const [first] = this.#writes.toSorted((a, b) => dueOf(a) - dueOf(b));
    if (first) this.#writes.splice(this.#writes.indexOf(first), 1);
    return first;
  }

  place({ operation, next }: Node): void {
    for (const node of next) {
      const waits = this.#waitsOf(node.index) - 1;
      this.#waits[node.index] = waits;
      if (waits === 0) this.#free.push(node);
    }
    const made = (operation && this.#makers.get(operation)) ?? [];
    if (made.length === 0) return;
    for (const { chain, position } of made) this.#positions.set(chain, position);
    this.#free.push(...this.#unfit);
    this.#unfit = [];
  }

  stuck(): Absence[] {
    return this.#unfit.flatMap((node) => this.#hindering(node));
  }

  /** The absences of a node whose notes are present now. */
  #hindering({ operation }: Node): readonly Absence[] {
    const absences = operation && this.#absences.get(operation);
    return (absences ?? []).filter(({ chain, runs }) => {
      const position = this.#positions.get(chain) ?? 0;
      return !runs.some(([first, last]) => first <= position && position <= last);
    });
  }

  #waitsOf = (index: number) => this.#waits[index] ?? 0;
}

const dueOf = ({ operation }: Node) => operation?.to ?? 0;
