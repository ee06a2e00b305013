import type { PortableNote } from '../domain/note.ts';

/** One thing that was read: a note, or why there is none; `place` says where it stands, as "line 12". */
export type ReadRecord =
  | {
      readonly kind: 'note';
      readonly place: string;
      readonly note: PortableNote;
      /** When the file was changed that holds this note alone: it may have been edited by hand since it was written. */
      readonly fileTime?: string;
      /** The key of where the note comes from, which a source that has grown or was edited keeps. */
      readonly origin?: string;
      /** What a person should know of it, as a sentence. */
      readonly remark?: string;
    }
  | { readonly kind: 'bad'; readonly place: string; readonly reason: string }
  /** On purpose, as an empty conversation. */
  | { readonly kind: 'left out'; readonly place: string; readonly reason: string }
  /** As it seems to hold a secret. */
  | { readonly kind: 'withheld'; readonly place: string; readonly reason: string };

export type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

/** What is read: a file, a folder or standard input. */
export interface Source {
  /** Fit to be shown. */
  readonly name: string;
  readonly modifiedAt: Date;
  /** Paths of the files in a folder and below, relative and sorted; none for anything else. */
  readonly files: readonly string[];
  /** What a note gets that says none of its own. */
  readonly category?: PortableNote['category'] | undefined;
  /** One of `files`. */
  file(path: string): Promise<Uint8Array>;
  /** The same in chunks, where it need not be in memory as a whole. */
  chunksOf?(path: string): AsyncIterable<Uint8Array>;
  /** When one of `files` was made and last changed, where that is known. */
  timesOf?(path: string): Promise<FileTimes>;
  /** The key of what is in one of `files`, or in the source where it is a file; undefined where that has no name that stays. */
  originOf?(path?: string): string | undefined;
  /** The bytes in chunks; of a folder none. To be called once. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface FileTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

/** A format that notes are read from. */
export interface Format {
  /** As it is named by `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like it, by the names of its files and by `head`, its first 64 KiB as text. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Whether each file of a folder is read by itself, whatever stands beside it. */
  readonly isByFile?: boolean;
  /** Throws `invalid` when nothing of it is understood. */
  read(source: Source): AsyncIterable<ReadRecord>;
}
