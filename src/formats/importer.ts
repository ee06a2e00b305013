import { NoteError } from '../core/error.ts';
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, PortableStore } from '../core/store.ts';
import { counted, part } from '../core/tools/text.ts';
import { KnownOrigins } from './known-origins.ts';
import { NoteBatches } from './note-batches.ts';
import { createOrigin } from './origin.ts';
import { type Action, type Known, planRecord, type Twin } from './plan-record.ts';
import { createBadRecord, type NoteRecord, type ReadRecord } from './record.ts';

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

/** A note to merge, the record it is of, and what made it: an `add version` merges two notes. */
interface PendingNote {
  readonly note: PortableNote;
  readonly record: NoteRecord;
  readonly action: Exclude<Action, { do: 'count' | 'leave out' }>;
}

/**
 * Merges records into a store in batches, and counts the outcomes in `report`. For each record it reads what the store
 * has of it, lets `planRecord` decide, and applies that. A note that the store leaves is planned again.
 */
export class Importer {
  readonly report = emptyReport();
  readonly #store: Target;
  readonly #options: ImportOptions;
  readonly #batches = new NoteBatches<PendingNote>((batch) => this.#merge(batch));
  readonly #origins: KnownOrigins;
  /** Whether the store has failed; then nothing more is merged. */
  #hasFailed = false;
  #lastStored: Note | undefined;
  /** Digests of the stored notes, with their ids; read once a note without id arrives. */
  #digests: Map<string, number | undefined> | undefined;
  /** The last change of notes with a new id, by old id and time of creation. */
  readonly #renumbered = new Map<string, string>();

  constructor(store: Target, options: ImportOptions) {
    this.#store = store;
    this.#origins = new KnownOrigins(store, options.isOriginHeld);
    this.#options = options;
  }

  /** Imports all records; if reading fails, those that came before. */
  async run(records: AsyncIterable<ReadRecord> | Iterable<ReadRecord>): Promise<void> {
    try {
      for await (const record of records) {
        if (record.kind === 'note') await this.#import(record);
        else this.#leaveOut(record);
      }
    } finally {
      if (!this.#hasFailed) await this.#batches.finish();
    }
  }

  async #import(record: NoteRecord): Promise<void> {
    this.report.read++;
    if (record.remark !== undefined) this.#options.onRemark?.(record.location, record.remark);
    await this.#apply(record, planRecord(record, await this.#readKnown(record)));
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

  async #readKnown(record: NoteRecord): Promise<Known> {
    const { origin: key, isDated = false } = record;
    if (key === undefined || !(await this.#origins.storesOrigins())) return this.#readTwins(record);
    const isFirst = this.#origins.markSeen(key);
    if (!isFirst && !isDated) return this.#readTwins(record); // two items of one name are two notes
    if (!isFirst) await this.#batches.flush(); // the update of its note may be in the batch
    const origin = await createOrigin(key, record);
    return (await this.#origins.readSource(record, origin)) ?? this.#readTwins(record, origin);
  }

  /** Finds the notes with the text of a record, if it has no id, or if its origin could become theirs. */
  async #readTwins({ note, formerTitle }: NoteRecord, origin?: Origin): Promise<Known> {
    if (note.id !== undefined && origin === undefined) return {};
    const canFollow = (id: number) => origin === undefined || this.#origins.canReplaceOrigin(id);
    const twin = await this.#readTwin(note, (id) => origin !== undefined && canFollow(id));
    if (note.id !== undefined || formerTitle === undefined) return { origin, twin };
    return { origin, twin, formerTwin: await this.#readTwin({ ...note, title: formerTitle }, canFollow) };
  }

  async #readTwin(note: PortableNote, canFollow: (id: number) => boolean): Promise<Twin | undefined> {
    const digests = await this.#loadDigests();
    const digest = this.#createDigest(note);
    const id = digests.get(digest);
    if (id !== undefined && canFollow(id)) return { note: await this.#store.get(id) };
    return digests.has(digest) ? {} : undefined;
  }

  async #loadDigests(): Promise<Map<string, number | undefined>> {
    if (this.#digests !== undefined) return this.#digests;
    await this.#batches.flush();
    const digests = new Map<string, number | undefined>();
    for await (const notes of this.#store.scan()) {
      for (const note of notes) digests.set(this.#createDigest(note), note.id);
    }
    this.#digests = digests;
    return digests;
  }

  /** Summarizes the fields that identify a note without an id. */
  #createDigest({ title, content, category, createdAt }: PortableNote): string {
    return this.#options.digest(JSON.stringify([title, content, category, createdAt]));
  }

  async #apply(record: NoteRecord, action: Action): Promise<void> {
    if (action.do === 'count') return this.#count(record, action);
    if (action.do === 'leave out') {
      return this.#withdraw({ kind: 'left out', location: record.location, reason: action.because });
    }
    const { note } = action;
    const isNew = action.do === 'add' || action.do === 'renumber';
    if (action.do === 'renumber') countIn(this.report, 'renumbered', record.note.id);
    if (isNew || action.do === 'retitle') this.#digests?.set(this.#createDigest(note), note.id);
    if (note.id !== undefined && note.origin !== undefined) this.#origins.update(note.id, note.origin);
    const pending = { note, record, action };
    await (isNew ? this.#batches.hold(pending) : this.#batches.add(pending));
  }

  #count({ note, location }: NoteRecord, { as, because }: Extract<Action, { do: 'count' }>): void {
    countIn(this.report, as, note.id);
    if (as !== 'left') return;
    this.#options.onRemark?.(location, `Note ${note.id} "${part(note.title, 60)}" stays as it is: ${because}`);
  }

  async #merge(batch: readonly PendingNote[]): Promise<void> {
    try {
      const results = await this.#store.merge(batch.flatMap(listNotes));
      for (const { outcome, id } of results) if (outcome === 'added' && id !== undefined) this.#options.onAdded?.(id);
      this.#lastStored = undefined;
      let at = 0;
      for (const pending of batch) {
        await this.#handleResult(pending, results[at], results[at + 1]);
        at += listNotes(pending).length;
      }
    } catch (error) {
      const isRejected = error instanceof NoteError && error.code === 'invalid';
      if (!isRejected || batch.length > 1) {
        this.#hasFailed = true;
        throw toBatchError(error, batch.length);
      }
      for (const { record } of batch) this.#withdraw(createBadRecord(record.location, error.message));
    }
    this.#options.onBatch(this.report);
  }

  /** Handles what `decideMerge` in store/decide-merge.ts has decided about a note, and about its version. */
  async #handleResult(pending: PendingNote, result?: TargetResult, versionResult?: TargetResult): Promise<void> {
    const { note, record, action } = pending;
    const { outcome, id } = result ?? { outcome: 'unchanged' };
    if (outcome === 'left') return this.#planAgain(pending);
    if (id !== undefined && note.id === undefined && note.origin !== undefined) this.#origins.set(id, note.origin);
    if (action.do === 'retitle' && outcome === 'updated') return countIn(this.report, 'retitled');
    if (action.do !== 'add version') return countIn(this.report, outcome, note.id);
    const { version } = action;
    if (versionResult?.outcome === 'left' && version.updatedAt < note.updatedAt)
      return countIn(this.report, 'versions');
    // Without a history, it becomes its own note.
    await this.#planWithoutOrigin({ kind: 'note', location: record.location, note: withoutId(version) });
  }

  /** Plans what the store has left: another note has its id or its origin, is newer, or differs at the same time. */
  async #planAgain({ note, record }: PendingNote): Promise<void> {
    if (note.id === undefined) return this.#planWithOwnedOrigin(note, record);
    const { fileTime: _, ...rest } = record; // it counts once
    const action = planRecord({ ...record, note }, await this.#readStored(note, note.id));
    await this.#apply({ ...rest, note }, action);
  }

  async #readStored(note: PortableNote, id: number): Promise<Known> {
    // Versions of a note often follow each other, so the last note is remembered for a batch.
    if (this.#lastStored?.id !== id) this.#lastStored = await this.#store.get(id);
    const stored = this.#lastStored;
    if (stored.createdAt === note.createdAt) return { stored };
    if (this.#hasLaterState(id, note)) return { stored, hasLaterState: true };
    return { stored, ...(await this.#readTwins({ kind: 'note', location: '', note: withoutId(note) })) };
  }

  /** Whether a later state of the note was given a new id. It remembers the first state, which is the latest one. */
  #hasLaterState(id: number, { createdAt, updatedAt }: PortableNote): boolean {
    const key = `${id} ${createdAt}`;
    const latest = this.#renumbered.get(key);
    if (latest === undefined) this.#renumbered.set(key, updatedAt);
    return latest !== undefined && updatedAt < latest;
  }

  /** Plans a new note whose origin another one has: of an earlier record, another import or, in an export, changed here. */
  async #planWithOwnedOrigin({ origin, ...note }: PortableNote, record: NoteRecord): Promise<void> {
    this.#digests?.delete(this.#createDigest(note)); // it was not added
    const own = { ...record, note };
    if (record.origin === undefined || origin === undefined) return this.#planWithoutOrigin(own);
    await this.#batches.flush();
    if (!this.#origins.isKnown(origin.key)) await this.#origins.read();
    const known = await this.#origins.readSource(own, await createOrigin(origin.key, own));
    if (known === undefined) return this.#planWithoutOrigin(own);
    await this.#apply(own, planRecord(own, known));
  }

  async #planWithoutOrigin(record: NoteRecord): Promise<void> {
    await this.#apply(record, planRecord(record, await this.#readTwins(record)));
  }
}

/** The notes to merge: of two states the later one first, so that the other one becomes its version. */
const listNotes = ({ note, action }: PendingNote): readonly PortableNote[] =>
  action.do === 'add version' ? [note, action.version] : [note];

/** Converts the error of one batch; earlier batches are stored. */
function toBatchError(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, or its answer was lost';
  return error.reworded(`A batch of ${counted(notes)} was ${state}: ${error.message}`);
}

const withoutId = ({ id: _, ...note }: PortableNote): PortableNote => note;
