import type { PortableNote } from '../core/note.ts';

/** One item read: a note, or why there is none; `location` is where, such as "line 12". */
export type ReadRecord =
  | {
      readonly kind: 'note';
      readonly location: string;
      readonly note: PortableNote;
      /** The change time of a file that contains only this note: it may have been edited by hand. */
      readonly fileTime?: string;
      /** The key of its source, stable across edits of the source. */
      readonly origin?: string;
      /** Whether the source states its `updatedAt`, which tells an older state of it from a newer one. */
      readonly isDated?: boolean;
      /** A sentence for the user. */
      readonly remark?: string;
    }
  /** `left out`: on purpose, such as an empty conversation; `withheld`: it seems to contain a secret. */
  | {
      readonly kind: 'bad' | 'left out' | 'withheld';
      readonly location: string;
      readonly reason: string;
      /** How many files or notes it stands for, default 1; 0: a part of one that is counted. */
      readonly count?: number;
    };

/** A part of a source that cannot be read as a note, with a reason for the user. */
export const bad = (location: string, reason: string) => ({ kind: 'bad', location, reason }) as const;

export type NoteRecord = Extract<ReadRecord, { kind: 'note' }>;

/** The input: a file, a folder or standard input. */
export interface Source {
  /** For display. */
  readonly name: string;
  readonly modifiedAt: Date;
  /** Paths of all files below a folder, relative and sorted; otherwise empty. */
  readonly files: readonly string[];
  /** The default category. */
  readonly category?: PortableNote['category'] | undefined;
  /** Reads one of `files`. */
  file(path: string): Promise<Uint8Array>;
  /** Like `file`, in chunks, if that avoids holding the whole file in memory. */
  chunksOf?(path: string): AsyncIterable<Uint8Array>;
  /** The times of one of `files`, if known. */
  timesOf?(path: string): Promise<FileTimes>;
  /** The origin key of one of `files`, or of a source that is a file; undefined without a stable name. */
  originOf?(path?: string): string | undefined;
  /** Reads the bytes in chunks; none for a folder. Call once. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface FileTimes {
  readonly createdAt: Date;
  readonly modifiedAt: Date;
}

export interface Format {
  /** Its name for `--format`. */
  readonly name: string;
  readonly description: string;
  /** Whether a source looks like this format, by its file names and `head`, its first 64 KiB. Never throws. */
  recognizes(source: Source, head: string): boolean;
  /** Whether each file of a folder is read on its own. */
  readonly isByFile?: boolean;
  /** Throws `invalid` if nothing is readable. */
  read(source: Source): AsyncIterable<ReadRecord>;
}

/**
 * Handles a note in its own file that differs from the stored one at the same time: the file was edited, so its time
 * counts. Undefined for a note that shares a file.
 */
export function asEdited(record: NoteRecord): NoteRecord | undefined {
  const { note, fileTime, location } = record;
  if (fileTime === undefined) return undefined;
  const next = new Date(Date.parse(note.updatedAt) + 1).toISOString();
  return { kind: 'note', location, note: { ...note, updatedAt: fileTime > next ? fileTime : next } };
}
