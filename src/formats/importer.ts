import { NoteError } from '../core/error.ts';
import type { Note, Origin, PortableNote } from '../core/note.ts';
import type { MergeOutcome, PortableStore } from '../core/store.ts';
import { counted, part } from '../core/tools/text.ts';
import { KnownOrigins } from './known-origins.ts';
import { type Candidates, KnownTwins } from './known-twins.ts';
import { NoteBatches } from './note-batches.ts';
import { createOrigin } from './origin.ts';
import { type Action, dependsOnTwins, type Known, planRecord, type Twin } from './plan-record.ts';
import { createBadRecord, type NoteRecord, type ReadRecord } from './record.ts';

/** Counts of the results of an import. */
export type ImportReport = ReturnType<typeof createEmptyReport>;

export const createEmptyReport = () => ({
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
  /** The first `maxListedIds` ids of each. */
  updatedIds: [] as number[],
  leftIds: [] as number[],
  renumberedIds: [] as number[],
});

const maxListedIds = 1_000;

/** Outcomes whose ids are reported. */
const listedOutcomes = ['updated', 'left', 'renumbered'] as const;

type CountedOutcome = MergeOutcome | 'versions' | 'renumbered' | 'retitled';

/** Counts a note, and records its id if the report lists those. */
function countOutcome(report: ImportReport, what: CountedOutcome, id?: number): void {
  report[what]++;
  const listing = listedOutcomes.find((name) => name === what);
  const ids = listing && report[`${listing}Ids`];
  if (id !== undefined && ids !== undefined && ids.length < maxListedIds) ids.push(id);
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
  readonly isOriginOfOtherSource?: (key: string) => boolean;
  /** Shortens a text to a strong hash, or returns the text: a collision would lose a note. */
  readonly digest: (text: string) => string;
}

/** The target of an import. */
export interface ImportTarget extends Pick<PortableStore, 'findCreatedAt' | 'origins' | 'get' | 'history'> {
  /** Only a dry run answers `versions`: for an older state of a source, which would go to the history of a new note. */
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
  readonly action: Exclude<Action, { do: 'count' | 'leave out' }>;
}

/** The stored notes with the text of a record. */
interface FoundTwins {
  readonly twin: Note | undefined;
  readonly formerTwin: Note | undefined;
}

/** A record whose plan waits for its twins, and what is known of it beside them. */
interface DeferredRecord {
  readonly record: NoteRecord;
  readonly known: Known;
}

/** Limit of held records, in characters. */
const maxDeferredLength = 16 * 1024 * 1024;

/** The number of notes that are read at once. */
const maxConcurrentReads = 16;

/**
 * Merges records into a store in batches, and counts the outcomes in `report`. For each record it reads what the store
 * has of it, lets `planRecord` decide, and applies that. A note that the store leaves is planned again.
 */
export class Importer {
  readonly report = createEmptyReport();
  readonly #store: ImportTarget;
  readonly #options: ImportOptions;
  readonly #batches = new NoteBatches<PendingNote>((batch) => this.#mergeBatch(batch));
  readonly #deferred: DeferredRecord[] = [];
  #deferredLength = 0;
  readonly #knownOrigins: KnownOrigins;
  readonly #knownTwins: KnownTwins;
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
        else this.#countSkipped(record);
      }
    } finally {
      if (!this.#hasFailed) await this.#finishPending();
    }
  }

  async #finishPending(): Promise<void> {
    do await this.#planAndApplyDeferred();
    while (this.#deferred.length > 0 || this.#batches.isPending);
  }

  async #importRecord(record: NoteRecord): Promise<void> {
    this.report.read++;
    if (record.remark !== undefined) this.#options.onRemark?.(record.location, record.remark);
    await this.#planAndApply(record, await this.#readKnownSource(record));
  }

  async #planAndApply(record: NoteRecord, known: Known): Promise<void> {
    if (!dependsOnTwins(record, known)) return this.#applyAction(record, planRecord(record, known));
    this.#deferred.push({ record, known });
    this.#deferredLength += record.note.title.length + record.note.content.length;
    if (this.#deferredLength > maxDeferredLength) await this.#planAndApplyDeferred();
  }

  /**
   * Plans the records whose twins matter, which are looked up for all at once. Those with ids come first, so that none
   * of the others gets an id that one of them has.
   */
  async #planAndApplyDeferred(): Promise<void> {
    await this.#batches.sendBatch();
    const held = this.#deferred.splice(0);
    this.#deferredLength = 0;
    if (held.length === 0) return;
    const candidates = await this.#knownTwins.readCandidates(held.map(({ record }) => record.note));
    const { withId = [], others = [] } = Object.groupBy(held, ({ record, known }) =>
      record.note.id !== undefined && known.stored === undefined ? 'withId' : 'others',
    );
    const ordered = [...withId, ...others];
    for (let at = 0; at < ordered.length; at += maxConcurrentReads) {
      const some = ordered.slice(at, at + maxConcurrentReads);
      const found = await Promise.all(some.map(({ record }) => this.#findTwins(record, candidates)));
      for (const [index, { record, known }] of some.entries()) {
        const twins = this.#toKnownTwins(record, known.origin, found[index]);
        await this.#applyAction(record, planRecord(record, { ...known, ...twins }));
      }
    }
  }

  #countSkipped(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report[record.kind === 'left out' ? 'leftOut' : record.kind] += record.count ?? 1;
    this.#options.onSkipped(record);
  }

  /** Leaves out a note that was counted as read. */
  #countReadAsSkipped(record: Exclude<ReadRecord, NoteRecord>): void {
    this.report.read--;
    this.#countSkipped(record);
  }

  async #readKnownSource(record: NoteRecord): Promise<Known> {
    const { origin: key, isDated = false } = record;
    if (key === undefined || !(await this.#knownOrigins.storesOrigins())) return {};
    const isFirst = this.#knownOrigins.markSeen(key);
    if (!isFirst && !isDated) return {}; // two items of one name are two notes
    if (!isFirst) await this.#batches.sendBatch(); // the update of its note may be in the batch
    const origin = await createOrigin(key, record);
    return (await this.#knownOrigins.readKnownSource(record, origin)) ?? { origin };
  }

  async #findTwins({ note, formerTitle }: NoteRecord, candidates: Candidates): Promise<FoundTwins> {
    const hasFormerTitle = note.id === undefined && formerTitle !== undefined;
    return {
      twin: await this.#knownTwins.findTwin(note, candidates),
      formerTwin: hasFormerTitle
        ? await this.#knownTwins.findTwin({ ...note, title: formerTitle }, candidates)
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

  async #applyAction(record: NoteRecord, action: Action): Promise<void> {
    if (action.do === 'count') return this.#countAction(record, action);
    if (action.do === 'leave out') {
      return this.#countReadAsSkipped({ kind: 'left out', location: record.location, reason: action.because });
    }
    const { note } = action;
    const isNew = action.do === 'add' || action.do === 'renumber';
    if (action.do === 'renumber') countOutcome(this.report, 'renumbered', record.note.id);
    if (isNew || action.do === 'retitle') this.#knownTwins.rememberAdded(note);
    if (note.id !== undefined && note.origin !== undefined) this.#knownOrigins.updateOwnOrigin(note.id, note.origin);
    await this.#batches.addItem({ note, record, action });
  }

  #countAction({ note, location }: NoteRecord, { as, because }: Extract<Action, { do: 'count' }>): void {
    countOutcome(this.report, as, note.id);
    if (as !== 'left') return;
    this.#options.onRemark?.(location, `Note ${note.id} "${part(note.title, 60)}" stays as it is: ${because}`);
  }

  async #mergeBatch(batch: readonly PendingNote[]): Promise<void> {
    try {
      const results = await this.#store.merge(batch.flatMap(listNotesToMerge));
      for (const { outcome, id } of results) if (outcome === 'added' && id !== undefined) this.#options.onAdded?.(id);
      this.#lastStored = undefined;
      let at = 0;
      for (const pending of batch) {
        await this.#handleMergeResult(pending, results[at], results[at + 1]);
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

  /** Handles what `decideMerge` in store/decide-merge.ts has decided about a note, and about its version. */
  async #handleMergeResult(
    pending: PendingNote,
    result?: ImportTargetResult,
    versionResult?: ImportTargetResult,
  ): Promise<void> {
    const { note, record, action } = pending;
    const { outcome, id } = result ?? { outcome: 'unchanged' };
    if (outcome === 'left') return this.#planLeftNote(pending);
    if (id !== undefined && note.id === undefined && note.origin !== undefined)
      this.#knownOrigins.setOrigin(id, note.origin);
    if (action.do === 'retitle' && outcome === 'updated') return countOutcome(this.report, 'retitled');
    if (action.do !== 'add version') return countOutcome(this.report, outcome, note.id);
    const { version } = action;
    if (versionResult?.outcome === 'left' && version.updatedAt < note.updatedAt)
      return countOutcome(this.report, 'versions');
    // Without a history, it becomes its own note.
    await this.#planAndApply({ kind: 'note', location: record.location, note: omitId(version) }, {});
  }

  /** Plans what the store has left: another note has its id or its origin, is newer, or differs at the same time. */
  async #planLeftNote({ note, record }: PendingNote): Promise<void> {
    if (note.id === undefined) return this.#planNoteWithOwnedOrigin(note, record);
    const left = { ...record, note };
    const known = await this.#readStoredNote(note, note.id);
    if (dependsOnTwins(left, known)) return this.#planAndApply(left, known);
    const { fileTime: _, ...once } = left; // that its file was edited counts once
    await this.#applyAction(once, planRecord(left, known));
  }

  async #readStoredNote(note: PortableNote, id: number): Promise<Known> {
    // Versions of a note often follow each other, so the last note is remembered for a batch.
    if (this.#lastStored?.id !== id) this.#lastStored = await this.#store.get(id);
    const stored = this.#lastStored;
    const isOther = stored.createdAt !== note.createdAt;
    return { stored, hasLaterState: isOther && this.#hasLaterState(id, note) };
  }

  /** Whether a later state of the note was given a new id. It remembers the first state, which is the latest one. */
  #hasLaterState(id: number, { createdAt, updatedAt }: PortableNote): boolean {
    const key = `${id} ${createdAt}`;
    const latest = this.#renumbered.get(key);
    if (latest === undefined) this.#renumbered.set(key, updatedAt);
    return latest !== undefined && updatedAt < latest;
  }

  /** Plans a new note whose origin another one has: of an earlier record, another import or, in an export, changed here. */
  async #planNoteWithOwnedOrigin({ origin, ...note }: PortableNote, record: NoteRecord): Promise<void> {
    this.#knownTwins.forgetAdded(note); // it was not added
    const own = { ...record, note };
    if (record.origin === undefined || origin === undefined) return this.#planAndApply(own, {});
    await this.#batches.sendBatch();
    if (!this.#knownOrigins.hasKey(origin.key)) await this.#knownOrigins.readAll();
    const known = await this.#knownOrigins.readKnownSource(own, await createOrigin(origin.key, own));
    await this.#planAndApply(own, known ?? {});
  }
}

/** The notes to merge: of two states the later one first, so that the other one becomes its version. */
const listNotesToMerge = ({ note, action }: PendingNote): readonly PortableNote[] =>
  action.do === 'add version' ? [note, action.version] : [note];

/** Converts the error of one batch; earlier batches are stored. */
function toBatchError(error: unknown, notes: number): unknown {
  if (!(error instanceof NoteError)) return error;
  const state = error.outcome === 'none' ? 'not stored' : 'not stored, or its answer was lost';
  return error.reworded(`A batch of ${counted(notes)} was ${state}: ${error.message}`);
}

const omitId = ({ id: _, ...note }: PortableNote): PortableNote => note;
