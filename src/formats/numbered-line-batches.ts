import { concatBytes, tryDecodeUtf8 } from '../core/text/utf8.ts';

/** A line without its line end, or why it cannot be read. Numbers begin with 1. */
export type NumberedLine =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly reason: string };

/** Longer lines are rejected, as each line is in memory. */
export const maxLineBytes = 64 * 1024 * 1024;

const newline = 0x0a;

/**
 * Splits chunks of UTF-8 into lines, and yields the lines that each chunk completes. It holds on to the chunks, so that
 * the caller must not reuse their memory.
 *
 * Example: the chunks "a\nb" and "c\n" give [a] and [bc].
 */
export async function* streamNumberedLineBatches(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly NumberedLine[], void, void> {
  let number = 0;
  /** The start of the current line, dropped if too long; and its length. */
  let [parts, length]: [Uint8Array[], number] = [[], 0];
  const appendToLine = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > maxLineBytes) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  const finishLine = (): NumberedLine => {
    const text = length > maxLineBytes ? undefined : tryDecodeUtf8(concatBytes(parts));
    const reason = length > maxLineBytes ? `Must not be longer than ${maxLineBytes} bytes` : 'Must be valid UTF-8';
    [parts, length] = [[], 0];
    number++;
    return text === undefined ? { number, reason } : { number, text };
  };
  for await (const chunk of chunks) {
    const lines: NumberedLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      appendToLine(chunk.subarray(start, end));
      lines.push(finishLine());
      start = end + 1;
    }
    appendToLine(chunk.subarray(start));
    yield lines;
  }
  if (length > 0) yield [finishLine()];
}
