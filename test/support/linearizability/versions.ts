/** The versions of each note, derived from the responses of a history. */
import type { Note } from '../../../src/domain/note.ts';
import { type Change, isIn, type Operation, type Write } from './operation.ts';

export interface Version {
  readonly note: Note;
  readonly writer: Write;
}

interface Sent {
  readonly writer: Write;
  readonly change: Change;
}

/** A version that responses showed. */
interface Seen {
  readonly note: Note;
  sent: Sent | undefined;
}

/** The versions of one note. Position 0 is before the create, position 1 is the first version. */
export class Chain {
  readonly id: number;
  readonly versions: readonly Version[];
  readonly #positions: ReadonlyMap<string, number>;
  /** For each version, the earliest and the latest moment of its write. */
  readonly #earliest: readonly number[];
  readonly #latest: readonly number[];

  constructor(id: number, versions: readonly Version[]) {
    this.id = id;
    this.versions = versions;
    // Of two versions with the same time, the first was seen; an unanswered write made the other of it.
    const reversed = versions.map(({ note }, index) => [note.updatedAt, index + 1] as const).reverse();
    this.#positions = new Map(reversed);
    this.#earliest = accumulated(versions, ({ writer }) => writer.from, Math.max);
    this.#latest = accumulated(versions.toReversed(), ({ writer }) => writer.to, Math.min).reverse();
  }

  positionOf({ updatedAt }: Note): number {
    return this.#positions.get(updatedAt) ?? Number.NaN;
  }

  /** The write that led to a position; undefined for position 0 and beyond the last one. */
  writerOf(position: number): Write | undefined {
    return this.versions[position - 1]?.writer;
  }

  /** The first and the last position that the chain may have had during an operation. */
  during({ from, to }: Operation): readonly [number, number] {
    return [countOf(this.#latest, (time) => time < from), countOf(this.#earliest, (time) => time <= to)];
  }
}

function accumulated(
  versions: readonly Version[],
  timeOf: (version: Version) => number,
  pick: (a: number, b: number) => number,
): number[] {
  const values: number[] = [];
  for (const version of versions) values.push(pick(values.at(-1) ?? timeOf(version), timeOf(version)));
  return values;
}

/** The number of values before the first that does not fit. The values are ascending. */
function countOf(values: readonly number[], fits: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(values[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The chains of all notes, and the contradictions found without looking at times. */
export interface Versions {
  readonly chains: readonly Chain[];
  readonly contradictions: readonly string[];
}

/**
 * Orders the versions of each note by `updatedAt`, and finds the write that made each from its predecessor. Among
 * several unanswered writes, guesses the first one sent that fits.
 */
export function versionsOf(history: readonly Operation[]): Versions {
  const contradictions = history.flatMap(unfit);
  const unanswered = new Set(history.flatMap(unansweredIn).sort((a, b) => a.writer.from - b.writer.from));
  const chains: Chain[] = [];
  for (const [id, seen] of seenIn(history, contradictions)) {
    const versions: Version[] = [];
    for (const one of [...seen.values()].sort(byTime)) {
      const path = pathTo(one, versions.at(-1)?.note, unanswered);
      if (path === undefined) contradictions.push(`no write made this of what was there: ${shown(one.note)}`);
      versions.push(...(path ?? []));
    }
    chains.push(new Chain(id, versions));
  }
  return { chains, contradictions };
}

const shown = (value: object) => JSON.stringify(value).slice(0, 400);

const byTime = (a: Seen, b: Seen) => (a.note.updatedAt < b.note.updatedAt ? -1 : 1);

function unansweredIn(operation: Operation): Sent[] {
  if (operation.kind === 'read' || operation.notes !== undefined) return [];
  return operation.changes.map((change) => ({ writer: operation, change }));
}

/** How a list does not match its own filter. */
function unfit(operation: Operation): string[] {
  if (operation.kind === 'write') return [];
  const { scope, notes } = operation;
  const isFit = notes.every((note, index) => isIn(scope, note) && note.id > (notes[index - 1]?.id ?? 0));
  return isFit ? [] : [`a list of ${shown(scope)} is out of order or shows others: ${notes.map(shown).join()}`];
}

/** All versions in responses, by id and `updatedAt`. */
function seenIn(history: readonly Operation[], contradictions: string[]): Map<number, Map<string, Seen>> {
  const notes = new Map<number, Map<string, Seen>>();
  for (const operation of history) {
    for (const [index, note] of (operation.notes ?? []).entries()) {
      const versions = notes.getOrInsertComputed(note.id, () => new Map<string, Seen>());
      const seen = versions.getOrInsertComputed(note.updatedAt, () => ({ note, sent: undefined }));
      if (seen.note !== note && !Bun.deepEquals(seen.note, note)) {
        contradictions.push(`two versions have one updatedAt: ${shown(seen.note)} and ${shown(note)}`);
      }
      const change = operation.kind === 'write' ? operation.changes[index] : undefined;
      if (operation.kind === 'read' || change === undefined) continue;
      if (seen.sent) contradictions.push(`two writes were answered with one version: ${shown(note)}`);
      seen.sent = { writer: operation, change };
    }
  }
  return notes;
}

/** The versions from the previous one to a seen one; removes the writes needed for them from `unanswered`. */
function pathTo({ note, sent }: Seen, before: Note | undefined, unanswered: Set<Sent>): readonly Version[] | undefined {
  for (const last of sent ? [sent] : unanswered) {
    const path = pathBy(last, { before, after: note }, unanswered);
    if (path === undefined) continue;
    for (const one of path.used) unanswered.delete(one);
    return path.versions;
  }
  return undefined;
}

interface Transition {
  readonly before: Note | undefined;
  readonly after: Note;
}

interface Path {
  readonly versions: readonly Version[];
  readonly used: readonly Sent[];
}

/** How the last write, after unanswered ones if needed, made a version; undefined if it cannot have. */
function pathBy(last: Sent, { before, after }: Transition, unanswered: Iterable<Sent>): Path | undefined {
  const versions: Version[] = [];
  const used = [last];
  let state = before;
  for (;;) {
    const made = resultOf(last.change, state, after);
    if (made === undefined) return undefined;
    if (Bun.deepEquals(made, after)) return { versions: [...versions, { note: after, writer: last.writer }], used };
    const free = [...unanswered].filter((one) => !used.includes(one) && one.change.id === after.id);
    const hidden = free.find(({ change }) => accountsFor(change, made, after));
    if (state === undefined || hidden === undefined) return undefined;
    state = { ...state, ...hidden.change.fields };
    versions.push({ note: state, writer: hidden.writer });
    used.push(hidden);
  }
}

function resultOf({ id, fields }: Change, before: Note | undefined, { id: own, updatedAt }: Note): object | undefined {
  if (id === undefined) {
    return before === undefined ? { id: own, archived: false, ...fields, createdAt: updatedAt, updatedAt } : undefined;
  }
  return id === own && before !== undefined ? { ...before, ...fields, updatedAt } : undefined;
}

/** Whether a change explains a difference between the actual and the expected note. */
function accountsFor({ fields }: Change, expected: object, actual: Note): boolean {
  const [before, after] = [new Map(Object.entries(expected)), new Map<string, unknown>(Object.entries(actual))];
  return Object.entries(fields).some(([name, value]) => after.get(name) === value && before.get(name) !== value);
}
