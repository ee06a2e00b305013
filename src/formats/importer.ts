import { NoteError } from '../core/error.ts';
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, PortableStore } from '../core/store.ts';
import { formatNoteCount } from '../core/text/format-counts.ts';
import { truncateText } from '../core/text/truncate-text.ts';
import { DeferredRecords, type KnownRecord } from './deferred-records.ts';
import { addOutcomeToReport, createEmptyImportReport, type ImportReport } from './import-report.ts';
import { type DuplicateCandidates, KnownDuplicates } from './known-duplicates.ts';
import { KnownOrigins } from './known-origins.ts';
import { NoteBatches } from './note-batches.ts';
import { createOriginWithFingerprint } from './origin.ts';
import { type Duplicate, type ImportAction, type Known, planDependsOnDuplicates, planRecord } from './plan-record.ts';
import { createBadRecord, type NoteRecord, type ReadRecord, type SkippedRecord } from './record.ts';
import { LatestRenumberedStates } from './renumbered-notes.ts';

export interface ImportOptions {
  /** This function is called for each record without a note. */
  readonly onSkipped: (record: SkippedRecord) => void;
  /** This function is called for each note that needs attention. */
  readonly onRemark?: (location: string, remark: string) => void;
  readonly onBatch: (report: ImportReport) => void;
  /** This function is called with the id of each note that is added. A dry run does not know the ids of all. */
  readonly onAdded?: (id: number) => void;
  /** This function is called with the id of each note that the store has already as the record states it. */
  readonly onUnchanged?: (id: number, record: NoteRecord) => void;
  /**
   * This function is called with the place and the id of each note that was pinned where it comes from. A dry run does
   * not know the ids of all.
   */
  readonly onPinned?: (place: number, id: number | undefined) => void;
  /** Whether a source outside this import has this origin: then no other source may take over its note. */
  readonly isOriginOfOtherSource?: (key: string) => boolean;
  /** Shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  readonly digest: (text: string) => string;
}

/** The target of an import. */
export interface ImportTarget
  extends Pick<PortableStore, 'readCreatedNotesPage' | 'readOriginsPage' | 'get' | 'history'> {
  /** Only a dry run returns `versions`: for an older state of a source, which would go to the history of a new note. */
  merge(notes: readonly PortableNote[]): Promise<readonly ImportTargetResult[]>;
}

type ImportTargetOutcome = MergeOutcome | 'versions';

export interface ImportTargetResult {
  readonly outcome: ImportTargetOutcome;
  readonly id?: number | undefined;
}

/**
 * A note to merge, the record that it is of, and the action that created it. The action `add version` merges two notes.
 */
interface PendingNote {
  readonly note: PortableNote;
  readonly record: NoteRecord;
  readonly action: Exclude<ImportAction, { do: 'count' | 'leave out' }>;
}

/** The stored notes with the text of a record. */
interface FoundDuplicates {
  readonly duplicate: Note | undefined;
  readonly formerDuplicate: Note | undefined;
}

/** The number of notes that are read at once. */
const maxConcurrentReads = 16;

/**
 * Merges records into a store in batches, and counts the outcomes in `report`.
 *
 * Each record passes four stops: what the store has of it is read, `planRecord` decides, the action is applied, and the
 * note that results is merged with its batch. Records whose plan depends on notes with the same text are deferred, so
 * that those notes are looked up for many records at once. Notes that the store rejects are planned again.
 *
 * Example: note 7 of a backup is read. The store has another note 7, which the importer does not know, as it reads no
 * more than it needs: `planRecord` says `merge`. The store rejects the note (its outcome is `left`), since it was
 * created at another time. The note is planned again, now with the stored note 7; `planRecord` says `renumber`, and the
 * next batch adds it as note 12.
 */
export class Importer {
  readonly report = createEmptyImportReport();
  readonly #store: ImportTarget;
  readonly #options: ImportOptions;
  readonly #knownOrigins: KnownOrigins;
  readonly #knownDuplicates: KnownDuplicates;
  readonly #batches = new NoteBatches<PendingNote>((batch) => this.#mergeBatchAndCountResults(batch));
  readonly #deferred = new DeferredRecords();
  /** Records whose notes the store has rejected. What it has of them is read when they are planned again. */
  readonly #rejected: NoteRecord[] = [];
  /** Versions that no history has room for. They become notes. */
  readonly #versionsWithoutHistory: NoteRecord[] = [];
  /** Whether the store has failed; then nothing more is merged. */
  #hasFailed = false;
  #lastStored: Note | undefined;
  readonly #renumbered = new LatestRenumberedStates();

  constructor(store: ImportTarget, options: ImportOptions) {
    this.#store = store;
    this.#knownOrigins = new KnownOrigins(store, options.isOriginOfOtherSource);
    this.#knownDuplicates = new KnownDuplicates(store, options.digest);
    this.#options = options;
  }

  /** Imports all records. If reading fails, those that came before are imported. */
  async importRecords(records: AsyncIterable<ReadRecord> | Iterable<ReadRecord>): Promise<void> {
    try {
      for await (const record of records) {
        if (record.kind === 'note') await this.#countAndImportOrDefer(record);
        else this.#countAndNotifySkipped(record);
      }
    } finally {
      if (!this.#hasFailed) await this.#importDeferredAndSendAll();
    }
  }

  async #countAndImportOrDefer(record: NoteRecord): Promise<void> {
    this.report.read++;
    if (record.remark !== undefined) this.#options.onRemark?.(record.location, record.remark);
    await this.#importOrDefer({ record, known: await this.#sendBatchIfRepeatedAndReadKnown(record) });
    await this.#importQueuedRecordsAgain();
    if (this.#deferred.isFull) await this.#sendBatchAndImportDeferred();
  }

  async #importDeferredAndSendAll(): Promise<void> {
    do await this.#sendBatchAndImportDeferred();
    while (!this.#deferred.isEmpty || this.#hasQueuedRecords() || this.#batches.hasPendingItems);
  }

  async #importOrDefer({ record, known }: KnownRecord): Promise<void> {
    if (planDependsOnDuplicates(record, known)) {
      this.#deferred.add({ record, known });
      return;
    }
    // If the store rejects a note that was planned with the change time of its file, its record is planned without this
    // time: otherwise the same plan would follow without end.
    const { fileTime: _, ...once } = record;
    await this.#applyAction(known.stored === undefined ? record : once, planRecord(record, known));
  }

  /**
   * Imports the records again whose notes the store has rejected, and the versions for which no history has room. While
   * these are imported, a batch may be sent, and the store may reject notes of this batch: therefore the loop goes on
   * until no record is waiting.
   */
  async #importQueuedRecordsAgain(): Promise<void> {
    while (this.#hasQueuedRecords()) {
      for (const record of this.#rejected.splice(0))
        await this.#importOrDefer(await this.#prepareRejectedForPlanning(record));
      for (const record of this.#versionsWithoutHistory.splice(0)) await this.#importOrDefer({ record, known: {} });
    }
  }

  #hasQueuedRecords(): boolean {
    return this.#rejected.length > 0 || this.#versionsWithoutHistory.length > 0;
  }

  /**
   * Sends the pending batch, then plans the records whose duplicates matter. The duplicates are looked up for all
   * records at once. Records with ids come first, so that none of the others gets an id that one of them has.
   */
  async #sendBatchAndImportDeferred(): Promise<void> {
    await this.#batches.sendPendingBatch();
    await this.#importQueuedRecordsAgain();
    const deferred = this.#deferred.removeAll();
    if (deferred.length === 0) return;
    const candidates = await this.#knownDuplicates.readDuplicateCandidatesByKey(
      deferred.map(({ record }) => record.note),
    );
    const { withId = [], others = [] } = Object.groupBy(deferred, ({ record, known }) =>
      record.note.id !== undefined && known.stored === undefined ? 'withId' : 'others',
    );
    const ordered = [...withId, ...others];
    for (let at = 0; at < ordered.length; at += maxConcurrentReads) {
      const some = ordered.slice(at, at + maxConcurrentReads);
      const found = await Promise.all(
        some.map(({ record }) => this.#readDuplicateAndFormerDuplicate(record, candidates)),
      );
      for (const [index, { record, known }] of some.entries()) {
        const duplicates = this.#toDuplicatesForPlan(record, known.origin, found[index]);
        await this.#applyAction(record, planRecord(record, { ...known, ...duplicates }));
      }
    }
  }

  /**
   * Remembers the key of the source of a record, and reads what the store has of this source. If the key has occurred
   * before, the current batch is sent first: the store does not have the notes of the batch yet.
   */
  async #sendBatchIfRepeatedAndReadKnown(record: NoteRecord): Promise<Known> {
    const { origin: key, isDated = false } = record;
    if (key === undefined) return {};
    await this.#knownOrigins.loadAllOriginsOnce();
    if (!this.#knownOrigins.isLoadedAndSupported) return {};
    const isFirst = this.#knownOrigins.rememberKeyAndCheckFirst(key);
    if (!isFirst && !isDated) return {}; // Two items with the same name and without times are two notes.
    if (!isFirst) await this.#batches.sendPendingBatch();
    const origin = await createOriginWithFingerprint(key, record);
    return (await this.#knownOrigins.readKnownSourceIfPresent(record, origin)) ?? { origin };
  }

  /**
   * Reads the stored note because of which the store has rejected the note of a record: the stored note has the same
   * id or the same origin. If the stored note is another one with the same id, the record will get a new id, which is
   * remembered.
   */
  async #prepareRejectedForPlanning(record: NoteRecord): Promise<KnownRecord> {
    const { note } = record;
    if (note.id === undefined) return this.#sendBatchAndReadKnownRecord(record);
    const stored = await this.#readAndCacheStoredNoteOrThrow(note.id);
    const isOther = stored.createdAt !== note.createdAt;
    const hasRenumberedLaterState = isOther && this.#renumbered.hasLaterState(note);
    if (isOther && !hasRenumberedLaterState) this.#renumbered.rememberFirstState(note);
    return { record, known: { stored, hasRenumberedLaterState } };
  }

  /**
   * Reads the stored note that already has the origin of a new note: the note of an earlier record, or of another
   * import that runs at the same time. Sends the current batch first, and loads the origins again if none has this key.
   */
  async #sendBatchAndReadKnownRecord(record: NoteRecord): Promise<KnownRecord> {
    const { origin, ...note } = record.note;
    const own = { ...record, note };
    if (record.origin === undefined || origin === undefined) return { record: own, known: {} };
    await this.#batches.sendPendingBatch();
    if (!this.#knownOrigins.hasOriginWithKey(origin.key)) await this.#knownOrigins.loadAllOrigins();
    const known = await this.#knownOrigins.readKnownSourceIfPresent(
      own,
      await createOriginWithFingerprint(origin.key, own),
    );
    return { record: own, known: known ?? {} };
  }

  /** Versions of a note often follow each other, so that the last note is remembered for a batch. */
  async #readAndCacheStoredNoteOrThrow(id: number): Promise<Note> {
    if (this.#lastStored?.id !== id) this.#lastStored = await this.#store.get(id);
    return this.#lastStored;
  }

  async #readDuplicateAndFormerDuplicate(
    { note, formerTitle }: NoteRecord,
    candidates: DuplicateCandidates,
  ): Promise<FoundDuplicates> {
    const hasFormerTitle = note.id === undefined && formerTitle !== undefined;
    return {
      duplicate: await this.#knownDuplicates.findStoredDuplicate(note, candidates),
      formerDuplicate: hasFormerTitle
        ? await this.#knownDuplicates.findStoredDuplicate({ ...note, title: formerTitle }, candidates)
        : undefined,
    };
  }

  #toDuplicatesForPlan({ note }: NoteRecord, origin: Origin | undefined, found?: FoundDuplicates): Known {
    const toDuplicate = (duplicate: Note | undefined): Duplicate | undefined => {
      const mayFollow =
        duplicate !== undefined && (origin === undefined || this.#knownOrigins.canReplaceOriginOfNote(duplicate.id));
      return duplicate && { note: mayFollow ? duplicate : undefined };
    };
    return {
      duplicate: this.#knownDuplicates.hasAddedDuplicate(note) ? {} : toDuplicate(found?.duplicate),
      formerDuplicate: toDuplicate(found?.formerDuplicate),
    };
  }

  async #applyAction(record: NoteRecord, action: ImportAction): Promise<void> {
    if (action.do === 'count') return this.#countNoteAndNotify(record, action);
    if (action.do === 'leave out') {
      return this.#recountReadAsSkipped({ kind: 'left out', location: record.location, reason: action.because });
    }
    const { note } = action;
    const isNew = action.do === 'add' || action.do === 'renumber';
    if (action.do === 'renumber') addOutcomeToReport(this.report, 'renumbered', record.note.id);
    if (isNew || action.do === 'retitle') this.#knownDuplicates.rememberAddedNote(note);
    if (note.id !== undefined && note.origin !== undefined)
      this.#knownOrigins.rememberOriginIfOwned(note.id, note.origin);
    await this.#batches.addItemAndSendWhenFull({ note, record, action });
  }

  async #mergeBatchAndCountResults(batch: readonly PendingNote[]): Promise<void> {
    try {
      const results = await this.#store.merge(batch.flatMap(listNotesToMerge));
      for (const { outcome, id } of results) if (outcome === 'added' && id !== undefined) this.#options.onAdded?.(id);
      this.#lastStored = undefined;
      let at = 0;
      for (const pending of batch) {
        this.#countResultOrQueueAgain(pending, results[at], results[at + 1]);
        at += listNotesToMerge(pending).length;
      }
    } catch (error) {
      const isRejected = error instanceof NoteError && error.code === 'invalid';
      if (!isRejected || batch.length > 1) {
        this.#hasFailed = true;
        throw toBatchErrorIfNoteError(error, batch.length);
      }
      for (const { record } of batch) this.#recountReadAsSkipped(createBadRecord(record.location, error.message));
    }
    this.#options.onBatch(this.report);
  }

  /**
   * Counts what the store has done with a note and with its version. The results are those of `PortableStore.merge`. A
   * note that the store rejects is imported again.
   */
  #countResultOrQueueAgain(
    pending: PendingNote,
    result?: ImportTargetResult,
    versionResult?: ImportTargetResult,
  ): void {
    const { note, record, action } = pending;
    const { outcome, id } = result ?? { outcome: 'unchanged' };
    if (outcome === 'left') {
      this.#rejected.push({ ...record, note });
      if (note.id === undefined) this.#knownDuplicates.forgetAddedNote(note);
      return;
    }
    if (id !== undefined && note.id === undefined && note.origin !== undefined)
      this.#knownOrigins.rememberOrigin(id, note.origin);
    if (record.pin !== undefined) this.#options.onPinned?.(record.pin, id ?? note.id);
    if (action.do === 'add version') this.#countVersionOrQueueAsNote(record, action, versionResult);
    else if (action.do === 'retitle' && outcome === 'updated') addOutcomeToReport(this.report, 'retitled');
    else addOutcomeToReport(this.report, outcome, note.id);
    if (outcome === 'unchanged' && action.do !== 'add version') this.#notifyUnchangedIfIdKnown(record, id ?? note.id);
  }

  /**
   * Counts a version that the store has. A store without histories, or with a full one, does not have it: then it
   * becomes a note.
   */
  #countVersionOrQueueAsNote(
    { location }: NoteRecord,
    { note, version }: Extract<ImportAction, { do: 'add version' }>,
    result?: ImportTargetResult,
  ): void {
    const isStored = result?.outcome === 'left' && version.updatedAt < note.updatedAt;
    if (isStored) addOutcomeToReport(this.report, 'versions');
    else this.#versionsWithoutHistory.push({ kind: 'note', location, note: copyWithoutId(version) });
  }

  #countNoteAndNotify(record: NoteRecord, { as, because, id }: Extract<ImportAction, { do: 'count' }>): void {
    const { note, location, pin, origin } = record;
    addOutcomeToReport(this.report, as, note.id);
    if (as === 'unchanged') this.#notifyUnchangedIfIdKnown(record, id ?? this.#knownOrigins.findNoteId(origin));
    if (pin !== undefined && id !== undefined) this.#options.onPinned?.(pin, id);
    if (as !== 'left') return;
    this.#options.onRemark?.(location, `Note ${note.id} "${truncateText(note.title, 60)}" stays as it is: ${because}`);
  }

  #notifyUnchangedIfIdKnown(record: NoteRecord, id: number | undefined): void {
    if (id !== undefined) this.#options.onUnchanged?.(id, record);
  }

  #countAndNotifySkipped(record: SkippedRecord): void {
    this.report[record.kind === 'left out' ? 'leftOut' : record.kind] += record.count ?? 1;
    this.#options.onSkipped(record);
  }

  /** Counts a note as skipped that was counted as read before. */
  #recountReadAsSkipped(record: SkippedRecord): void {
    this.report.read--;
    this.#countAndNotifySkipped(record);
  }
}

/** Lists the notes to merge. Of two states the later one is first, so that the other one becomes its version. */
const listNotesToMerge = ({ note, action }: PendingNote): readonly PortableNote[] =>
  action.do === 'add version' ? [note, action.version] : [note];

/** Adds to the message of an error how many notes of the batch it is about. Earlier batches are stored. */
function toBatchErrorIfNoteError(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, or its answer was lost';
  return error.withMessage(`A batch of ${formatNoteCount(notes)} was ${state}: ${error.message}`);
}

const copyWithoutId = ({ id: _, ...note }: PortableNote): PortableNote => note;
