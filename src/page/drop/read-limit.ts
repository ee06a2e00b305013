import { NoteError } from '../../core/error.ts';

/** Beyond these, use the command line: the page keeps everything in memory. */
export const maxRead = { files: 1_000, mebibytes: 64, notes: 20_000 };

export const limitSentence =
  `The page imports at most ${maxRead.files.toLocaleString()} files or folders, ` +
  `${maxRead.mebibytes} MiB and ${maxRead.notes.toLocaleString()} notes at once. ` +
  'Import it separately, or use “notes import”';

/** Limits the bytes that one import reads from all its files, unpacked: also against archive bombs. */
export class ReadLimit {
  #leftBytes = maxRead.mebibytes * 2 ** 20;

  /** Passes on chunks. Throws `invalid` at the limit. */
  async *apply(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
    for await (const chunk of chunks) {
      this.#leftBytes -= chunk.length;
      if (this.#leftBytes < 0) throw new NoteError('invalid', limitSentence);
      yield chunk;
    }
  }
}

/** Reads a stream to its end, also where browsers cannot iterate over one. */
export async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = stream.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    await reader.cancel().catch(() => {}); // it has failed, and the error is thrown already
  }
}
