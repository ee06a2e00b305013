import { NoteError } from '../core/error.ts';
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, PortableStore } from '../core/store.ts';
import { formatNoteCount } from '../core/text/format-counts.ts';
import { truncateText } from '../core/text/truncate-text.ts';
import { countOutcomeAndListId, createEmptyReport, type ImportReport } from './import-report.ts';
import { KnownOrigins } from './known-origins.ts';
import { type Candidates, KnownTwins } from './known-twins.ts';
import { NoteBatches } from './note-batches.ts';
import { createOrigin } from './origin.ts';
import { dependsOnTwins, type ImportAction, type Known, planRecord, type Twin } from './plan-record.ts';
import { createBadRecord, type NoteRecord, type ReadRecord } from './record.ts';

export interface ImportOptions {
  /** Called for each record without a note. */
  readonly onSkipped: (record: Exclude<ReadRecord, NoteRecord>) => void;
  /** Called for each note that needs attention. */
  readonly onRemark?: (location: string, remark: string) => void;
  readonly onBatch: (report: ImportReport) => void;
  /** Called with the id of each note that the store did not have. A dry run does not know those of all. */
  readonly onAdded?: (id: number) => void;
  /** Whether a source outside this import has this origin: then no other source may take over its note. */
  readonly isOriginOfOtherSource?: (key: string) => boolean;
  /** Shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  readonly digest: (text: string) => string;
}

/** The target of an import. */
export interface ImportTarget extends Pick<PortableStore, 'findCreatedAt' | 'origins' | 'get' | 'history'> {
  /** Only a dry run returns `versions`: for an older state of a source, which would go to the history of a new note. */
  merge(notes: readonly PortableNote[]): Promise<readonly ImportTargetResult[]>;
}

type ImportTargetOutcome = MergeOutcome | 'versions';

export interface ImportTargetResult {
  readonly outcome: ImportTargetOutcome;
  readonly id?: number | undefined;
}

/** A note to merge, the record it is of, and what made it: an `add version` merges two notes. */
interface PendingNote {
  readonly note: PortableNote;
  readonly record: NoteRecord;
  readonly action: Exclude<ImportAction, { do: 'count' | 'leave out' }>;
}

/** A record, and what the store has that it may be of. */
interface KnownRecord {
  readonly record: NoteRecord;
  readonly known: Known;
}

/** The stored notes with the text of a record. */
interface FoundTwins {
  readonly twin: Note | undefined;
  readonly formerTwin: Note | undefined;
}

/** In characters, of the records whose twins are not read yet. */
const maxDeferredLength = 16 * 1024 * 1024;

/** The number of notes that are read at once. */
const maxConcurrentReads = 16;

/**
 * Merges records into a store in batches, and counts the outcomes in `report`.
 *
 * Each record passes four stops: what the store has of it is read, `planRecord` decides, the action is applied, and the
 * note that results is merged with its batch. Records whose plan depends on notes with the same text are deferred, so
 * that those notes are looked up for many records at once. Notes that the store leaves are planned again.
 *
 * Example: note 7 of a backup is read. The store has another note 7, which the importer does not know, as it reads no
 * more than it needs: `planRecord` says `merge`. The store leaves the note, since it was created at another time. The
 * note is planned again, now with the stored note 7; `planRecord` says `renumber`, and the next batch adds it as note
 * 12.
 */
export class Importer {
  readonly report = createEmptyReport();
  readonly #store: ImportTarget;
  readonly #options: ImportOptions;
  readonly #knownOrigins: KnownOrigins;
  readonly #knownTwins: KnownTwins;
  readonly #batches = new NoteBatches<PendingNote>((batch) => this.#mergeBatch(batch));
  /** Records whose twins are not read yet, and their length in characters. */
  readonly #deferred: KnownRecord[] = [];
  #deferredLength = 0;
  /** Records whose notes the store has left. What it has of them is read when they are planned again. */
  readonly #left: NoteRecord[] = [];
  /** Versions that no history has room for. They become notes. */
  readonly #versionsWithoutHistory: NoteRecord[] = [];
  /** Whether the store has failed; then nothing more is merged. */
  #hasFailed = false;
  #lastStored: Note | undefined;
  /** The last change of notes with a new id, by old id and time of creation. */
  readonly #renumbered = new Map<string, string>();

  constructor(store: ImportTarget, options: ImportOptions) {
    this.#store = store;
    this.#knownOrigins = new KnownOrigins(store, options.isOriginOfOtherSource);
    this.#knownTwins = new KnownTwins(store, options.digest);
    this.#options = options;
  }

  /** Imports all records; if reading fails, those that came before. */
  async importRecords(records: AsyncIterable<ReadRecord> | Iterable<ReadRecord>): Promise<void> {
    try {
      for await (const record of records) {
        if (record.kind === 'note') await this.#importRecord(record);
        else this.#countAndReportSkipped(record);
      }
    } finally {
      if (!this.#hasFailed) await this.#importDeferredAndSendAll();
    }
  }

  async #importRecord(record: NoteRecord): Promise<void> {
    this.report.read++;
    if (record.remark !== undefined) this.#options.onRemark?.(record.location, record.remark);
    await this.#importOrDefer({ record, known: await this.#rememberKeyAndReadKnown(record) });
    await this.#importLeftAgain();
    if (this.#deferredLength > maxDeferredLength) await this.#importDeferred();
  }

  async #importDeferredAndSendAll(): Promise<void> {
    do await this.#importDeferred();
    while (this.#deferred.length > 0 || this.#hasRecordsToImportAgain() || this.#batches.isPending);
  }

  async #importOrDefer({ record, known }: KnownRecord): Promise<void> {
    if (dependsOnTwins(record, known)) {
      this.#deferred.push({ record, known });
      this.#deferredLength += record.note.title.length + record.note.content.length;
      return;
    }
    // A record that the store leaves after it was planned with the change time of its file is planned without this
    // time: otherwise the same plan would follow without end.
    const { fileTime: _, ...once } = record;
    await this.#countOrQueueNote(known.stored === undefined ? record : once, planRecord(record, known));
  }

  /**
   * Imports the records again whose notes the store has left, and the versions for which no history has room. While
   * these are imported, a batch may be sent, and the store may leave notes of this batch: therefore the loop goes on
   * until no record is waiting.
   */
  async #importLeftAgain(): Promise<void> {
    while (this.#hasRecordsToImportAgain()) {
      for (const record of this.#left.splice(0))
        await this.#importOrDefer(await this.#readKnownAndRememberRenumbered(record));
      for (const record of this.#versionsWithoutHistory.splice(0)) await this.#importOrDefer({ record, known: {} });
    }
  }

  #hasRecordsToImportAgain(): boolean {
    return this.#left.length > 0 || this.#versionsWithoutHistory.length > 0;
  }

  /**
   * Plans the records whose twins matter, which are looked up for all at once. Those with ids come first, so that none
   * of the others gets an id that one of them has.
   */
  async #importDeferred(): Promise<void> {
    await this.#batches.sendBatch();
    await this.#importLeftAgain();
    const deferred = this.#deferred.splice(0);
    this.#deferredLength = 0;
    if (deferred.length === 0) return;
    const candidates = await this.#knownTwins.readCandidatesByKey(deferred.map(({ record }) => record.note));
    const { withId = [], others = [] } = Object.groupBy(deferred, ({ record, known }) =>
      record.note.id !== undefined && known.stored === undefined ? 'withId' : 'others',
    );
    const ordered = [...withId, ...others];
    for (let at = 0; at < ordered.length; at += maxConcurrentReads) {
      const some = ordered.slice(at, at + maxConcurrentReads);
      const found = await Promise.all(some.map(({ record }) => this.#findStoredTwins(record, candidates)));
      for (const [index, { record, known }] of some.entries()) {
        const twins = this.#toKnownTwins(record, known.origin, found[index]);
        await this.#countOrQueueNote(record, planRecord(record, { ...known, ...twins }));
      }
    }
  }

  /**
   * Remembers the key of the source of a record, and reads what the store has of this source. If the key has occurred
   * before, the current batch is sent first: the store does not have the notes of the batch yet.
   */
  async #rememberKeyAndReadKnown(record: NoteRecord): Promise<Known> {
    const { origin: key, isDated = false } = record;
    if (key === undefined) return {};
    await this.#knownOrigins.loadAllOriginsOnce();
    if (!this.#knownOrigins.isLoadedAndSupported) return {};
    const isFirst = this.#knownOrigins.rememberSeenAndCheckFirst(key);
    if (!isFirst && !isDated) return {}; // Two items with the same name and without times are two notes.
    if (!isFirst) await this.#batches.sendBatch();
    const origin = await createOrigin(key, record);
    return (await this.#knownOrigins.findKnownSource(record, origin)) ?? { origin };
  }

  /**
   * Reads the stored note because of which the store has left the note of a record: the stored note has the same id or
   * the same origin. If the stored note is another one with the same id, the record will get a new id, which is
   * remembered.
   */
  async #readKnownAndRememberRenumbered(record: NoteRecord): Promise<KnownRecord> {
    const { note } = record;
    if (note.id === undefined) return this.#sendBatchAndReadOriginOwner(record);
    const stored = await this.#readAndCacheStoredNote(note.id);
    const isOther = stored.createdAt !== note.createdAt;
    const hasRenumberedLaterState = isOther && this.#hasRenumberedLaterState(note);
    if (isOther && !hasRenumberedLaterState) this.#rememberRenumbered(note);
    return { record, known: { stored, hasRenumberedLaterState } };
  }

  /**
   * Reads the stored note that already has the origin of a new note: the note of an earlier record, or of another
   * import that runs at the same time. Sends the current batch first, and loads the origins again if none has this key.
   */
  async #sendBatchAndReadOriginOwner(record: NoteRecord): Promise<KnownRecord> {
    const { origin, ...note } = record.note;
    const own = { ...record, note };
    if (record.origin === undefined || origin === undefined) return { record: own, known: {} };
    await this.#batches.sendBatch();
    if (!this.#knownOrigins.hasOriginWithKey(origin.key)) await this.#knownOrigins.loadAllOrigins();
    const known = await this.#knownOrigins.findKnownSource(own, await createOrigin(origin.key, own));
    return { record: own, known: known ?? {} };
  }

  /** Versions of a note often follow each other, so that the last note is remembered for a batch. */
  async #readAndCacheStoredNote(id: number): Promise<Note> {
    if (this.#lastStored?.id !== id) this.#lastStored = await this.#store.get(id);
    return this.#lastStored;
  }

  /** Whether a later state of the note was given a new id. */
  #hasRenumberedLaterState({ id, createdAt, updatedAt }: PortableNote): boolean {
    const latest = this.#renumbered.get(`${id} ${createdAt}`);
    return latest !== undefined && updatedAt < latest;
  }

  /** Remembers the first state that gets a new id, which is the latest one, as exports begin with it. */
  #rememberRenumbered({ id, createdAt, updatedAt }: PortableNote): void {
    const key = `${id} ${createdAt}`;
    if (!this.#renumbered.has(key)) this.#renumbered.set(key, updatedAt);
  }

  async #findStoredTwins({ note, formerTitle }: NoteRecord, candidates: Candidates): Promise<FoundTwins> {
    const hasFormerTitle = note.id === undefined && formerTitle !== undefined;
    return {
      twin: await this.#knownTwins.findStoredTwin(note, candidates),
      formerTwin: hasFormerTitle
        ? await this.#knownTwins.findStoredTwin({ ...note, title: formerTitle }, candidates)
        : undefined,
    };
  }

  #toKnownTwins({ note }: NoteRecord, origin: Origin | undefined, found?: FoundTwins): Known {
    const toTwin = (twin: Note | undefined): Twin | undefined => {
      const mayFollow = twin !== undefined && (origin === undefined || this.#knownOrigins.canReplaceOrigin(twin.id));
      return twin && { note: mayFollow ? twin : undefined };
    };
    return {
      twin: this.#knownTwins.hasAddedTwin(note) ? {} : toTwin(found?.twin),
      formerTwin: toTwin(found?.formerTwin),
    };
  }

  async #countOrQueueNote(record: NoteRecord, action: ImportAction): Promise<void> {
    if (action.do === 'count') return this.#countAndRemark(record, action);
    if (action.do === 'leave out') {
      return this.#countReadAsSkipped({ kind: 'left out', location: record.location, reason: action.because });
    }
    const { note } = action;
    const isNew = action.do === 'add' || action.do === 'renumber';
    if (action.do === 'renumber') countOutcomeAndListId(this.report, 'renumbered', record.note.id);
    if (isNew || action.do === 'retitle') this.#knownTwins.rememberAdded(note);
    if (note.id !== undefined && note.origin !== undefined)
      this.#knownOrigins.rememberOriginIfOwned(note.id, note.origin);
    await this.#batches.addAndSendWhenFull({ note, record, action });
  }

  async #mergeBatch(batch: readonly PendingNote[]): Promise<void> {
    try {
      const results = await this.#store.merge(batch.flatMap(listNotesToMerge));
      for (const { outcome, id } of results) if (outcome === 'added' && id !== undefined) this.#options.onAdded?.(id);
      this.#lastStored = undefined;
      let at = 0;
      for (const pending of batch) {
        this.#handleMergeResult(pending, results[at], results[at + 1]);
        at += listNotesToMerge(pending).length;
      }
    } catch (error) {
      const isRejected = error instanceof NoteError && error.code === 'invalid';
      if (!isRejected || batch.length > 1) {
        this.#hasFailed = true;
        throw toBatchError(error, batch.length);
      }
      for (const { record } of batch) this.#countReadAsSkipped(createBadRecord(record.location, error.message));
    }
    this.#options.onBatch(this.report);
  }

  /** Handles what `decideNoteMerge` in store/decide-merge.ts has decided about a note, and about its version. */
  #handleMergeResult(pending: PendingNote, result?: ImportTargetResult, versionResult?: ImportTargetResult): void {
    const { note, record, action } = pending;
    const { outcome, id } = result ?? { outcome: 'unchanged' };
    if (outcome === 'left') {
      this.#left.push({ ...record, note });
      if (note.id === undefined) this.#knownTwins.forgetAdded(note);
      return;
    }
    if (id !== undefined && note.id === undefined && note.origin !== undefined)
      this.#knownOrigins.rememberOrigin(id, note.origin);
    if (action.do === 'add version') this.#handleVersionResult(record, action, versionResult);
    else if (action.do === 'retitle' && outcome === 'updated') countOutcomeAndListId(this.report, 'retitled');
    else countOutcomeAndListId(this.report, outcome, note.id);
  }

  /** A store without histories, or with a full one, does not have the version. */
  #handleVersionResult(
    { location }: NoteRecord,
    { note, version }: Extract<ImportAction, { do: 'add version' }>,
    result?: ImportTargetResult,
  ): void {
    const isStored = result?.outcome === 'left' && version.updatedAt < note.updatedAt;
    if (isStored) countOutcomeAndListId(this.report, 'versions');
    else this.#versionsWithoutHistory.push({ kind: 'note', location, note: omitId(version) });
  }

  #countAndRemark({ note, location }: NoteRecord, { as, because }: Extract<ImportAction, { do: 'count' }>): void {
    countOutcomeAndListId(this.report, as, note.id);
    if (as !== 'left') return;
    this.#options.onRemark?.(location, `Note ${note.id} "${truncateText(note.title, 60)}" stays as it is: ${because}`);
  }

  #countAndReportSkipped(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report[record.kind === 'left out' ? 'leftOut' : record.kind] += record.count ?? 1;
    this.#options.onSkipped(record);
  }

  /** Leaves out a note that was counted as read. */
  #countReadAsSkipped(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report.read--;
    this.#countAndReportSkipped(record);
  }
}

/** The notes to merge: of two states the later one first, so that the other one becomes its version. */
const listNotesToMerge = ({ note, action }: PendingNote): readonly PortableNote[] =>
  action.do === 'add version' ? [note, action.version] : [note];

/** Converts the error of one batch; earlier batches are stored. */
function toBatchError(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, or its answer was lost';
  return error.withMessage(`A batch of ${formatNoteCount(notes)} was ${state}: ${error.message}`);
}

const omitId = ({ id: _, ...note }: PortableNote): PortableNote => note;
