import type { LabelStore } from './labels/labels.ts';
import type { Note, NoteDraft, NoteFilter, NotePatch, PortableNote } from './note.ts';

/**
 * A condition on a write: the note's `updatedAt` must be one of these, else nothing is written and the write
 * fails with `conflict`. Left out, the write is unconditional.
 */
export type IfMatch = readonly string[];

/**
 * The operations on notes, wherever they are kept. A promise that is fulfilled by a write means that the write is
 * durable and that every later list shows it. Errors are `NoteError`s; after `unavailable` the outcome is unknown.
 */
export interface NoteStore extends AsyncDisposable {
  /** Stores a new, active note under an id that was never used before. */
  create(draft: NoteDraft): Promise<Note>;

  /** The note with this id. Fails with `not_found`. */
  get(id: number): Promise<Note>;

  /** All notes that match, in ascending order of id, as they were at one moment. */
  list(filter?: NoteFilter): Promise<Note[]>;

  /** Changes the fields that the patch holds and raises `updatedAt`. Fails with `not_found`, `conflict`. */
  update(id: number, patch: NotePatch, ifMatch?: IfMatch): Promise<Note>;

  /** Archives or brings back a note and raises `updatedAt`, also when nothing else changes. Fails as `update` does. */
  setArchived(id: number, archived: boolean, ifMatch?: IfMatch): Promise<Note>;

  /**
   * The note as it was before each change of its title, content, category, group or color, newest first, some at a time; at
   * most `limit` versions. Fails with `not_found`.
   */
  history(id: number, limit?: number): AsyncIterable<readonly Note[]>;
}

/**
 * What becomes of a merged note: `added`, or `replaced` an older version under its id, or kept as an older `version` itself; or
 * not stored, as the version under its id is the `same`, is `newer` and its history has this version or none so old, is
 * `different` with the same time, or its id is `taken` by a note that was created at
 * another time.
 */
export const mergeOutcomes = ['added', 'replaced', 'version', 'same', 'newer', 'different', 'taken'] as const;
export type MergeOutcome = (typeof mergeOutcomes)[number];

/** The best notes for a query, and how many match in all. */
export interface Found {
  readonly notes: readonly Note[];
  readonly total: number;
}

/** The header that tells over HTTP how many match in all. */
export const foundHeader = 'Notes-Found';

/** The longest query that a service takes, in UTF-16 units, and how many notes it finds at most, and unless told. */
export const searchLimits = { query: 1_000, notes: 1_000, defaultNotes: 20 } as const;

/** In which notes to search, and how many to find. */
export interface SearchOptions extends NoteFilter {
  readonly limit?: number;
}

/** A store whose notes can be carried elsewhere and back, as they are. */
export interface PortableStore extends NoteStore, LabelStore {
  /** Where the notes are, without passwords. */
  readonly location: string;

  /** All notes that match, as they were at one moment, in ascending order of id: some at a time, few in memory. */
  scan(filter?: NoteFilter): AsyncIterable<readonly Note[]>;

  /** The versions in the histories of all notes: after those of a note that are newer come those that are older. */
  scanVersions(): AsyncIterable<readonly Note[]>;

  /**
   * Where the store searches by itself: what `search` of domain/search.ts finds, newest first where it ranks equally; fewer
   * than asked for where they would be too long. Undefined when the store cannot after all.
   */
  search?(query: string, options?: SearchOptions): Promise<Found | undefined>;

  /**
   * Takes notes with their ids and times, all of them durably or none, and returns what became of each, in order. Of two versions
   * of a note, which have its id and `createdAt`, the one with the later `updatedAt` stays. A dry run returns the same and changes nothing.
   */
  merge(notes: readonly PortableNote[], options?: { readonly dryRun?: boolean }): Promise<readonly MergeOutcome[]>;
}

/** What a store beside the service offers in addition: lists as ready-made JSON, and its own state. */
export interface NoteEngine extends PortableStore {
  /**
   * The list as JSON text, or that it is still at one of the `known` revisions.
   * Throws `busy` when too many long lists are being read.
   */
  listJson(filter: NoteFilter, known?: readonly string[]): JsonList | Promise<JsonList>;

  /** Resolves when the store can answer and its schema is current. Fails with `unavailable`. */
  check(): Promise<void>;

  stats(): EngineStats | Promise<EngineStats>;

  /** Tells what is written; undefined where the database keeps no log of it. */
  readonly feed: ChangeFeed | undefined;

  /** The highest id that was ever given out; 0: none. */
  lastId(): Promise<number>;

  /** As in every portable store; new ids then go on after `lastId`, too. */
  merge(
    notes: readonly PortableNote[],
    options?: { dryRun?: boolean; lastId?: number },
  ): Promise<readonly MergeOutcome[]>;
}

/**
 * What is written, told after it is durable. A cursor names a moment, and an earlier moment does no harm: a note that is
 * told once more is told as it is.
 */
export interface ChangeFeed {
  /** A moment before the call: a list that is read from now on shows all that was written by then. */
  cursor(): string | Promise<string>;

  /** What was written after that moment; undefined where that is not known any more, or not note by note. */
  changesAfter(cursor: string): Changes | undefined | Promise<Changes | undefined>;

  /** Resolves when something may have been written after that moment, and from time to time. */
  changed(cursor: string): Promise<void>;
}

export interface Changes {
  /** The JSON of each note that was written, as it is now. */
  readonly notes: readonly string[];
  /** The moment up to which they tell. */
  readonly cursor: string;
}

/**
 * A JSON array of notes: whole, or in chunks when it is long. `revision` names its state: an equal revision promises
 * equal bytes.
 */
export type JsonList =
  | { readonly kind: 'unchanged'; readonly revision: string }
  | { readonly kind: 'whole'; readonly revision: string; readonly body: Blob }
  | { readonly kind: 'chunks'; readonly revision: string; readonly chunks: JsonChunks };

/** UTF-8 bytes, in order. The receiver reads to the end or closes them: until then they hold a snapshot or a file. */
export interface JsonChunks {
  /** The next bytes; undefined at the end. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  close(): Promise<void>;
}

/** Sizes of the store, for those who run it. */
export interface EngineStats {
  /** Notes stored, archived ones included; of very many, some engines only have an estimate. */
  readonly notes: number;
  readonly databaseBytes: number;
  /** Bytes of the write-ahead log that wait for a checkpoint, where that is the service's own. */
  readonly walBytes?: number;
}
