import type { Labels } from '../core/labels.ts';
import type { Note, NoteFilter, NoteHead, PortableNote } from '../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin, SearchOptions } from '../core/store.ts';
import type { Write, WriteOutcome } from './decide-write.ts';
import type { NoteChange } from './note-change.ts';

/**
 * What a database must be able to do. `DatabaseNoteStore` batches writes, caches lists and reports changes above it, in
 * the same way for every database. Whatever a storage returns is durable. Its errors are `NoteError`s.
 */
export interface Storage extends AsyncDisposable {
  /** The address of the database, without passwords. */
  readonly location: string;
  /** Whether `readChanges` can tell what was committed. Without that, no list is cached and no change is reported. */
  readonly hasChangeLog: boolean;
  readonly timeouts: StorageTimeouts;

  /**
   * Commits a batch of writes. Calls `nextBatch` once it can begin, so that writes which arrive before that are in the
   * batch too. Resolves with the outcome of each once they are durable, and once `readChanges` reports them. A write
   * with the outcome `busy` had no effect and may be tried again.
   */
  commitBatch(nextBatch: () => readonly Write[]): Promise<readonly WriteOutcome[]>;
  /** Merges notes in one transaction. See `PortableStore.merge`. */
  merge(notes: readonly PortableNote[], options: MergeOptions): Promise<readonly MergeResult[]>;
  updateLabels(labels: Labels): Promise<void>;
  /** Also deletes the sessions that would have ended by themselves before `deleteBefore`. Times in ms since 1970. */
  insertEndedSession(id: string, endsAt: number, deleteBefore: number): Promise<void>;

  /** Reads the matching notes in ascending order of id; undefined if they may have more than `maxLength` UTF-16 units. */
  readShortList(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined>;
  /** Opens all matching notes as they are at one moment, in ascending order of id. */
  openSnapshot(filter: NoteFilter): Promise<Snapshot>;
  /** Names the present notes without reading them: equal fingerprints, equal notes. Undefined if it cannot be told. */
  readFingerprint(): Promise<string | undefined>;

  /** The present moment, or one before the call. */
  readMoment(): Moment | Promise<Moment>;
  /** Reads what any program has committed after a moment. Returns at once if that needs no question to a server. */
  readChanges(since: Moment | undefined): ChangesSince | Promise<ChangesSince>;
  /** Resolves when there may be changes since a moment, and from time to time. */
  waitForChanges(since: Moment): Promise<void>;

  readNote(id: number): Promise<Note | undefined>;
  readVersions(range: VersionsRange): Promise<readonly Note[]>;
  readNewest(filter: NoteFilter, limit: number): Promise<Found>;
  /** For a database that reads notes without their contents faster. */
  readNewestHeads?(options: SearchOptions): Promise<Found<NoteHead>>;
  readNotesCreatedAt(times: readonly string[], after: number): Promise<readonly CreatedNote[]>;
  readOrigins(after: number): Promise<readonly NoteOrigin[]>;
  readLabels(): Promise<Labels>;
  readLastId(): Promise<number>;
  isSessionEnded(id: string): Promise<boolean>;

  /** Reads, writes and rolls back. Throws `unavailable` if notes cannot be read or written. */
  check(): Promise<void>;
  readStats(): Promise<EngineStats>;
}

/** All in ms. */
export interface StorageTimeouts {
  /** How long a write may wait, also for another program that holds the database. */
  readonly waitMs: number;
  /** How much longer a write may take that has begun: it may still turn out to have had no effect. */
  readonly graceMs: number;
  /** How often waiting writes are checked. */
  readonly checkIntervalMs: number;
  /** How long closing waits for writes that have begun; by default as long as they take. */
  readonly closeMs?: number;
}

export interface MergeOptions {
  /** Whether to return the results without storing anything. */
  readonly isDryRun: boolean;
  /** New ids follow this one. */
  readonly lastId: number;
}

export interface Snapshot {
  /** Names the notes that it shows: see `readFingerprint`. */
  readonly fingerprint: string | undefined;
  /** Read to the end or return: until then they hold a connection. */
  readonly pages: AsyncGenerator<readonly Note[], void, void>;
}

/** A moment in the history of the database, as a text that clients may hold as a cursor. */
export type Moment = string;

/** What was committed after a moment. */
export interface ChangesSince {
  /** The oldest first. A note may be reported twice. Undefined if anything may have changed. */
  readonly changes: readonly NoteChange[] | undefined;
  /** The moment up to which the changes are complete. */
  readonly moment: Moment;
}

/** Versions to read, in descending order of note and time. */
export interface VersionsRange {
  /** Exclusive upper bound: versions of lower ids, and those of this id before a time in ms since 1970. */
  readonly end: { readonly id: number; readonly updatedAt: number };
  readonly lowestId: number;
  readonly limit: number;
}
