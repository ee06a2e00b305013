import { setImmediate } from 'node:timers/promises';
import { NoteError } from '../domain/error.ts';
import type { Note } from '../domain/note.ts';

/** A note with all that a store keeps of it. Times are ms since 1970. */
export interface StoredNote extends Omit<Note, 'createdAt' | 'updatedAt'> {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Notes in order of id, some at a time: few enough to be held in memory. */
export type Batches = AsyncGenerator<readonly StoredNote[], void, void>;

/** A store as it was at one moment, to be read once. */
export interface TransferSource extends AsyncDisposable {
  /** Fit to be shown. */
  readonly location: string;
  /** The highest id that it ever gave out; 0: none. */
  readonly lastId: number;
  notes(): Batches;
}

/** An empty store that takes notes in one transaction: what is not committed when it is disposed of, it never had. */
export interface TransferTarget extends AsyncDisposable {
  /** Fit to be shown. */
  readonly location: string;
  write(notes: readonly StoredNote[]): Promise<void>;
  /** The notes that were written, read from the store. */
  notes(): Batches;
  /** The next note gets an id above `lastId`. */
  continueAfter(lastId: number): Promise<void>;
  /** Resolves when all notes are on disk. */
  commit(): Promise<void>;
}

export interface Progress {
  readonly step: 'Moving' | 'Checking';
  readonly notes: number;
  /** How much of the step is done, from 0 to 1. */
  readonly part: number;
}

export interface TransferOptions {
  /** Ends the transfer with its reason, unless everything is committed. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Copies all notes as they are, ids included, and returns what they sum up to. Nothing is committed before the target,
 * read back, holds the same notes as the source. Throws `NoteError`, saying what the target holds then.
 */
export async function transfer(source: TransferSource, target: TransferTarget, options: TransferOptions): Promise<Sum> {
  const sum = await prepare(source, target, options).catch((error) => {
    throw explained(error, 'Nothing was moved');
  });
  await target.commit().catch((error) => {
    throw explained(error, `${target.location} holds all notes or none: look before you try again`);
  });
  return sum;
}

async function prepare(source: TransferSource, target: TransferTarget, options: TransferOptions): Promise<Sum> {
  const { lastId } = source;
  const given = new Sum();
  for await (const notes of watched(source.notes(), { ...options, step: 'Moving', lastId })) {
    given.add(notes);
    await target.write(notes);
  }
  const kept = new Sum();
  for await (const notes of watched(target.notes(), { ...options, step: 'Checking', lastId })) kept.add(notes);
  if (!kept.equals(given)) {
    const difference = `it was given ${given} and holds ${kept}. Look for a trigger there that changes notes`;
    throw new NoteError('unavailable', `Cannot use ${target.location}: ${difference}`);
  }
  await target.continueAfter(lastId);
  options.signal.throwIfAborted();
  return given;
}

interface Watch extends TransferOptions {
  readonly step: Progress['step'];
  readonly lastId: number;
}

/** Between batches the event loop turns: else nobody would hear of a signal. */
async function* watched(batches: Batches, { signal, onProgress, step, lastId }: Watch): Batches {
  let notes = 0;
  for await (const batch of batches) {
    yield batch;
    notes += batch.length;
    onProgress({ step, notes, part: (batch.at(-1)?.id ?? 0) / lastId });
    await setImmediate();
    signal.throwIfAborted();
  }
}

const explained = (error: unknown, state: string) =>
  error instanceof NoteError ? error.reworded(`${error.message}. ${state}`) : error;

/** What notes sum up to, in whatever order they are added: their number and a hash of all their fields. */
export class Sum {
  #notes = 0;
  #hash = 0n;

  get notes(): number {
    return this.#notes;
  }

  get hash(): string {
    return this.#hash.toString(16).padStart(16, '0');
  }

  add(notes: readonly StoredNote[]): void {
    this.#notes += notes.length;
    let hash = this.#hash;
    for (const note of notes) hash += hashOf(note);
    this.#hash = BigInt.asUintN(64, hash);
  }

  equals(other: Sum): boolean {
    return this.#notes === other.#notes && this.#hash === other.#hash;
  }

  toString(): string {
    return `${this.#notes} notes (hash ${this.hash})`;
  }
}

function hashOf({ id, title, content, category, group, color, archived, createdAt, updatedAt }: StoredNote): bigint {
  return Bun.hash.xxHash64(
    JSON.stringify([id, title, content, category, group, color, archived, createdAt, updatedAt]),
  );
}
