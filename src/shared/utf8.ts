const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text that bytes hold, to the last of them, a mark in front too; undefined where they are not UTF-8. */
export function textInUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
