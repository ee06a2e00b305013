import { NoteError } from '../domain/error.ts';
import type { KeptNote } from '../domain/note.ts';
import type { MergeOutcome, PortableStore } from '../domain/store.ts';
import type { ReadRecord } from '../formats/record.ts';

/** What became of what was read. */
export interface ImportSum {
  read: number;
  added: number;
  replaced: number;
  unchanged: number;
  /** Kept, since what is there is newer. */
  newer: number;
  /** Kept, since what is there is another text of the same moment. */
  different: number;
  bad: number;
  leftOut: number;
  /** The first ids of each. */
  readonly replacedIds: number[];
  readonly differentIds: number[];
}

export const emptySum = (): ImportSum => ({
  read: 0,
  added: 0,
  replaced: 0,
  unchanged: 0,
  newer: 0,
  different: 0,
  bad: 0,
  leftOut: 0,
  replacedIds: [],
  differentIds: [],
});

const mostIds = 1_000;

const countOf = {
  added: 'added',
  replaced: 'replaced',
  same: 'unchanged',
  newer: 'newer',
  different: 'different',
} as const satisfies Record<MergeOutcome, keyof ImportSum>;

export interface ImportOptions {
  /** Tells what would become of the notes, and changes nothing. */
  readonly isRehearsal: boolean;
  /** Whether notes that have an id get a new one all the same. */
  readonly newIds: boolean;
  /** Whether the first bad record is the last that is read. */
  readonly stopsAtBad: boolean;
  /** Called for each record that gives no note. */
  readonly onNoNote: (record: Exclude<ReadRecord, NoteRecord>) => void;
  readonly onBatch: (sum: ImportSum) => void;
}

type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

/** So many notes, or characters, are merged at once; a longer one alone, so that one that is refused stops no other. */
const most = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

/** So many characters are held; of a source with more, all others are merged as they come. */
const mostHeld = 16 * 1024 * 1024;

const lengthOf = ({ note: { title, content } }: NoteRecord) => title.length + content.length;

/** Merges what is read into a store, some notes at a time, and adds to `sum` what became of them. */
export class Import {
  readonly sum = emptySum();
  readonly #store: PortableStore;
  readonly #options: ImportOptions;
  #batch: NoteRecord[] = [];
  #length = 0;
  readonly #held: NoteRecord[] = [];
  #heldLength = 0;
  /** Of the notes in the store, once a note without id has come. */
  #hashes: Set<string> | undefined;

  constructor(store: PortableStore, options: ImportOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Returns whether all was read. Where reading fails, what came before is merged. */
  async run(records: AsyncIterable<ReadRecord>): Promise<boolean> {
    try {
      for await (const record of records) {
        if (record.kind === 'note') await this.#take(record);
        else this.#leaveOut(record);
        if (record.kind === 'bad' && this.#options.stopsAtBad) return false;
      }
      return true;
    } finally {
      for (const record of this.#held.splice(0)) await this.#put(record);
      await this.#flush();
    }
  }

  #leaveOut(record: Exclude<ReadRecord, NoteRecord>): void {
    this.sum[record.kind === 'bad' ? 'bad' : 'leftOut']++;
    this.#options.onNoNote(record);
  }

  async #take({ note, place }: NoteRecord): Promise<void> {
    this.sum.read++;
    const taken = this.#options.newIds ? withoutId(note) : note;
    if (taken.id === undefined && (await this.#isThere(taken))) return void this.sum.unchanged++;
    const record = { kind: 'note', place, note: taken } as const;
    if (taken.id === undefined && this.#hold(record)) return;
    await this.#put(record);
  }

  /** Keeps a note without id until those with one are merged: else it might get an id that one of them brings. */
  #hold(record: NoteRecord): boolean {
    if (this.#options.newIds || this.#heldLength > mostHeld) return false;
    this.#heldLength += lengthOf(record);
    this.#held.push(record);
    return true;
  }

  async #put(record: NoteRecord): Promise<void> {
    const length = lengthOf(record);
    const isLong = length > most.lengthAmongOthers;
    if (isLong) await this.#flush();
    this.#batch.push(record);
    this.#length += length;
    if (isLong || this.#batch.length >= most.notes || this.#length >= most.length) await this.#flush();
  }

  /** Whether the store has, or will have, a note with this text, category and time of creation, under whatever id. */
  async #isThere(note: KeptNote): Promise<boolean> {
    if (this.#hashes === undefined) {
      await this.#flush();
      this.#hashes = await hashesOf(this.#store);
    }
    const hash = hashOf(note);
    if (this.#hashes.has(hash)) return true;
    this.#hashes.add(hash);
    return false;
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length === 0) return;
    const { isRehearsal, onBatch } = this.#options;
    const notes = batch.map(({ note }) => note);
    try {
      const outcomes = await this.#store.merge(notes, { isRehearsal });
      for (const [at, outcome] of outcomes.entries()) this.#count(outcome, notes[at]?.id);
    } catch (error) {
      const isRefused = error instanceof NoteError && error.code === 'invalid';
      if (!isRefused || batch.length > 1) throw error;
      this.sum.read--;
      for (const { place } of batch) this.#leaveOut({ kind: 'bad', place, reason: error.message });
    }
    onBatch(this.sum);
  }

  #count(outcome: MergeOutcome, id: number | undefined): void {
    this.sum[countOf[outcome]]++;
    if (id === undefined || (outcome !== 'replaced' && outcome !== 'different')) return;
    const ids = this.sum[`${outcome}Ids`];
    if (ids.length < mostIds) ids.push(id);
  }
}

const withoutId = ({ id: _, ...note }: KeptNote): KeptNote => note;

async function hashesOf(store: PortableStore): Promise<Set<string>> {
  const hashes = new Set<string>();
  for await (const notes of store.scan()) for (const note of notes) hashes.add(hashOf(note));
  return hashes;
}

/** Of all that must be equal for two notes to be one. Collisions would lose notes, so it is a strong one. */
const hashOf = ({ title, content, category, createdAt }: KeptNote): string =>
  Bun.CryptoHasher.hash('sha256', JSON.stringify([title, content, category, createdAt]), 'base64');
