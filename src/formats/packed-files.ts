import { createInvalidError, NoteError } from '../core/error.ts';
import { tryReadBytesUpTo } from '../core/text/utf8.ts';

/** An archive in any format. Nothing of it is written to disk, so that paths in it are harmless. */
export interface Archive {
  /** The files by their paths, with `/`. */
  readonly files: ReadonlyMap<string, PackedFile>;
  close(): void;
}

/** A file of an archive. */
export interface PackedFile {
  readonly modifiedAt: Date;
  /** The length of the file when it is unpacked. */
  readonly size: number;
  /** Unpacks the file while it is read. Throws `invalid` if it is damaged. */
  unpack(): AsyncIterable<Uint8Array>;
}

const maxFiles = 100_000;

/** Throws `invalid` if an archive has more files than any export. */
export function assertFileCount(archiveName: string, count: number): void {
  if (count > maxFiles) throw createInvalidError(`${archiveName} holds more than ${maxFiles} files`);
}

export const createDamagedError = (archiveName: string, cause: Error): NoteError =>
  new NoteError('invalid', `${archiveName} is damaged: it cannot be unpacked (${cause.message})`, { cause });

/** Opens a `.zip` in memory. `name` is for messages. */
type OpenZip = (name: string, bytes: Uint8Array) => Promise<Archive>;

/** The limit for all archives in an archive. They are held in memory, as an archive is read from its end. */
const maxNestedBytes = 2 ** 30;

/**
 * Collects the files of an archive by their paths. Archives in it are opened by `openNestedZip`, as folders named like
 * them; the caller closes them. Archives in these are not opened.
 *
 * Example: an archive with `a.md` and `old.zip`, which has `b.md`, gives `a.md` and `old/b.md`.
 */
export async function collectPackedAndNestedFilesByPath(
  name: string,
  archive: Archive,
  openNestedZip: OpenZip,
): Promise<ReadonlyMap<string, PackedFile>> {
  const files = new Map<string, PackedFile>();
  let remainingBytes = maxNestedBytes;
  for (const [path, file] of archive.files) {
    if (isFinderFile(path)) continue;
    if (!/\.zip$/i.test(path)) {
      files.set(path, file);
      continue;
    }
    remainingBytes -= file.size;
    const bytes = remainingBytes < 0 ? undefined : await tryReadBytesUpTo(file.unpack(), file.size);
    if (bytes === undefined)
      throw createInvalidError(`${path} in ${name} is too large. Unpack ${name}, then import the folder`);
    const inner = await openNestedZip(`${path} in ${name}`, bytes);
    const folder = path.slice(0, -'zip'.length - 1);
    for (const [below, one] of inner.files) if (!isFinderFile(below)) files.set(`${folder}/${below}`, one);
  }
  return files;
}

/** The Finder of macOS adds such files to the archives that it makes. */
const isFinderFile = (path: string) => /(^|\/)(__MACOSX\/|\.DS_Store$)/.test(path);
