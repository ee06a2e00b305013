import { type Archive, collectPackedAndNestedFilesByPath } from '../../../formats/packed-files.ts';
import { streamOrThrowOnAbort } from '../../interruption.ts';
import type { OpenSource } from './open-folder.ts';
import { openZipBytes } from './zip-archive.ts';

interface ArchiveFacts {
  readonly name: string;
  readonly modifiedAt: Date;
  readonly archive: Archive;
}

/** Opens an archive as a folder. */
export async function openArchiveSource(
  { name, modifiedAt, archive }: ArchiveFacts,
  signal: AbortSignal,
): Promise<OpenSource> {
  const inner: Archive[] = [];
  const close = () => {
    for (const one of [archive, ...inner]) one.close();
  };
  const openNestedZip = async (nestedName: string, bytes: Uint8Array) => {
    const nested = await openZipBytes(nestedName, bytes);
    inner.push(nested);
    return nested;
  };
  const files = await collectPackedAndNestedFilesByPath(name, archive, openNestedZip).catch((error) => {
    close();
    throw error;
  });
  let read = 0;
  return {
    source: {
      name,
      modifiedAt,
      files: [...files.keys()].sort(),
      async *streamChunks(path = '') {
        const file = files.get(path);
        if (file === undefined) return;
        read++;
        yield* streamOrThrowOnAbort(file.unpack(), signal);
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
