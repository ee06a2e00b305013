import { NoteError } from '../core/error.ts';
import { isHiddenPath } from './markdown-format.ts';
import type { NoteFormat } from './note-format.ts';
import { headBytes, peekChunks } from './peek-chunks.ts';
import { formatRejection, type Recognition } from './recognition.ts';
import { createBadRecord, type ReadRecord } from './record.ts';
import type { Source } from './source.ts';
import { beginsWithZstdFrame, streamDecompressedZstd } from './zstd.ts';

/**
 * Reads a folder that is no export as such: each of its files in its own format, and no hidden one. `recognizeFile`
 * says which format that is.
 */
export const createMixedFolderFormat = (recognizeFile: (source: Source, head: string) => Recognition): NoteFormat => ({
  name: 'mixed',
  description: 'a folder whose files are in several formats',
  readsEachFile: true,
  acceptsCategory: true,
  recognizes: ({ files }) => files.length > 0,
  async *streamRecords(source) {
    for (const path of source.files) {
      if (!isHiddenPath(path)) yield* streamMixedFileRecords(source, path, recognizeFile);
    }
  },
});

async function* streamMixedFileRecords(
  source: Source,
  path: string,
  recognizeFile: (source: Source, head: string) => Recognition,
): AsyncGenerator<ReadRecord, void, void> {
  let count = 0;
  try {
    const { file, head, close } = await openFileAndPeekHead(source, path);
    try {
      for await (const record of streamRecognizedFileRecords(source, path, recognizeFile(file, head))) {
        count++;
        yield record;
      }
    } finally {
      await close(); // a file that no format reads is not read to its end
    }
  } catch (error) {
    if (!(error instanceof NoteError) || (error.code !== 'invalid' && error.code !== 'unavailable')) throw error;
    count++;
    yield createBadRecord(path, error.message);
  }
  if (count === 0) yield { kind: 'left out', location: path, reason: 'It has no text' };
}

interface OpenFile {
  readonly file: Source;
  readonly head: string;
  readonly close: () => Promise<void>;
}

/** Opens a file of a folder as a source by itself. */
async function openFileAndPeekHead(folder: Source, path: string): Promise<OpenFile> {
  const times = await folder.readTimes?.(path);
  const raw = await peekChunks(folder.streamChunks(path), headBytes);
  const isCompressed = beginsWithZstdFrame(raw.head);
  const { head, all } = isCompressed ? await peekChunks(streamDecompressedZstd(path, raw.all), headBytes) : raw;
  const file: Source = {
    name: isCompressed ? path.replace(/\.zst$/i, '') : path,
    modifiedAt: times?.modifiedAt ?? folder.modifiedAt,
    category: folder.category,
    files: [],
    streamChunks: () => all,
    findOriginKey: () => folder.findOriginKey?.(path),
  };
  return { file, head: new TextDecoder().decode(head.subarray(0, headBytes)), close: raw.close };
}

async function* streamRecognizedFileRecords(
  folder: Source,
  path: string,
  recognition: Recognition,
): AsyncGenerator<ReadRecord, void, void> {
  if (recognition.kind === 'known program') {
    yield { kind: 'left out', location: path, reason: formatRejection(recognition) };
  } else if (recognition.kind === 'unknown') {
    yield { kind: 'left out', location: path, reason: formatRejection(recognition), unread: [path] };
  } else {
    const { format, source } = recognition;
    // Only a folder knows when its files were created.
    yield* format.streamRecords(
      format.readsFileTimes ? { ...folder, files: [path], streamChunks: () => source.streamChunks() } : source,
    );
  }
}
