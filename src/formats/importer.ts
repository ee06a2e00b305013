import { NoteError } from '../domain/error.ts';
import type { PortableNote } from '../domain/note.ts';
import type { MergeOutcome, PortableStore } from '../domain/store.ts';
import type { ReadRecord } from './record.ts';

/** What became of what was read. */
export interface ImportReport {
  read: number;
  added: number;
  replaced: number;
  unchanged: number;
  /** Kept in the history of a note that is newer. */
  versions: number;
  /** Kept, since what is there is newer. */
  newer: number;
  /** Kept, since what is there is another text of the same moment. */
  different: number;
  /** Of those that were added: under a new id, since another note has theirs. */
  renumbered: number;
  bad: number;
  leftOut: number;
  /** The first ids of each. */
  readonly replacedIds: number[];
  readonly differentIds: number[];
  readonly renumberedIds: number[];
}

const emptyReport = (): ImportReport => ({
  read: 0,
  added: 0,
  replaced: 0,
  unchanged: 0,
  versions: 0,
  newer: 0,
  different: 0,
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  replacedIds: [],
  differentIds: [],
  renumberedIds: [],
});

const maxIds = 1_000;

const countOf = {
  added: 'added',
  replaced: 'replaced',
  version: 'versions',
  same: 'unchanged',
  newer: 'newer',
  different: 'different',
} as const satisfies Record<Exclude<MergeOutcome, 'taken'>, keyof ImportReport>;

export interface ImportOptions {
  /** Reports what would become of the notes, and changes nothing. */
  readonly dryRun: boolean;
  /** Whether notes that have an id get a new one all the same. */
  readonly newIds: boolean;
  /** Whether the first bad record is the last that is read. */
  readonly stopsAtBad: boolean;
  /** Called for each record that gives no note. */
  readonly onNoNote: (record: Exclude<ReadRecord, NoteRecord>) => void;
  readonly onBatch: (report: ImportReport) => void;
  /** A short text for a long one. Equal ones would lose notes, so it is a strong hash, or the text itself. */
  readonly digest: (text: string) => string;
}

type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

/** So many notes, or characters, are merged at once; a longer one alone, so that one that is refused stops no other. */
const maxBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

/** So many characters are held; of a source with more, all others are merged as they come. */
const maxHeldLength = 16 * 1024 * 1024;

const lengthOf = ({ note: { title, content } }: NoteRecord) => title.length + content.length;

/** What notes are imported into. */
export type Target = Pick<PortableStore, 'merge' | 'scan'>;

/** Merges what is read into a store, some notes at a time, and adds to `report` what became of them. */
export class Importer {
  readonly report = emptyReport();
  readonly #store: Target;
  readonly #options: ImportOptions;
  #batch: NoteRecord[] = [];
  #length = 0;
  readonly #held: NoteRecord[] = [];
  #heldLength = 0;
  /** The store fails: nothing more is offered to it. */
  #isRefused = false;
  /** Of the notes in the store, once a note without id has come. */
  #digests: Set<string> | undefined;
  /** By id and time of creation, when a note with a new id was last changed. */
  readonly #renumbered = new Map<string, string>();

  constructor(store: Target, options: ImportOptions) {
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
      if (!this.#isRefused) await this.#finish();
    }
  }

  async #finish(): Promise<void> {
    await this.#flush();
    for (const record of this.#held.splice(0)) await this.#put(record);
    await this.#flush();
  }

  #leaveOut(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report[record.kind === 'bad' ? 'bad' : 'leftOut']++;
    this.#options.onNoNote(record);
  }

  async #take(given: NoteRecord): Promise<void> {
    const { note } = given;
    this.report.read++;
    if (this.#options.newIds && this.#isEarlier(note)) return this.#leaveOut(earlierVersion(given));
    const taken = this.#options.newIds ? withoutId(note) : note;
    if (taken.id === undefined && (await this.#isThere(taken))) return void this.report.unchanged++;
    const record = { ...given, note: taken };
    if (taken.id === undefined && this.#hold(record)) return;
    await this.#put(record);
  }

  /** Keeps a note without id until those with one are merged: else it might get an id that one of them brings. */
  #hold(record: NoteRecord): boolean {
    if (this.#options.newIds || this.#heldLength > maxHeldLength) return false;
    this.#heldLength += lengthOf(record);
    this.#held.push(record);
    return true;
  }

  async #put(record: NoteRecord): Promise<void> {
    const length = lengthOf(record);
    const isLong = length > maxBatch.lengthAmongOthers;
    if (isLong) await this.#flush();
    this.#batch.push(record);
    this.#length += length;
    if (isLong || this.#batch.length >= maxBatch.notes || this.#length >= maxBatch.length) await this.#flush();
  }

  /** Whether the store has, or will have, a note with this text, category and time of creation, under whatever id. */
  async #isThere(note: PortableNote): Promise<boolean> {
    if (this.#digests === undefined) {
      await this.#flush();
      this.#digests = await digestsOf(this.#store, this.#options.digest);
    }
    const digest = this.#options.digest(identityOf(note));
    if (this.#digests.has(digest)) return true;
    this.#digests.add(digest);
    return false;
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length === 0) return;
    const { dryRun, onBatch } = this.#options;
    try {
      const outcomes = await this.#store.merge(
        batch.map(({ note }) => note),
        { dryRun },
      );
      for (const [at, record] of batch.entries()) await this.#account(record, outcomes[at] ?? 'same');
    } catch (error) {
      const isRefused = error instanceof NoteError && error.code === 'invalid';
      if (!isRefused || batch.length > 1) {
        this.#isRefused = true;
        throw ofBatch(error, batch.length);
      }
      this.report.read--;
      for (const { place } of batch) this.#leaveOut({ kind: 'bad', place, reason: error.message });
    }
    onBatch(this.report);
  }

  /** Counts what became of a note, which `decideMerge` in store/merge.ts has decided. */
  async #account(record: NoteRecord, outcome: MergeOutcome): Promise<void> {
    const edited = outcome === 'different' ? asEdited(record) : undefined;
    if (edited !== undefined) return this.#put(edited);
    if (outcome === 'taken') return this.#renumber(record);
    this.report[countOf[outcome]]++;
    if (outcome === 'replaced' || outcome === 'different') this.#keepId(this.report[`${outcome}Ids`], record);
  }

  /** Whether it is an earlier version of a note that has got a new id: that has no history here to keep it in. */
  #isEarlier({ id, createdAt, updatedAt }: PortableNote): boolean {
    if (id === undefined) return false;
    const key = `${id} ${createdAt}`;
    const latest = this.#renumbered.get(key);
    if (latest === undefined) this.#renumbered.set(key, updatedAt);
    return latest !== undefined && updatedAt < latest;
  }

  /** Two notes never become one: what has the id keeps it. */
  async #renumber(record: NoteRecord): Promise<void> {
    if (this.#isEarlier(record.note)) return this.#leaveOut(earlierVersion(record));
    const note = withoutId(record.note);
    if (await this.#isThere(note)) return void this.report.unchanged++;
    this.report.renumbered++;
    this.#keepId(this.report.renumberedIds, record);
    const other = { ...record, note };
    if (!this.#hold(other)) await this.#put(other);
  }

  #keepId(ids: number[], { note: { id } }: NoteRecord): void {
    if (id !== undefined && ids.length < maxIds) ids.push(id);
  }
}

/** The error of one batch: earlier batches are stored. */
function ofBatch(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, as far as is known';
  return error.reworded(
    `A batch of ${notes === 1 ? '1 note' : `${notes.toLocaleString('en')} notes`} was ${state}: ${error.message}`,
  );
}

/**
 * A note in a file of its own whose text differs from the stored one with the same time was edited in that file: it gets
 * the time of the file. Undefined for a note in a file with others.
 */
function asEdited(record: NoteRecord): NoteRecord | undefined {
  const { note, fileTime, place } = record;
  if (fileTime === undefined) return undefined;
  const next = new Date(Date.parse(note.updatedAt) + 1).toISOString();
  return { kind: 'note', place, note: { ...note, updatedAt: fileTime > next ? fileTime : next } };
}

const earlierVersion = ({ place }: NoteRecord) =>
  ({ kind: 'left out', place, reason: 'an earlier version of a note that has got a new id' }) as const;

const withoutId = ({ id: _, ...note }: PortableNote): PortableNote => note;

async function digestsOf(store: Target, digest: ImportOptions['digest']): Promise<Set<string>> {
  const digests = new Set<string>();
  for await (const notes of store.scan()) for (const note of notes) digests.add(digest(identityOf(note)));
  return digests;
}

/** All that must be equal for two notes to be one. */
const identityOf = ({ title, content, category, createdAt }: PortableNote): string =>
  JSON.stringify([title, content, category, createdAt]);
