const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text that bytes hold, to the last of them, a mark in front too; undefined where they are not UTF-8. */
export function textInUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const encoder = new TextEncoder();

/** How many bytes a text has in UTF-8. */
export const utf8Length = (text: string): number => encoder.encode(text).length;

/** The bytes of all chunks, one after the other. */
export function joinedBytes(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}
