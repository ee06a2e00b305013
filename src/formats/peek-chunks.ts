import { concatBytes } from '../core/text/utf8.ts';

/** A format is recognized by so many bytes at the start of a file. */
export const headBytes = 64 * 1024;

export interface PeekedChunks {
  readonly head: Uint8Array;
  /** Yields all bytes from the start, those of `head` included. */
  readonly all: AsyncGenerator<Uint8Array, void, void>;
  /** Closes the source. It has to be called only if nothing of `all` is read. */
  readonly close: () => Promise<void>;
}

/** Reads the first bytes without losing them: at least `minLength` bytes, if there are as many. */
export async function peekChunks(chunks: AsyncIterable<Uint8Array>, minLength: number): Promise<PeekedChunks> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  for (let length = 0; length < minLength; ) {
    const { value, done } = await iterator.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const close = async () => {
    await iterator.return?.();
  };
  async function* streamFromStart(): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* first.splice(0);
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await close();
    }
  }
  return { head: concatBytes(first), all: streamFromStart(), close };
}
