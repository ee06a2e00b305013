import { createInvalidError } from '../core/error.ts';
import { peekChunks } from './peek-chunks.ts';

/** This sentence tells the user why a text is not read, and what to do. */
export const notUnicodeReason =
  'It is neither in UTF-8 nor in UTF-16 with a byte order mark. Convert it first, such as by: ' +
  'iconv -f WINDOWS-1252 -t UTF-8 old.txt >new.txt';

/** Removes the byte order mark with which some editors begin a file. */
export const stripByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/**
 * Converts a text in UTF-16 that begins with a byte order mark, as editors on Windows save it, into UTF-8; passes on
 * any other bytes. `name` is for the message of `invalid`, thrown if it is damaged.
 */
export async function* transcodeUtf16IfMarked(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  const { head, all } = await peekChunks(chunks, 2);
  const encoding = findUtf16Encoding(head);
  if (encoding === undefined) return yield* all;
  const [decoder, encoder] = [new TextDecoder(encoding, { fatal: true }), new TextEncoder()];
  const transcodeChunk = (bytes?: Uint8Array) => {
    try {
      return encoder.encode(decoder.decode(bytes, { stream: bytes !== undefined }));
    } catch {
      throw createInvalidError(`${name} begins like a text in UTF-16, and is none`);
    }
  };
  for await (const chunk of all) yield transcodeChunk(chunk);
  yield transcodeChunk();
}

const findUtf16Encoding = ([one, two]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (one === 0xff && two === 0xfe) return 'utf-16le';
  return one === 0xfe && two === 0xff ? 'utf-16be' : undefined;
};
