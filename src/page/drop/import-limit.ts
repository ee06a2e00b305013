import { NoteError } from '../../core/error.ts';

/** Beyond these, use the command line: the page keeps everything in memory. */
export const maxImported = { files: 1_000, mebibytes: 64, notes: 20_000 };

export const importLimitMessage =
  `The page imports at most ${maxImported.files.toLocaleString()} files or folders, ` +
  `${maxImported.mebibytes} MiB and ${maxImported.notes.toLocaleString()} notes at once. ` +
  'Import it separately, or use “notes import”';

/** Limits the bytes that one import reads from all its files, unpacked: also against archive bombs. */
export class ReadLimit {
  #leftBytes = maxImported.mebibytes * 2 ** 20;

  /** Passes on chunks. Throws `invalid` at the limit. */
  async *streamUntilLimit(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunks) {
      this.#leftBytes -= chunk.length;
      if (this.#leftBytes < 0) throw new NoteError('invalid', importLimitMessage);
      yield chunk;
    }
  }
}

/** Reads a stream to its end, also where browsers cannot iterate over one. */
export async function* iterateReadableStream(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {}); // it has failed, and the error is thrown already
  }
}
