import { invalid, NoteError } from '../../../core/error.ts';

/** An archive in any format. Nothing of it is written to disk, so that paths in it are harmless. */
export interface Archive {
  /** By their paths, with `/`. */
  readonly files: ReadonlyMap<string, PackedFile>;
  close(): void;
}

/** A file of an archive. */
export interface PackedFile {
  readonly modifiedAt: Date;
  /** Its length, unpacked. */
  readonly size: number;
  /** Unpacks it while it is read. Throws `invalid` if it is damaged. */
  unpack(): AsyncIterable<Uint8Array>;
}

const maxFiles = 100_000;

/** Throws `invalid` for more files than any export has. */
export function assertFileCount(archiveName: string, count: number): void {
  if (count > maxFiles) throw invalid(`${archiveName} holds more than ${maxFiles} files`);
}

export const damagedError = (archiveName: string, cause: Error): NoteError =>
  new NoteError('invalid', `${archiveName} is damaged: it cannot be unpacked (${cause.message})`, { cause });
