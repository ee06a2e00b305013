import { invalid } from '../../../core/error.ts';
import { bytesWithin } from '../../../core/tools/utf8.ts';
import { interruptible } from '../../interruption.ts';
import type { Archive, PackedFile } from './archive.ts';
import type { OpenSource } from './folder.ts';
import { openZipBytes } from './zip-archive.ts';

interface ArchiveFacts {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly archive: Archive;
}

/** Opens an archive as a folder. Archives in it are opened too, as folders named like them; those in these are not. */
export async function openArchive(
  { name, modifiedAt, archive }: ArchiveFacts,
  signal: AbortSignal,
): Promise<OpenSource> {
  const inner: Archive[] = [];
  const close = () => {
    for (const one of [archive, ...inner]) one.close();
  };
  const files = await readNested(name, archive, inner).catch((error) => {
    close();
    throw error;
  });
  let read = 0;
  return {
    source: {
      name,
      modifiedAt,
      files: [...files.keys()].sort(),
      async *chunks(path = '') {
        const file = files.get(path);
        if (file === undefined) return;
        read++;
        yield* interruptible(file.unpack(), signal);
      },
      async readTimes(path) {
        const time = files.get(path)?.modifiedAt ?? modifiedAt;
        return { createdAt: time, modifiedAt: time };
      },
    },
    isFolder: true,
    head: '',
    part: () => read / Math.max(1, files.size),
    close,
  };
}

/** In bytes, of all archives in one. They are in memory, as an archive is read from its end. */
const maxNestedBytes = 2 ** 30;

/** Reads the archives in an archive into `inner`. Returns its own files and theirs. */
async function readNested(name: string, archive: Archive, inner: Archive[]): Promise<ReadonlyMap<string, PackedFile>> {
  const files = new Map<string, PackedFile>();
  let left = maxNestedBytes;
  for (const [path, file] of archive.files) {
    if (isOfFinder(path)) continue;
    if (!/\.zip$/i.test(path)) {
      files.set(path, file);
      continue;
    }
    left -= file.size;
    const bytes = left < 0 ? undefined : await bytesWithin(file.unpack(), file.size);
    if (bytes === undefined) throw invalid(`${path} in ${name} is too large. Unpack ${name}, then import the folder`);
    const opened = await openZipBytes(`${path} in ${name}`, bytes);
    inner.push(opened);
    const folder = path.slice(0, -'zip'.length - 1);
    for (const [below, one] of opened.files) if (!isOfFinder(below)) files.set(`${folder}/${below}`, one);
  }
  return files;
}

/** The Finder of macOS adds such files to the archives that it makes. */
const isOfFinder = (path: string) => /(^|\/)(__MACOSX\/|\.DS_Store$)/.test(path);
