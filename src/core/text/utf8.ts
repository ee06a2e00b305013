const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8 with its byte order mark, if it has one. Returns undefined for malformed bytes. */
export function tryDecodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/** The length of a text in UTF-8 bytes. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/** Reads all chunks into one array. Stops and returns undefined once they hold more than `max` bytes. */
export async function tryReadBytesUpTo(
  chunks: AsyncIterable<Uint8Array>,
  max: number,
): Promise<Uint8Array | undefined> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    read.push(chunk);
    length += chunk.length;
    if (length > max) return undefined;
  }
  return concatBytes(read);
}

export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
