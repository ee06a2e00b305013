import { NoteError } from '../core/error.ts';
import * as message from '../core/error-messages.ts';
import type { Note, NoteDraft, NoteFilter, NoteHead, NotePatch, PortableNote } from '../core/note.ts';
import { formatPinnedNoteNotFound, type Pins, pinsChanged } from '../core/pins.ts';
import type {
  CreatedNote,
  EngineStats,
  Found,
  IfMatch,
  JsonList,
  MergeResult,
  NoteEngine,
  NoteOrigin,
  SearchOptions,
} from '../core/store.ts';
import { applyLabelChanges, type LabelChanges, type Labels, toLabels } from '../core/value-labels.ts';
import { Committer } from './committer.ts';
import type { Write, WriteResult } from './decide-write.ts';
import { NoteLists } from './note-lists.ts';
import type { NoteStorage } from './note-storage.ts';
import { StorageChangeFeed } from './storage-change-feed.ts';
import { endedSessionGraceMs, type StoreSettings } from './store-settings.ts';
import { streamVersionsInBatches } from './version-batches.ts';

/**
 * The store that the service and the commands use, on the storage of any database. A write waits in the committer, is
 * made durable together with others, and then its note is returned. The caches of lists and the events learn of it from
 * the changes that the storage reports, exactly as they learn of writes by other programs.
 */
export class DatabaseNoteStore implements NoteEngine {
  readonly location: string;
  readonly feed: StorageChangeFeed | undefined;
  /** Undefined for a database that does not read notes faster without their contents. */
  readonly readLastChangedHeadsAndTotal?: (options: SearchOptions) => Promise<Found<NoteHead>>;
  readonly #storage: NoteStorage;
  readonly #settings: StoreSettings;
  readonly #committer: Committer<Write, Note>;
  readonly #lists: NoteLists;
  #closing: Promise<void> | undefined;

  constructor(storage: NoteStorage, settings: StoreSettings) {
    this.location = storage.location;
    this.feed = storage.hasChangeLog ? new StorageChangeFeed(storage) : undefined;
    if (storage.readLastChangedHeadsAndTotal)
      this.readLastChangedHeadsAndTotal = storage.readLastChangedHeadsAndTotal.bind(storage);
    this.#storage = storage;
    this.#settings = settings;
    this.#committer = new Committer(
      (dequeueWrites) => this.#dequeueCommitAndReportDuration(dequeueWrites),
      storage.timeouts,
    );
    this.#lists = new NoteLists(storage, settings.cacheBytes);
  }

  create(draft: NoteDraft): Promise<Note> {
    return this.#committer.submit({ kind: 'create', draft });
  }

  update(id: number, change: NotePatch, ifMatch?: IfMatch): Promise<Note> {
    return this.#committer.submit({ kind: 'change', id, change, ...(ifMatch && { ifMatch }) });
  }

  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note> {
    return this.#committer.submit({ kind: 'change', id, change: { archived }, ...(ifMatch && { ifMatch }) });
  }

  async #dequeueCommitAndReportDuration(dequeueWrites: () => readonly Write[]): Promise<readonly WriteResult[]> {
    let begunAt = performance.now();
    const outcomes = await this.#storage.dequeueAndCommitBatch(() => {
      begunAt = performance.now(); // the wait for other work is no part of the commit
      return dequeueWrites();
    });
    if (outcomes.length > 0) this.#settings.onCommit(outcomes.length, (performance.now() - begunAt) / 1000);
    return outcomes;
  }

  async get(id: number): Promise<Note> {
    const note = await this.#storage.readNote(id);
    if (note === undefined) throw new NoteError('not_found', message.noSuchNote(id));
    return note;
  }

  listJson(filter: NoteFilter, known: readonly string[] = []): JsonList | Promise<JsonList> {
    return this.#lists.getJsonList(filter, known);
  }

  async *scan(filter: NoteFilter = {}): AsyncGenerator<readonly Note[], void, void> {
    const { pages } = await this.#storage.openListSnapshot(filter);
    yield* pages;
  }

  async list(filter: NoteFilter = {}): Promise<Note[]> {
    return (await Array.fromAsync(this.scan(filter))).flat();
  }

  async *history(id: number, limit?: number): AsyncGenerator<readonly Note[], void, void> {
    let isEmpty = true;
    for await (const versions of streamVersionsInBatches(this.#storage, { id, limit })) {
      isEmpty = false;
      yield versions;
    }
    if (isEmpty) await this.get(id); // throws if there is no such note
  }

  streamAllVersionBatches(): AsyncGenerator<readonly Note[], void, void> {
    return streamVersionsInBatches(this.#storage);
  }

  readLastChangedNotesAndTotal(filter: NoteFilter, limit: number): Promise<Found> {
    return this.#storage.readLastChangedNotesAndTotal(filter, limit);
  }

  readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]> {
    return this.#storage.readCreatedNotesPage(times, after);
  }

  async merge(notes: readonly PortableNote[], { dryRun = false, lastId = 0 } = {}): Promise<readonly MergeResult[]> {
    this.#assertOpen();
    return this.#storage.merge(notes, { isDryRun: dryRun, lastId });
  }

  readOriginsPage(after: number): Promise<readonly NoteOrigin[]> {
    return this.#storage.readOriginsPage(after);
  }

  readHighestAssignedId(): Promise<number> {
    return this.#storage.readHighestAssignedId();
  }

  async labels(): Promise<Labels> {
    return toLabels(await this.#storage.readLabels());
  }

  async setLabels(changes: LabelChanges): Promise<Labels> {
    this.#assertOpen();
    return toLabels(await this.#storage.updateLabels((stored) => applyLabelChanges(stored, changes)));
  }

  async readPins(): Promise<Pins> {
    return createPins(await this.#storage.readPinnedIds());
  }

  async replacePins(ids: readonly number[], ifMatch?: IfMatch): Promise<Pins> {
    this.#assertOpen();
    const existing = new Set(await this.#storage.readExistingIds(ids));
    const unknown = ids.find((id) => !existing.has(id)); // no note is ever deleted, so that this stays true
    if (unknown !== undefined) throw new NoteError('invalid', formatPinnedNoteNotFound(unknown));
    if (!(await this.#replacePinnedIdsIfMatch(ids, ifMatch))) throw new NoteError('conflict', pinsChanged);
    return createPins(ids);
  }

  /** Changes nothing and returns false if the stored pins have none of the revisions. */
  async #replacePinnedIdsIfMatch(ids: readonly number[], ifMatch: IfMatch | undefined): Promise<boolean> {
    if (ifMatch === undefined) return this.#storage.replacePinnedIdsIfExpected(ids);
    const stored = await this.readPins();
    return ifMatch.includes(stored.revision) && this.#storage.replacePinnedIdsIfExpected(ids, stored.ids);
  }

  async endSession(id: string, endsAt: number): Promise<void> {
    this.#assertOpen();
    await this.#storage.insertEndedSessionAndDeleteExpired(id, endsAt, Date.now() - endedSessionGraceMs);
  }

  isSignInSessionEnded(id: string): Promise<boolean> {
    return this.#storage.isSignInSessionEnded(id);
  }

  assertReadableAndWritable(): Promise<void> {
    return this.#storage.assertReadableAndWritable();
  }

  readStats(): Promise<EngineStats> {
    return this.#storage.readStats();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { closeMs } = this.#storage.timeouts;
    const committed = this.#committer.close();
    await (closeMs === undefined ? committed : Promise.race([committed, Bun.sleep(closeMs)]));
    await this.#storage[Symbol.asyncDispose]();
  }

  #assertOpen(): void {
    if (this.#closing) throw new NoteError('busy', message.storeClosed);
  }
}

/** The revision follows from the ids, so that it stays the same through a restart, a backup and another instance. */
const createPins = (ids: readonly number[]): Pins => ({ ids, revision: Bun.hash.xxHash3(ids.join()).toString(36) });
