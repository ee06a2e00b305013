import { invalid, NoteError } from '../core/error.ts';
import { readBytesUpTo } from '../core/text/utf8.ts';

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

export const createDamagedError = (archiveName: string, cause: Error): NoteError =>
  new NoteError('invalid', `${archiveName} is damaged: it cannot be unpacked (${cause.message})`, { cause });

/** How to read an archive that is in another one. */
interface InnerArchives {
  /** Opens a `.zip` in memory; `name` is for messages. */
  readonly openZip: (name: string, bytes: Uint8Array) => Promise<Archive>;
  /** Receives those that were opened. */
  readonly opened: Archive[];
}

/** In bytes, of all archives in one. They are in memory, as an archive is read from its end. */
const maxNestedBytes = 2 ** 30;

/**
 * Collects the files of an archive by their paths. Archives in it are opened too, as folders named like them; those in
 * these are not.
 */
export async function openAndCollectPackedFiles(
  name: string,
  archive: Archive,
  { openZip, opened }: InnerArchives,
): Promise<ReadonlyMap<string, PackedFile>> {
  const files = new Map<string, PackedFile>();
  let left = maxNestedBytes;
  for (const [path, file] of archive.files) {
    if (isFinderFile(path)) continue;
    if (!/\.zip$/i.test(path)) {
      files.set(path, file);
      continue;
    }
    left -= file.size;
    const bytes = left < 0 ? undefined : await readBytesUpTo(file.unpack(), file.size);
    if (bytes === undefined) throw invalid(`${path} in ${name} is too large. Unpack ${name}, then import the folder`);
    const inner = await openZip(`${path} in ${name}`, bytes);
    opened.push(inner);
    const folder = path.slice(0, -'zip'.length - 1);
    for (const [below, one] of inner.files) if (!isFinderFile(below)) files.set(`${folder}/${below}`, one);
  }
  return files;
}

/** The Finder of macOS adds such files to the archives that it makes. */
const isFinderFile = (path: string) => /(^|\/)(__MACOSX\/|\.DS_Store$)/.test(path);
