import { NoteError } from '../core/error.ts';
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, PortableStore } from '../core/store.ts';
import { counted, part } from '../core/tools/text.ts';
import { createOrigin, KnownOrigins, retitle, type Update } from './origin.ts';
import { createBadRecord, type NoteRecord, type ReadRecord, toEditedRecord } from './record.ts';

/** Counts of the results of an import. */
export type ImportReport = ReturnType<typeof emptyReport>;

export const emptyReport = () => ({
  read: 0,
  added: 0,
  /** Replaced by a newer state. */
  updated: 0,
  /** Nothing but their titles changed, which are those of their files now. */
  retitled: 0,
  unchanged: 0,
  /** Older than the stored note, whose history has them. */
  versions: 0,
  /** Not stored: the present note differs at the same time. */
  left: 0,
  /** Those of `added` that got a new id, as another note has theirs. */
  renumbered: 0,
  bad: 0,
  leftOut: 0,
  /** Left out, as they seem to contain secrets. */
  withheld: 0,
  /** The first `maxIds` ids of each. */
  updatedIds: [] as number[],
  leftIds: [] as number[],
  renumberedIds: [] as number[],
});

const maxIds = 1_000;

/** Outcomes whose ids are reported. */
const listed = ['updated', 'left', 'renumbered'] as const;

type Counted = MergeOutcome | 'versions' | 'renumbered' | 'retitled';

/** Counts a note, and records its id if the report lists those. */
function countIn(report: ImportReport, what: Counted, id?: number): void {
  report[what]++;
  const listing = listed.find((name) => name === what);
  const ids = listing && report[`${listing}Ids`];
  if (id !== undefined && ids !== undefined && ids.length < maxIds) ids.push(id);
}

export interface ImportOptions {
  /** Called for each record without a note. */
  readonly onSkipped: (record: Exclude<ReadRecord, NoteRecord>) => void;
  /** Called for each note that needs attention. */
  readonly onRemark?: (location: string, remark: string) => void;
  readonly onBatch: (report: ImportReport) => void;
  /** Called with the id of each note that the store did not have. A dry run does not know those of all. */
  readonly onAdded?: (id: number) => void;
  /** Whether a source outside this import has this origin: then no other source may take over its note. */
  readonly isOriginHeld?: (key: string) => boolean;
  /** Shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  readonly digest: (text: string) => string;
}

/** A note to merge; `becomes` is set if a stored one has its origin. */
interface PendingNote extends NoteRecord {
  readonly becomes?: Update;
}

/** Limits of a batch, in notes and characters. Longer notes go alone, so that their rejection affects no other. */
const maxBatch = { notes: 1_000, length: 1024 * 1024, lengthAmongOthers: 256 * 1024 };

/** Limit of held notes, in characters; beyond, they and all later ones are merged as they arrive. */
const maxHeldLength = 16 * 1024 * 1024;

const lengthOf = ({ note: { title, content } }: NoteRecord) => title.length + content.length;

/** The target of an import. */
export interface Target extends Pick<PortableStore, 'scan' | 'origins' | 'get' | 'history'> {
  /** Only a dry run answers `versions`: for an older state of a source, which would go to the history of a new note. */
  merge(notes: readonly PortableNote[]): Promise<readonly TargetResult[]>;
}

type TargetOutcome = MergeOutcome | 'versions';

export interface TargetResult {
  readonly outcome: TargetOutcome;
  readonly id?: number | undefined;
}

/** Merges records into a store in batches, and counts the outcomes in `report`. */
export class Importer {
  readonly report = emptyReport();
  readonly #store: Target;
  readonly #options: ImportOptions;
  #batch: PendingNote[] = [];
  #length = 0;
  readonly #held: NoteRecord[] = [];
  #heldLength = 0;
  #holds = true;
  /** Whether the store has failed; then nothing more is merged. */
  #isRefused = false;
  readonly #origins: KnownOrigins;
  #last: Note | undefined;
  /** Digests of the stored notes, with their ids; read once a note without id arrives. */
  #digests: Map<string, number | undefined> | undefined;
  /** The last change of notes with a new id, by old id and time of creation. */
  readonly #renumbered = new Map<string, string>();

  constructor(store: Target, options: ImportOptions) {
    this.#store = store;
    this.#origins = new KnownOrigins(store, options.isOriginHeld);
    this.#options = options;
  }

  /** Merges all records; if reading fails, those that came before. */
  async run(records: AsyncIterable<ReadRecord> | Iterable<ReadRecord>): Promise<void> {
    try {
      for await (const record of records) {
        if (record.kind === 'note') await this.#take(record);
        else this.#leaveOut(record);
      }
    } finally {
      if (!this.#isRefused) await this.#finish();
    }
  }

  async #finish(): Promise<void> {
    await this.#flush();
    await this.#release();
    while (this.#batch.length > 0) await this.#flush();
  }

  #leaveOut(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report[record.kind === 'left out' ? 'leftOut' : record.kind] += record.count ?? 1;
    this.#options.onSkipped(record);
  }

  /** Leaves out a note that was counted as read. */
  #withdraw(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report.read--;
    this.#leaveOut(record);
  }

  async #take(given: NoteRecord): Promise<void> {
    const { location, remark, origin, isDated = false } = given;
    this.report.read++;
    if (remark !== undefined) this.#options.onRemark?.(location, remark);
    if (origin !== undefined && (await this.#origins.storesOrigins())) {
      const isFirst = this.#origins.markSeen(origin);
      if (!isFirst && isDated) await this.#flush(); // the update of its note may be in the batch
      if (isFirst || isDated) return this.#takeFrom(origin, given);
    }
    await this.#add(given);
  }

  async #add(record: NoteRecord): Promise<void> {
    const { note } = record;
    const former = await this.#findByFormerTitle(record);
    if (former !== undefined) return this.#putRetitled(record, former);
    if (note.id === undefined && (await this.#isThere(note))) return void this.report.unchanged++;
    await (note.id === undefined ? this.#putLater(record) : this.#put(record));
  }

  /** Merges the changes of a source since its last import. An identical stored note gets the origin. */
  async #takeFrom(key: string, record: NoteRecord): Promise<void> {
    const becomes = await this.#origins.update(key, record);
    if (becomes === 'unchanged') return void this.report.unchanged++;
    if (becomes !== undefined) return this.#put({ ...record, note: becomes.note, becomes });
    const origin = await createOrigin(key, record);
    const former = await this.#findByFormerTitle(record);
    if (former !== undefined && this.#origins.canReplaceOrigin(former))
      return this.#putRetitled(record, former, origin);
    const same = (await this.#digestsThere()).get(this.#digestOf(record.note));
    if (same === undefined || !this.#origins.canReplaceOrigin(same))
      return this.#add({ ...record, note: { ...record.note, origin } });
    await this.#put({ ...record, note: { ...(await this.#store.get(same)), origin } });
  }

  /** Finds the note that an earlier version of Notes made of the same text, and titled by another rule. */
  async #findByFormerTitle({ note, formerTitle }: NoteRecord): Promise<number | undefined> {
    if (note.id !== undefined || formerTitle === undefined) return undefined;
    return (await this.#digestsThere()).get(this.#digestOf({ ...note, title: formerTitle }));
  }

  async #putRetitled(record: NoteRecord, id: number, origin?: Origin): Promise<void> {
    const stored = await this.#store.get(id);
    const digests = await this.#digestsThere();
    digests.delete(this.#digestOf(stored));
    digests.set(this.#digestOf(record.note), id);
    const note = { ...retitle(stored, record, true), ...(origin && { origin }) };
    await this.#put({ ...record, note, becomes: { note, isRetitled: true } });
  }

  /** Holds a note without id until those with ids are merged: it could get an id that one of them has. */
  async #putLater(record: NoteRecord): Promise<void> {
    if (!this.#holds) return this.#put(record);
    this.#held.push(record);
    this.#heldLength += lengthOf(record);
    if (this.#heldLength > maxHeldLength) await this.#release();
  }

  /** Merges the held notes, and holds no more, so that ids follow the order of the source. */
  async #release(): Promise<void> {
    this.#holds = false;
    for (const record of this.#held.splice(0)) await this.#put(record);
  }

  async #put(record: PendingNote): Promise<void> {
    const length = lengthOf(record);
    const isLong = length > maxBatch.lengthAmongOthers;
    if (isLong) await this.#flush();
    this.#batch.push(record);
    this.#length += length;
    if (isLong || this.#batch.length >= maxBatch.notes || this.#length >= maxBatch.length) await this.#flush();
  }

  /** Whether the store has, or will have, this note under any id: equal text, category and time of creation. */
  async #isThere(note: PortableNote): Promise<boolean> {
    const digests = await this.#digestsThere();
    const digest = this.#digestOf(note);
    if (digests.has(digest)) return true;
    digests.set(digest, undefined);
    return false;
  }

  async #digestsThere(): Promise<Map<string, number | undefined>> {
    if (this.#digests !== undefined) return this.#digests;
    await this.#flush();
    const digests = new Map<string, number | undefined>();
    for await (const notes of this.#store.scan()) for (const note of notes) digests.set(this.#digestOf(note), note.id);
    this.#digests = digests;
    return digests;
  }

  /** Of the fields that identify a note without an id. */
  #digestOf({ title, content, category, createdAt }: PortableNote): string {
    return this.#options.digest(JSON.stringify([title, content, category, createdAt]));
  }

  async #flush(): Promise<void> {
    const batch = this.#batch;
    [this.#batch, this.#length] = [[], 0];
    if (batch.length === 0) return;
    try {
      const notes = batch.flatMap(notesOf);
      const results = await this.#store.merge(notes);
      for (const { outcome, id } of results) if (outcome === 'added' && id !== undefined) this.#options.onAdded?.(id);
      this.#last = undefined;
      let at = 0;
      for (const record of batch) {
        await this.#account(record, results[at]?.outcome ?? 'unchanged', results[at + 1]?.outcome);
        at += notesOf(record).length;
      }
    } catch (error) {
      const isRefused = error instanceof NoteError && error.code === 'invalid';
      if (!isRefused || batch.length > 1) {
        this.#isRefused = true;
        throw ofBatch(error, batch.length);
      }
      for (const { location } of batch) this.#withdraw(createBadRecord(location, error.message));
    }
    this.#options.onBatch(this.report);
  }

  /** Handles an outcome decided by `decideMerge` in store/decide-merge.ts. */
  async #account(record: PendingNote, outcome: TargetOutcome, theirOutcome?: TargetOutcome): Promise<void> {
    const { becomes, ...given } = record;
    if (outcome === 'left') return this.#leave(given);
    if (becomes?.isRetitled && outcome === 'updated') return countIn(this.report, 'retitled');
    if (becomes?.theirs === undefined) return countIn(this.report, outcome, record.note.id);
    const isVersion = theirOutcome === 'left' && becomes.theirs.updatedAt < record.note.updatedAt;
    // Without a history, it becomes its own note.
    if (!isVersion) return this.#add({ ...given, note: withoutId(becomes.theirs) });
    this.report.versions++;
  }

  /** Finds out why the store left a note: another one has its id or origin, is newer, or differs at the same time. */
  async #leave(record: NoteRecord): Promise<void> {
    const { note, location } = record;
    if (note.id === undefined) return this.#retake(record);
    const stored = await this.#storedWith(note.id);
    if (stored.createdAt !== note.createdAt) return this.#renumber(record);
    if (stored.updatedAt > note.updatedAt) return void this.report.versions++;
    const edited = toEditedRecord(record);
    if (edited !== undefined) return this.#put(edited);
    countIn(this.report, 'left', note.id);
    this.#options.onRemark?.(location, `Note ${note.id} "${part(note.title, 60)}" stays as it is: ${sameTime}`);
  }

  /** Versions of a note often follow each other, so the last note is remembered for a batch. */
  async #storedWith(id: number): Promise<Note> {
    if (this.#last?.id !== id) this.#last = await this.#store.get(id);
    return this.#last;
  }

  /** Retries when another note has the origin: of an earlier record, another import or, in an export, changed here. */
  async #retake({ note: { origin, ...note }, ...record }: PendingNote): Promise<void> {
    this.#digests?.delete(this.#digestOf(note)); // it was not added
    if (record.origin !== undefined && origin !== undefined) {
      await this.#flush();
      if (!this.#origins.isKnown(origin.key)) await this.#origins.read();
      const becomes = await this.#origins.update(origin.key, { ...record, note });
      if (becomes === 'unchanged') return void this.report.unchanged++;
      if (becomes !== undefined) return this.#put({ ...record, note: becomes.note, becomes });
    }
    await this.#add({ ...record, note });
  }

  /** Whether it is an earlier version of a note with a new id, which has no history to store it in. */
  #isEarlier({ id, createdAt, updatedAt }: PortableNote): boolean {
    if (id === undefined) return false;
    const key = `${id} ${createdAt}`;
    const latest = this.#renumbered.get(key);
    if (latest === undefined) this.#renumbered.set(key, updatedAt);
    return latest !== undefined && updatedAt < latest;
  }

  /** Gives a note whose id is taken a new one: distinct notes are never merged. */
  async #renumber(record: NoteRecord): Promise<void> {
    const reason = 'an earlier version of a note that was given a new id';
    if (this.#isEarlier(record.note)) return this.#withdraw({ kind: 'left out', location: record.location, reason });
    const note = withoutId(record.note);
    if (await this.#isThere(note)) return void this.report.unchanged++;
    countIn(this.report, 'renumbered', record.note.id);
    await this.#putLater({ ...record, note });
  }
}

const sameTime = 'the source has another text but the same updatedAt (raise it there to import it)';

/** The notes to merge for an entry. If both sides changed, the later one first, so that the other becomes a version. */
const notesOf = ({ note, becomes }: PendingNote) => (becomes?.theirs ? [note, becomes.theirs] : [note]);

/** The error of one batch; earlier batches are stored. */
function ofBatch(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, or its answer was lost';
  return error.reworded(`A batch of ${counted(notes)} was ${state}: ${error.message}`);
}

const withoutId = ({ id: _, ...note }: PortableNote): PortableNote => note;
