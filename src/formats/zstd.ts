/** Reads what is compressed by Zstandard, as programs store long logs: `rollout-1.jsonl.zst`. */
import { NoteError } from '../core/error.ts';

/** Whether bytes begin as a Zstandard frame does. */
export const beginsWithZstdFrame = (bytes: Uint8Array): boolean => signature.every((byte, at) => bytes[at] === byte);

const signature = [0x28, 0xb5, 0x2f, 0xfd] as const;

/**
 * Decompresses chunks as they arrive. The runtime decodes this format, but few browsers do: the others load a decoder
 * in JavaScript. `name` is for the message of `invalid`, thrown if the data is damaged or its end is missing.
 */
export async function* streamDecompressedZstd(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  let readError: unknown;
  async function* streamSource() {
    try {
      yield* chunks;
    } catch (error) {
      readError = error;
      throw error;
    }
  }
  try {
    yield* canDecompressByRuntime()
      ? streamDecompressedByRuntime(streamSource())
      : streamDecompressedByLibrary(streamSource());
  } catch (error) {
    if (error === readError) throw error;
    throw new NoteError('invalid', `${name} is damaged: it cannot be unpacked`, { cause: error });
  }
}

function canDecompressByRuntime(): boolean {
  try {
    return createZstdDecompressionStream() !== undefined;
  } catch {
    return false;
  }
}

/** The decoder is created by its name as a value, because the types of browsers do not name this format. */
const createZstdDecompressionStream = (): ReadableWritablePair<Uint8Array> =>
  Reflect.construct(DecompressionStream, ['zstd']);

const streamDecompressedByRuntime = (chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  toReadableStream(chunks).pipeThrough(createZstdDecompressionStream());

function toReadableStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/**
 * The length of the pieces that are decompressed at once. A block of 4 bytes may unpack to 128 KiB, so that a piece
 * unpacks to 32 MiB at most.
 */
const pieceBytes = 1024;

async function* streamDecompressedByLibrary(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const { Decompress } = await import('fzstd');
  const unpacked: Uint8Array[] = [];
  const decoder = new Decompress((block) => unpacked.push(block));
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      decoder.push(chunk.subarray(start, start + pieceBytes));
      yield* unpacked.splice(0);
    }
  }
  decoder.push(new Uint8Array(), true);
  yield* unpacked.splice(0);
}
