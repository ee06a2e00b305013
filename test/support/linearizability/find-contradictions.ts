/**
 * Looks for contradictions in a history: whether no order of its operations, consistent with their order in time, gives
 * the same responses from a sequential store.
 *
 * The versions of a note are ordered by its `updatedAt`. So each version in a response adds edges: its write comes
 * before the read, the write of the next version after it. A cycle contradicts every order. Not looked at are notes
 * that a list lacks and that entered and left it several times during the request, and what writes without a response
 * did.
 */
import type { Note } from '../../../src/core/note.ts';
import { type Change, isNoteInScope, type Operation, type Read, type Write } from './operation.ts';

/** Returns what no sequential store would have returned. */
export function findContradictions(history: readonly Operation[]): readonly string[] {
  const faults: string[] = [];
  const chains = createVersionChains(history, faults);
  const order = new Order(history);
  for (const chain of chains.values())
    for (const [index, { writer }] of chain.entries()) order.requireBefore(chain[index - 1]?.writer, writer);
  for (const read of history) {
    if (read.kind === 'read' && !areNotesInScope(read))
      faults.push(`it is out of order, or shows others: ${formatOperation(read)}`);
    if (read.kind === 'read') requireOrderOfRead(read, chains, order, faults);
  }
  return faults.length > 0 ? faults : order.findCycleOrEmpty().map(formatOperation);
}

/** Returns what no sequential store would have returned for each note alone, whatever a list shows of the others. */
export function findContradictionsPerNote(history: readonly Operation[]): readonly string[] {
  const ids = new Set(history.flatMap(({ notes }) => notes?.map(({ id }) => id) ?? []));
  return [...ids].flatMap((id) => findContradictions(history.flatMap((operation) => selectPartOfNote(operation, id))));
}

/** What an operation says of one note. A write without a response may have created it. */
function selectPartOfNote(operation: Operation, id: number): readonly Operation[] {
  const notes = operation.notes?.filter((note) => note.id === id);
  if (operation.kind === 'read') return (operation.scope.id ?? id) === id ? [{ ...operation, notes: notes ?? [] }] : [];
  const changes = operation.changes.filter((change, index) => (operation.notes?.[index]?.id ?? change.id ?? id) === id);
  return changes.length > 0 ? [{ ...operation, changes, notes }] : [];
}

const areNotesInScope = ({ scope, notes }: Read) =>
  notes.every((note, index) => isNoteInScope(scope, note) && note.id > (notes[index - 1]?.id ?? 0));

interface Version {
  readonly note: Note;
  /** Undefined if the write was not answered. */
  writer: Write | undefined;
  change: Change | undefined;
}

/** The versions of a note, by `updatedAt`. Position 0 is before the first one. */
type Chain = readonly Version[];

function createVersionChains(history: readonly Operation[], faults: string[]): ReadonlyMap<number, Chain> {
  const seen = new Map<number, Map<string, Version>>();
  for (const operation of history) {
    for (const [index, note] of (operation.notes ?? []).entries()) {
      const versions = seen.getOrInsertComputed(note.id, () => new Map<string, Version>());
      const made = () => ({ note, writer: undefined, change: undefined });
      const version = versions.getOrInsertComputed(note.updatedAt, made);
      if (!Bun.deepEquals(version.note, note)) faults.push(`two versions have one updatedAt: ${formatJsonStart(note)}`);
      if (operation.kind === 'read') continue;
      if (version.writer) faults.push(`two writes were answered with one version: ${formatJsonStart(note)}`);
      version.writer = operation;
      version.change = operation.changes[index];
    }
  }
  const unanswered = history.flatMap((one) => (one.kind === 'write' && !one.notes ? one.changes : []));
  const chains = [...seen].map(([id, versions]): [number, Chain] => {
    const chain = [...versions.values()].sort((a, b) => (a.note.updatedAt < b.note.updatedAt ? -1 : 1));
    const isCertain = unanswered.every((change) => change.id !== undefined && change.id !== id);
    const strange = isCertain
      ? chain.find((version, index) => !isResultOfChange(version, chain[index - 1]?.note))
      : undefined;
    if (strange) faults.push(`no write made this of what was there: ${formatJsonStart(strange.note)}`);
    return [id, chain];
  });
  return new Map(chains);
}

function isResultOfChange({ note, change }: Version, before: Note | undefined): boolean {
  if (change === undefined) return false;
  const { id, createdAt, updatedAt } = note;
  if (change.id !== undefined)
    return before !== undefined && Bun.deepEquals({ ...before, ...change.fields, updatedAt }, note);
  const created = { id, archived: false, ...change.fields, createdAt, updatedAt };
  return before === undefined && createdAt === updatedAt && Bun.deepEquals(created, note);
}

/** Demands that a read is at a moment when the notes are as it shows them, and those that it lacks are not there. */
function requireOrderOfRead(read: Read, chains: ReadonlyMap<number, Chain>, order: Order, faults: string[]): void {
  const between = (chain: Chain, [first, last]: PositionRange) => {
    order.requireBefore(chain[first - 1]?.writer, read);
    order.requireBefore(read, chain[last]?.writer);
  };
  const shownAt = new Map(read.notes.map(({ id, updatedAt }) => [id, updatedAt]));
  for (const [id, chain] of chains) {
    const updatedAt = shownAt.get(id);
    if (updatedAt !== undefined) {
      const position = 1 + chain.findIndex(({ note }) => note.updatedAt === updatedAt);
      between(chain, [position, position]);
    } else if (read.scope.id === undefined || read.scope.id === id) {
      const runs = listRangesOutOfScope(read, chain);
      if (runs.length === 0) faults.push(`it lacks note ${id}: ${formatOperation(read)}`);
      if (runs.length === 1 && runs[0]) between(chain, runs[0]);
    }
  }
}

/** A range of positions of a chain. */
type PositionRange = readonly [first: number, last: number];

/** The ranges of positions, of those that the chain may have during a read, in which the read lacks the note. */
function listRangesOutOfScope(read: Read, chain: Chain): readonly PositionRange[] {
  const first = 1 + chain.findLastIndex(({ writer }) => writer !== undefined && writer.to < read.from);
  const next = chain.findIndex(({ writer }) => writer !== undefined && writer.from > read.to);
  const runs: PositionRange[] = [];
  for (let position = first; position <= (next === -1 ? chain.length : next); position++) {
    const note = chain[position - 1]?.note;
    if (note && isNoteInScope(read.scope, note)) continue;
    const last = runs.at(-1);
    if (last?.[1] === position - 1) runs[runs.length - 1] = [last[0], position];
    else runs.push([position, position]);
  }
  return runs;
}

interface Node {
  readonly operation: Operation | undefined;
  readonly next: Node[];
}

/** What comes before what. Nodes without an operation are moments, each before the operations that begin later. */
class Order {
  readonly #nodes = new Map<Operation, Node>();
  readonly #moments: readonly Node[];

  constructor(history: readonly Operation[]) {
    const begins = history.toSorted((a, b) => a.from - b.from);
    for (const operation of begins) this.#nodes.set(operation, { operation, next: [] });
    this.#moments = begins.map((operation) => ({ operation: undefined, next: this.#findNodeOrEmpty(operation) }));
    for (const [index, moment] of this.#moments.entries()) {
      const later = this.#moments[index + 1];
      if (later) moment.next.push(later);
    }
    let index = 0;
    for (const operation of history.toSorted((a, b) => a.to - b.to)) {
      for (let begin = begins[index]; begin && begin.from <= operation.to; begin = begins[index]) index++;
      const moment = this.#moments[index];
      if (moment) this.#nodes.get(operation)?.next.push(moment);
    }
  }

  requireBefore(before: Operation | undefined, after: Operation | undefined): void {
    if (before && after && before !== after) this.#nodes.get(before)?.next.push(...this.#findNodeOrEmpty(after));
  }

  /** The operations of a cycle; none if there is an order. */
  findCycleOrEmpty(): readonly Operation[] {
    const left = new Map([...this.#nodes.values(), ...this.#moments].map((node) => [node, 0]));
    for (const node of left.keys()) for (const next of node.next) left.set(next, (left.get(next) ?? 0) + 1);
    const free = [...left].flatMap(([node, waits]) => (waits === 0 ? [node] : []));
    for (const node of free) {
      left.delete(node);
      for (const next of node.next) {
        const waits = (left.get(next) ?? 0) - 1;
        left.set(next, waits);
        if (waits === 0) free.push(next);
      }
    }
    const previous = new Map([...left.keys()].flatMap((node) => node.next.map((next) => [next, node] as const)));
    const walked: Node[] = [];
    let [node] = left.keys();
    for (; node && !walked.includes(node); node = previous.get(node)) walked.push(node);
    return node ? walked.slice(walked.indexOf(node)).flatMap(({ operation }) => operation ?? []) : [];
  }

  #findNodeOrEmpty(operation: Operation): Node[] {
    const node = this.#nodes.get(operation);
    return node ? [node] : [];
  }
}

const formatJsonStart = (value: object) => JSON.stringify(value).slice(0, 400);

const formatOperation = ({ by, from, to, ...rest }: Operation) =>
  `${by}, ${from.toFixed(1)} to ${to.toFixed(1)} ms: ${formatJsonStart(rest)}`;
