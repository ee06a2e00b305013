import type { Note, NoteDraft, NoteFilter, NoteHead, NotePatch, Origin, PortableNote } from './note.ts';
import type { PinStore } from './pins.ts';
import type { LabelStore } from './value-labels.ts';

/**
 * A precondition of a write: the note's `updatedAt` must be one of these, or the write fails with `conflict`.
 * Without it, the write is unconditional.
 */
export type IfMatch = readonly string[];

/**
 * Operations on notes. When the promise of a write resolves, the write is durable and visible in every later list.
 * Errors are `NoteError`s; after `unavailable` the outcome is unknown.
 */
export interface NoteStore extends AsyncDisposable {
  /** Stores a new, active note under a never used id. */
  create(draft: NoteDraft): Promise<Note>;

  /** Fails with `not_found`. */
  get(id: number): Promise<Note>;

  /** Returns all matching notes as they were at one moment, in ascending order of id. */
  list(filter?: NoteFilter): Promise<Note[]>;

  /** Sets the fields of the patch and raises `updatedAt`. Fails with `not_found`, `conflict`. */
  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note>;

  /** Archives or unarchives a note and always raises `updatedAt`. Fails as `update` does. */
  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note>;

  /**
   * Yields batches of the note's versions from before each change of title, content, category, group or color, newest
   * first; at most `limit` versions. Fails with `not_found`.
   */
  history(id: number, limit?: number): AsyncIterable<readonly Note[]>;
}

/**
 * What became of one merged note. `added`: it is new. `updated`: it replaced an older state, which went to the history.
 * `unchanged`: the store knows it already, or its history does not reach back that far. `left`: the stored note stays.
 * A newer state of the same note has it in its history from now on; a state of the same time, a note created at another
 * time under this id, and another note with this origin do not.
 */
export const mergeOutcomes = ['added', 'updated', 'unchanged', 'left'] as const;
export type MergeOutcome = (typeof mergeOutcomes)[number];

/** What became of one merged note. */
export interface MergeResult {
  readonly outcome: MergeOutcome;
  /**
   * The stored note: the new one, the one with its id, or the one that has its origin. Undefined for a note that a dry
   * run would add, and if another note of the same merge has its origin.
   */
  readonly id?: number | undefined;
}

/** The best matches of a query, and the number of all matches. */
export interface Found<N = Note> {
  readonly notes: readonly N[];
  readonly total: number;
}

/**
 * Limits of a search: query length in UTF-16 units, maximal and default number of notes, bytes of their JSON; a single
 * note may exceed these. JSON has no fewer bytes than titles and contents have UTF-16 units.
 */
export const searchLimits = { query: 1_000, notes: 1_000, defaultNotes: 20, bytes: 1024 * 1024 } as const;

export interface SearchOptions extends NoteFilter {
  readonly limit?: number;
}

/** The origin of a stored note. */
export interface NoteOrigin extends Origin {
  readonly id: number;
}

/** The maximal number of origins per read. */
export const maxOrigins = 1_000;

/** A note without its content, and with the first `titleStartLength` characters of its title. */
export interface CreatedNote extends Pick<Note, 'id' | 'category' | 'createdAt'> {
  readonly titleStart: string;
}

/** Counted in code points. */
export const titleStartLength = 100;

/** The maximal numbers of times and of notes per read of the notes created at some times. */
export const maxCreated = { times: 5_000, notes: 1_000 } as const;

/** A store that can export and import its notes unchanged. */
export interface PortableStore extends NoteStore, LabelStore, PinStore {
  /** The address of the store, without passwords. */
  readonly location: string;

  /** Yields all matching notes as they were at one moment, in batches, in ascending order of id. */
  scan(filter?: NoteFilter): AsyncIterable<readonly Note[]>;

  /**
   * Reads the origins of notes with ids above `after`: the first `maxOrigins` in ascending order of id. Returns
   * undefined if the store has no origins.
   */
  readOriginsPage(after: number): Promise<readonly NoteOrigin[] | undefined>;

  /**
   * Finds the notes created at one of at most `maxCreated.times` times, with ids above `after`: the first
   * `maxCreated.notes` in ascending order of id. Scans all notes.
   */
  readCreatedNotesPage(times: readonly string[], after: number): Promise<readonly CreatedNote[]>;

  /**
   * For stores with their own search: what `searchExactlyOrMistyped` finds, newest first at equal rank. Returns fewer
   * notes if the response would be too long, and undefined if the store turns out to be unable to search.
   */
  search?(query: string, options?: SearchOptions): Promise<Found | undefined>;

  /** For stores that can read notes without their contents: reads those that match, the last changed first. */
  readLastChangedHeadsAndTotal?(options: SearchOptions): Promise<Found<NoteHead>>;

  /**
   * Stores notes with their ids and times, durably and all or none, and returns the results in order. Of two versions
   * with the same id and `createdAt`, the later `updatedAt` wins. Stores the origins of notes that the store then has
   * as they were given. A dry run only returns the results.
   */
  merge(notes: readonly PortableNote[], options?: { readonly dryRun?: boolean }): Promise<readonly MergeResult[]>;
}

/** Sessions of browsers that were ended before their time. All instances that share a database share them. */
export interface EndedSessionStore {
  /**
   * Ends a session for good. `endsAt` is when it would have ended by itself, in ms since 1970: its entry is deleted
   * some time after that. When the promise resolves, the end is durable, and `isSignInSessionEnded` is true at every
   * instance.
   */
  endSession(id: string, endsAt: number): Promise<void>;

  isSignInSessionEnded(id: string): Promise<boolean>;
}

/** A store inside the service: also offers lists as ready-made JSON, and its own state. */
export interface NoteEngine extends PortableStore, EndedSessionStore {
  /**
   * Returns the list as JSON, or `unchanged` if it is still at one of the `known` revisions.
   * Throws `busy` when too many long lists are being read.
   */
  listJson(filter: NoteFilter, known?: readonly string[]): JsonList | Promise<JsonList>;

  /** Reads what a search without words finds: the notes changed last, fewer if they are long. */
  readLastChangedNotesAndTotal(filter: NoteFilter, limit: number): Promise<Found>;

  /** Resolves if notes can be read and written, and the schema is current. Fails with `unavailable`. */
  assertReadableAndWritable(): Promise<void>;

  readStats(): EngineStats | Promise<EngineStats>;

  /** The changes to notes; undefined if the database keeps no log of them. */
  readonly feed: ChangeFeed | undefined;

  /** Reads the highest id that was ever assigned; 0 if none was. */
  readHighestAssignedId(): Promise<number>;

  /** Yields the versions of all notes, in batches; those of one note newest first. */
  streamAllVersionBatches(): AsyncIterable<readonly Note[]>;

  /** As in `PortableStore`; with `lastId`, new ids continue after it. */
  merge(
    notes: readonly PortableNote[],
    options?: { dryRun?: boolean; lastId?: number },
  ): Promise<readonly MergeResult[]>;
}

/**
 * Changes to notes, reported once they are durable. A cursor names a moment. Reading from an earlier one is safe: a
 * note reported twice is reported in its current state.
 */
export interface ChangeFeed {
  /**
   * Returns a cursor of a moment before the call. A list that is read afterwards contains everything written up to it.
   */
  readCursor(): string | Promise<string>;

  /** Reads the changes since the cursor. Returns undefined if they are no longer known, or not known for each note. */
  readChangesAfter(cursor: string): Changes | undefined | Promise<Changes | undefined>;

  /** Resolves when there may be changes since the cursor, and from time to time. */
  waitForPossibleChanges(cursor: string): Promise<void>;
}

export interface Changes {
  /** The JSON of each changed note, in its current state. */
  readonly notes: readonly string[];
  /** The moment up to which the changes are complete. */
  readonly cursor: string;
}

/**
 * A JSON array of notes: whole, or in chunks if it is long. Equal revisions promise equal bytes.
 */
export type JsonList =
  | { readonly kind: 'unchanged'; readonly revision: string }
  | { readonly kind: 'whole'; readonly revision: string; readonly body: ListBody }
  | { readonly kind: 'chunks'; readonly revision: string; readonly chunks: JsonChunks };

/** UTF-8 bytes in parts, which lists share as far as their notes are equal. */
export interface ListBody {
  /** In bytes. */
  readonly size: number;
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
  /** Joins all parts at the first call, and returns the same result from then on. */
  whole(): Blob | Uint8Array<ArrayBuffer>;
}

/** UTF-8 bytes in order. Read to the end or close: until then they hold a snapshot, a copy or a connection. */
export interface JsonChunks {
  /** Reads the next bytes; undefined at the end. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  close(): Promise<void>;
}

/** Sizes of the store, for operators. */
export interface EngineStats {
  /** Stored notes, including archived; some engines estimate large numbers. */
  readonly notes: number;
  readonly databaseBytes: number;
  /** Bytes of the write-ahead log awaiting a checkpoint, if the service owns the log. */
  readonly walBytes?: number;
}
