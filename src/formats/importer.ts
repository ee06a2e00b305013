import { NoteError } from '../domain/error.ts';
import type { PortableNote } from '../domain/note.ts';
import type { MergeOutcome, PortableStore } from '../domain/store.ts';
import { counted } from '../shared/text.ts';
import { countIn, countOf, emptyReport, type ImportReport } from './import-report.ts';
import { KnownOrigins, type Update } from './known-origins.ts';
import { takenOf } from './origin.ts';
import type { NoteRecord, ReadRecord } from './record.ts';

/** Looks at each record before it is taken. */
interface Guard {
  /** The record, what is to be told in its place, or undefined where it waits for the end. */
  check(record: ReadRecord): ReadRecord | undefined;
  /** What waited, or what is to be told in its place. */
  held(): Promise<readonly ReadRecord[]>;
}

export interface ImportOptions {
  readonly guard?: Guard;
  /** Reports what would become of the notes, and changes nothing. */
  readonly dryRun?: boolean;
  /** Whether notes that have an id get a new one all the same. */
  readonly newIds?: boolean;
  /** Whether the first bad record is the last that is read. */
  readonly stopsAtBad?: boolean;
  /** Called for each record that gives no note. */
  readonly onNoNote: (record: Exclude<ReadRecord, NoteRecord>) => void;
  /** Called for each note that a person should know something of. */
  readonly onRemark?: (place: string, remark: string) => void;
  readonly onBatch: (report: ImportReport) => void;
  /** Whether a source that is not read this time has this origin, so that its note belongs to no other one. */
  readonly isOriginHeld?: (key: string) => boolean;
  /** A short text for a long one. Equal ones would lose notes, so it is a strong hash, or the text itself. */
  readonly digest: (text: string) => string;
}

/** A note that is to be merged; with `becomes`, one that is there, as its source is now. */
interface Entry extends NoteRecord {
  readonly becomes?: Update;
}

/** So many notes, or characters, are merged at once; a longer one alone, so that one that is refused stops no other. */
const maxBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

/** So many characters are held; of a source with more, all others are merged as they come. */
const maxHeldLength = 16 * 1024 * 1024;

const lengthOf = ({ note: { title, content } }: NoteRecord) => title.length + content.length;

/** What notes are imported into. */
export type Target = Pick<PortableStore, 'merge' | 'scan' | 'origins' | 'get'>;

/** Merges what is read into a store, some notes at a time, and adds to `report` what became of them. */
export class Importer {
  readonly report = emptyReport();
  readonly #store: Target;
  readonly #options: ImportOptions;
  #batch: Entry[] = [];
  #length = 0;
  readonly #held: NoteRecord[] = [];
  #heldLength = 0;
  /** The store fails: nothing more is offered to it. */
  #isRefused = false;
  readonly #origins: KnownOrigins;
  /** Of the notes in the store, with their ids, once a note without id has come. */
  #digests: Map<string, number | undefined> | undefined;
  /** By id and time of creation, when a note with a new id was last changed. */
  readonly #renumbered = new Map<string, string>();

  constructor(store: Target, options: ImportOptions) {
    this.#store = store;
    this.#origins = new KnownOrigins(store, options.isOriginHeld);
    this.#options = options;
  }

  /** Returns whether all was read. Where reading fails, what came before is merged. */
  async run(records: AsyncIterable<ReadRecord> | Iterable<ReadRecord>): Promise<boolean> {
    try {
      const { guard, stopsAtBad } = this.#options;
      for await (const read of records) {
        const record = guard === undefined ? read : guard.check(read);
        if (record?.kind === 'note') await this.#take(record);
        else if (record !== undefined) this.#leaveOut(record);
        if (record?.kind === 'bad' && stopsAtBad) return false;
      }
      for (const record of (await guard?.held()) ?? []) {
        if (record.kind === 'note') await this.#take(record);
        else this.#leaveOut(record);
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
    this.report[record.kind === 'left out' ? 'leftOut' : record.kind]++;
    this.#options.onNoNote(record);
  }

  async #take(given: NoteRecord): Promise<void> {
    const { note, place, remark } = given;
    this.report.read++;
    if (remark !== undefined) this.#options.onRemark?.(place, remark);
    if (this.#options.newIds && this.#isEarlier(note)) return this.#leaveOut(earlierVersion(given));
    if (given.origin !== undefined && (await this.#origins.isFirst(given.origin))) {
      return this.#takeFrom(given.origin, given);
    }
    await this.#add({ ...given, note: this.#options.newIds ? withoutId(note) : note });
  }

  async #add(record: NoteRecord): Promise<void> {
    const { note } = record;
    if (note.id === undefined && (await this.#isThere(note))) return void this.report.unchanged++;
    if (note.id === undefined && this.#hold(record)) return;
    await this.#put(record);
  }

  /** Takes what has changed at a source since it was taken last. A note with its text that is there becomes its note. */
  async #takeFrom(key: string, record: NoteRecord): Promise<void> {
    const becomes = await this.#origins.update(key, record.note);
    if (becomes === 'unchanged') return void this.report.unchanged++;
    if (becomes !== undefined) return this.#put({ ...record, note: becomes.note, becomes });
    const origin = { key, taken: await takenOf(record.note) };
    const same = (await this.#digestsThere()).get(this.#options.digest(identityOf(record.note)));
    if (same === undefined || !this.#origins.isFree(same))
      return this.#add({ ...record, note: { ...record.note, origin } });
    await this.#put({ ...record, note: { ...(await this.#store.get(same)), origin } });
  }

  /** Keeps a note without id until those with one are merged: else it might get an id that one of them brings. */
  #hold(record: NoteRecord): boolean {
    if (this.#options.newIds || this.#heldLength > maxHeldLength) return false;
    this.#heldLength += lengthOf(record);
    this.#held.push(record);
    return true;
  }

  async #put(record: Entry): Promise<void> {
    const length = lengthOf(record);
    const isLong = length > maxBatch.lengthAmongOthers;
    if (isLong) await this.#flush();
    this.#batch.push(record);
    this.#length += length;
    if (isLong || this.#batch.length >= maxBatch.notes || this.#length >= maxBatch.length) await this.#flush();
  }

  /** Whether the store has, or will have, a note with this text, category and time of creation, under whatever id. */
  async #isThere(note: PortableNote): Promise<boolean> {
    const digests = await this.#digestsThere();
    const digest = this.#options.digest(identityOf(note));
    if (digests.has(digest)) return true;
    digests.set(digest, undefined);
    return false;
  }

  async #digestsThere(): Promise<Map<string, number | undefined>> {
    if (this.#digests !== undefined) return this.#digests;
    await this.#flush();
    this.#digests = await digestsOf(this.#store, this.#options.digest);
    return this.#digests;
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length === 0) return;
    const { dryRun = false, onBatch } = this.#options;
    try {
      const outcomes = await this.#store.merge(batch.flatMap(notesOf), { dryRun });
      let at = 0;
      for (const record of batch) {
        await this.#account(record, outcomes[at] ?? 'same', outcomes[at + 1]);
        at += notesOf(record).length;
      }
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
  async #account(record: Entry, outcome: MergeOutcome, ofTheirs?: MergeOutcome): Promise<void> {
    const edited = outcome === 'different' ? asEdited(record) : undefined;
    if (edited !== undefined) return this.#put(edited);
    if (outcome === 'taken') return record.note.id === undefined ? this.#retake(record) : this.#renumber(record);
    const { becomes } = record;
    const what = outcome === 'replaced' && becomes ? (becomes.theirs ? 'diverged' : 'updated') : countOf[outcome];
    countIn(this.report, what, record.note.id);
    // The history keeps none: what the source has becomes a note of its own.
    if (becomes?.theirs && ofTheirs === 'newer') await this.#add({ ...record, note: withoutId(becomes.theirs) });
  }

  /** Another note has its origin: one that was imported meanwhile, or, of an export, one that is changed here. */
  async #retake({ note: { origin, ...note }, ...record }: Entry): Promise<void> {
    if (record.origin !== undefined && origin !== undefined) {
      await this.#origins.read();
      const becomes = await this.#origins.update(origin.key, note);
      if (becomes === 'unchanged') return void this.report.unchanged++;
      if (becomes !== undefined) return this.#put({ ...record, note: becomes.note, becomes });
    }
    await this.#put({ ...record, note });
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
    countIn(this.report, 'renumbered', record.note.id);
    const other = { ...record, note };
    if (!this.#hold(other)) await this.#put(other);
  }
}

/** What is merged of an entry: of what the source has become, the later one first, so that the other is a version of it. */
const notesOf = ({ note, becomes }: Entry) => (becomes?.theirs ? [note, becomes.theirs] : [note]);

/** The error of one batch: earlier batches are stored. */
function ofBatch(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, as far as is known';
  return error.reworded(`A batch of ${counted(notes)} was ${state}: ${error.message}`);
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

async function digestsOf(store: Target, digest: ImportOptions['digest']): Promise<Map<string, number>> {
  const digests = new Map<string, number>();
  for await (const notes of store.scan()) for (const note of notes) digests.set(digest(identityOf(note)), note.id);
  return digests;
}

/** All that must be equal for two notes to be one. */
const identityOf = ({ title, content, category, createdAt }: PortableNote): string =>
  JSON.stringify([title, content, category, createdAt]);
