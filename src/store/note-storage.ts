import type { Note, NoteFilter, NoteHead, PortableNote } from '../core/note.ts';
import type { CreatedNote, EngineStats, Found, MergeResult, NoteOrigin, SearchOptions } from '../core/store.ts';
import type { StoredLabels } from '../core/value-labels.ts';
import type { Write, WriteResult } from './decide-write.ts';
import type { NoteChange } from './note-change.ts';

/**
 * What a database must be able to do: the port between `DatabaseNoteStore` and the two databases. The store batches
 * writes, caches lists and reports changes above it, in the same way for every database. Everything that a storage
 * returns is durable. Its errors are `NoteError`s.
 */
export interface NoteStorage extends AsyncDisposable {
  /** The address of the database, without passwords. */
  readonly location: string;
  /**
   * Whether `readChangesAndCursorSince` can tell what was committed. If not, no list is cached and no change is
   * reported.
   */
  readonly hasChangeLog: boolean;
  readonly timeouts: StorageTimeouts;

  /**
   * Commits a batch of writes. It calls `dequeueWrites` once it can begin, so that writes which arrive until then are
   * in the batch too. Resolves with the outcome of each write, in order, when they are durable and
   * `readChangesAndCursorSince` reports them. A write with the outcome `busy` had no effect and may be tried again.
   */
  dequeueAndCommitBatch(dequeueWrites: () => readonly Write[]): Promise<readonly WriteResult[]>;
  /** Merges notes in one transaction. See `PortableStore.merge`. */
  merge(notes: readonly PortableNote[], options: MergeOptions): Promise<readonly MergeResult[]>;
  /**
   * Replaces the labels by what `change` returns for those that are stored, in one transaction, and returns the new
   * ones. Changes nothing if `change` throws.
   */
  updateLabels(change: (stored: StoredLabels) => StoredLabels): Promise<StoredLabels>;
  /** Replaces the ids of the pinned notes. Changes nothing and returns false if they are not those of `expectedIds`. */
  replacePinnedIdsIfExpected(ids: readonly number[], expectedIds?: readonly number[]): Promise<boolean>;
  /** Deletes the ended sessions whose `endsAt` was before `deleteBefore`. Times are in ms since 1970. */
  insertEndedSessionAndDeleteExpired(id: string, endsAt: number, deleteBefore: number): Promise<void>;

  /**
   * Reads the matching notes in ascending order of id; undefined if they may have more than `maxLength` UTF-16 units.
   */
  readListIfWithinChars(filter: NoteFilter, maxLength: number): Promise<readonly Note[] | undefined>;
  /** Opens a snapshot of all matching notes, whose pages are in ascending order of id. */
  openListSnapshot(filter: NoteFilter): Promise<ListSnapshot>;
  /** Returns a text that changes with any note, without reading the notes. Undefined if the database has none. */
  readNotesFingerprintIfLogged(): Promise<string | undefined>;

  /** Returns the cursor of the present state, or of one shortly before the call. */
  readChangeCursor(): ChangeCursor | Promise<ChangeCursor>;
  /**
   * Reads what any program has committed after the state of a cursor. Returns at once, without a promise, if no server
   * has to be asked.
   */
  readChangesAndCursorSince(since: ChangeCursor | undefined): ChangesSince | Promise<ChangesSince>;
  /** Resolves when there may be changes since the cursor, and from time to time without any. */
  waitForPossibleChanges(since: ChangeCursor): Promise<void>;

  readNote(id: number): Promise<Note | undefined>;
  /** Reads versions of one or many notes, fewer than `range.limit` if they are long. */
  readVersionsPage(range: VersionsRange): Promise<readonly Note[]>;
  /**
   * Reads the matching notes that were changed last, fewer than `limit` if they are long, and counts all that match.
   */
  readLastChangedNotesAndTotal(filter: NoteFilter, limit: number): Promise<Found>;
  /** Like `readLastChangedNotesAndTotal`, for a database that reads notes without their contents faster. */
  readLastChangedHeadsAndTotal?(options: SearchOptions): Promise<Found<NoteHead>>;
  /** Reads the first `maxCreated.notes` notes with ids above `afterId` that were created at one of these times. */
  readCreatedNotesPage(times: readonly string[], afterId: number): Promise<readonly CreatedNote[]>;
  /** Reads the origins of the first `maxOrigins` notes with ids above `afterId` that have one. */
  readOriginsPage(afterId: number): Promise<readonly NoteOrigin[]>;
  readLabels(): Promise<StoredLabels>;
  readPinnedIds(): Promise<readonly number[]>;
  /** Reads which of the ids are those of notes, in any order. */
  readExistingIds(ids: readonly number[]): Promise<readonly number[]>;
  readHighestAssignedId(): Promise<number>;
  isSignInSessionEnded(id: string): Promise<boolean>;

  /** Reads notes, writes one and rolls that back. Throws `unavailable` if notes cannot be read or written. */
  assertReadableAndWritable(): Promise<void>;
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
  /** New ids are above this one. */
  readonly lastId: number;
}

/** The notes of a list as they were when the snapshot was opened. */
export interface ListSnapshot {
  /** The fingerprint of the notes that it shows: see `readNotesFingerprintIfLogged`. */
  readonly fingerprint: string | undefined;
  /** They hold a connection until they have been read to the end, or `return` was called. */
  readonly pages: AsyncGenerator<readonly Note[], void, void>;
}

/** Identifies a state of the database between two commits. Clients may store it as a text. */
export type ChangeCursor = string;

/** What was committed after the state of a cursor. */
export interface ChangesSince {
  /** The oldest first. A note may be reported twice. Undefined if anything may have changed. */
  readonly changes: readonly NoteChange[] | undefined;
  /** Identifies the state up to which the changes are complete. */
  readonly cursor: ChangeCursor;
}

/** Versions to read, in descending order of note and time. */
export interface VersionsRange {
  /** Exclusive upper bound: versions of lower ids, and those of this id before a time in ms since 1970. */
  readonly end: { readonly id: number; readonly updatedAt: number };
  readonly lowestId: number;
  readonly limit: number;
}
